//! Bands of message sizes, the same in every run, so that they can be followed over years.

use std::fmt;

use linerate_core::units::Size;

/// A band of message sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Band(usize);

/// Where each band begins; the last ends with the last. Unit: bytes.
const EDGES: [u64; 8] = [1, 64, 1 << 10, 16 << 10, 256 << 10, 4 << 20, 64 << 20, 1 << 30];
/// What the bands are called in keys.
const NAMES: [&str; 7] = ["1B", "64B", "1KiB", "16KiB", "256KiB", "4MiB", "64MiB"];

impl Band {
    /// Every band, from small to large.
    pub const ALL: [Self; 7] = [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5), Self(6)];

    /// Its smallest size, which names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        NAMES[self.0]
    }

    /// Its first size, and the first that is no longer in it. Unit: bytes.
    #[must_use]
    pub const fn extent(self) -> [u64; 2] {
        [EDGES[self.0], EDGES[self.0 + 1]]
    }

    /// Whether `size` is in it. Unit: bytes.
    #[must_use]
    pub fn contains(self, size: u64) -> bool {
        let [from, to] = self.extent();
        (from..to).contains(&size)
    }

    /// The mean of each band that a curve covers: of its times, pairs of size and time by size, over the sizes that were
    /// asked for.
    pub fn means(curve: &[(u64, f64)], asked: impl Iterator<Item = u64> + Clone) -> Vec<(Self, f64)> {
        let Some(schedule) = asked.clone().min().zip(asked.max()).map(<[u64; 2]>::from) else {
            return Vec::new();
        };
        Self::ALL.into_iter().filter_map(|band| Some((band, band.mean_time(curve, schedule)?))).collect()
    }

    /// The geometric mean of the times of `curve`, pairs of size and time by size, over the part of this
    /// band that lies within `schedule`, the smallest and largest size asked for. Between two sizes the
    /// curve is a straight line in logarithms, so the mean does not depend on how many sizes lie where.
    /// Absent if the curve does not reach both ends of that part, or it is less than a factor of two.
    /// Unit: that of the times.
    #[must_use]
    fn mean_time(self, curve: &[(u64, f64)], schedule: [u64; 2]) -> Option<f64> {
        let [from, to] = self.extent();
        let (from, to) = (from.max(schedule[0]), to.min(schedule[1]));
        let reached = curve.first()?.0 <= from && curve.last()?.0 >= to && to >= from.saturating_mul(2);
        if !reached || curve.iter().any(|(_, time)| *time <= 0.0) {
            return None;
        }
        let (start, end) = ((from as f64).ln(), (to as f64).ln());
        let mut area = 0.0;
        for pair in curve.windows(2) {
            let [left, right] = [pair[0], pair[1]].map(|(size, time)| ((size as f64).ln(), time.ln()));
            let (low, high) = (left.0.max(start), right.0.min(end));
            if high > low {
                let at = |place: f64| left.1 + (right.1 - left.1) * (place - left.0) / (right.0 - left.0);
                area += (high - low) * f64::midpoint(at(low), at(high));
            }
        }
        Some((area / (end - start)).exp())
    }
}

impl fmt::Display for Band {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [from, to] = self.extent();
        write!(out, "{} to {}", Size(from), Size(to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_that_of_the_line_whatever_the_sizes() {
        // Time grows as the square root of size: the mean over a band is that at its geometric middle.
        let line = |sizes: &[u64]| -> Vec<(u64, f64)> {
            sizes.iter().map(|size| (*size, (*size as f64).sqrt())).collect()
        };
        let band = Band(2);
        let expected = (1024.0_f64 * 16384.0).sqrt().sqrt();
        for sizes in [&[1, 1024, 16384, 20000][..], &[512, 1000, 3000, 3001, 9000, 30000]] {
            let mean = band.mean_time(&line(sizes), [1, 1 << 20]).expect("the curve covers the band");
            assert!((mean / expected - 1.0).abs() < 1e-9, "{mean} is not {expected}");
        }
        // A schedule that ends in the band: its part counts.
        let mean = band.mean_time(&line(&[1, 4096]), [1, 4096]).expect("the part is covered");
        assert!((mean / (1024.0_f64 * 4096.0).sqrt().sqrt() - 1.0).abs() < 1e-9, "{mean}");
    }

    #[test]
    fn what_was_not_reached_has_no_mean() {
        let curve = [(1, 1.0), (2048, 2.0)];
        assert_eq!(Band(2).mean_time(&curve, [1, 4096]), None, "the schedule asked for more");
        assert_eq!(Band(3).mean_time(&curve, [1, 2048]), None, "it lies beyond the schedule");
        assert_eq!(Band(2).mean_time(&[(1, 1.0), (1500, 2.0)], [1, 1500]), None, "less than a factor of two");
        assert_eq!(Band(0).mean_time(&[], [1, 64]), None);
        assert_eq!(Band(0).mean_time(&[(1, 0.0), (64, 1.0)], [1, 64]), None, "a coarse clock gives 0");
    }

    #[test]
    fn bands_meet_without_gap_or_overlap() {
        for size in [1, 63, 64, 1023, 1024, 16383, 16384, (1 << 30) - 1] {
            assert_eq!(Band::ALL.iter().filter(|band| band.contains(size)).count(), 1, "{size}");
        }
        assert_eq!(Band::ALL.map(|band| band.to_string())[2], "1 KiB to 16 KiB");
    }
}
