//! A bench in virtual time: each trial over a fresh link, both ends as two tasks.

use linerate_core::bench::{Bench, RunError};
use linerate_core::endpoint::LinkError;
use linerate_core::payload::Buffers;
use linerate_core::trial::{Half, Sample, Trial};
use linerate_core::units::{Span, Time};

use super::conformance::Pair;
use super::kernel::Kernel;
use super::link::{End, Link};

/// A bench over a [`Link`].
pub(crate) struct VirtualBench {
    pub(crate) link: Link,
    /// Time to agree on a trial.
    pub(crate) set_up: Span,
    /// The round trip that is known of it.
    pub(crate) round_trip: Span,
    /// The trial that fails, by its number from 0.
    pub(crate) fails_at: Option<u64>,
    /// What is done to the responder's account before it is compared.
    pub(crate) lie: fn(&mut Half),
    /// Every trial that was asked for.
    pub(crate) asked: Vec<Trial>,
    /// Time that each took.
    pub(crate) spent: Vec<Span>,
    seed: u64,
    now: Time,
    buffers: [Buffers; 2],
    largest: usize,
}

impl VirtualBench {
    /// A bench over `link` whose noise `seed` gives.
    pub(crate) fn new(link: Link, seed: u64) -> Self {
        Self {
            link,
            set_up: Span::from_us(100),
            round_trip: Span::ZERO,
            fails_at: None,
            lie: |_| {},
            asked: Vec::new(),
            spent: Vec::new(),
            seed,
            now: Time::ZERO,
            buffers: [Buffers::new(0), Buffers::new(0)],
            largest: 0,
        }
    }

    fn halves(&mut self, trial: &Trial, kernel: &Kernel) -> Result<(Half, Half), RunError> {
        let size = usize::try_from(trial.size).expect("tests use sizes that fit");
        if size > self.largest {
            self.largest = size;
            self.buffers = [Buffers::new(size), Buffers::new(size)];
        }
        let seed = self.seed.wrapping_mul(1_000_003).wrapping_add(self.asked.len() as u64);
        let (mut here, mut there) = self.link.connect(kernel, seed);
        let [ours, theirs] = &mut self.buffers;
        let pattern = trial.pattern;
        let (one, other) =
            kernel.run(pattern.initiate(&mut here, trial, ours), pattern.respond(&mut there, trial, theirs));
        let half = |half: Option<Result<Half, LinkError>>| {
            let stalled = Err(LinkError::Stalled(Span::MAX));
            half.unwrap_or(stalled).map_err(|source| RunError::Link { size: trial.size, source })
        };
        Ok((half(one)?, half(other)?))
    }
}

impl Bench for VirtualBench {
    fn round_trip(&self) -> Span {
        self.round_trip
    }

    fn run(&mut self, trial: &Trial) -> Result<Sample, RunError> {
        let number = self.asked.len() as u64;
        self.asked.push(*trial);
        if self.fails_at == Some(number) {
            return Err(RunError::Link { size: trial.size, source: LinkError::Reset });
        }
        let kernel = Kernel::starting_at(self.now + self.set_up);
        let (initiator, mut responder) = self.halves(trial, &kernel)?;
        (self.lie)(&mut responder);
        let spent = kernel.now().since(self.now);
        self.now = kernel.now();
        let tick = self.link.tick.as_ps();
        let spent = Span::from_ps(spent.as_ps() - spent.as_ps() % tick);
        self.spent.push(spent);
        Sample::join(trial, &initiator, &responder, spent)
    }
}

/// Two connected ends in virtual time.
pub(crate) struct VirtualPair {
    kernel: Kernel,
    ends: (End, End),
}

impl VirtualPair {
    pub(crate) fn new(link: &Link) -> Self {
        let kernel = Kernel::starting_at(Time::ZERO);
        let ends = link.connect(&kernel, 1);
        Self { kernel, ends }
    }

    /// Runs both programs; none stands for one that waits for ever.
    pub(crate) fn try_run<A, B>(
        self,
        one: impl AsyncFnOnce(End) -> A,
        other: impl AsyncFnOnce(End) -> B,
    ) -> (Option<A>, Option<B>) {
        let (here, there) = self.ends;
        self.kernel.run(one(here), other(there))
    }
}

impl Pair for VirtualPair {
    type End = End;

    fn run<A: Send, B: Send>(
        self,
        one: impl AsyncFnOnce(Self::End) -> A + Send,
        other: impl AsyncFnOnce(Self::End) -> B + Send,
    ) -> (A, B) {
        let (one, other) = self.try_run(one, other);
        (one.expect("the initiator ends"), other.expect("the responder ends"))
    }
}
