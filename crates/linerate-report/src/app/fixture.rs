//! Applications made by arithmetic, with what a renderer must handle.

use linerate_analysis::report::{NamedRun, Report};
use linerate_core::app::{Account, AppCase, AppFigure, AppRun, Axis, Check, Cost, Course, Phase};
use linerate_core::mesh::Rank;
use linerate_core::plan::{AppPlan, Plan, Task};
use linerate_core::run::Source;

/// A network that a fixture's run is on, and what a message costs there.
#[derive(Clone, Copy)]
pub(crate) struct Network {
    pub(crate) name: &'static str,
    /// Of a step, per rank beyond the first. Unit: microseconds.
    pub(crate) step_us: u64,
}

pub(crate) const FAST: Network = Network { name: "fast-ethernet", step_us: 900 };
pub(crate) const GIGABIT: Network = Network { name: "gigabit", step_us: 150 };

/// What a step takes on one rank, and how many there are.
const STEP_US: u64 = 8_000;
const STEPS: u64 = 200;
const ATOMS: u64 = 4_000;
const US: u64 = 1_000_000;

/// Two networks, 1, 2 and 4 ranks, each twice.
pub(crate) fn two() -> Report {
    Report::new([FAST, GIGABIT].map(|network| named(network, &[1, 2, 4])).into())
}

/// One of them.
pub(crate) fn one() -> Report {
    Report::new(vec![named(GIGABIT, &[1, 2, 4])])
}

/// The same with this change.
pub(crate) fn changed(change: impl FnOnce(&mut AppRun)) -> Report {
    let mut named = named(GIGABIT, &[1, 2, 4]);
    change(named.run.app.as_mut().expect("it has one"));
    Report::new(vec![named])
}

/// One of whose checks one did not hold.
pub(crate) fn wrong() -> Report {
    changed(|app| {
        let case = app.cases.last_mut().expect("it has cases");
        case.checks[0] = Check::at_most("energy is conserved", 0.25, 1e-3);
    })
}

/// From one rank to 128, by doubling.
pub(crate) fn wide() -> Report {
    let ranks: Vec<u32> = (0..8).map(|power| 1 << power).collect();
    Report::new(vec![named(GIGABIT, &ranks)])
}

/// Measured on this host, without a model.
pub(crate) fn measured() -> Report {
    let mut named = named(GIGABIT, &[1, 2, 4]);
    let run = &mut named.run;
    (run.source, run.model) = (Source::Loopback, None);
    run.app.as_mut().expect("it has one").cost = None;
    Report::new(vec![named])
}

/// A run of `ranks` on this network.
pub(crate) fn named(network: Network, ranks: &[u32]) -> NamedRun {
    let mut named = crate::fixture::GIGABIT.run();
    named.name = format!("md-{}.run.json", network.name);
    let plan = AppPlan { name: "md".to_owned(), ranks: ranks.to_vec(), repeat: 2, ..AppPlan::default() };
    let run = &mut named.run;
    run.plan = Plan { task: Task::App(plan), ..Plan::default() };
    (run.series, run.cautions) = (Vec::new(), Vec::new());
    (run.source, run.model) = (Source::Modelled(network.name.to_owned()), Some(crate::fixture::model()));
    let cases = ranks.iter().flat_map(|ranks| [0, 1].map(|repetition| case(network, *ranks, repetition)));
    run.app = Some(AppRun {
        name: "md".to_owned(),
        title: "Lennard-Jones MD".to_owned(),
        merit: "atom-steps/s".to_owned(),
        unit: "step of an atom".to_owned(),
        cost: Some(Cost { unit_ps: 2e6, measured: true }),
        ranks: (0..ranks.iter().copied().max().unwrap_or(0))
            .map(|rank| Rank { name: format!("n{rank}"), node: rank % 2, ..Rank::default() })
            .collect(),
        cases: cases.collect(),
    });
    named
}

/// The second repetition takes a hundredth more.
fn case(network: Network, ranks: u32, repetition: u32) -> AppCase {
    let accounts: Vec<Account> = (0..ranks).map(|rank| account(network, [ranks, rank, repetition])).collect();
    let seconds = accounts.iter().map(|account| account.total_ps).max().unwrap_or(1) as f64 / 1e12;
    let energy = (0..=10).map(|at| [f64::from(at) * 0.1, -6.7 + f64::from((at * 7 + 3) % 5) * 1e-4]);
    let pairs = (0..8).map(|at| [f64::from(1 << at) * 1e-3, 2e6 / f64::from(1 << at)]);
    AppCase {
        ranks,
        repetition,
        merit: (ATOMS * STEPS) as f64 / seconds,
        interrupted: false,
        figures: vec![
            AppFigure::new("steps", STEPS as f64, ""),
            AppFigure::new("energy drift per atom", 3.2e-7, "epsilon"),
            AppFigure::new("temperature", 0.7216, "epsilon/k"),
        ],
        courses: vec![
            course(
                "energy",
                [Axis::linear("time", "tau"), Axis::linear("energy per atom", "epsilon")],
                energy,
            ),
            course("quality", [Axis::log("time", "s"), Axis::log("quality", "")], pairs),
        ],
        checks: vec![
            Check::at_most("energy is conserved", 3.2e-7, 1e-3),
            Check::equal("every atom is on one rank", ATOMS, ATOMS),
        ],
        accounts,
    }
}

fn course(name: &str, [x, y]: [Axis; 2], points: impl Iterator<Item = [f64; 2]>) -> Course {
    Course { name: name.to_owned(), x, y, points: points.collect() }
}

/// Each rank calculates for its part of a step, the last one a little longer, and sends to its neighbours.
fn account(network: Network, [ranks, rank, repetition]: [u32; 3]) -> Account {
    let part = STEP_US / u64::from(ranks) * US;
    let computed = part - part / 4 * u64::from(ranks - 1 - rank) / u64::from(ranks);
    let step = part + network.step_us * US * u64::from(ranks - 1);
    let total = step * STEPS * (100 + u64::from(repetition)) / 100;
    let is_neighbour = |other: u32| other != rank && (other + 1 == rank || rank + 1 == other);
    let messages: Vec<u64> = (0..ranks).map(|other| u64::from(is_neighbour(other)) * 2 * STEPS).collect();
    let wait = (step - computed) / 2;
    let phase = |what: &str, begin_ps, end_ps| Phase { what: what.to_owned(), begin_ps, end_ps };
    Account {
        total_ps: total,
        computed_ps: computed * STEPS * (100 + u64::from(repetition)) / 100,
        communicated_ps: total - computed * STEPS * (100 + u64::from(repetition)) / 100,
        units: ATOMS * STEPS / u64::from(ranks),
        bytes: messages.iter().map(|messages| messages * (3_000 + u64::from(rank) * 500)).collect(),
        messages,
        phases: vec![
            phase("neighbours", 0, computed / 4),
            phase("forces", computed / 4 + wait, computed + wait),
        ],
        step_ps: Some(step),
    }
}
