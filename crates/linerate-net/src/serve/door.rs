//! Who is in: a bound on connections, in all and from one address, and the way to reach the
//! conversation that a data connection belongs to.

use std::collections::BTreeMap;
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::control::Pass;

use super::House;

/// How long a full house waits for somebody to leave before it looks again.
const LEAVER: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) struct Door {
    most: usize,
    most_per_address: usize,
    inside: Mutex<Inside>,
    left: Condvar,
}

#[derive(Debug, Default)]
struct Inside {
    next: u64,
    closed: bool,
    guests: BTreeMap<u64, (IpAddr, TcpStream)>,
    expected: BTreeMap<Pass, SyncSender<(u32, TcpStream)>>,
}

/// A connection that is in; it leaves when this is dropped.
#[derive(Debug)]
pub(super) struct Guest {
    house: Arc<House>,
    number: u64,
}

/// Data connections that a conversation waits for; they are forgotten when this is dropped.
#[derive(Debug)]
pub(super) struct Expected<'a> {
    door: &'a Door,
    pass: Pass,
    arrival: Receiver<(u32, TcpStream)>,
}

impl Door {
    pub(super) fn new(most: usize, most_per_address: usize) -> Self {
        Self { most, most_per_address, inside: Mutex::default(), left: Condvar::new() }
    }

    /// Lets a connection in, if there is room.
    pub(super) fn enter(house: &Arc<House>, stream: &TcpStream, peer: IpAddr) -> Option<Guest> {
        let door = &house.door;
        let mut inside = door.lock();
        let neighbours = inside.guests.values().filter(|(address, _)| *address == peer).count();
        if inside.closed || inside.guests.len() >= door.most || neighbours >= door.most_per_address {
            return None;
        }
        let number = inside.next;
        inside.next += 1;
        inside.guests.insert(number, (peer, stream.try_clone().ok()?));
        Some(Guest { house: Arc::clone(house), number })
    }

    /// Waits until a connection leaves, for a short time at most.
    pub(super) fn wait_for_a_leaver(&self) {
        let waited = self.left.wait_timeout(self.lock(), LEAVER);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Breaks off every conversation and lets nobody in any more.
    pub(super) fn close(&self) {
        let mut inside = self.lock();
        inside.closed = true;
        inside.expected.clear();
        for (_, stream) in inside.guests.values() {
            // It may be closed already.
            stream.shutdown(Shutdown::Both).unwrap_or(());
        }
        drop(inside);
    }

    /// Announces that `flows` data connections with `pass` will come.
    pub(super) fn expect(&self, pass: Pass, flows: u32) -> Expected<'_> {
        let (sender, arrival) = sync_channel(flows as usize);
        self.lock().expected.insert(pass, sender);
        Expected { door: self, pass, arrival }
    }

    /// Whether a conversation waits for data connections with `pass`.
    pub(super) fn expects(&self, pass: &Pass) -> bool {
        self.lock().expected.contains_key(pass)
    }

    /// Hands the data connection of flow `flow` to the conversation that expects it; false if none
    /// does, or has enough.
    pub(super) fn deliver(&self, pass: &Pass, flow: u32, stream: TcpStream) -> bool {
        let sender = self.lock().expected.get(pass).cloned();
        sender.is_some_and(|sender| sender.try_send((flow, stream)).is_ok())
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.door.lock().expected.remove(&self.pass);
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let door = &self.house.door;
        door.lock().guests.remove(&self.number);
        door.left.notify_all();
    }
}
