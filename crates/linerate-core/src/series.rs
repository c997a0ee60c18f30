//! The samples of every size, as they are kept.

mod neighbours;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::Effort;
use crate::pattern::Pattern;
use crate::stats::{Estimate, Histogram, median_interval, over_passes, warm_up, warm_up_of_stream};
use crate::trial::{Sample, Tally, Trial};
use crate::units::{Rate, Span};

pub use neighbours::local_residuals;

/// One curve: every size of a schedule under one pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// Who sent when.
    pub pattern: Pattern,
    /// One for each size, in the order of the schedule.
    pub points: Vec<Point>,
    /// The trial that was ended, because the time was over before it was. Nothing of it is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<Late>,
    /// How long the verification and one round of every size would have taken, where that was longer
    /// than the time. Unit: picoseconds.
    #[serde(rename = "needed_ps", default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<Span>,
}

/// A trial that was ended, because the time was over before it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Late {
    /// Message size. Unit: bytes.
    pub size: u64,
    /// How long it had run. Unit: picoseconds.
    #[serde(rename = "after_ps")]
    pub after: Span,
}

/// Everything measured at one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// Message size. Unit: bytes.
    pub size: u64,
    /// Whether every byte of a message was compared at both ends, outside the timed rounds.
    pub verified: bool,
    /// One summary a round, in the order in which they were run.
    pub rounds: Vec<Round>,
    /// One-way time of one message, from every sample after the warm-up of its round.
    pub histogram: Histogram,
    /// Why measuring stopped. Absent while the run goes on.
    pub stop: Option<Stop>,
    /// What the initiator and the responder spent on the trials of all rounds. Absent if nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Box<[Effort; 2]>>,
}

/// The summary of one trial of one size in one round. Times are of one message one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Round {
    /// The pass that it belongs to, from 0. Absent in the first.
    #[serde(default, skip_serializing_if = "is_first")]
    pub pass: u32,
    /// Number of the round in its pass, from 0.
    pub round: u32,
    /// Samples after the warm-up.
    pub samples: u32,
    /// Messages in each sample.
    pub batch: u32,
    /// Median, or the mean for a pattern whose messages overlap. Unit: picoseconds.
    #[serde(rename = "median_ps", alias = "median")]
    pub median: Span,
    /// Arithmetic mean: what NetPIPE calls the time of a trial. Unit: picoseconds.
    #[serde(rename = "mean_ps", alias = "mean")]
    pub mean: Span,
    /// Shortest. Unit: picoseconds.
    #[serde(rename = "min_ps", alias = "min")]
    pub min: Span,
    /// Longest. Unit: picoseconds.
    #[serde(rename = "max_ps", alias = "max")]
    pub max: Span,
    /// Samples before those, taken for warm-up and left out of everything above.
    pub warmup: u32,
    /// What the warm-up took. Unit: picoseconds of one-way time.
    #[serde(rename = "warmup_span_ps", alias = "warmup_span")]
    pub warmup_span: Span,
    /// What the initiator sent and received in this trial.
    pub tally: Tally,
    /// Whether the path sustains this rate. If not, it is that of a burst, from a buffer or
    /// a shaper's tokens; only messages that overlap have such rounds. Absent if it does.
    #[serde(default = "sustained", skip_serializing_if = "is_sustained")]
    pub sustained: bool,
}

const fn sustained() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_sustained(sustained: &bool) -> bool {
    *sustained
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_first(pass: &u32) -> bool {
    *pass == 0
}

impl Round {
    /// How many messages were timed.
    pub(crate) fn messages(&self) -> u64 {
        u64::from(self.samples) * u64::from(self.batch)
    }
}

/// Why the measurement of a size stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// Its interval was within the target.
    Target,
    /// The measurement ended as planned before its interval was within the target.
    Time,
    /// The user, or a failure, ended the run.
    Cut,
}

impl Series {
    /// A series with nothing measured yet.
    #[must_use]
    pub fn new(pattern: Pattern, sizes: &[u64]) -> Self {
        let points = sizes.iter().copied().map(Point::new).collect();
        Self { pattern, points, late: None, needed: None }
    }

