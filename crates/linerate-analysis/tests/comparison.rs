//! Two sets of runs held against each other, over a link in virtual time whose every change is known.

mod rates;
mod verdicts;

use linerate_analysis::report::NamedRun;
use linerate_core::run::Source;
use linerate_core::units::Span;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::support::link::Link;
use crate::support::virtual_bench::VirtualBench;
use crate::support::watch::{method, watched};
use crate::virtual_bench::run_file::run_of;

/// How the runs of an experiment are made.
#[derive(Clone, Copy)]
struct Experiment {
    sizes: &'static [u64],
    /// Standard deviation of the logarithm of what a run has of its own.
    effect: f64,
    /// Growth of all times from the first run to the last, whichever side it is of: a share.
    drift: f64,
    /// Further time of a message of the second side.
    planted: fn(u64) -> Span,
    /// Sides in turn, or first all of one side.
    in_turn: bool,
}

const PLAIN: Experiment = Experiment {
    sizes: &[32, 256, 1024, 4096],
    effect: 0.03,
    drift: 0.0,
    planted: |_| Span::ZERO,
    in_turn: true,
};

/// A draw of the standard normal distribution (Box and Muller).
fn normal(random: &mut Pcg64) -> f64 {
    let (one, other): (f64, f64) = (random.random(), random.random());
    (-2.0 * (1.0 - one).ln()).sqrt() * (std::f64::consts::TAU * other).cos()
}

impl Experiment {
    /// `each` runs a side.
    fn sides(&self, each: usize, seed: u64) -> [Vec<NamedRun>; 2] {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut sides = [Vec::new(), Vec::new()];
        for nth in 0..2 * each {
            let side = if self.in_turn { nth % 2 } else { nth / each };
            let grown = 1.0 + self.drift * nth as f64 / (2 * each) as f64;
            // What a run has of its own is partly of the host and partly of its latency.
            let host = (self.effect * normal(&mut random)).exp() * grown;
            let latency = (self.effect * 0.5 * normal(&mut random)).exp() * host;
            let run = self.run(side, [latency, host], random.random());
            sides[side].push(NamedRun { name: format!("{side}.{nth}"), run: dated(run, nth) });
        }
        sides
    }

    fn run(&self, side: usize, [latency, host]: [f64; 2], seed: u64) -> linerate_core::run::Run {
        let usual = Link::default();
        let times = |span: Span, factor: f64| Span::from_seconds(span.as_seconds() * factor);
        let link = Link {
            latency: times(usual.latency, latency),
            per_byte: times(usual.per_byte, host),
            extra: if side == 1 { self.planted } else { |_| Span::ZERO },
            jitter: |_| Span::from_us(2),
            ..usual
        };
        let method = method(self.sizes, 2 * self.sizes.len() as u64, 0.05, seed);
        let mut run = run_of(watched(&mut VirtualBench::new(link, seed), &method).0, &method);
        // A measured run: chance is in it.
        run.source = Source::Measured;
        run.plan.common.seed = 0;
        run
    }
}

/// The run as one that began on the `nth` day.
fn dated(mut run: linerate_core::run::Run, nth: usize) -> linerate_core::run::Run {
    run.id = format!("run-{nth}");
    run.started = format!("{nth:04}");
    run
}

/// The order of the runs of [`dated`].
fn began(started: &str) -> Option<i64> {
    started.parse().ok()
}
