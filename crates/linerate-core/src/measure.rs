//! The method: verify every size once, measure all sizes in shuffled rounds, then spend the
//! remaining time where the curve is least certain.

mod allot;
mod bucket;
mod campaign;
mod cost;
mod refine;
mod settle;

use std::ops::ControlFlow;

use crate::bench::{Bench, RunError};
use crate::pattern::Pattern;
use crate::plan::{Common, CurvePlan, PlanError};
use crate::series::{Point, Series, Stop};
use crate::stats::Estimate;
use crate::units::Span;

use campaign::{Campaign, Halt};

/// What is to be measured and for how long.
#[derive(Clone, Debug)]
pub struct Method {
    /// Who sends when.
    pub pattern: Pattern,
    /// Message sizes in the order of the schedule. Unit: bytes.
    pub sizes: Vec<u64>,
    /// Time to spend on the bench's clock.
    pub time: Span,
    /// What the user allowed beyond that, for another measurement.
    pub reserved: Span,
    /// Target half-width of the interval, as a share of the median.
    pub target: f64,
    /// Rounds that every size gets first.
    pub rounds: u32,
    /// Seed of the order and of the payload.
    pub seed: u64,
    /// What reading the clock of the end that times takes.
    pub clock_cost: Span,
    /// Nothing on the bench is random: one trial of this kind is enough for a size, and takes as
    /// much of the bench's time as it needs.
    pub exact: Option<Exact>,
}

/// How large a single trial must be on a bench without randomness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    /// Samples of messages that wait for each other.
    pub samples: u32,
    /// Each sample of one-way messages has at least this many bytes.
    pub one_way_bytes: u64,
}

impl Exact {
    /// One-way messages are timed in this many samples, enough to tell the warm-up from the rest.
    const ONE_WAY_SAMPLES: u32 = 16;

    /// Every message takes as long as the first.
    pub const AT_ONCE: Self = Self { samples: 1, one_way_bytes: 32 << 10 };
    /// A message depends on those before it, through timers and a window of this many bytes: the
    /// first window of data does not flow steadily yet.
    #[must_use]
    pub fn settling(window_bytes: u64) -> Self {
        Self { samples: 8, one_way_bytes: (window_bytes / 2).max(256 << 10) }
    }

    /// How many samples of how many messages the single trial of a size (bytes) has. One-way, there
    /// are enough messages that the first and last packets are a small part of them.
    #[must_use]
    pub fn trial(self, pattern: Pattern, size: u64) -> (u32, u32) {
        if !pattern.overlaps() {
            return (self.samples, 1);
        }
        let batch = self.one_way_bytes.div_ceil(size.max(1));
        (Self::ONE_WAY_SAMPLES, u32::try_from(batch).unwrap_or(u32::MAX))
    }
}

impl Method {
    /// The method that a curve asks for.
    ///
    /// # Errors
    ///
    /// When its schedule has no sizes.
    pub fn of(common: &Common, curve: &CurvePlan, clock_cost: Span) -> Result<Self, PlanError> {
        Ok(Self {
            pattern: curve.pattern,
            sizes: curve.sizes(common)?,
            time: common.time,
            reserved: Span::ZERO,
            target: curve.ci,
            rounds: curve.rounds,
            seed: common.seed,
            clock_cost,
            exact: None,
        })
    }
}

/// What a look at what the path sustains takes: this part of a curve's time,
const SUSTAINED_PART: u64 = 10;
/// within these bounds,
const SUSTAINED_LEAST: Span = Span::from_ms(300);
const SUSTAINED_MOST: Span = Span::from_ms(3_000);
/// but no more than this part of it: a curve with less time has none.
const SUSTAINED_LARGEST_PART: u64 = 3;
/// The largest messages that it sends. Unit: bytes.
const SUSTAINED_SIZE: u64 = 64 << 10;
/// So many of its messages fit its time, by what the curve knows.
const SUSTAINED_MESSAGES: u64 = 20;
/// The time that is named as enough has this part more.
const SUSTAINED_SPARE: u64 = 4;
/// So many of its messages are as long as the part that the verification, which passes two, may take.
const VERIFIED: u64 = 2 * campaign::VERIFY_PART;

impl Method {
    /// This curve within less time, and a measurement after it, in the time that this leaves: what the path sustains one
    /// way, which a round trip does not tell behind a shaper (docs/method.md). Without time if there is too little. Absent
    /// for other patterns than ping-pong.
    #[must_use]
    pub fn and_sustained(self) -> (Self, Option<Self>) {
        let sizes: Vec<u64> = self.sizes.iter().copied().filter(|size| *size <= SUSTAINED_SIZE).collect();
        if self.pattern != Pattern::PingPong || self.exact.is_some() || sizes.is_empty() {
            return (self, None);
        }
        let time = (self.time / SUSTAINED_PART).clamp(SUSTAINED_LEAST, SUSTAINED_MOST);
        let time = if time * SUSTAINED_LARGEST_PART > self.time { Span::ZERO } else { time };
        let left = self.time.saturating_sub(time);
        let after = Self { pattern: Pattern::OneWay, sizes, time, reserved: left, ..self.clone() };
        (Self { time: left, reserved: time, ..self }, Some(after))
    }