    /// Adds a whole pass over the same sizes, as the pass of this number.
    pub fn add_pass(&mut self, pass: u32, next: Self) {
        for (point, of_pass) in self.points.iter_mut().zip(next.points) {
            point.add_pass(pass, of_pass);
        }
        self.late = self.late.or(next.late);
        self.needed = self.needed.or(next.needed);
    }

    /// How many passes have timed something.
    #[must_use]
    pub fn passes(&self) -> usize {
        self.numbers().len()
    }

    /// The numbers of the passes that have timed something.
    #[must_use]
    pub fn numbers(&self) -> BTreeSet<u32> {
        self.points.iter().flat_map(Point::passes).collect()
    }

    /// A pass by itself, without the histograms.
    #[must_use]
    pub fn of_pass(&self, pass: u32) -> Self {
        Self {
            pattern: self.pattern,
            points: self.points.iter().map(|point| point.of_pass(pass)).collect(),
            late: self.late,
            needed: self.needed,
        }
    }

    /// The points that were timed: those with a sustained round.
    pub fn timed(&self) -> impl Iterator<Item = &Point> {
        self.points.iter().filter(|point| point.sustained())
    }

    /// All that passed in the timed rounds, as the initiator counted it.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut sum = Tally::default();
        for round in self.points.iter().flat_map(|point| &point.rounds) {
            sum += round.tally;
        }
        sum
    }
}

/// The median of sorted spans, of which there is at least one.
fn middle(sorted: &[Span]) -> Span {
    let upper = sorted[sorted.len() / 2];
    let lower = sorted[(sorted.len() - 1) / 2];
    Span::from_ps(lower.as_ps().midpoint(upper.as_ps()))
}

impl Point {
    /// A size with nothing measured yet.
    #[must_use]
    pub fn new(size: u64) -> Self {
        Self {
            size,
            verified: false,
            rounds: Vec::new(),
            histogram: Histogram::default(),
            stop: None,
            effort: None,
        }
    }

    /// Adds what a trial gave. A path may deliver lumps which take `lump` to pass, no time where that is not
    /// known or messages do not follow each other.
    pub fn add(&mut self, round: u32, trial: &Trial, sample: &Sample, lump: Span) {
        let warmup = if trial.pattern.overlaps() {
            warm_up_of_stream(lump / u64::from(trial.batch).max(1), &sample.times)
        } else {
            warm_up(&sample.times)
        };
        let (early, steady) = sample.times.split_at(warmup);
        for time in steady {
            self.histogram.record(*time);
        }
        let mut sorted = steady.to_vec();
        sorted.sort_unstable();
        let (Some(min), Some(max)) = (sorted.first(), sorted.last()) else { return };
        let mean = steady.iter().copied().sum::<Span>() / steady.len() as u64;
        // Messages one way share one connection's buffers: after a pause the receiver drains them
        // as fast as memory allows, and the median part would time that copy. All bytes over all
        // time is immune to it.
        let median = if trial.pattern.overlaps() { mean } else { middle(&sorted) };
        self.rounds.push(Round {
            pass: 0,
            round,
            samples: u32::try_from(steady.len()).unwrap_or(u32::MAX),
            batch: trial.batch,
            median,
            mean,
            min: *min,
            max: *max,
            warmup: u32::try_from(warmup).unwrap_or(u32::MAX),
            warmup_span: early.iter().copied().sum(),
            tally: sample.tally,
            sustained: sample.kept_up,
        });
        if let Some(effort) = &sample.effort {
            self.add_effort(effort);
        }
    }

    fn add_effort(&mut self, effort: &[Effort; 2]) {
        let sums = self.effort.get_or_insert_default();
        for (sum, end) in sums.iter_mut().zip(effort) {
            sum.absorb(end);
        }
    }

    /// Adds what a whole pass measured at this size.
    fn add_pass(&mut self, pass: u32, next: Self) {
        self.verified |= next.verified;
        self.rounds.extend(next.rounds.into_iter().map(|round| Round { pass, ..round }));
        self.histogram.add(&next.histogram);
        if let Some(effort) = &next.effort {
            self.add_effort(effort);
        }
        // The least certain pass says whether the size is certain.
        self.stop = if self.stop == Some(Stop::Target) { next.stop } else { self.stop };
    }

