//! How long a million photons take on one rank, in every scene that ships.
//!
//! usage: cargo bench -p linerate-apps --bench photon
//!
//! Five runs of each; printed are the medians and the range. The clock is the wall's.

#![expect(clippy::disallowed_methods, reason = "a benchmark times the program itself")]

mod alone;

use std::time::Instant;

use linerate_apps::application::{Application, Unwatched};
use linerate_apps::photon::{Photon, PhotonOutcome, ShippedScene};
use linerate_apps::work::Work;
use linerate_core::endpoint::run_ready;

use self::alone::alone;

const ROUNDS: usize = 5;

fn main() {
    for scene in ShippedScene::ALL {
        for adaptive in [false, true] {
            let plan = Photon { scene, adaptive, ..Photon::default() };
            let mut runs: Vec<(f64, PhotonOutcome)> = (0..ROUNDS).map(|_| run(&plan)).collect();
            runs.sort_by(|a, b| a.0.total_cmp(&b.0));
            let [low, median, high] = [0, ROUNDS / 2, ROUNDS - 1].map(|place| runs[place].0);
            let found = &runs[ROUNDS / 2].1;
            let hits = found.hits as f64 / found.photons as f64;
            let bins = if adaptive { "trees" } else { "fixed bins" };
            println!(
                "{:<24} {bins:<10}  {median:.3} s ({low:.3} to {high:.3})  {:.2} M photons/s, {:.0} ns a hit",
                format!("{scene:?}"),
                found.photons_per_second / 1e6,
                median * 1e9 / (found.photons as f64 * hits.max(1.0)),
            );
        }
    }
}

fn run(plan: &Photon) -> (f64, PhotonOutcome) {
    let mut comm = alone();
    let begin = Instant::now();
    let mut work = Work::new(&mut comm, None);
    let outcome = run_ready(plan.run(&mut work, &mut Unwatched)).expect("one rank has nobody to lose");
    (begin.elapsed().as_secs_f64(), outcome)
}
