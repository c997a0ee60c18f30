//! A run's series as a curve.

use serde::Serialize;

use crate::derive::{Boundaries, Derived, derive};
use linerate_core::pattern::Pattern;
use linerate_core::plan::DEFAULT_TARGET;
use linerate_core::run::Run;
use linerate_core::series::{Point, Round, Series};
use linerate_core::units::Rate;

/// One curve.
#[derive(Clone, Debug, Serialize)]
pub struct Curve {
    /// What to call it; distinct among the report's curves.
    pub name: String,
    /// Index of its run.
    pub run: usize,
    /// Who sent when.
    pub pattern: Pattern,
    /// One for each size of the schedule, in its order; untimed sizes are gaps.
    #[serde(skip)]
    pub points: Vec<CurvePoint>,
    /// What the curve says.
    pub derived: Derived,
    /// How many passes it has: with several, intervals are from pass to pass.
    #[serde(skip_serializing_if = "is_one")]
    pub passes: usize,
    /// How many sizes were timed in bursts only, and are gaps for that.
    #[serde(skip)]
    pub in_bursts: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_one(passes: &usize) -> bool {
    *passes == 1
}

/// One size of a curve.
#[derive(Clone, Debug)]
pub struct CurvePoint {
    /// Message size. Unit: bytes.
    pub size: u64,
    /// What was measured. Absent if the size was not timed.
    pub timed: Option<Timed>,
    /// The result of each sustained round.
    pub rounds: Vec<RoundResult>,
}

/// What was measured at one size. Times are of one message one way, in us; rates are of payload,
/// each direction by itself, in Mb/s (10^6 bit/s).
#[derive(Clone, Copy, Debug)]
pub struct Timed {
    /// Median of the rounds' medians; of several passes, the median of these.
    pub median_us: f64,
    /// Its 95 % interval. Absent with one pass of fewer than six rounds.
    pub interval_us: Option<[f64; 2]>,
    /// Shortest sample.
    pub min_us: f64,
    /// NetPIPE's statistic: the least of the rounds' means.
    pub least_mean_us: f64,
    /// 99th percentile of all samples after warm-up.
    pub p99_us: f64,
    /// Longest sample.
    pub max_us: f64,
    /// Throughput at the median.
    pub mbps: f64,
    /// Throughput at the ends of the interval, lower first.
    pub mbps_interval: Option<[f64; 2]>,
    /// Share of the link's rate, 0 to 1, if that is known.
    pub link_share: Option<f64>,
    /// Samples after warm-up.
    pub samples: u64,
    /// Messages in a sample of the last round.
    pub batch: u32,
    /// Rounds.
    pub rounds: usize,
    /// Samples taken for warm-up.
    pub warmup: u64,
    /// False if measuring stopped while the interval was still wider than its target.
    pub settled: bool,
}

/// The result of one round at one size, in the units of [`Timed`].
#[derive(Clone, Copy, Debug)]
pub struct RoundResult {
    /// Number of its pass, from 1.
    pub pass: u32,
    /// Its number in that, from 1.
    pub round: u32,
    /// Median of its samples, or their mean for a pattern whose messages overlap.
    pub median_us: f64,
    /// Mean of its samples.
    pub mean_us: f64,
    /// Shortest sample.
    pub min_us: f64,
    /// Longest sample.
    pub max_us: f64,
    /// Throughput at the median. Absent if that is 0.
    pub mbps: Option<f64>,
    /// Samples after warm-up.
    pub samples: u32,
    /// Messages in a sample.
    pub batch: u32,
    /// Samples taken for warm-up.
    pub warmup: u32,
}

impl Curve {
    pub(super) fn new(name: String, index: usize, run: &Run, series: &Series) -> Self {
        let link = run.link();
        let target = run.plan.curve().map_or(DEFAULT_TARGET, |curve| curve.ci);
        let point = |point: &Point| CurvePoint {
            size: point.size,
            timed: Timed::of(point, link, target),
            rounds: point.sustained_rounds().map(|round| RoundResult::of(point.size, round)).collect(),
        };
        Self {
            name,
            run: index,
            pattern: series.pattern,
            points: series.points.iter().map(point).collect(),
            passes: series.passes().max(1),
            derived: derive(series, run.sustained.as_ref(), &Boundaries::of(run)),
            in_bursts: series.points.iter().filter(|point| point.in_bursts()).count(),
        }
    }

    /// The stretches of timed points that a line may join: a size that was not timed is a gap.
    pub fn stretches(&self) -> impl Iterator<Item = Vec<(u64, Timed)>> {
        let stretch = |points: &[CurvePoint]| {
            points.iter().filter_map(|point| Some((point.size, point.timed?))).collect::<Vec<_>>()
        };
        self.points.split(|point| point.timed.is_none()).map(stretch).filter(|stretch| !stretch.is_empty())
    }

    /// The timed points.
    pub fn timed(&self) -> impl Iterator<Item = (u64, Timed)> {
        self.points.iter().filter_map(|point| Some((point.size, point.timed?)))
    }
}

impl Timed {
    fn of(point: &Point, link: Option<Rate>, target: f64) -> Option<Self> {
        let time = point.time()?;
        let throughput = point.throughput()?;
        let bits = point.size as f64 * 8.0;
        let rate = |ps: f64| bits / ps * 1e6;
        let us = |ps: f64| ps / 1e6;
        let longest = point.sustained_rounds().map(|round| round.max).max()?;
        Some(Self {
            median_us: us(time.median),
            interval_us: time.interval.map(|ends| ends.map(us)),
            min_us: point.sustained_rounds().map(|round| round.min).min()?.as_us(),
            least_mean_us: point.least_mean()?.as_us(),
            // The histogram gives the end of a bucket, which may lie a little past the longest.
            p99_us: point.p99()?.min(longest).as_us(),
            max_us: longest.as_us(),
            mbps: throughput.as_mbps(),
            mbps_interval: time
                .interval
                .filter(|[low, _]| *low > 0.0)
                .map(|[low, high]| [rate(high), rate(low)]),
            link_share: link.map(|link| throughput.share_of(link)),
            samples: point.sustained_rounds().map(|round| u64::from(round.samples)).sum(),
            batch: point.sustained_rounds().last()?.batch,
            rounds: point.sustained_rounds().count(),
            warmup: point.sustained_rounds().map(|round| u64::from(round.warmup)).sum(),
            settled: point.settled(target),
        })
    }
}

impl RoundResult {
    fn of(size: u64, round: &Round) -> Self {
        Self {
            pass: round.pass.saturating_add(1),
            round: round.round.saturating_add(1),
            median_us: round.median.as_us(),
            mean_us: round.mean.as_us(),
            min_us: round.min.as_us(),
            max_us: round.max.as_us(),
            mbps: Rate::of(size, round.median).map(Rate::as_mbps),
            samples: round.samples,
            batch: round.batch,
            warmup: round.warmup,
        }
    }
}
