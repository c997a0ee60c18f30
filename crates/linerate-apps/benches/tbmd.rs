//! How fast carbon moves: products of matrices, 64 atoms on one rank, and 64 ranks on the ideal network.
//!
//! usage: cargo bench -p linerate-apps --bench tbmd [-- WORD]
//!
//! With a word only those whose name has it.
//! Five runs of each; printed are the medians and the range. The clock is the wall's.

#![expect(clippy::disallowed_methods, reason = "a benchmark times the program itself")]

use std::time::Instant;

use linerate_apps::application::{Application as _, Unwatched};
use linerate_apps::tbmd::Tbmd;
use linerate_apps::tbmd::product::{Matrix, Strips};
use linerate_apps::tbmd::share::Distribution;
use linerate_apps::work::{UnitCost, Work};
use linerate_core::comm::ideal::{self, Network};
use linerate_core::units::Span;

const ROUNDS: usize = 5;

const NETWORK: Network = Network { latency: Span::from_us(50), per_byte: Span::from_ns(8) };

/// Median and range.
fn timed(mut work: impl FnMut()) -> [f64; 3] {
    let mut seconds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let before = Instant::now();
            work();
            before.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    [ROUNDS / 2, 0, ROUNDS - 1].map(|place| seconds[place])
}

/// Multiplications and additions on numbers that stay in registers, for as wide vectors as the build has: what the processor
/// can do at most. Chains enough for both to be on their way at once.
const CHAINS: usize = 24;
const LOOPS: u32 = 20_000_000;

fn peak() -> f64 {
    let (factor, term) = (std::hint::black_box(0.999_999), std::hint::black_box(1e-6));
    let [median, ..] = timed(|| {
        let mut chains = [1.0_f64; CHAINS];
        for _ in 0..LOOPS {
            for chain in &mut chains {
                *chain = *chain * factor + term;
            }
        }
        std::hint::black_box(chains);
    });
    2.0 * CHAINS as f64 * f64::from(LOOPS) * 1e-9 / median
}

fn main() {
    // Cargo adds a flag of its own.
    let word = std::env::args().skip(1).find(|word| !word.starts_with("--")).unwrap_or_default();
    if "peak".contains(&word) {
        println!("peak of multiplications and additions   {:.2} Gflop/s", peak());
    }
    for order in [32, 256, 1024].into_iter().filter(|_| "product".contains(&word)) {
        let factor: Vec<f64> = (0..order * order).map(|place| (place as f64).sin()).collect();
        let mut sum = vec![0.0; order * order];
        let mut strips = Strips::default();
        let matrix = Matrix::whole(&factor, order, order);
        let repeats = ((1 << 28) / (order * order * order)).max(1);
        let [median, low, high] =
            timed(|| (0..repeats).for_each(|_| strips.multiply_add(&mut sum, matrix, matrix)));
        let operations = 2.0 * (repeats * order * order * order) as f64 * 1e-9;
        let [median, low, high] = [median, high, low].map(|seconds| operations / seconds);
        println!("product of order {order:<20} {median:.2} Gflop/s ({low:.2} to {high:.2})");
    }
    let plans = [
        ("1 rank, 10 steps", 10, 1, Distribution::Ring),
        ("64 modelled ranks, ring, 100 steps", 100, 64, Distribution::Ring),
        ("64 modelled ranks, SUMMA, 100 steps", 100, 64, Distribution::Summa),
    ];
    for (name, steps, ranks, distribution) in plans.into_iter().filter(|(name, ..)| name.contains(&word)) {
        let plan = Tbmd { steps, every: 10, distribution, ..Tbmd::default() };
        let mut products = 0;
        let [median, low, high] = timed(|| products = run(&plan, ranks));
        let rate = 2.0 * (256.0_f64).powi(3) * products as f64 / median * 1e-9;
        let step = median / steps as f64 * 1e3;
        println!(
            "64 atoms, {name:<36} {median:.3} s ({low:.3} to {high:.3}), {step:.1} ms for a step, {rate:.2} Gflop/s"
        );
    }
}

/// One run; gives the products that it took.
fn run(plan: &Tbmd, ranks: usize) -> u64 {
    plan.check(ranks).expect("it can be done");
    let all = ideal::run(NETWORK, ranks, async |mut comm| {
        let mut work = Work::new(&mut comm, Some(UnitCost(100.0)));
        Ok(plan.run(&mut work, &mut Unwatched).await)
    });
    let first = all.expect("nobody waits for ever").swap_remove(0);
    first.expect("it ends well").products
}
