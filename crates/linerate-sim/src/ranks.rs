//! A parallel program on a model, in its own time: every station is a rank, and [`Comm`] is what it holds.
//!
//! Two ranks have a flow once the first of them needs it: a plain one, or TCP on their machines if the plan has a table
//! `[tcp]`; stations with several links have one on each. A message is its length in 8 bytes, little-endian, and then its
//! bytes, in one call; over several links a long one is cut, and short ones take turns. The calculations of a rank let
//! time pass; they do not occupy the modelled processor.

mod alike;
mod desk;
mod message;

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use linerate_core::caution::Caution;
use linerate_core::comm::{Comm, CommError};
use linerate_core::run::EndState;
use linerate_core::units::{Rate, Span, Time};

use crate::model::{Described, Ends, Network, describe};
use crate::plan::{ModelError, ModelPlan};
use crate::world::World;

use desk::Desks;
pub use message::HEADER_BYTES;

/// If no rank goes on for so long in the model's time, while others load the network, they wait for ever.
const STUCK: Span = Span::from_ms(120_000);

/// A network whose stations are ranks.
#[derive(Debug)]
pub struct ModelRanks {
    network: Network,
    /// What a run records about each station, by rank.
    pub ends: Vec<EndState>,
    /// Rate of a station's links, all together.
    pub link: Rate,
    /// The most payload that framing leaves of that, one direction, the other free.
    pub payload: Rate,
    /// Cautions about the network.
    pub cautions: Vec<Caution>,
    /// Which stations are alike, if that is known.
    kinds: Option<Rc<[u32]>>,
}

impl ModelRanks {
    /// The plan's network, idle, with a rank at each station. Rank 0 has the plan's `host`, the others its `peer`.
    ///
    /// # Errors
    ///
    /// When the plan cannot be built, or its transport is no byte stream.
    pub fn build(plan: &ModelPlan) -> Result<Self, ModelError> {
        let stations = Ends { beginning: 0, answering: (1..plan.network.stations()).collect() };
        let Described { beginning, answering, link, payload, cautions } = describe(plan, &stations)?;
        let (network, _) = Network::build(plan, &stations, None)?;
        let ends = std::iter::once(beginning).chain(answering.into_iter().map(|other| other.end)).collect();
        let kinds = alike::kinds(plan).map(Rc::from);
        Ok(Self { network, ends, link, payload, cautions, kinds })
    }

    /// How many ranks there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.ends.len()
    }

    /// Runs `program` on the first `size` ranks until all have ended, or `stop` is set. What each ended with, by rank,
    /// and the model as it is then.
    ///
    /// A rank whose peer has ended has an error of its own, and the others go on. If all that are left wait for each
    /// other, each has [`CommError::Deadlock`].
    pub fn run<T>(
        self,
        size: usize,
        stop: &AtomicBool,
        program: impl AsyncFn(ModelComm) -> Result<T, CommError>,
    ) -> (Vec<Result<T, CommError>>, World) {
        let size = size.min(self.size());
        let kinds = self.kinds.clone();
        let desks = Rc::new(RefCell::new(Desks::new(self.network, size)));
        let comm = |rank| ModelComm { rank, size, desks: Rc::clone(&desks), kinds: kinds.clone() };
        let mut ranks: Vec<_> = (0..size).map(|rank| Some(Box::pin(program(comm(rank))))).collect();
        let mut ended: Vec<Option<Result<T, CommError>>> = (0..size).map(|_| None).collect();
        let mut context = Context::from_waker(Waker::noop());
        while ended.iter().any(Option::is_none) {
            let ready = desks.borrow_mut().go_on(|| stop.load(Ordering::Relaxed), STUCK);
            let Some(ready) = ready else { break };
            for rank in ready {
                let Some(future) = &mut ranks[rank] else { continue };
                if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                    ranks[rank] = None;
                    ended[rank] = Some(output);
                    desks.borrow_mut().leave(rank);
                }
            }
        }
        let waiting = desks.borrow().waiting();
        drop(ranks);
        let ended =
            ended.into_iter().map(|one| one.unwrap_or_else(|| Err(CommError::Deadlock(waiting.clone()))));
        let ended = ended.collect();
        let Ok(desks) = Rc::try_unwrap(desks) else { unreachable!("every program has ended or was dropped") };
        (ended, desks.into_inner().into_world())
    }
}

/// A rank on a model.
#[derive(Debug)]
pub struct ModelComm {
    rank: usize,
    size: usize,
    desks: Rc<RefCell<Desks>>,
    kinds: Option<Rc<[u32]>>,
}

impl ModelComm {
    fn check(&self, peer: usize) -> Result<(), CommError> {
        if peer < self.size { Ok(()) } else { Err(CommError::NoSuchRank { peer, size: self.size }) }
    }

    /// Sends, receives, or both at once.
    async fn transfer(
        &mut self,
        out: Option<(usize, &[u8])>,
        into: Option<(usize, &mut [u8])>,
    ) -> Result<(), CommError> {
        if let Some((to, _)) = out {
            self.check(to)?;
        }
        if let Some((from, _)) = &into {
            self.check(*from)?;
        }
        let (mut out, mut incoming) = {
            let (mut desks, rank) = (self.desks.borrow_mut(), self.rank);
            let out = out.map(|(to, data)| desks.outgoing(rank, to, data));
            (out, into.as_ref().map(|(from, into)| desks.incoming(rank, *from, into.len())))
        };
        poll_fn(|_| self.desks.borrow_mut().step(self.rank, &mut out, &mut incoming)).await?;
        let mut desks = self.desks.borrow_mut();
        if let Some(out) = out {
            desks.give_back(out.parts);
        }
        if let (Some((_, into)), Some(incoming)) = (into, incoming) {
            incoming.copy_to(into);
            desks.give_back(incoming.parts);
        }
        Ok(())
    }
}

impl Comm for ModelComm {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn now(&self) -> Time {
        self.desks.borrow().now()
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
        let until = self.desks.borrow_mut().alarm(self.rank, span);
        poll_fn(|_| if self.now() >= until { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    /// Beside the modelled network, in no time.
    async fn tell(&mut self, to: usize, data: &[u8]) -> Result<(), CommError> {
        self.check(to)?;
        self.desks.borrow_mut().tell(self.rank, to, data)
    }

    async fn hear(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        self.check(from)?;
        let told = poll_fn(|_| self.desks.borrow_mut().hear(self.rank, from)).await?;
        if told.len() != data.len() {
            return Err(CommError::Length { peer: from, asked: data.len(), sent: told.len() });
        }
        data.copy_from_slice(&told);
        Ok(())
    }

    fn kind_of(&self, rank: usize) -> Option<u32> {
        self.kinds.as_ref()?.get(rank).copied()
    }
}
