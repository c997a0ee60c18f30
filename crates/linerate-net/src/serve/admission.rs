//! Admission: who may hold a connection, and the way to reach the conversation that a data
//! connection belongs to.
//!
//! Everybody is let in, and only who proves the key may stay: where those that have not proved it
//! fill their places, the oldest of the most crowded prefix leaves for the newcomer. So whoever
//! holds places without the key displaces itself, and never a client with the key.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr, Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::control::{AT_ONCE, ChannelToken};
use crate::transport::{LineResult, Upgrade};

use super::ServerState;

/// How long a full server waits for a connection to end before it checks again.
const ROOM: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) struct Admission {
    most: usize,
    most_per_prefix: usize,
    connections: Mutex<Connections>,
    left: Condvar,
}

#[derive(Debug, Default)]
struct Connections {
    next: u64,
    closed: bool,
    open: BTreeMap<u64, Open>,
    expected: BTreeMap<ChannelToken, Awaited>,
}

/// The data connections of a conversation.
#[derive(Debug)]
struct Awaited {
    /// From where.
    prefix: IpAddr,
    /// How many may be on their way to this host at once.
    at_once: usize,
    /// How many may have come that the conversation did not take yet. Each has one of `places`.
    most: usize,
    places: Arc<()>,
    upgrade: Arc<dyn Upgrade>,
    arrived: Sender<Delivered>,
}

/// The number of a flow, and its channel, which has a place until the conversation takes it.
type Delivered = (u32, LineResult, Arc<()>);

/// A place for one data connection of a conversation that waits for it.
#[derive(Debug)]
pub(super) struct Reserved {
    place: Arc<()>,
    upgrade: Arc<dyn Upgrade>,
    arrived: Sender<Delivered>,
}

#[derive(Debug)]
struct Open {
    prefix: IpAddr,
    stream: TcpStream,
    standing: Standing,
}

/// What is known of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// Anybody's.
    Unproved,
    /// A conversation of who has the key, or that an open server took.
    Proved,
    /// Brought by such a conversation, and on its way to it.
    Expected,
}

/// Room for one connection, which is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Permit {
    server: Arc<ServerState>,
    number: u64,
}

/// Who left so that a newcomer had room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Evicted(pub(super) IpAddr);

/// Data connections that a conversation waits for; they are forgotten when this is dropped.
#[derive(Debug)]
pub(super) struct Expected<'a> {
    admission: &'a Admission,
    token: ChannelToken,
    arrival: Receiver<Delivered>,
}

impl Admission {
    /// Room for `most` connections that proved the key and as many that did not yet, and for
    /// `most_per_prefix` of each from one address, of IPv6 from one /64.
    pub(super) fn new(most: usize, most_per_prefix: usize) -> Self {
        Self { most, most_per_prefix, connections: Mutex::default(), left: Condvar::new() }
    }

    /// Admits a connection, and says who left for it. `None` if the server stops.
    pub(super) fn admit(
        server: &Arc<ServerState>,
        stream: &TcpStream,
        peer: IpAddr,
    ) -> Option<(Permit, Option<Evicted>)> {
        let admission = &server.admission;
        let mut connections = admission.lock();
        if connections.closed {
            return None;
        }
        let evicted = connections.make_room(prefix(peer), admission.most, admission.most_per_prefix);
        let number = connections.next;
        connections.next += 1;
        let open =
            Open { prefix: prefix(peer), stream: stream.try_clone().ok()?, standing: Standing::Unproved };
        connections.open.insert(number, open);
        Some((Permit { server: Arc::clone(server), number }, evicted))
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
        connections.open.values().for_each(Open::shut);
        drop(connections);
    }

