//! Applications on the ideal network.

use linerate_apps::application::{AppError, Application, Unwatched};
use linerate_apps::work::{UnitCost, Work};
use linerate_core::app::Account;
use linerate_core::comm::ideal::{self, Network};
use linerate_core::units::Span;

/// Messages that take no time.
pub(crate) const FREE: Network = Network { latency: Span::ZERO, per_byte: Span::ZERO };

/// What each rank found, and its account.
pub(crate) type Ranks<A> = Vec<Result<(<A as Application>::Outcome, Account), AppError>>;

/// Runs `plan` on the ideal network; a unit of its work takes `unit_ps`.
pub(crate) fn run<A: Application>(plan: &A, ranks: usize, network: Network, unit_ps: f64) -> Ranks<A> {
    plan.check(ranks).expect("it can be done");
    let all = ideal::run(network, ranks, async |mut comm| {
        let mut work = Work::new(&mut comm, Some(UnitCost(unit_ps)));
        let outcome = plan.run(&mut work, &mut Unwatched).await;
        Ok(outcome.map(|outcome| (outcome, work.account())))
    });
    all.expect("nobody waits for ever")
}

/// What rank 0 found where messages and work take no time.
pub(crate) fn outcome<A: Application>(plan: &A, ranks: usize) -> A::Outcome {
    run(plan, ranks, FREE, 0.0).swap_remove(0).expect("it ends well").0
}

/// The sentence of an error.
pub(crate) fn refusal<A: Application>(plan: &A, ranks: usize) -> String {
    plan.check(ranks).expect_err("it cannot be done").to_string()
}

/// Whether `found` is `expected` within `tolerance`; says both if not.
#[track_caller]
pub(crate) fn near(what: &str, found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: {found} where {expected} +- {tolerance} is expected"
    );
}
