//! Dips: sizes that do worse than the sizes around them.

use std::fmt;

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::series::{Point, Series};
use crate::stats::median;

/// A size is compared with so many sizes on each side.
const NEIGHBOURS: usize = 6;
/// A dip loses at least this share of the throughput that its neighbours suggest.
const LEAST_DEPTH: f64 = 0.05;
/// Family-wise error rate over all sizes of a curve (Bonferroni).
const ERROR_RATE: f64 = 0.01;
/// How many multiples of a boundary are known.
const MULTIPLES: u64 = 8;
const MAD_TO_SIGMA: f64 = 1.4826;

/// One or more adjacent sizes that do worse than those around them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dip {
    /// The deepest size. Unit: bytes.
    pub size: u64,
    /// First and last size of the dip. Unit: bytes.
    pub extent: [u64; 2],
    /// Share of the throughput lost against what the neighbours suggest, 0 to 1.
    pub depth: f64,
    /// Probability of so large a deviation by chance, over all sizes of the curve.
    pub significance: f64,
    /// The known boundary between the last size before the dip and its first.
    pub boundary: Option<Boundary>,
}

/// A size at which something in the path changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Boundary {
    /// Where. Unit: bytes.
    pub bytes: u64,
    /// What changes there.
    pub kind: BoundaryKind,
    /// How many times the unit of its kind.
    pub multiple: u64,
}

/// What changes at a boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoundaryKind {
    /// One more TCP segment.
    Segment,
    /// The send buffer is full.
    SendBuffer,
    /// The receive buffer's usable window is full.
    ReceiveWindow,
    /// One more page of memory.
    Page,
}

impl fmt::Display for Boundary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.kind {
            BoundaryKind::Segment => "MSS",
            BoundaryKind::SendBuffer => return write!(out, "send buffer ({} B)", self.bytes),
            BoundaryKind::ReceiveWindow => return write!(out, "receive window ({} B)", self.bytes),
            BoundaryKind::Page => "page",
        };
        write!(out, "{} x {name} ({} B)", self.multiple, self.bytes)
    }
}

/// The sizes at which something in a path is known to change. Unit: bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Boundaries {
    /// Payload of a full TCP segment.
    pub segment: Option<u64>,
    /// Send buffer as granted.
    pub send_buffer: Option<u64>,
    /// Usable receive window.
    pub receive_window: Option<u64>,
    /// Memory page.
    pub page: Option<u64>,
}

impl Boundaries {
    /// The known boundary that a path crosses between `previous`, which was well, and `size`,
    /// the first that was not; the nearest to `size` if there are several.
    fn between(&self, previous: u64, size: u64) -> Option<Boundary> {
        let multiples = |unit: Option<u64>, kind, most| {
            let unit = unit.filter(|unit| *unit > 0);
            unit.into_iter().flat_map(move |unit| {
                (1..=most).map_while(move |multiple| {
                    let bytes = unit.checked_mul(multiple)?;
                    Some(Boundary { bytes, kind, multiple })
                })
            })
        };
        multiples(self.segment, BoundaryKind::Segment, MULTIPLES)
            .chain(multiples(self.send_buffer, BoundaryKind::SendBuffer, 1))
            .chain(multiples(self.receive_window, BoundaryKind::ReceiveWindow, 1))
            .chain(multiples(self.page, BoundaryKind::Page, MULTIPLES))
            .filter(|boundary| (previous..size).contains(&boundary.bytes))
            .max_by_key(|boundary| boundary.bytes)
    }
}

/// For each point in the order of the series, how much longer it takes than its neighbours
/// suggest, as a difference of logarithms; none where there are too few neighbours.
#[must_use]
pub fn local_residuals(series: &Series) -> Vec<Option<f64>> {
    let curve = log_curve(series);
    let mut residuals = vec![None; series.points.len()];
    for (place, (index, _, time)) in curve.iter().enumerate() {
        residuals[*index] = expected(&curve, place).map(|expected| time - expected);
    }
    residuals
}

/// (index in the series, log size, log time), by size.
fn log_curve(series: &Series) -> Vec<(usize, f64, f64)> {
    let point = |(index, point): (usize, &Point)| {
        let time = point.time()?.median;
        // A file may say 0 B, which has no logarithm.
        (time > 0.0 && point.size > 0).then(|| (index, (point.size as f64).ln(), time.ln()))
    };
    let mut curve: Vec<_> = series.points.iter().enumerate().filter_map(point).collect();
    curve.sort_by(|(_, one, _), (_, other, _)| one.total_cmp(other));
    curve
}

