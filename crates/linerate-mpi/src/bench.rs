//! Pairs of ranks as a place where trials are run. Rank 0 says which; every rank does its half at the same time.

mod together;

use linerate_core::bench::{Bench, RunError};
use linerate_core::endpoint::{LinkError, run_ready};
use linerate_core::options::{MemoryOptions, MpiOptions, Receive};
use linerate_core::pattern::Pattern;
use linerate_core::trial::{Half, Sample, Trial};
use linerate_core::units::{Span, Time};
use linerate_net::memory::{MemoryError, MessageRings};
use linerate_net::observe::HostClock;
use mpi::traits::CommunicatorCollectives as _;
use serde::{Deserialize, Serialize};

use crate::endpoint::{CalledEnd, PostedEnd, WithEnd, window_of};
use crate::host::Watching;
use crate::sys::{Group, MpiError};

/// Every rank's part of the trials: rank r is one end, and rank r + P/2 the other. Only two ranks, or pairs of ranks.
#[derive(Debug)]
pub struct Ranks<'a> {
    group: &'a Group,
    clock: HostClock,
    asked: MpiOptions,
    memory: MessageRings,
    watching: &'a mut Watching,
}

/// What rank 0 tells the others to do.
#[derive(Debug, Serialize, Deserialize)]
enum Order {
    Run(Trial),
    End,
}

impl<'a> Ranks<'a> {
    /// Memory for messages of up to `largest` bytes, as `asked`.
    ///
    /// # Errors
    ///
    /// When this host does not have it.
    pub fn new(
        group: &'a Group,
        clock: HostClock,
        largest: u64,
        (asked, memory): (MpiOptions, &MemoryOptions),
        watching: &'a mut Watching,
    ) -> Result<Self, MemoryError> {
        let largest =
            usize::try_from(largest).map_err(|_| MemoryError::Map(std::io::ErrorKind::OutOfMemory.into()))?;
        // Otherwise each trial brings its own.
        let largest = if is_posted(&asked) { 1 } else { largest };
        Ok(Self { group, clock, asked, memory: MessageRings::new(largest, memory)?, watching })
    }

    /// Whether this rank begins.
    fn leads(&self) -> bool {
        self.group.rank() < self.group.size() / 2
    }

    /// The other end.
    fn peer(&self) -> usize {
        let pairs = self.group.size() / 2;
        (self.group.rank() + pairs) % self.group.size()
    }

    /// This rank's half of a trial, begun by all of them together.
    fn half(&mut self, trial: &Trial) -> Result<Half, LinkError> {
        let half = if is_posted(&self.asked) { self.posted(trial) } else { self.called(trial) }?;
        self.watching.saw(&half.tally);
        Ok(half)
    }

    fn called(&mut self, trial: &Trial) -> Result<Half, LinkError> {
        let (leads, peer) = (self.leads(), self.peer());
        let unexpected = self.asked.receive == Receive::Unexpected;
        let mut end = CalledEnd { group: self.group, peer, clock: self.clock, unexpected };
        if !leads {
            trial.pattern.prepare_answer(trial, &mut self.memory)?;
        }
        self.group.communicator().barrier();
        if leads {
            run_ready(trial.pattern.initiate(&mut end, trial, &mut self.memory))
        } else {
            run_ready(trial.pattern.respond(&mut end, trial, &mut self.memory))
        }
    }

    fn posted(&self, trial: &Trial) -> Result<Half, LinkError> {
        let leads = self.leads();
        // The two directions use complementary seeds, as everywhere.
        let [own, other] = if leads { [trial.seed, !trial.seed] } else { [!trial.seed, trial.seed] };
        let receives = if leads && trial.pattern == Pattern::OneWay { 0 } else { trial.messages() };
        let window = window_of(self.asked.window.unwrap_or(1), trial.size);
        let mut end = PostedEnd::post(self.group, [self.peer(), window], self.clock, trial, [own, receives])?;
        self.group.communicator().barrier();
        let half = if leads {
            run_ready(trial.pattern.initiate(&mut end, trial, &mut WithEnd))
        } else {
            run_ready(trial.pattern.respond(&mut end, trial, &mut WithEnd))
        };
        let corruption = end.settle(other, trial.check)?;
        half.map(|half| Half { corruption, ..half })
    }

    /// Any rank but 0: it runs trials until rank 0 ends that.
    ///
    /// # Errors
    ///
    /// When rank 0 is gone.
    pub fn follow(&mut self) -> Result<(), MpiError> {
        while let Order::Run(trial) = self.group.hear(0)? {
            let half = self.half(&trial).map_err(|error| error.to_string());
            self.group.tell(0, &half)?;
        }
        Ok(())
    }
}

/// Whether receives are posted before their messages can come.
fn is_posted(asked: &MpiOptions) -> bool {
    asked.receive == Receive::Posted || asked.window.is_some_and(|window| window > 1)
}

/// Rank 0: the bench. Once it is dropped, the others no longer [follow](Ranks::follow).
#[derive(Debug)]
pub struct Conductor<'a> {
    ranks: Ranks<'a>,
    began: Option<Time>,
}

impl<'a> Conductor<'a> {
    /// At rank 0, while the others follow.
    #[must_use]
    pub const fn new(ranks: Ranks<'a>) -> Self {
        Self { ranks, began: None }
    }

    /// The next trial is the first of another measurement: its time begins then.
    pub const fn begin_again(&mut self) {
        self.began = None;
    }

    fn all(&mut self, trial: &Trial) -> Result<Vec<Half>, RunError> {
        let size = trial.size;
        let Ranks { group, .. } = &self.ranks;
        let lost = |error: MpiError| RunError::Control { size, source: Box::new(error) };
        (1..group.size()).try_for_each(|to| group.tell(to, &Order::Run(*trial))).map_err(lost)?;
        let own = self.ranks.half(trial);
        let group = self.ranks.group;
        // All are heard before any is found to have failed, so that the next trial begins with none of their words.
        let others: Vec<Result<Half, String>> =
            (1..group.size()).map(|from| group.hear(from)).collect::<Result<_, _>>().map_err(lost)?;
        let own = own.map_err(|source| RunError::Link { size, source });
        let others = others.into_iter().map(|half| half.map_err(|reason| RunError::Peer { size, reason }));
        std::iter::once(own).chain(others).collect()
    }
}

impl Bench for Conductor<'_> {
    fn run(&mut self, trial: &Trial) -> Result<Sample, RunError> {
        let began = self.ranks.clock.now();
        self.began.get_or_insert(began);
        let halves = self.all(trial)?;
        let spent = self.ranks.clock.now().since(began);
        let (initiators, responders) = halves.split_at(halves.len() / 2);
        let pairs = initiators.iter().zip(responders);
        let samples = pairs.map(|(here, there)| Sample::join(trial, here, there, spent));
        Ok(together::together(samples.collect::<Result<_, _>>()?))
    }

    fn elapsed(&self) -> Option<Span> {
        self.began.map(|began| self.ranks.clock.now().since(began))
    }
}

impl Drop for Conductor<'_> {
    fn drop(&mut self) {
        for to in 1..self.ranks.group.size() {
            // Who is gone needs no order.
            let _ = self.ranks.group.tell(to, &Order::End);
        }
    }
}