    /// The time of a curve, in whole seconds, that is enough for this measurement of what the path sustains, where it was
    /// not: nothing or only bursts were `found`. Absent if no time is known to be.
    pub fn time_for_sustained<B: Bench>(&self, bench: &mut B, found: Option<&Series>) -> Option<Span> {
        let known = match found {
            Some(series) => series.needed?.saturating_sub(self.reserved),
            None => Span::ZERO,
        };
        // In more time larger messages fit, in more steps.
        let largest = Self { sizes: self.sizes.iter().copied().max().into_iter().collect(), ..self.clone() };
        let steps = least_time(bench, &largest).scaled(SUSTAINED_MESSAGES, SUSTAINED_MESSAGES - VERIFIED);
        let part = known.max(steps);
        let part = part + part / SUSTAINED_SPARE;
        let whole = (part * SUSTAINED_PART).max(SUSTAINED_LEAST * SUSTAINED_LARGEST_PART);
        let longer = whole.max(self.time + self.reserved + Span::from_ms(1)).as_seconds().ceil();
        (part <= SUSTAINED_MOST).then(|| Span::from_seconds(longer))
    }

    /// This measurement of what the path sustains, with the largest of its sizes that its time is enough for by the slowest
    /// rounds of the `curve` before it. Not counted is what the smallest message takes: messages one way do not wait
    /// for each other.
    #[must_use]
    pub fn at_best_size(self, curve: &Series) -> Self {
        let slowest = |point: &Point| Some((point.size, point.rounds.iter().map(|round| round.mean).max()?));
        let times: Vec<(u64, Span)> = curve.points.iter().filter_map(slowest).collect();
        let least = times.iter().map(|(_, time)| *time).min().unwrap_or_default();
        let fits = |(_, time): &&(u64, Span)| (*time - least) * SUSTAINED_MESSAGES <= self.time;
        let sizes = times.iter().filter(|(size, _)| self.sizes.contains(size));
        let best = sizes.filter(fits).map(|(size, _)| *size).max();
        Self { sizes: best.or_else(|| self.sizes.iter().copied().min()).into_iter().collect(), ..self }
    }
}

/// Where a measurement stands.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// What it is doing.
    pub phase: Phase,
    /// The size just visited. Unit: bytes.
    pub size: u64,
    /// The estimate of that size's one-way time so far. Unit: picoseconds.
    pub time: Option<Estimate>,
    /// Time spent.
    pub spent: Span,
    /// Time allowed.
    pub allowed: Span,
}

/// What a measurement is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Comparing every byte of every size, untimed.
    Verify,
    /// Measuring all sizes.
    Round(u32),
    /// Measuring the least certain sizes again.
    Refine(u32),
}

/// Who watches a measurement, and may end it.
pub trait Watch {
    /// After every trial. A break ends the measurement; what was measured is kept.
    fn trial_done(&mut self, progress: &Progress) -> ControlFlow<()>;

    /// After the verification pass and after every round: the moment to save. The series is
    /// borrowed, so that it can be saved as part of a run without copying every sample.
    fn round_done(&mut self, series: &mut Series);

    /// One round of every size takes about `needed`, which is more than the `allowed` time: the
    /// large sizes will be missing. Called at most once, as soon as that is clear.
    fn short_of_time(&mut self, needed: Span, allowed: Span) {
        let _ = (needed, allowed);
    }
}

/// Lets a measurement run to its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn trial_done(&mut self, _: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn round_done(&mut self, _: &mut Series) {}
}

/// What a measurement gave.
#[derive(Debug)]
pub struct Outcome {
    /// Everything measured, also when it ended early.
    pub series: Series,
    /// Why it ended early.
    pub ended: Ended,
}

/// How a measurement ended.
#[derive(Debug)]
pub enum Ended {
    /// As planned.
    Complete,
    /// The watcher ended it.
    Interrupted,
    /// A trial failed.
    Failed(RunError),
}

/// What the verification and one round of `method` take at least over `bench`, before anything has passed.
fn least_time<B: Bench>(bench: &mut B, method: &Method) -> Span {
    Campaign::new(bench, method, &mut Unwatched).verification_and_one_round()
}

/// Measures `method` over `bench`.
pub fn measure<B: Bench>(bench: &mut B, method: &Method, watch: &mut dyn Watch) -> Outcome {
    let mut campaign = Campaign::new(bench, method, watch);
    let ended = match campaign.run() {
        // What the time was not enough for is missing from the series, and the series says so.
        Ok(()) | Err(Halt::Late) => Ended::Complete,
        Err(Halt::Interrupted) => Ended::Interrupted,
        Err(Halt::Failed(error)) => Ended::Failed(error),
    };
    let reason = if matches!(ended, Ended::Complete) { Stop::Time } else { Stop::Cut };
    Outcome { series: campaign.close(reason), ended }
}
