//! What cannot be calculated is refused, with one sentence that says what to do.

use std::ops::ControlFlow;

use linerate_apps::application::{AppError, AppWatch, Application as _, Unwatched};
use linerate_apps::md::{Decomposition, Md};
use linerate_apps::work::Work;
use linerate_core::comm::{Comm as _, ideal};

use super::fixture;
use crate::ranks::{FREE, refusal, run};

#[test]
fn impossible_plans_are_refused() {
    let base = Md::default;
    let refused = [
        (Md { density: 0.0, ..base() }, 1, "density = 0"),
        (Md { density: f64::NAN, ..base() }, 1, "density = NaN"),
        (Md { time_step: f64::INFINITY, ..base() }, 1, "time-step = inf"),
        (Md { temperature: -1.0, ..base() }, 1, "temperature = -1"),
        (Md { cells: [0, 4, 4], ..base() }, 1, "no atoms"),
        (Md { cells: [u32::MAX; 3], ..base() }, 1, "the most is"),
        (Md { steps: u64::MAX, ..base() }, 1, "the most is"),
        (Md { every: 0, ..base() }, 1, "every = 0"),
        (Md { rebuild: 0, ..base() }, 1, "rebuild = 0"),
        (Md { frame_every: Some(0), ..base() }, 1, "frame-every"),
        (Md { cells: [2; 3], ..base() }, 1, "twice the cutoff"),
        (base(), 0, "at least one"),
        (Md { cells: [4; 3], ..base() }, 27, "cutoff and skin reach 2.800"),
        (Md { grid: Some([2, 2, 2]), ..base() }, 4, "there are 4 ranks"),
        (Md { grid: Some([usize::MAX, 2, 2]), ..base() }, 4, "there are 4 ranks"),
        (Md { grid: Some([1, 1, 1]), decomposition: Decomposition::Replicated, ..base() }, 1, "leave it out"),
        (Md { cells: [4; 3], decomposition: Decomposition::Replicated, ..base() }, 257, "fewer ranks"),
    ];
    for (plan, ranks, part) in refused {
        let found = refusal(&plan, ranks);
        assert!(found.contains(part), "{found:?} does not say {part:?}");
    }
}

#[test]
fn plans_are_read_with_defaults_and_without_unknown_keys() {
    let plan: Md = toml("cells = [4, 4, 4]\ndecomposition = 'replicated-half'\ntruncation = 'force-shift'")
        .expect("a plan");
    assert_eq!((plan.cells, plan.cutoff), ([4; 3], 2.5));
    assert!(toml("cell = 4").expect_err("there is no such key").contains("unknown field"));
}

fn toml(text: &str) -> Result<Md, String> {
    toml::from_str(text).map_err(|error| error.to_string())
}

/// All ranks end with the same sentence, whichever one found it.
fn sentences(plan: &Md, ranks: usize) -> String {
    let mut all = run(plan, ranks, FREE, 0.0).into_iter().map(|rank| match rank {
        Err(AppError::Calculation(sentence)) => sentence,
        other => panic!("{other:?}"),
    });
    let first = all.next().expect("a rank");
    assert!(all.all(|sentence| sentence == first));
    first
}

const DECOMPOSITIONS: [Decomposition; 3] =
    [Decomposition::Spatial, Decomposition::Replicated, Decomposition::ReplicatedHalf];

#[test]
fn atoms_that_overlap_are_named() {
    for decomposition in DECOMPOSITIONS {
        // The nearest distance of this crystal is 0.45.
        let plan =
            Md { density: 15.5, cells: [14; 3], temperature: 0.0, decomposition, steps: 3, ..Md::default() };
        let found = sentences(&plan, 2);
        assert!(found.contains("calculate the forces: atoms ") && found.contains("0.450 apart"), "{found}");
    }
}

#[test]
fn a_time_step_that_is_too_long_is_named() {
    for decomposition in DECOMPOSITIONS {
        for check_moved in [true, false] {
            let plan = Md { time_step: 0.5, decomposition, check_moved, ..fixture() };
            let found = sentences(&plan, 4);
            assert!(found.contains("take a shorter time step"), "{found}");
        }
    }
}

/// Ends at the second observation.
struct Impatient(u64);

impl AppWatch for Impatient {
    fn progress(&mut self, done: u64, all: u64, _: f64) -> ControlFlow<()> {
        assert!(done <= all);
        if done >= self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn a_run_ends_when_rank_0_wishes() {
    let plan = Md { every: 5, ..fixture() };
    let all = ideal::run(FREE, 4, async |mut comm| {
        let mut watch: Box<dyn AppWatch> =
            if comm.rank() == 0 { Box::new(Impatient(10)) } else { Box::new(Unwatched) };
        let mut work = Work::new(&mut comm, None);
        Ok(plan.run(&mut work, &mut *watch).await)
    });
    for outcome in all.expect("nobody waits for ever") {
        let outcome = outcome.expect("it ends well");
        assert_eq!((outcome.steps, outcome.complete), (15, false));
        assert_eq!(outcome.observations.len(), 4);
    }
}
