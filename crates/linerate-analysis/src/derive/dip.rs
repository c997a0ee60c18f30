//! Dips: sizes that do worse than the sizes around them.

use std::fmt;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use linerate_core::run::Run;
use linerate_core::series::{Point, Series, local_residuals};
use linerate_core::stats::median;

/// A dip loses at least this share of the throughput that its neighbours suggest.
const LEAST_DEPTH: f64 = 0.05;
/// Family-wise error rate over all sizes of a curve (Bonferroni).
const ERROR_RATE: f64 = 0.01;
/// How many multiples of a boundary are known.
const MULTIPLES: u64 = 8;
const MAD_TO_SIGMA: f64 = 1.4826;

/// One or more adjacent sizes that do worse than those around them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dip {
    /// The deepest size. Unit: bytes.
    pub size: u64,
    /// First and last size of the dip. Unit: bytes.
    pub extent: [u64; 2],
    /// Share of the throughput lost against what the neighbours suggest, 0 to 1.
    pub depth: f64,
    /// Probability of a deviation this large by chance, over all sizes of the curve.
    pub significance: f64,
    /// The known boundary between the last size before the dip and its first.
    pub boundary: Option<Boundary>,
}

/// A size at which something in the path changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Boundary {
    /// Where. Unit: bytes.
    pub bytes: u64,
    /// What changes there.
    pub kind: BoundaryKind,
    /// Which multiple of its kind's unit.
    pub multiple: u64,
}

/// What changes at a boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The sizes at which the path of `run` is known to change.
    #[must_use]
    pub fn of(run: &Run) -> Self {
        let (local, remote, socket) = (run.local(), run.remote(), &run.plan.common.socket);
        Self {
            segment: local.granted.mss.known().copied(),
            send_buffer: socket.sndbuf.and_then(|_| local.granted.sndbuf.known().copied()),
            receive_window: socket.rcvbuf.and_then(|_| remote.granted.usable_window.known().copied()),
            page: local.environment.page_bytes.known().copied(),
        }
    }

    /// The known boundary between `previous`, the last good size, and `size`, the first bad one;
    /// the nearest to `size` if there are several.
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

/// The dips of `series`, the deepest first.
///
/// A size is in a dip when it loses at least 5 % of throughput against its neighbours and a
/// deviation this large is improbable (1 % over the whole curve) given both its own interval and
/// the scatter of the curve.
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
    let timed = |index: &usize| series.points[*index].sustained();
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
    median(residuals.iter().flatten().map(|residual| residual.abs())).unwrap_or(0.0) * MAD_TO_SIGMA
}

