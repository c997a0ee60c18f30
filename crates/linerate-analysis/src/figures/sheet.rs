//! One repetition, a run or a pass of it, as the numbers that are compared.

use std::collections::BTreeMap;

use super::ranks::{of_app, of_mesh};
use super::{Band, Figure, Key, Value};
use crate::derive::{Boundaries, Derived, derive};
use crate::report::{AppResult, LatencyRow, LoadResult, MeshResult};
use linerate_core::pattern::Pattern;
use linerate_core::run::Run;
use linerate_core::series::{Point, Series};
use linerate_core::traffic::{Direction, Transfer};

/// One repetition as the numbers that are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// What to call it, such as the name of its file.
    pub name: String,
    /// When it began: RFC 3339. Empty if that is not known.
    pub started: String,
    /// The times of each size, by pattern.
    pub curves: BTreeMap<Pattern, BTreeMap<u64, SizeTimes>>,
    /// Its key figures, in a fixed order.
    pub figures: Vec<Value>,
}

/// The one-way times of a size.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeTimes {
    /// The time of the repetition. Unit: us.
    pub us: f64,
    /// That of each of its rounds. Unit: us.
    pub rounds_us: Vec<f64>,
}

impl Sheet {
    /// The numbers of the whole `run`.
    #[must_use]
    pub fn of_run(name: &str, run: &Run) -> Self {
        let mut sheet = Self::of_series(name, &run.started, run, &run.series);
        for (index, transfer) in run.transfers.iter().enumerate() {
            sheet.figures.extend(of_load(&LoadResult::new(index, run, transfer), transfer));
        }
        let mesh = MeshResult::of(0, run);
        sheet.figures.extend(mesh.iter().flat_map(of_mesh));
        let app = AppResult::of(0, name, run);
        sheet.figures.extend(app.iter().flat_map(of_app));
        sheet
    }

    /// The numbers of each pass of `run` by itself; those of the whole run if it has no passes.
    #[must_use]
    pub fn of_passes(name: &str, run: &Run) -> Vec<Self> {
        if run.passes.len() < 2 {
            return vec![Self::of_run(name, run)];
        }
        let by_series: Vec<Vec<Series>> = run.series.iter().map(Series::by_pass).collect();
        let of_pass = |(nth, pass): (usize, &linerate_core::run::Pass)| {
            let series: Vec<Series> =
                by_series.iter().filter_map(|passes| passes.get(nth).cloned()).collect();
            Self::of_series(&format!("{name}, pass {}", nth + 1), &pass.started, run, &series)
        };
        run.passes.iter().enumerate().map(of_pass).collect()
    }

    fn of_series(name: &str, started: &str, run: &Run, all: &[Series]) -> Self {
        let mut curves = BTreeMap::new();
        let mut figures = Vec::new();
        for series in all {
            let times: BTreeMap<u64, SizeTimes> =
                series.timed().filter_map(|point| Some((point.size, SizeTimes::of(point)?))).collect();
            figures.extend(of_curve(series, &derive(series, &Boundaries::of(run)), &times));
            curves.insert(series.pattern, times);
        }
        Self { name: name.to_owned(), started: started.to_owned(), curves, figures }
    }

    /// The value of the figure `key`, if the repetition has it.
    #[must_use]
    pub fn value(&self, key: &Key) -> Option<f64> {
        self.figures.iter().find(|value| value.key == *key).map(|value| value.value)
    }
}

impl SizeTimes {
    fn of(point: &Point) -> Option<Self> {
        let us = point.time()?.median / 1e6;
        let rounds_us: Vec<f64> = point.medians().into_iter().map(|ps| ps / 1e6).collect();
        // A coarse clock gives 0, which has no logarithm.
        (us > 0.0 && rounds_us.iter().all(|round| *round > 0.0)).then_some(Self { us, rounds_us })
    }
}

