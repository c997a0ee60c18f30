//! Admission: a bound on connections, in all and from one address, and the way to reach the
//! conversation that a data connection belongs to.

use std::collections::BTreeMap;
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::control::ChannelToken;

use super::ServerState;

/// How long a full server waits for a connection to end before it checks again.
const ROOM: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) struct Admission {
    most: usize,
    most_per_address: usize,
    connections: Mutex<Connections>,
    left: Condvar,
}

#[derive(Debug, Default)]
struct Connections {
    next: u64,
    closed: bool,
    open: BTreeMap<u64, (IpAddr, TcpStream)>,
    expected: BTreeMap<ChannelToken, SyncSender<(u32, TcpStream)>>,
}

/// Room for one connection, which is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Permit {
    server: Arc<ServerState>,
    number: u64,
}

/// Data connections that a conversation waits for; they are forgotten when this is dropped.
#[derive(Debug)]
pub(super) struct Expected<'a> {
    admission: &'a Admission,
    token: ChannelToken,
    arrival: Receiver<(u32, TcpStream)>,
}

impl Admission {
    pub(super) fn new(most: usize, most_per_address: usize) -> Self {
        Self { most, most_per_address, connections: Mutex::default(), left: Condvar::new() }
    }

    /// Admits a connection, if there is room.
    pub(super) fn admit(server: &Arc<ServerState>, stream: &TcpStream, peer: IpAddr) -> Option<Permit> {
        let admission = &server.admission;
        let mut connections = admission.lock();
        let neighbours = connections.open.values().filter(|(address, _)| *address == peer).count();
        if connections.closed
            || connections.open.len() >= admission.most
            || neighbours >= admission.most_per_address
        {
            return None;
        }
        let number = connections.next;
        connections.next += 1;
        connections.open.insert(number, (peer, stream.try_clone().ok()?));
        Some(Permit { server: Arc::clone(server), number })
    }

    /// Waits until a connection leaves, for a short time at most.
    pub(super) fn wait_for_room(&self) {
        let waited = self.left.wait_timeout(self.lock(), ROOM);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Cancels every conversation and admits no more.
    pub(super) fn close(&self) {
        let mut connections = self.lock();
        connections.closed = true;
        connections.expected.clear();
        for (_, stream) in connections.open.values() {
            // It may be closed already.
            stream.shutdown(Shutdown::Both).unwrap_or(());
        }
        drop(connections);
    }

    /// Announces that `flows` data connections with `token` will come.
    pub(super) fn expect(&self, token: ChannelToken, flows: u32) -> Expected<'_> {
        let (sender, arrival) = sync_channel(flows as usize);
        self.lock().expected.insert(token, sender);
        Expected { admission: self, token, arrival }
    }

    /// Whether a conversation waits for data connections with `token`.
    pub(super) fn expects(&self, token: &ChannelToken) -> bool {
        self.lock().expected.contains_key(token)
    }

    /// Hands the data connection of flow `flow` to the conversation that expects it; false if no
    /// conversation expects it, or it has enough.
    pub(super) fn deliver(&self, token: &ChannelToken, flow: u32, stream: TcpStream) -> bool {
        let sender = self.lock().expected.get(token).cloned();
        sender.is_some_and(|sender| sender.try_send((flow, stream)).is_ok())
    }

    fn lock(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Expected<'_> {
    /// Waits for the next one: the number of its flow, and the connection.
    pub(super) fn wait(&self, within: Duration) -> Option<(u32, TcpStream)> {
        self.arrival.recv_timeout(within).ok()
    }
}

impl Drop for Expected<'_> {
    fn drop(&mut self) {
        self.admission.lock().expected.remove(&self.token);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let admission = &self.server.admission;
        admission.lock().open.remove(&self.number);
        admission.left.notify_all();
    }
}