    /// Announces that `flows` data connections with `token` will come from `peer`, which `upgrade` makes channels of;
    /// until they have said whose they are, they have room beside those that anybody may hold.
    pub(super) fn expect(
        &self,
        token: ChannelToken,
        peer: IpAddr,
        flows: u32,
        upgrade: Arc<dyn Upgrade>,
    ) -> Expected<'_> {
        let (arrived, arrival) = channel();
        let most = flows as usize;
        let at_once = flows.min(AT_ONCE) as usize;
        let awaited =
            Awaited { prefix: prefix(peer), at_once, most, places: Arc::default(), upgrade, arrived };
        self.lock().expected.insert(token, awaited);
        Expected { admission: self, token, arrival }
    }

    /// A place for a data connection with `token`, if a conversation waits for one.
    pub(super) fn reserve(&self, token: &ChannelToken) -> Option<Reserved> {
        let connections = self.lock();
        let awaited = connections.expected.get(token)?;
        // One is kept here.
        let free = Arc::strong_count(&awaited.places) <= awaited.most;
        free.then(|| Reserved {
            place: Arc::clone(&awaited.places),
            upgrade: Arc::clone(&awaited.upgrade),
            arrived: awaited.arrived.clone(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connections {
    /// Makes room for one more from `newcomer` that has not proved the key.
    fn make_room(&mut self, newcomer: IpAddr, most: usize, most_per_prefix: usize) -> Option<Evicted> {
        let near = |awaited: &&Awaited| awaited.prefix == newcomer;
        let awaited = self.expected.values().filter(near).map(|awaited| awaited.at_once).sum::<usize>();
        let (most, most_per_prefix) = (most + awaited, most_per_prefix + awaited);
        let mut crowds: BTreeMap<IpAddr, usize> = BTreeMap::new();
        for open in self.open.values().filter(|open| open.standing == Standing::Unproved) {
            *crowds.entry(open.prefix).or_default() += 1;
        }
        let crowd = if crowds.get(&newcomer).is_some_and(|own| *own >= most_per_prefix) {
            newcomer
        } else if crowds.values().sum::<usize>() >= most {
            *crowds.iter().max_by_key(|(_, size)| **size)?.0
        } else {
            return None;
        };
        // Numbers are given in the order of arrival.
        let unproved = |open: &Open| open.standing == Standing::Unproved && open.prefix == crowd;
        let oldest = self.open.iter().find(|(_, open)| unproved(open)).map(|(number, _)| *number)?;
        let open = self.open.remove(&oldest)?;
        open.shut();
        Some(Evicted(open.prefix))
    }

    fn stand(&mut self, number: u64, standing: Standing) {
        if let Some(open) = self.open.get_mut(&number) {
            open.standing = standing;
        }
    }

    /// How many conversations proved the key: in all, and from `prefix`.
    fn proved(&self, prefix: IpAddr) -> (usize, usize) {
        let proved = self.open.values().filter(|open| open.standing == Standing::Proved);
        proved.fold((0, 0), |(all, near), open| (all + 1, near + usize::from(open.prefix == prefix)))
    }
}

impl Open {
    fn shut(&self) {
        // It may be closed already.
        self.stream.shutdown(Shutdown::Both).unwrap_or(());
    }
}

/// Whom addresses are counted for: an IPv4 address, or the /64 that an IPv6 host chooses its
/// addresses from (RFC 4291, section 2.5.1).
fn prefix(peer: IpAddr) -> IpAddr {
    match peer {
        IpAddr::V4(_) => peer,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

impl Permit {
    /// Takes a lasting place for a client that has proved the key, or that needs none.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub(super) fn prove(&self) -> Result<(), String> {
        let admission = &self.server.admission;
        let mut connections = admission.lock();
        let Some(prefix) = connections.open.get(&self.number).map(|open| open.prefix) else {
            return Err("the server needed this place for others; measure again".to_owned());
        };
        let (all, near) = connections.proved(prefix);
        if all >= admission.most || near >= admission.most_per_prefix {
            let whose = if all >= admission.most { "" } else { " from your address" };
            let count = if all >= admission.most { all } else { near };
            return Err(format!("the server is full: it holds {count} clients{whose}; try again later"));
        }
        connections.stand(self.number, Standing::Proved);
        drop(connections);
        Ok(())
    }

    /// Keeps a data connection that a conversation expects, until it is delivered.
    pub(super) fn expect(&self) {
        self.server.admission.lock().stand(self.number, Standing::Expected);
    }

    /// Whether it had to leave for a newcomer.
    pub(super) fn evicted(&self) -> bool {
        let connections = self.server.admission.lock();
        !connections.closed && !connections.open.contains_key(&self.number)
    }
}

impl Expected<'_> {
    /// Waits for the next one: the number of its flow, and its channel.
    pub(super) fn wait(&self, within: Duration) -> Option<(u32, LineResult)> {
        self.arrival.recv_timeout(within).ok().map(|(flow, line, _)| (flow, line))
    }
}

impl Reserved {
    /// Makes a channel of the data connection of flow `flow`, on this connection's own thread, and hands it to the
    /// conversation; false if that is over.
    pub(super) fn deliver(self, flow: u32, stream: TcpStream) -> bool {
        let line = self.upgrade.upgrade(stream);
        self.arrived.send((flow, line, self.place)).is_ok()
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
