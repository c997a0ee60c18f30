//! How fast a Lennard-Jones liquid moves: 32,000 atoms on one rank, and 64 ranks on the ideal network.
//!
//! usage: cargo bench -p linerate-apps --bench md [-- WORD]
//!
//! With a word only those whose name has it.
//! Five runs of each; printed are the medians and the range. The clock is the wall's. What an atom's step takes has the
//! lists of neighbours in it; so has the rate of operations, which counts the entries of lists only.

#![expect(clippy::disallowed_methods, reason = "a benchmark times the program itself")]

use std::time::Instant;

use linerate_apps::application::{Application as _, Unwatched};
use linerate_apps::md::{Decomposition, FLOPS_PER_ENTRY, Md};
use linerate_apps::work::{UnitCost, Work};
use linerate_core::comm::ideal::{self, Network};
use linerate_core::units::Span;

const ROUNDS: usize = 5;

const NETWORK: Network = Network { latency: Span::from_us(50), per_byte: Span::from_ns(8) };

fn main() {
    let liquid = Md { cells: [20; 3], steps: 100, every: 100, ..Md::default() };
    let fixed = Md { check_moved: false, ..liquid.clone() };
    let half = Md { decomposition: Decomposition::ReplicatedHalf, ..liquid.clone() };
    let small = Md { cells: [20; 3], steps: 100, every: 100, ..Md::default() };
    let plans = [
        ("1 rank, lists every 20 steps", fixed, 1),
        ("1 rank, lists as atoms move", liquid, 1),
        ("1 rank, half lists", half, 1),
        ("64 modelled ranks, parts of the box", small, 64),
    ];
    println!("32,000 atoms, 100 steps: median (range)");
    // Cargo adds a flag of its own.
    let word = std::env::args().skip(1).find(|word| !word.starts_with("--")).unwrap_or_default();
    for (name, plan, ranks) in plans.into_iter().filter(|(name, ..)| name.contains(&word)) {
        let mut seconds = Vec::new();
        let mut neighbours = 0.0;
        for _ in 0..ROUNDS {
            let before = Instant::now();
            neighbours = run(&plan, ranks);
            seconds.push(before.elapsed().as_secs_f64());
        }
        seconds.sort_by(f64::total_cmp);
        let [low, median, high] = [0, ROUNDS / 2, ROUNDS - 1].map(|place| seconds[place]);
        let atom_steps = (plan.atoms() * plan.steps) as f64;
        let rate = atom_steps * neighbours * FLOPS_PER_ENTRY as f64 / median;
        println!(
            "{name:<36} {median:.3} s ({low:.3} to {high:.3}), {:.3} us for an atom's step, {:.2} Gflop/s",
            median / atom_steps * 1e6,
            rate / 1e9
        );
    }
}

/// One run; gives entries of lists for each atom.
fn run(plan: &Md, ranks: usize) -> f64 {
    plan.check(ranks).expect("it can be done");
    let all = ideal::run(NETWORK, ranks, async |mut comm| {
        let mut work = Work::new(&mut comm, Some(UnitCost(1e6)));
        Ok(plan.run(&mut work, &mut Unwatched).await)
    });
    let first = all.expect("nobody waits for ever").swap_remove(0);
    first.expect("it ends well").parts.neighbours
}
