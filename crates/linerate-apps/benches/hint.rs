//! How long a whole HINT curve takes on one rank, and what it says of this processor.
//!
//! usage: cargo bench -p linerate-apps --bench hint
//!
//! Three curves of each kind of number; printed are the medians and the range. The clock is the wall's.

#![expect(clippy::disallowed_methods, reason = "a benchmark times the program itself")]

mod alone;

use std::time::Instant;

use linerate_apps::application::{Application, Unwatched};
use linerate_apps::hint::{DataType, Hint, HintOutcome};
use linerate_apps::work::Work;
use linerate_core::endpoint::run_ready;

use self::alone::alone;

const ROUNDS: usize = 3;

fn main() {
    for (name, data) in [("double", DataType::Double), ("int", DataType::Int)] {
        let plan = Hint { data, ..Hint::default() };
        let mut curves: Vec<(f64, HintOutcome)> = (0..ROUNDS).map(|_| run(&plan)).collect();
        curves.sort_by(|a, b| a.0.total_cmp(&b.0));
        let [low, median, high] = [0, ROUNDS / 2, ROUNDS - 1].map(|place| curves[place].0);
        let curve = &curves[ROUNDS / 2].1;
        println!("{name}: {} points in {median:.2} s ({low:.2} to {high:.2})", curve.points.len());
        println!("  peak {:.2} MQUIPS, net {:.2} MQUIPS", curve.peak_quips / 1e6, curve.net_quips / 1e6);
        let failed: Vec<_> = curve.verified.iter().filter(|check| !check.held).collect();
        println!("  stop: {:?}; checks that failed: {failed:?}", curve.stop);
        for at in curve.points.iter().step_by(6) {
            println!(
                "  n {:>8}  {:>10.1} kB  {:>9.2} ns/n  {:>8.2} MQUIPS",
                at.subintervals,
                at.memory_bytes as f64 / 1e3,
                at.seconds * 1e9 / at.subintervals as f64,
                at.quips / 1e6,
            );
        }
    }
}

fn run(plan: &Hint) -> (f64, HintOutcome) {
    let mut comm = alone();
    let begin = Instant::now();
    let mut work = Work::new(&mut comm, None);
    let outcome = run_ready(plan.run(&mut work, &mut Unwatched)).expect("one rank has nobody to lose");
    (begin.elapsed().as_secs_f64(), outcome)
}
