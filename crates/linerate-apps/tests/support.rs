//! Applications on the ideal network, and on one rank with a clock that a test winds.

use std::cell::RefCell;
use std::ops::ControlFlow;

use linerate_apps::application::{AppError, AppWatch, Application};
use linerate_apps::work::{UnitCost, Work};
use linerate_core::app::Account;
use linerate_core::comm::ideal::{self, Network};
use linerate_core::comm::{Comm, CommError};
use linerate_core::endpoint::run_ready;
use linerate_core::units::{Span, Time};

/// A network without any cost.
pub(crate) const FREE: Network = Network { latency: Span::ZERO, per_byte: Span::ZERO };

/// Sees every step, and ends the run after some.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) steps: Vec<(u64, u64, f64)>,
    pub(crate) most: usize,
}

impl Seen {
    pub(crate) const fn all() -> Self {
        Self { steps: Vec::new(), most: usize::MAX }
    }
}

impl AppWatch for Seen {
    fn progress(&mut self, done: u64, all: u64, merit: f64) -> ControlFlow<()> {
        self.steps.push((done, all, merit));
        if self.steps.len() < self.most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// What every rank found, and its account. The unit cost is in picoseconds.
pub(crate) fn on_ideal<A: Application>(
    plan: &A,
    network: Network,
    ranks: usize,
    cost: f64,
) -> Vec<(A::Outcome, Account)> {
    watched(plan, network, ranks, cost, &RefCell::new(Seen::all()))
}

pub(crate) fn watched<A: Application>(
    plan: &A,
    network: Network,
    ranks: usize,
    cost: f64,
    seen: &RefCell<Seen>,
) -> Vec<(A::Outcome, Account)> {
    plan.check(ranks).expect("the plan is good");
    let all = ideal::run(network, ranks, async |mut comm| {
        let mut work = Work::new(&mut comm, Some(UnitCost(cost)));
        // Only rank 0 asks.
        let mut watch =
            if work.rank() == 0 { seen.borrow().clone() } else { Seen { steps: Vec::new(), most: 0 } };
        let outcome = plan.run(&mut work, &mut watch).await.expect("nothing goes wrong");
        assert!(work.rank() == 0 || watch.steps.is_empty(), "only rank 0 asks its watch");
        if work.rank() == 0 {
            *seen.borrow_mut() = watch;
        }
        let account = work.account();
        Ok((outcome, account))
    });
    all.expect("nobody waits for ever")
}

/// The only rank, with a clock that goes on by `step(n)` at its n-th reading. Unit: picoseconds.
pub(crate) struct Wound<F> {
    pub(crate) step: F,
    pub(crate) read: RefCell<(u64, u64)>,
}

impl<F: Fn(u64) -> u64> Wound<F> {
    pub(crate) const fn new(step: F) -> Self {
        Self { step, read: RefCell::new((0, 0)) }
    }
}

impl<F: Fn(u64) -> u64> Comm for Wound<F> {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn now(&self) -> Time {
        let mut read = self.read.borrow_mut();
        read.1 += (self.step)(read.0);
        read.0 += 1;
        Time::from_ps(read.1)
    }

    async fn send_to(&mut self, to: usize, _: &[u8]) -> Result<(), CommError> {
        Err(CommError::NoSuchRank { peer: to, size: 1 })
    }

    async fn recv_from(&mut self, from: usize, _: &mut [u8]) -> Result<(), CommError> {
        Err(CommError::NoSuchRank { peer: from, size: 1 })
    }

    async fn sendrecv(&mut self, to: usize, _: &[u8], _: usize, _: &mut [u8]) -> Result<(), CommError> {
        Err(CommError::NoSuchRank { peer: to, size: 1 })
    }

    async fn compute(&mut self, _: Span) {}
}

/// Runs an application alone on such a clock.
pub(crate) fn alone<A: Application>(plan: &A, step: impl Fn(u64) -> u64) -> Result<A::Outcome, AppError> {
    plan.check(1)?;
    let mut comm = Wound::new(step);
    let mut work = Work::new(&mut comm, None);
    run_ready(plan.run(&mut work, &mut Seen::all()))
}

/// What is wrong with a plan.
pub(crate) fn refusal<A: Application>(plan: &A, ranks: usize) -> String {
    match plan.check(ranks) {
        Err(AppError::Plan(text)) => text,
        other => panic!("{other:?} for {plan:?} on {ranks} ranks"),
    }
}