    /// The numbers of the passes with a sustained round, in order.
    fn passes(&self) -> BTreeSet<u32> {
        self.sustained_rounds().map(|round| round.pass).collect()
    }

    /// Whether several passes have a sustained round. Asked after every trial, so it allocates nothing.
    fn has_passes(&self) -> bool {
        let mut passes = self.sustained_rounds().map(|round| round.pass);
        let first = passes.next();
        passes.any(|pass| Some(pass) != first)
    }

    /// What one pass measured, without the histogram.
    fn of_pass(&self, pass: u32) -> Self {
        let rounds = self.rounds.iter().filter(|round| round.pass == pass).copied().collect();
        Self { rounds, histogram: Histogram::default(), effort: None, ..*self }
    }

    /// The one-way time with its 95 % interval: of one pass, the median of the medians of the
    /// sustained rounds, and an interval within this pass; of several, [what they agree on](over_passes), where a pass of
    /// few rounds counts with all of them. Unit: picoseconds.
    #[must_use]
    pub fn time(&self) -> Option<Estimate> {
        if !self.has_passes() {
            return median_interval(&self.medians());
        }
        let whole = |pass: Estimate, medians: &[f64]| {
            let ends =
                || medians.iter().fold([f64::INFINITY, 0.0], |[low, high], it| [it.min(low), it.max(high)]);
            Estimate { interval: pass.interval.or_else(|| Some(ends())), ..pass }
        };
        let of_pass = |pass| {
            let medians = self.of_pass(pass).medians();
            median_interval(&medians).map(|it| whole(it, &medians))
        };
        over_passes(&self.passes().into_iter().filter_map(of_pass).collect::<Vec<_>>())
    }

    /// The median of the medians of each pass that has a sustained round. Unit: picoseconds.
    #[must_use]
    pub fn medians_of_passes(&self) -> Vec<f64> {
        let of_pass = |pass| median_interval(&self.of_pass(pass).medians()).map(|it| it.median);
        self.passes().into_iter().filter_map(of_pass).collect()
    }

    /// Whether its interval is within `target`, a share of its time: of one pass when measuring ended,
    /// of several from pass to pass.
    #[must_use]
    pub fn settled(&self, target: f64) -> bool {
        if !self.has_passes() {
            return !matches!(self.stop, Some(Stop::Time | Stop::Cut));
        }
        self.time().and_then(|time| time.relative_half_width()).is_some_and(|width| width <= target)
    }

    /// The rounds whose rate the path sustains: all that count.
    pub fn sustained_rounds(&self) -> impl Iterator<Item = &Round> {
        self.rounds.iter().filter(|round| round.sustained)
    }

    /// The medians of the sustained rounds. Unit: picoseconds.
    #[must_use]
    pub fn medians(&self) -> Vec<f64> {
        self.sustained_rounds().map(|round| round.median.as_ps() as f64).collect()
    }

    /// Whether it was timed in a round whose rate the path sustains.
    #[must_use]
    pub fn sustained(&self) -> bool {
        self.sustained_rounds().next().is_some()
    }

    /// Whether it was timed, but only in bursts.
    #[must_use]
    pub fn in_bursts(&self) -> bool {
        !self.rounds.is_empty() && !self.sustained()
    }

    /// The 99th percentile of one-way time over every sample after warm-up.
    #[must_use]
    pub fn p99(&self) -> Option<Span> {
        self.histogram.quantile(0.99)
    }

    /// NetPIPE's statistic: the least of the trials' mean times.
    #[must_use]
    pub fn least_mean(&self) -> Option<Span> {
        self.sustained_rounds().map(|round| round.mean).min()
    }

    /// Payload throughput at the median time, each direction by itself.
    #[must_use]
    pub fn throughput(&self) -> Option<Rate> {
        let seconds = self.time()?.median / 1e12;
        (seconds > 0.0).then(|| Rate::from_bits_per_second(self.size as f64 * 8.0 / seconds))
    }
}
