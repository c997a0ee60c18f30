//! What a reader is shown: any number of runs as curves, ceilings, facts and cautions, in the
//! units of the reader. Every renderer draws from this and computes nothing.

use serde::Serialize;

use crate::caution::Caution;
use crate::derive::{Derived, derive};
use crate::pattern::Pattern;
use crate::run::{Run, Source};
use crate::series::{Point, Series, Stop};
use crate::units::Rate;

/// Runs, as a reader is shown them.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// One for each series of each run, in the order given.
    pub curves: Vec<Curve>,
    /// Rates that no curve can exceed, each once.
    pub ceilings: Vec<Ceiling>,
    /// The runs themselves, for their environments; a curve names its run by index.
    #[serde(skip)]
    pub runs: Vec<NamedRun>,
}

/// A run and what to call it.
#[derive(Clone, Debug)]
pub struct NamedRun {
    /// What the reader calls it, such as its file's name.
    pub name: String,
    /// The run.
    pub run: Run,
}

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
    pub points: Vec<CurvePoint>,
    /// What the curve says.
    pub derived: Derived,
}

/// One size of a curve.
#[derive(Clone, Debug, Serialize)]
pub struct CurvePoint {
    /// Message size. Unit: bytes.
    pub size: u64,
    /// What was measured; none if the size was not timed.
    pub timed: Option<Timed>,
}

/// What was measured at one size. Times are of one message one way, in us; rates are of payload,
/// each direction by itself, in Mb/s (10^6 bit/s).
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Timed {
    /// Median of the rounds' medians.
    pub median_us: f64,
    /// Its 95 % interval; none with fewer than six rounds.
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
    /// False if the size was measured no longer though its interval was wider than its target.
    pub settled: bool,
}

/// A rate that no curve can exceed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ceiling {
    /// What it is, such as `link rate 1.000 Gb/s`.
    pub label: String,
    /// Unit: Mb/s (10^6 bit/s).
    pub mbps: f64,
}

impl Report {
    /// The report of `runs`.
    #[must_use]
    pub fn new(runs: Vec<NamedRun>) -> Self {
        let mut curves = Vec::new();
        let mut ceilings: Vec<Ceiling> = Vec::new();
        for (index, named) in runs.iter().enumerate() {
            for series in &named.run.series {
                let name = match named.run.series.len() {
                    1 => named.name.clone(),
                    _ => format!("{} ({})", named.name, series.pattern),
                };
                curves.push(Curve::new(name, index, &named.run, series));
            }
            for ceiling in ceilings_of(&named.run) {
                if !ceilings.contains(&ceiling) {
                    ceilings.push(ceiling);
                }
            }
        }
        distinguish(&mut curves);
        Self { curves, ceilings, runs }
    }

    /// Every caution of every run, with the run's name.
    pub fn cautions(&self) -> impl Iterator<Item = (&str, &Caution)> {
        self.runs
            .iter()
            .flat_map(|named| named.run.cautions.iter().map(|caution| (named.name.as_str(), caution)))
    }
}

/// Numbers the curves that would otherwise have the same name.
fn distinguish(curves: &mut [Curve]) {
    let names: Vec<String> = curves.iter().map(|curve| curve.name.clone()).collect();
    for (index, curve) in curves.iter_mut().enumerate() {
        let twins = names.iter().filter(|name| **name == names[index]).count();
        if twins > 1 {
            let nth = names[..=index].iter().filter(|name| **name == names[index]).count();
            curve.name = format!("{} #{nth}", names[index]);
        }
    }
}

fn ceilings_of(run: &Run) -> Vec<Ceiling> {
    let Some(link) = run.link() else { return Vec::new() };
    let mut ceilings = vec![Ceiling { label: format!("link rate {link}"), mbps: link.as_mbps() }];
    if let Some(model) = &run.model {
        let label = format!("payload after framing: {}", model.payload);
        ceilings.push(Ceiling { label, mbps: model.payload.as_mbps() });
    } else if let Some(framing) = run.framing() {
        let payload = framing.ceiling(link);
        let label = format!("TCP payload at MTU {}: {payload}", framing.mtu);
        ceilings.push(Ceiling { label, mbps: payload.as_mbps() });
    }
    ceilings
}

impl Curve {
    fn new(name: String, index: usize, run: &Run, series: &Series) -> Self {
        let link = run.link();
        let point = |point: &Point| CurvePoint { size: point.size, timed: Timed::of(point, link) };
        Self {
            name,
            run: index,
            pattern: series.pattern,
            points: series.points.iter().map(point).collect(),
            derived: derive(series, &run.boundaries()),
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
    fn of(point: &Point, link: Option<Rate>) -> Option<Self> {
        let time = point.time()?;
        let throughput = point.throughput()?;
        let bits = point.size as f64 * 8.0;
        let rate = |ps: f64| bits / ps * 1e6;
        let us = |ps: f64| ps / 1e6;
        let longest = point.rounds.iter().map(|round| round.max).max()?;
        Some(Self {
            median_us: us(time.median),
            interval_us: time.interval.map(|ends| ends.map(us)),
            min_us: point.rounds.iter().map(|round| round.min).min()?.as_us(),
            least_mean_us: point.least_mean()?.as_us(),
            // The histogram gives the end of a bucket, which may lie a little past the longest.
            p99_us: point.p99()?.min(longest).as_us(),
            max_us: longest.as_us(),
            mbps: throughput.as_mbps(),
            mbps_interval: time.interval.map(|[low, high]| [rate(high), rate(low)]),
            link_share: link.map(|link| throughput.share_of(link)),
            samples: point.rounds.iter().map(|round| u64::from(round.samples)).sum(),
            batch: point.rounds.last()?.batch,
            rounds: point.rounds.len(),
            warmup: point.rounds.iter().map(|round| u64::from(round.warmup)).sum(),
            settled: !matches!(point.stop, Some(Stop::Time | Stop::Cut)),
        })
    }
}

/// How a run's source is named to a reader.
#[must_use]
pub fn describe(source: &Source) -> String {
    match source {
        Source::Measured => "measured between two ends".to_owned(),
        Source::Loopback => "measured on this host alone, over its loopback".to_owned(),
        Source::Modelled(model) => format!("modelled: {model}"),
        Source::Imported(program) => format!("imported from {program}"),
    }
}