fn of_curve(series: &Series, derived: &Derived, times: &BTreeMap<u64, SizeTimes>) -> Vec<Value> {
    let subject = series.pattern.name();
    let value = |figure, value: f64, interval: Option<[f64; 2]>| Value {
        key: Key { subject: subject.to_owned(), figure },
        value,
        interval,
    };
    let mut values = Vec::new();
    if let Some(latency) = &derived.latency {
        let interval = latency.time.interval.map(|ends| ends.map(|ps| ps / 1e6));
        values.push(value(Figure::Latency, latency.time.median / 1e6, interval));
    }
    if let Some(peak) = &derived.peak {
        let interval = peak.interval.map(|ends| ends.map(linerate_core::units::Rate::as_mbps));
        values.push(value(Figure::Peak, peak.throughput.as_mbps(), interval));
    }
    if let Some(half) = derived.half_performance_bytes {
        values.push(value(Figure::HalfPerformance, half, derived.half_performance_interval_bytes));
    }
    if let Some(knee) = &derived.saturation {
        values.push(value(Figure::Saturation, knee.size, Some(knee.interval)));
    }
    let curve: Vec<(u64, f64)> = times.iter().map(|(size, times)| (*size, times.us)).collect();
    let asked = series.points.iter().map(|point| point.size);
    if let Some(schedule) = asked.clone().min().zip(asked.max()).map(<[u64; 2]>::from) {
        for band in Band::ALL {
            let mean = band.mean_time(&curve, schedule);
            values.extend(mean.map(|mean| value(Figure::Band(band), mean, None)));
        }
    }
    values.retain(|value| value.value > 0.0 && value.value.is_finite());
    values
}

fn of_load(load: &LoadResult, transfer: &Transfer) -> Vec<Value> {
    let subject = match load.what.as_str() {
        "" => "stream",
        what => what,
    };
    let value = |figure: Figure, value: Option<f64>| {
        let usable =
            |value: &f64| value.is_finite() && (*value > 0.0 || (!figure.is_ratio() && *value >= 0.0));
        let key = Key { subject: subject.to_owned(), figure };
        value.filter(usable).map(|value| Value { key, value, interval: None })
    };
    let mut values = Vec::new();
    for sum in &load.sums {
        let way = sum.direction;
        let loss = sum.datagrams.map(|sum| sum.lost_share + sum.dropped_share);
        values.extend(value(Figure::Rate(way), sum.mbps));
        values.extend(value(Figure::Loss(way), loss));
        values.extend(value(Figure::Retransmissions(way), retransmissions(transfer, way, sum.bytes)));
        values.extend(value(Figure::SenderCpu(way), sum.cpu_s_per_gb[0]));
        values.extend(value(Figure::ReceiverCpu(way), sum.cpu_s_per_gb[1]));
    }
    // Of several flows of requests each has a row; a figure is that of the usual flow.
    let usual = |of: &dyn Fn(&LatencyRow) -> Option<f64>| {
        let rows = load.latencies.iter().filter(|row| row.kind == load.latencies[0].kind);
        linerate_core::stats::median(rows.filter_map(of))
    };
    values.extend(value(Figure::Transactions, usual(&|row| row.per_second)));
    for (figure, label) in [(Figure::P50, "p50"), (Figure::P99, "p99"), (Figure::P999, "p99.9")] {
        values.extend(value(figure, usual(&|row| row.percentile(label))));
    }
    values
}

/// Segments sent again by the senders of `direction`, for each 10^9 of its `bytes`. Absent if no sender
/// says.
fn retransmissions(transfer: &Transfer, direction: Direction, bytes: u64) -> Option<f64> {
    let flows = transfer.flows.iter().filter(|flow| flow.direction == direction);
    let said: Vec<u64> = flows.filter_map(|flow| Some(flow.sender.tcp.last()?.retransmits)).collect();
    (!said.is_empty() && bytes > 0).then(|| said.iter().sum::<u64>() as f64 * 1e9 / bytes as f64)
}