/// The log time that the neighbours of the point at `place` suggest.
///
/// Each of up to six neighbours on one side and each on the other suggest what a straight line
/// between them gives here; the median of all suggestions is taken, so that a dip among the
/// neighbours moves it little (the idea of Theil and Sen, for pairs that span the point).
fn expected(curve: &[(usize, f64, f64)], place: usize) -> Option<f64> {
    let (_, size, _) = curve[place];
    let left = &curve[place.saturating_sub(NEIGHBOURS)..place];
    let right = &curve[place + 1..(place + 1 + NEIGHBOURS).min(curve.len())];
    if left.len() < 2 || right.len() < 2 {
        return None;
    }
    let mut across: Vec<f64> = left
        .iter()
        .flat_map(|(_, left_size, left_time)| {
            right.iter().map(move |(_, right_size, right_time)| {
                let share = (size - left_size) / (right_size - left_size).max(f64::MIN_POSITIVE);
                left_time + share * (right_time - left_time)
            })
        })
        .collect();
    across.sort_by(f64::total_cmp);
    median(&across)
}

/// The dips of `series`, the deepest first.
///
/// A size is in a dip when it loses at least 5 % of throughput against its neighbours and so
/// large a deviation is improbable (1 % over the whole curve) given both its own interval and the
/// scatter of the curve around its neighbours.
#[must_use]
pub fn dips(series: &Series, boundaries: &Boundaries) -> Vec<Dip> {
    let residuals = local_residuals(series);
    let scatter = scatter(&residuals);
    let tests = residuals.iter().flatten().count() as f64;
    let in_dip = |index: usize| {
        let residual = residuals[index]?;
        let depth = 1.0 - (-residual).exp();
        let chance = chance(&series.points[index], residual, scatter)? * tests;
        (depth >= LEAST_DEPTH && chance <= ERROR_RATE).then_some((depth, chance))
    };
    let timed = |index: &usize| !series.points[*index].rounds.is_empty();
    let mut order: Vec<usize> = (0..series.points.len()).filter(timed).collect();
    order.sort_by_key(|index| series.points[*index].size);
    let mut dips: Vec<Dip> = Vec::new();
    let mut open = false;
    let mut previous = 0;
    for index in order {
        let size = series.points[index].size;
        let Some((depth, significance)) = in_dip(index) else {
            (open, previous) = (false, size);
            continue;
        };
        match dips.last_mut().filter(|_| open) {
            Some(dip) => dip.widen(size, depth, significance),
            None => dips.push(Dip {
                size,
                extent: [size; 2],
                depth,
                significance,
                boundary: boundaries.between(previous, size),
            }),
        }
        open = true;
    }
    dips.sort_by(|one, other| other.depth.total_cmp(&one.depth));
    dips
}

impl Dip {
    fn widen(&mut self, size: u64, depth: f64, significance: f64) {
        self.extent[1] = size;
        if depth > self.depth {
            (self.size, self.depth) = (size, depth);
        }
        self.significance = self.significance.min(significance);
    }
}

/// The usual deviation of a point from its neighbours.
fn scatter(residuals: &[Option<f64>]) -> f64 {
    let mut sorted: Vec<f64> = residuals.iter().flatten().map(|residual| residual.abs()).collect();
    sorted.sort_by(f64::total_cmp);
    median(&sorted).unwrap_or(0.0) * MAD_TO_SIGMA
}

/// The probability that chance alone puts `point` so far above its neighbours.
fn chance(point: &Point, residual: f64, scatter: f64) -> Option<f64> {
    let time = point.time()?;
    // The interval is about 1.96 standard errors on each side; without one, the point proves nothing.
    let [low, high] = time.interval?;
    let own = (high / low).ln() / (2.0 * 1.96);
    let sigma = own.hypot(scatter).max(1e-9);
    // Heavy tails for few rounds. The scatter rests on the whole curve and the interval on the
    // rounds alone, so the truth lies between; three degrees a round keeps curves of pure noise
    // silent (tests/virtual_bench) and still hears a dip in nine rounds.
    let freedom = (point.rounds.len() as f64 - 1.0).max(1.0) * 3.0;
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    Some(student.sf(residual / sigma))
}
