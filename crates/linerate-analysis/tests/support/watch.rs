//! Watchers of a measurement.

use std::ops::ControlFlow;

use linerate_core::measure::{Method, Outcome, Phase, Progress, Watch, measure};
use linerate_core::pattern::Pattern;
use linerate_core::series::{Point, Series};
use linerate_core::units::Span;

use super::virtual_bench::VirtualBench;

/// Keeps everything it is told, and may break the measurement off.
#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) trials: Vec<(Phase, u64)>,
    pub(crate) spent: Span,
    pub(crate) saved: Vec<Series>,
    /// After how many trials to break; none never.
    pub(crate) break_after: Option<usize>,
}

impl Watch for Recorder {
    fn trial_done(&mut self, progress: &Progress) -> ControlFlow<()> {
        assert!(progress.spent >= self.spent, "time spent grew less");
        self.trials.push((progress.phase, progress.size));
        self.spent = progress.spent;
        match self.break_after {
            Some(trials) if self.trials.len() >= trials => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn round_done(&mut self, series: &mut Series) {
        self.saved.push(series.clone());
    }
}

/// Ping-pong over `sizes` for `ms` of virtual time, with a clock that costs nothing to read.
pub(crate) fn method(sizes: &[u64], ms: u64, target: f64, seed: u64) -> Method {
    Method {
        pattern: Pattern::PingPong,
        sizes: sizes.to_vec(),
        time: Span::from_ms(ms),
        target,
        rounds: 7,
        seed,
        clock_cost: Span::ZERO,
        reserved: Span::ZERO,
        exact: None,
    }
}

/// Measures and records.
pub(crate) fn watched(bench: &mut VirtualBench, method: &Method) -> (Outcome, Recorder) {
    let mut recorder = Recorder::default();
    let outcome = measure(bench, method, &mut recorder);
    (outcome, recorder)
}

/// The point of `size`.
pub(crate) fn point(series: &Series, size: u64) -> &Point {
    series.points.iter().find(|point| point.size == size).expect("a size of the schedule")
}
