//! Values read from a modelled curve.

use linerate_core::pattern::Pattern;
use linerate_core::series::Series;
use serde::{Deserialize, Serialize};

/// A size farther than this share from the requested one is another size.
const NEAR: f64 = 0.05;
/// A fall of throughput smaller than this share does not count.
const LEAST_FALL: f64 = 0.02;
/// A counted drop loses at least this share.
const LEAST_DROP: f64 = 0.05;

/// A curve: one point for each size, by size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Who sent when.
    pub pattern: Pattern,
    /// In ascending order of size; at least one.
    pub points: Vec<Point>,
}

/// One size of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Unit: bytes.
    pub size: u64,
    /// Of one message, one way.
    pub us: f64,
    /// Throughput. Unit: Mb/s.
    pub mbps: f64,
}

impl Curve {
    /// The measured points of `series`. Absent if there are none.
    pub fn of(series: &Series) -> Option<Self> {
        let point = |point: &linerate_core::series::Point| {
            let (time, rate) = (point.time()?, point.throughput()?);
            Some(Point { size: point.size, us: time.median / 1e6, mbps: rate.as_mbps() })
        };
        let mut points: Vec<Point> = series.timed().filter_map(point).collect();
        points.sort_by_key(|point| point.size);
        (!points.is_empty()).then_some(Self { pattern: series.pattern, points })
    }

    /// The point with the highest throughput.
    pub fn peak(&self) -> Point {
        let highest = self.points.iter().max_by(|one, other| one.mbps.total_cmp(&other.mbps));
        *highest.expect("a curve has points")
    }

    /// Mean throughput of all sizes. Unit: Mb/s.
    pub(super) fn mean(&self) -> f64 {
        self.points.iter().map(|point| point.mbps).sum::<f64>() / self.points.len() as f64
    }

    /// Time of the smallest message; an error for one-way messages, which overlap. Unit: us.
    pub(super) fn latency(&self) -> Result<f64, String> {
        if self.pattern.overlaps() {
            return Err("messages one way overlap".to_owned());
        }
        Ok(self.points[0].us)
    }

    /// The point at about this size.
    pub(super) fn at(&self, size: u64) -> Result<Point, String> {
        let far = |point: &Point| (point.size as f64 / size as f64).ln().abs();
        let nearest = self.points.iter().min_by(|one, other| far(one).total_cmp(&far(other)));
        let near = nearest.filter(|point| far(point) <= NEAR);
        near.copied().ok_or_else(|| format!("no size near {size} B was measured"))
    }

    /// Lowest throughput from a size on. Unit: Mb/s.
    pub(super) fn lowest_from(&self, size: u64) -> Result<f64, String> {
        let rates = self.points.iter().filter(|point| point.size >= size).map(|point| point.mbps);
        rates.reduce(f64::min).ok_or_else(|| format!("nothing from {size} B on was measured"))
    }

    /// The first size from `from` to `to` at which throughput is below that of a smaller one in
    /// that part of the curve, to recover at a larger one. Absent if that does not happen.
    pub(super) fn dip(&self, from: u64, to: u64) -> Option<f64> {
        let part = self.points.iter().filter(|point| (from..=to).contains(&point.size));
        let part: Vec<Point> = part.copied().collect();
        drops(&part, LEAST_FALL).first().map(|size| *size as f64)
    }

    /// How often throughput falls with size and recovers.
    pub(super) fn falls(&self) -> usize {
        drops(&self.points, LEAST_DROP).len()
    }

    /// Most that `self` differs from `other` at any size below `below`, of the other's throughput.
    /// Unit: %.
    pub(super) fn change(&self, other: &Self, below: u64) -> Result<f64, String> {
        let ratios = self.ratios(other).filter(|(size, _)| *size < below);
        let change = ratios.map(|(_, ratio)| (ratio - 1.0).abs() * 100.0).reduce(f64::max);
        change.ok_or_else(|| "the two have no size in common".to_owned())
    }

    /// The least that `self` is of `other` at any size between two.
    pub(super) fn least_ratio(&self, other: &Self, from: u64, to: u64) -> Result<f64, String> {
        let ratios = self.ratios(other).filter(|(size, _)| (from..=to).contains(size));
        let least = ratios.map(|(_, ratio)| ratio).reduce(f64::min);
        least.ok_or_else(|| "the two have no size in common".to_owned())
    }

