//! Delays of frames: exact while they are few, and exact at both ends however many they are.

use linerate_core::stats::Histogram;
use linerate_core::units::Span;
use serde::{Deserialize, Serialize};

/// Up to this many delays are kept one by one: 32 KiB.
const FEW: usize = 4_096;
/// No share such as 0.9 is a binary number: a rank may come out above a whole number by this much.
const ROUNDING: f64 = 1e-9;

/// Delays of frames from offered to arrived.
///
/// The least and the longest are exact. So is every quantile of up to 4096 delays; of more, those
/// that lie between the ends are the upper edge of a bucket that keeps three significant digits.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delays {
    histogram: Histogram,
    /// Every delay, or the first of them when there are more.
    few: Vec<Span>,
    /// The least and the longest.
    ends: Option<[Span; 2]>,
}

impl Delays {
    /// Counts one delay.
    pub fn record(&mut self, delay: Span) {
        self.histogram.record(delay);
        if self.few.len() < FEW {
            self.few.push(delay);
        }
        let [least, longest] = self.ends.unwrap_or([delay; 2]);
        self.ends = Some([least.min(delay), longest.max(delay)]);
    }

    /// How many were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.histogram.count()
    }

    /// The longest.
    #[must_use]
    pub fn max(&self) -> Option<Span> {
        self.ends.map(|[_, longest]| longest)
    }

    /// The least delay that `share` (0 to 1) of all delays do not exceed: 0 asks for the least of
    /// all, 1 for the longest. Absent if none were counted.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<Span> {
        let ends = self.ends?;
        let rank = (share * self.count() as f64 - ROUNDING).ceil().max(1.0) as usize;
        if self.few.len() as u64 == self.count() {
            let mut all = self.few.clone();
            let nth = rank.min(all.len()) - 1;
            return Some(*all.select_nth_unstable(nth).1);
        }
        Some(self.within(ends, share, rank as u64))
    }

    /// The quantile of so many delays that only their buckets are known, between both ends.
    fn within(&self, [least, longest]: [Span; 2], share: f64, rank: u64) -> Span {
        let edge = |share: f64| self.histogram.quantile(share).unwrap_or(longest).clamp(least, longest);
        // Half a rank, so that no rounding leads to the second.
        let first = edge(0.5 / self.count() as f64);
        match edge(share) {
            _ if rank <= 1 => least,
            edge if edge == first && edge < longest => least,
            edge => edge,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: impl IntoIterator<Item = u64>) -> Delays {
        let mut delays = Delays::default();
        times.into_iter().for_each(|ps| delays.record(Span::from_ps(ps)));
        delays
    }

    fn ps(delays: &Delays, share: f64) -> u64 {
        delays.quantile(share).expect("some were counted").as_ps()
    }

    #[test]
    fn few_delays_have_exact_quantiles() {
        // Every rank of ten, out of order; a histogram of three digits would round each of them.
        let delays = of([7, 1, 9, 3, 5, 10, 8, 2, 6, 4].map(|nth| nth * 1_234_567));
        for (share, nth) in
            [(0.0, 1), (0.05, 1), (0.1, 1), (0.11, 2), (0.5, 5), (0.9, 9), (0.91, 10), (1.0, 10)]
        {
            assert_eq!(ps(&delays, share), nth * 1_234_567, "{share}");
        }
        assert_eq!(delays.max(), delays.quantile(1.0));
    }

    #[test]
    fn many_delays_are_exact_at_both_ends_and_within_a_thousandth_between() {
        // Above 2^20 ps a bucket is wider than a picosecond, so no end lies on an edge.
        let all: Vec<u64> = (0..20_000).map(|nth| 1_234_567 + nth * 1_001).collect();
        let delays = of(all.iter().rev().copied());
        assert_eq!([ps(&delays, 0.0), ps(&delays, 1.0)], [all[0], all[19_999]]);
        assert_eq!(ps(&delays, 1.0 / 20_000.0), all[0], "within the first bucket");
        assert_eq!(ps(&delays, 1.0 - 1.0 / 20_000.0), all[19_999], "within the last bucket");
        for share in [0.1, 0.5, 0.9, 0.99] {
            let exact = all[(share * 20_000.0_f64).ceil() as usize - 1] as f64;
            assert!((ps(&delays, share) as f64 / exact - 1.0).abs() < 1e-3, "{share}");
        }
        let equal = of(std::iter::repeat_n(12_304_321, 10_000));
        assert!([0.0, 0.3, 0.5, 0.999, 1.0].iter().all(|share| ps(&equal, *share) == 12_304_321));
    }

    #[test]
    fn without_delays_there_are_no_quantiles() {
        assert_eq!((Delays::default().quantile(0.5), Delays::default().max()), (None, None));
    }
}
