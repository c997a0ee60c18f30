//! What cannot be calculated is refused, with one sentence that says what to do.

use std::ops::ControlFlow;

use linerate_apps::application::{AppError, AppWatch, Application as _, Unwatched};
use linerate_apps::tbmd::share::Distribution;
use linerate_apps::tbmd::{Structure, Tbmd};
use linerate_apps::work::Work;
use linerate_core::comm::{Comm as _, ideal};

use crate::ranks::{FREE, refusal, run};

fn given(atoms: &[[f64; 3]]) -> Tbmd {
    Tbmd { structure: Structure::Given, atoms: atoms.to_vec(), temperature: 0.0, steps: 0, ..Tbmd::default() }
}

#[test]
fn impossible_plans_are_refused() {
    let base = Tbmd::default;
    let summa = || Tbmd { distribution: Distribution::Summa, ..base() };
    let refused = [
        (given(&[[0.0; 3], [0.7, 0.0, 0.0]]), 1, "atoms 0 and 1 are 0.700 angstrom apart"),
        (given(&[[0.0; 3], [f64::NAN, 0.0, 0.0]]), 1, "must be numbers"),
        (Tbmd { sides: [0.5, 0.0, 0.0], ..given(&[[0.0; 3]]) }, 1, "at least 0.8"),
        (given(&[]), 1, "at least one"),
        (Tbmd { sides: [5.0; 3], ..base() }, 1, "leave them out"),
        (Tbmd { cells: [0, 1, 1], ..base() }, 1, "at least one"),
        (Tbmd { cells: [100; 3], ..base() }, 1, "the most is 4096"),
        (Tbmd { cells: [u32::MAX; 3], ..base() }, 1, "the most is 4096"),
        (Tbmd { structure: Structure::Graphene, ..base() }, 1, "one cell along z"),
        (Tbmd { lattice: Some(-1.0), ..base() }, 1, "lattice = -1"),
        (Tbmd { lattice: Some(1.5), ..base() }, 1, "angstrom apart"),
        (Tbmd { time_step: f64::NAN, ..base() }, 1, "time-step = NaN"),
        (Tbmd { temperature: f64::INFINITY, ..base() }, 1, "temperature = inf"),
        (Tbmd { every: 0, ..base() }, 1, "1 or more"),
        (Tbmd { steps: u64::MAX, ..base() }, 1, "the most is"),
        (Tbmd { charge: 1, ..base() }, 1, "even charge"),
        (Tbmd { charge: 256, ..base() }, 1, "smaller charge"),
        (base(), 0, "at least one"),
        (base(), 257, "fewer ranks"),
        (summa(), 5, "ask for 4 or for the ring"),
    ];
    for (plan, ranks, part) in refused {
        let found = refusal(&plan, ranks);
        assert!(found.contains(part), "{found:?} does not say {part:?}");
    }
}

/// All ranks end with the same sentence.
fn sentence(plan: &Tbmd, ranks: usize) -> String {
    let mut all = run(plan, ranks, FREE, 0.0).into_iter().map(|rank| match rank {
        Err(AppError::Calculation(sentence)) => sentence,
        other => panic!("{other:?}"),
    });
    let first = all.next().expect("a rank");
    assert!(all.all(|sentence| sentence == first));
    first
}

/// Two atoms, and one alone, have as many levels at the same energy as electrons for half of them.
#[test]
fn levels_without_a_gap_are_named() {
    let two = given(&[[0.0; 3], [1.3, 0.0, 0.0]]);
    for (plan, ranks) in [(&two, 1), (&two, 4), (&given(&[[0.0; 3]]), 1)] {
        let found = sentence(plan, ranks);
        assert!(found.contains("the gap is too small"), "{found}");
    }
}

#[test]
fn atoms_that_meet_are_named() {
    let plan = Tbmd { cells: [1; 3], temperature: 1e6, time_step: 20.0, ..Tbmd::default() };
    let found = sentence(&plan, 2);
    assert!(found.contains("take a shorter time step") || found.contains("gap"), "{found}");
}

#[test]
fn plans_are_read_with_defaults_and_without_unknown_keys() {
    let plan: Tbmd = toml::from_str("cells = [1, 1, 1]\ndistribution = 'summa'").expect("a plan");
    assert_eq!((plan.count(), plan.distribution, plan.time_step), (8, Distribution::Summa, 1.0));
    assert!(
        toml::from_str::<Tbmd>("cell = 4").expect_err("no such key").to_string().contains("unknown field")
    );
}

/// Ends at the third step.
struct Impatient;

impl AppWatch for Impatient {
    fn progress(&mut self, done: u64, _: u64, _: f64) -> ControlFlow<()> {
        if done >= 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn a_run_ends_when_rank_0_wishes() {
    let plan = Tbmd { cells: [1; 3], ..Tbmd::default() };
    let all = ideal::run(FREE, 4, async |mut comm| {
        let mut watch: Box<dyn AppWatch> =
            if comm.rank() == 0 { Box::new(Impatient) } else { Box::new(Unwatched) };
        let mut work = Work::new(&mut comm, None);
        Ok(plan.run(&mut work, &mut *watch).await)
    });
    for outcome in all.expect("nobody waits for ever") {
        let outcome = outcome.expect("it ends well");
        assert_eq!((outcome.steps, outcome.complete), (4, false));
    }
}
