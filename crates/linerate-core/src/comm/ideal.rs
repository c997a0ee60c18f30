//! Ranks on a network where nothing contends: a message of n bytes takes `latency + n * per_byte`, once both its sender
//! and its receiver are there, and keeps both until then.
//!
//! This is the Hockney model with one port to send and one to receive at each rank: what the closed forms of the
//! literature assume. It waits at every send, so what runs here needs no buffer anywhere else either.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::{Comm, CommError, Waiting};
use crate::units::{Span, Time};

/// What messages cost on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    /// Of every message, however short.
    pub latency: Span,
    /// Of every byte.
    pub per_byte: Span,
}

/// A message that waits for its receiver.
struct Posted {
    data: Vec<u8>,
    /// When its sender was ready.
    ready: Time,
}

/// A receiver that waits for its message.
struct Awaited {
    from: usize,
    room: usize,
    /// When it was ready.
    ready: Time,
}

/// What a rank has under way.
#[derive(Default)]
struct Desk {
    posted: Option<(usize, Posted)>,
    awaited: Option<Awaited>,
    /// When what it sent was received.
    sent: Option<Time>,
    /// What it received, and when.
    received: Option<(Vec<u8>, Time)>,
    ended: bool,
}

impl Desk {
    fn waiting(&self, rank: usize) -> Option<Waiting> {
        let sends_to = self.posted.as_ref().map(|posted| posted.0);
        let receives_from = self.awaited.as_ref().map(|awaited| awaited.from);
        (!self.ended).then_some(Waiting { rank, sends_to, receives_from })
    }
}

struct Shared {
    network: Network,
    desks: Vec<Desk>,
    /// Ranks that can go on, first in, first out: all at first, and then whoever had a message sent or received.
    ready: VecDeque<usize>,
    /// Memory of messages that have arrived, for the next ones: the last is the likeliest to lie in a cache.
    spare: Vec<Vec<u8>>,
}

impl Shared {
    /// Moves the message from one rank to the other, if both are there for it.
    fn matched(&mut self, from: usize, to: usize) -> Result<(), CommError> {
        let Some(awaited) = self.desks[to].awaited.take_if(|awaited| awaited.from == from) else {
            return Ok(());
        };
        let Some((_, posted)) = self.desks[from].posted.take_if(|posted| posted.0 == to) else {
            self.desks[to].awaited = Some(awaited);
            return Ok(());
        };
        if posted.data.len() != awaited.room {
            return Err(CommError::Length { peer: from, asked: awaited.room, sent: posted.data.len() });
        }
        let length = posted.data.len() as u64;
        let taken = self.network.latency.as_ps() + length * self.network.per_byte.as_ps();
        let start = posted.ready.max(awaited.ready);
        let done = Time::from_ps(start.as_ps() + taken);
        self.desks[from].sent = Some(done);
        self.desks[to].received = Some((posted.data, done));
        self.ready.extend([from, to]);
        Ok(())
    }
}

/// A rank of an ideal network.
pub struct IdealComm {
    rank: usize,
    size: usize,
    now: Time,
    shared: Rc<RefCell<Shared>>,
}

impl IdealComm {
    /// Sends, receives a message of a length, or both, and waits for what it began. Gives what was received.
    async fn transfer(
        &mut self,
        out: Option<(usize, Vec<u8>)>,
        into: Option<(usize, usize)>,
    ) -> Result<Vec<u8>, CommError> {
        let (rank, sends) = (self.rank, out.is_some());
        let peers = [out.as_ref().map(|out| out.0), into.map(|into| into.0)];
        if let Some(peer) = peers.into_iter().flatten().find(|peer| *peer >= self.size) {
            return Err(CommError::NoSuchRank { peer, size: self.size });
        }
        {
            let mut shared = self.shared.borrow_mut();
            let ready = self.now;
            let desk = &mut shared.desks[rank];
            desk.posted = out.map(|(to, data)| (to, Posted { data, ready }));
            desk.awaited = into.map(|(from, room)| Awaited { from, room, ready });
            // Whoever comes last finds the other one there.
            peers[0].map_or(Ok(()), |to| shared.matched(rank, to))?;
            peers[1].map_or(Ok(()), |from| shared.matched(from, rank))?;
        }
        let done = poll_fn(|_| {
            let desk = &mut self.shared.borrow_mut().desks[rank];
            if (sends && desk.sent.is_none()) || (into.is_some() && desk.received.is_none()) {
                return Poll::Pending;
            }
            Poll::Ready((desk.sent.take(), desk.received.take()))
        });
        let (sent, received) = done.await;
        let (data, arrived) = received.map_or((Vec::new(), None), |(data, at)| (data, Some(at)));
        self.now = sent.max(arrived).unwrap_or(self.now);
        Ok(data)
    }

