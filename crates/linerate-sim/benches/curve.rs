//! How long a whole curve over a model takes: every NetPIPE size to 10 MB.
//!
//! usage: cargo bench -p linerate-sim --bench curve
//!
//! Five runs of each; printed are the medians and the range. The clock is the wall's.

#![expect(clippy::disallowed_methods, reason = "a benchmark times the program itself")]

use std::time::Instant;

use linerate_core::measure::{Ended, Unwatched, measure};
use linerate_core::plan::Plan;
use linerate_sim::model::curve;
use linerate_sim::plan::ModelPlan;

const ROUNDS: usize = 5;

fn main() {
    let plans = [
        ("ping-pong, 1000BASE-T", "", "ping-pong"),
        ("one-way, 1000BASE-T", "", "one-way"),
        ("exchange, 1000BASE-T", "", "exchange"),
        ("ping-pong, 10GBASE-R, MTU 9000", "phy = '10GBASE-R'\nmtu = 9000", "ping-pong"),
        ("ping-pong, three switches", "topology = 'line'\nrelays = 3", "ping-pong"),
    ];
    for (name, network, pattern) in plans {
        let mut seconds = Vec::new();
        let mut points = 0;
        for _ in 0..ROUNDS {
            let before = Instant::now();
            points = run(network, pattern);
            seconds.push(before.elapsed().as_secs_f64());
        }
        seconds.sort_by(f64::total_cmp);
        let [low, median, high] = [0, ROUNDS / 2, ROUNDS - 1].map(|place| seconds[place]);
        println!("{name:<34} {points} points: {median:.3} s ({low:.3} to {high:.3})");
    }
}

/// Measures one curve; gives how many points it has.
fn run(network: &str, pattern: &str) -> usize {
    let text = format!("[network]\nmedium = 'ethernet'\n{network}");
    let plan = ModelPlan::from_toml(&text).expect("a plan");
    let mut curve = curve(&plan, None).expect("it can be built");
    let asked = Plan::from_toml(&format!("pattern = '{pattern}'")).expect("a measurement");
    let method = curve.method(&asked.common, asked.curve().expect("a curve")).expect("sizes");
    let outcome = measure(&mut curve.bench, &method, &mut Unwatched);
    assert!(matches!(outcome.ended, Ended::Complete), "{:?}", outcome.ended);
    outcome.series.timed().count()
}