    /// Its throughput over that of `other`, at every size that both have.
    fn ratios<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (u64, f64)> + 'a {
        self.points.iter().filter_map(|point| {
            let same = other.points.iter().find(|of_other| of_other.size == point.size)?;
            Some((point.size, point.mbps / same.mbps))
        })
    }
}

/// The first size of every stretch whose throughput is at least a share of `least` below the
/// highest before it somewhere, and that ends when that highest is reached again but for half of
/// that share. A fall that goes on to the last size does not count: it may not recover.
fn drops(points: &[Point], least: f64) -> Vec<u64> {
    let mut found = Vec::new();
    let mut highest = 0.0_f64;
    // The first size of a fall that has not recovered, and whether it is deep enough.
    let mut open: Option<(u64, bool)> = None;
    for point in points {
        let deep = point.mbps < highest * (1.0 - least);
        open = match open {
            Some((size, true)) if point.mbps >= highest * (1.0 - least / 2.0) => {
                found.push(size);
                None
            }
            Some(deep_before @ (_, true)) => Some(deep_before),
            _ if point.mbps >= highest => None,
            Some((size, false)) if !deep => Some((size, false)),
            _ => Some((point.size, deep)),
        };
        highest = highest.max(point.mbps);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A curve with these rates (Mb/s) at 1 KiB, 2 KiB, 4 KiB and so on.
    fn curve(rates: &[f64]) -> Curve {
        let point = |(nth, mbps): (usize, &f64)| {
            let size = 1024_u64 << nth;
            Point { size, us: size as f64 * 8.0 / mbps, mbps: *mbps }
        };
        Curve { pattern: Pattern::PingPong, points: rates.iter().enumerate().map(point).collect() }
    }

    #[test]
    fn a_fall_counts_only_if_it_recovers() {
        assert_eq!(curve(&[10.0, 20.0, 30.0, 40.0]).falls(), 0);
        assert_eq!(curve(&[10.0, 20.0, 15.0, 40.0]).falls(), 1);
        assert_eq!(curve(&[10.0, 20.0, 15.0, 18.0]).falls(), 0, "it never came back to 20");
        assert_eq!(curve(&[10.0, 20.0, 19.9, 40.0, 30.0, 50.0]).falls(), 1, "0.5 % is no drop");
        assert_eq!(curve(&[10.0, 20.0, 12.0, 15.0, 21.0, 18.0, 22.0]).falls(), 2);
        assert_eq!(curve(&[10.0, 20.0, 12.0, 15.0, 19.6]).falls(), 1, "but for 2 % it is back");
        assert_eq!(curve(&[10.0, 20.0, 12.0, 15.0, 19.4]).falls(), 0, "3 % are missing");
    }

    #[test]
    fn a_dip_lies_where_the_fall_is_deep_enough_for_the_first_time() {
        let curve = curve(&[10.0, 20.0, 19.8, 15.0, 18.0, 25.0]);
        assert_eq!(curve.dip(1024, 65_536), Some(8192.0));
        assert!(curve.dip(1024, 4096).is_none(), "there it only falls");
        assert!(curve.dip(8192, 65_536).is_none(), "there it only rises");
    }

    #[test]
    fn what_is_read_at_a_size_is_read_near_it() {
        let curve = curve(&[10.0, 20.0, 15.0, 40.0]);
        assert_eq!(curve.at(2050).map(|point| point.mbps), Ok(20.0));
        assert!(curve.at(3000).is_err());
        assert_eq!(curve.lowest_from(2048), Ok(15.0));
        assert!(curve.lowest_from(1 << 20).is_err());
        assert_eq!((curve.peak().size, curve.mean()), (8192, 21.25));
        assert_eq!(curve.latency(), Ok(1024.0 * 8.0 / 10.0));
    }

    #[test]
    fn two_curves_differ_most_where_they_differ_most() {
        let (one, other) = (curve(&[10.0, 22.0, 30.0]), curve(&[10.0, 20.0, 10.0]));
        let change = one.change(&other, 4096).expect("two sizes");
        assert!((change - 10.0).abs() < 1e-9, "{change}");
        assert!(one.change(&other, 1).is_err());
    }

    #[test]
    fn a_curve_is_compared_with_another_size_by_size() {
        let (one, other) = (curve(&[10.0, 22.0, 30.0]), curve(&[10.0, 20.0, 60.0]));
        let least = |from, to| one.least_ratio(&other, from, to);
        assert_eq!((least(1024, 4096), least(1024, 2048)), (Ok(0.5), Ok(1.0)));
        assert!(least(1, 1000).is_err(), "no size is there");
    }
}