/// The probability that chance alone puts `point` so far above its neighbours.
fn chance(point: &Point, residual: f64, scatter: f64) -> Option<f64> {
    let time = point.time()?;
    // The interval is about 1.96 standard errors on each side; without one, the point proves nothing.
    let [low, high] = time.interval?;
    let own = (high / low).ln() / (2.0 * 1.96);
    let sigma = own.hypot(scatter).max(1e-9);
    // Heavy tails for few rounds. The scatter rests on the whole curve and the interval on the
    // rounds alone, so the truth lies between; three degrees a round find no dip in pure noise
    // (tests/virtual_bench) and still find a real one in nine rounds.
    let freedom = (point.sustained_rounds().count() as f64 - 1.0).max(1.0) * 3.0;
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    Some(student.sf(residual / sigma))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derive::tests::{line, series};

    #[test]
    fn a_boundary_lies_from_the_last_good_size_up_to_the_first_bad_one() {
        let known = Boundaries { segment: Some(100), page: Some(256), ..Boundaries::default() };
        let bytes = |previous, size| known.between(previous, size).map(|boundary| boundary.bytes);
        assert_eq!(bytes(100, 101), Some(100));
        assert_eq!(bytes(101, 200), None);
        assert_eq!(bytes(101, 201), Some(200));
        assert_eq!(bytes(150, 280), Some(256), "the nearest to the bad size");
        assert_eq!(bytes(700, 801), Some(800));
        assert_eq!(bytes(801, 1_001), None, "eight segments are known, and four pages lie above");
        assert_eq!(bytes(801, 1_025), Some(1_024));
        let nothing = Boundaries { segment: Some(0), ..Boundaries::default() };
        assert_eq!(nothing.between(0, 9), None);
        let buffers = Boundaries { send_buffer: Some(64), receive_window: Some(90), ..Boundaries::default() };
        assert_eq!(buffers.between(64, 65).map(|boundary| boundary.kind), Some(BoundaryKind::SendBuffer));
        assert_eq!(buffers.between(65, 91).map(|boundary| boundary.kind), Some(BoundaryKind::ReceiveWindow));
        assert_eq!(buffers.between(127, 130), None, "a buffer is full once");
    }

    #[test]
    fn a_size_needs_two_neighbours_on_each_side() {
        let mut short = series(0.0, line);
        short.points.truncate(5);
        let known: Vec<bool> = local_residuals(&short).iter().map(Option::is_some).collect();
        assert_eq!(known, [false, false, true, false, false]);
    }

    #[test]
    fn a_power_of_the_size_is_what_its_neighbours_suggest() {
        let law = series(0.0, |size| 50.0 * (size as f64).powf(0.3));
        assert!(local_residuals(&law).iter().flatten().all(|residual| residual.abs() < 1e-6));
        let odd = law.points.len() / 2;
        let mut one = law;
        for round in &mut one.points[odd].rounds {
            round.median = round.median * 3 / 2;
        }
        let residuals = local_residuals(&one);
        assert!((residuals[odd].expect("it has neighbours") - 1.5_f64.ln()).abs() < 1e-6);
    }

    #[test]
    fn a_dip_loses_at_least_a_twentieth() {
        let lost = |share: f64| {
            // A flat curve, so that the depth is the share to the last digit.
            let at = |size: u64| if size == 515 { 100.0 / (1.0 - share) } else { 100.0 };
            dips(&series(0.001, at), &Boundaries::default()).len()
        };
        assert_eq!((lost(0.049), lost(0.051)), (0, 1));
    }

    #[test]
    fn dips_are_given_by_depth_and_each_by_its_deepest_size() {
        let at = |size: u64| {
            100.0
                * match size {
                    509 => 1.2,
                    512 => 1.4,
                    515 => 1.3,
                    65_536 => 1.6,
                    _ => 1.0,
                }
        };
        let found = dips(&series(0.001, at), &Boundaries::default());
        let seen: Vec<(u64, [u64; 2])> = found.iter().map(|dip| (dip.size, dip.extent)).collect();
        assert_eq!(seen, [(65_536, [65_536; 2]), (512, [509, 515])]);
        assert!(found.iter().all(|dip| dip.significance < ERROR_RATE), "{found:?}");
    }

    #[test]
    fn the_chance_of_a_deviation_is_students() {
        // Nine rounds: the interval is from the second to the eighth, three degrees each of eight.
        let point = &series(0.01, line).points[0];
        let own = (1.007_5_f64 / 0.992_5).ln() / 3.92;
        let of = |residual, scatter| chance(point, residual, scatter).expect("there are rounds enough");
        // The 97.5 % quantile of Student's t with 24 degrees of freedom, from the tables.
        assert!((of(own * 2.063_9, 0.0) - 0.025).abs() < 1e-5);
        assert!((of(own * 1.25 * 2.063_9, own * 0.75) - 0.025).abs() < 1e-5);
        assert!((of(0.0, 0.0) - 0.5).abs() < 1e-12);
        let few = &mut series(0.01, line).points[0];
        few.rounds.truncate(5);
        assert_eq!(chance(few, 1.0, 0.0), None);
    }

    #[test]
    fn scatter_is_the_median_deviation_as_a_sigma() {
        assert_eq!(scatter(&[]), 0.0);
        assert!((scatter(&[Some(-0.3), None, Some(0.1), Some(0.2)]) - 0.2 * 1.4826).abs() < 1e-12);
    }
}
