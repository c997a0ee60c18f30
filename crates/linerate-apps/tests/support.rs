//! Applications on the ideal network, and on one rank with a clock that a test winds.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use linerate_apps::application::{AppError, AppWatch, Application};
use linerate_apps::work::{UnitCost, Work};
use linerate_core::app::Account;
use linerate_core::comm::Comm as _;
use linerate_core::comm::alone::Alone;
use linerate_core::comm::ideal::{self, Network};
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
pub(crate) fn wound(step: impl Fn(u64) -> u64) -> Alone<impl Fn() -> Time> {
    let read = Cell::new((0, 0));
    Alone(move || {
        let (count, time) = read.get();
        let time = time + step(count);
        read.set((count + 1, time));
        Time::from_ps(time)
    })
}

/// Runs an application alone on such a clock.
pub(crate) fn alone<A: Application>(plan: &A, step: impl Fn(u64) -> u64) -> Result<A::Outcome, AppError> {
    plan.check(1)?;
    let mut comm = wound(step);
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
