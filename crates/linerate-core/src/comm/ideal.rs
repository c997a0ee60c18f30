//! Ranks on a network where nothing contends: a message of n bytes takes `latency + n * per_byte`, once both its sender
//! and its receiver are there, and keeps both until then.
//!
//! This is the Hockney model with one port to send and one to receive at each rank: what the closed forms of the
//! literature assume. It waits at every send, so what runs here needs no buffer anywhere else either.

use std::cell::RefCell;
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
    /// Grows with all that happens: a round in which it does not is a deadlock.
    steps: u64,
}

impl Shared {
    /// Moves the message from one rank to the other, if both are there for it.
    fn matched(&mut self, from: usize, to: usize) -> Result<(), CommError> {
        let posted = self.desks[from].posted.take_if(|posted| posted.0 == to);
        let Some((_, posted)) = posted else { return Ok(()) };
        let awaited = self.desks[to].awaited.take_if(|awaited| awaited.from == from);
        let Some(awaited) = awaited else {
            self.desks[from].posted = Some((to, posted));
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
        self.steps += 1;
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
    /// Sends, receives, or both, and waits for what it began.
    async fn transfer(
        &mut self,
        out: Option<(usize, &[u8])>,
        mut into: Option<(usize, &mut [u8])>,
    ) -> Result<(), CommError> {
        let rank = self.rank;
        let peers = [out.map(|out| out.0), into.as_ref().map(|into| into.0)];
        if let Some(peer) = peers.into_iter().flatten().find(|peer| *peer >= self.size) {
            return Err(CommError::NoSuchRank { peer, size: self.size });
        }
        {
            let mut shared = self.shared.borrow_mut();
            let desk = &mut shared.desks[rank];
            desk.posted = out.map(|(to, data)| (to, Posted { data: data.to_vec(), ready: self.now }));
            desk.awaited =
                into.as_ref().map(|(from, into)| Awaited { from: *from, room: into.len(), ready: self.now });
            shared.steps += 1;
        }
        let done = poll_fn(|_| {
            let mut shared = self.shared.borrow_mut();
            let matched = peers[0]
                .map_or(Ok(()), |to| shared.matched(rank, to))
                .and_then(|()| peers[1].map_or(Ok(()), |from| shared.matched(from, rank)));
            if let Err(error) = matched {
                return Poll::Ready(Err(error));
            }
            let desk = &mut shared.desks[rank];
            if (out.is_some() && desk.sent.is_none()) || (into.is_some() && desk.received.is_none()) {
                return Poll::Pending;
            }
            let mut done = desk.sent.take();
            if let (Some((data, at)), Some((_, into))) = (desk.received.take(), &mut into) {
                into.copy_from_slice(&data);
                done = done.max(Some(at));
            }
            Poll::Ready(Ok(done))
        });
        self.now = done.await?.unwrap_or(self.now);
        Ok(())
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
        self.transfer(Some((to, data)), None).await
    }

    async fn recv_from(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        self.transfer(None, Some((from, data))).await
    }

    async fn sendrecv(
        &mut self,
        to: usize,
        out: &[u8],
        from: usize,
        into: &mut [u8],
    ) -> Result<(), CommError> {
        self.transfer(Some((to, out)), Some((from, into))).await
    }

    async fn compute(&mut self, span: Span) {
        self.now = Time::from_ps(self.now.as_ps() + span.as_ps());
    }
}

/// Runs `program` on every one of `size` ranks until all have ended, and gives what each ended with, by rank. All begin
/// at zero.
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
    let shared = Rc::new(RefCell::new(Shared { network, desks, steps: 0 }));
    let rank = |rank| IdealComm { rank, size, now: Time::from_ps(0), shared: Rc::clone(&shared) };
    let mut ranks: Vec<_> = (0..size).map(|of| Some(Box::pin(program(rank(of))))).collect();
    let mut ended: Vec<Option<T>> = (0..size).map(|_| None).collect();
    let mut context = Context::from_waker(Waker::noop());
    while ended.iter().any(Option::is_none) {
        let before = shared.borrow().steps;
        for (of, slot) in ranks.iter_mut().enumerate() {
            let Some(future) = slot else { continue };
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                ended[of] = Some(output?);
                *slot = None;
                let mut shared = shared.borrow_mut();
                shared.desks[of].ended = true;
                shared.steps += 1;
            }
        }
        let shared = shared.borrow();
        if shared.steps == before {
            let waiting = shared.desks.iter().enumerate().filter_map(|(rank, desk)| desk.waiting(rank));
            return Err(CommError::Deadlock(waiting.collect()));
        }
    }
    Ok(ended.into_iter().flatten().collect())
}