    /// A message of its own.
    fn copy(&self, data: &[u8]) -> Vec<u8> {
        let mut copy = self.shared.borrow_mut().spare.pop().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(data);
        copy
    }

    /// Gives the message to the program.
    fn put(&self, data: Vec<u8>, into: &mut [u8]) {
        into.copy_from_slice(&data);
        self.shared.borrow_mut().spare.push(data);
    }
}

impl Comm for IdealComm {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn now(&self) -> Time {
        self.now
    }

    async fn send_to(&mut self, to: usize, data: &[u8]) -> Result<(), CommError> {
        let data = self.copy(data);
        self.transfer(Some((to, data)), None).await.map(drop)
    }

    async fn recv_from(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        let received = self.transfer(None, Some((from, data.len()))).await?;
        self.put(received, data);
        Ok(())
    }

    async fn sendrecv(
        &mut self,
        to: usize,
        out: &[u8],
        from: usize,
        into: &mut [u8],
    ) -> Result<(), CommError> {
        let out = self.copy(out);
        let received = self.transfer(Some((to, out)), Some((from, into.len()))).await?;
        self.put(received, into);
        Ok(())
    }

    async fn sendrecv_owned(
        &mut self,
        to: usize,
        out: &mut Vec<u8>,
        from: usize,
        into: &mut Vec<u8>,
    ) -> Result<(), CommError> {
        let length = out.len();
        let received = self.transfer(Some((to, std::mem::take(out))), Some((from, into.len()))).await?;
        *out = std::mem::replace(into, received);
        out.resize(length, 0);
        Ok(())
    }

    async fn compute(&mut self, span: Span) {
        self.now = Time::from_ps(self.now.as_ps() + span.as_ps());
    }
}

/// Runs `program` on every one of `size` ranks until all have ended, and gives what each ended with, by rank. All begin
/// at zero.
///
/// ```
/// use linerate_core::comm::{Comm, ideal};
/// use linerate_core::units::Span;
///
/// let network = ideal::Network { latency: Span::from_us(10), per_byte: Span::from_ns(8) };
/// // Every rank sends 125 bytes to the next one round a ring: 10 us and 1 us.
/// let ended = ideal::run(network, 4, async |mut comm| {
///     let (rank, size) = (comm.rank(), comm.size());
///     let mut into = [0; 125];
///     comm.sendrecv((rank + 1) % size, &[7; 125], (rank + size - 1) % size, &mut into).await?;
///     Ok(comm.now().as_ps())
/// })?;
/// assert_eq!(ended, [11_000_000; 4]);
/// # Ok::<(), linerate_core::comm::CommError>(())
/// ```
///
/// # Errors
///
/// The first error of a rank, or [`CommError::Deadlock`] with all that wait.
pub fn run<T>(
    network: Network,
    size: usize,
    program: impl AsyncFn(IdealComm) -> Result<T, CommError>,
) -> Result<Vec<T>, CommError> {
    let desks = (0..size).map(|_| Desk::default()).collect();
    let shared = Shared { network, desks, ready: (0..size).collect(), spare: Vec::new() };
    let shared = Rc::new(RefCell::new(shared));
    let rank = |rank| IdealComm { rank, size, now: Time::from_ps(0), shared: Rc::clone(&shared) };
    let mut ranks: Vec<_> = (0..size).map(|of| Some(Box::pin(program(rank(of))))).collect();
    let mut ended: Vec<Option<T>> = (0..size).map(|_| None).collect();
    let mut context = Context::from_waker(Waker::noop());
    let next = || shared.borrow_mut().ready.pop_front();
    while let Some(of) = next() {
        let Some(future) = &mut ranks[of] else { continue };
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            ended[of] = Some(output?);
            ranks[of] = None;
            shared.borrow_mut().desks[of].ended = true;
        }
    }
    let shared = shared.borrow();
    let waiting = shared.desks.iter().enumerate().filter_map(|(rank, desk)| desk.waiting(rank));
    let waiting: Vec<Waiting> = waiting.collect();
    if waiting.is_empty() {
        Ok(ended.into_iter().flatten().collect())
    } else {
        Err(CommError::Deadlock(waiting))
    }
}
