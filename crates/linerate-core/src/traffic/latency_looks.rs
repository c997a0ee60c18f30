//! How long requests took at each look at their flow, in bounded room.

use super::looks::{Cadence, Join, Kept};
use super::{FlowRecord, LatencyLook};
use crate::stats::Histogram;
use crate::units::{Span, Time};

/// The closest looks. They cost a shift and a sum for each request.
const LEAST_PERIOD: Span = Span::from_ms(1);
/// The longest time between two looks: more than any load takes.
const LONGEST_PERIOD: Span = Span::from_ms(1_000 << 20);
/// Steps of each doubling of a time, so that a time is known to 1.6 %; a power of two.
const STEPS: u64 = 32;
/// Doublings from 32 ns to some 137 s; longer times count as the longest of these.
const DOUBLINGS: usize = 32;
const BUCKETS: usize = STEPS as usize * (DOUBLINGS + 1);

/// Keeps how long the requests of one flow took.
#[derive(Clone, Debug)]
pub(super) struct LatencyRecord {
    begin: Time,
    cadence: Cadence,
    /// The end of the look that is being taken.
    due: Time,
    times: Times,
    kept: Kept<Times>,
}

impl LatencyRecord {
    /// Of flow `flow`, whose requests begin at `begin` and go on for `lasts`, if that is known.
    /// Absent for a flow that no chart would show.
    pub(super) fn new(flow: u32, begin: Time, lasts: Option<Span>) -> Option<Self> {
        if flow as usize >= FlowRecord::MOST_FINE {
            return None;
        }
        let cadence = Cadence::new(LONGEST_PERIOD, LEAST_PERIOD, lasts);
        let due = cadence.next(begin, begin);
        Some(Self { begin, cadence, due, times: Times::default(), kept: Kept::new(FlowRecord::most(1)) })
    }

    /// Notes that the response to a request came at `now` and took so long.
    #[inline]
    pub(super) fn record(&mut self, took: Span, now: Time) {
        while now >= self.due {
            self.look(self.due);
        }
        self.times.record(took);
    }

    #[cold]
    fn look(&mut self, now: Time) {
        self.times.until = now.since(self.begin);
        self.kept.push(&std::mem::take(&mut self.times));
        if self.cadence.coarsen(self.kept.len()) {
            self.kept.pair();
        }
        self.due = self.cadence.next(self.begin, now);
    }

    /// Every look; the last one ends at `now`.
    pub(super) fn into_looks(mut self, now: Time) -> Vec<LatencyLook> {
        if self.times.count > 0 {
            self.look(now);
        }
        self.kept.into_entries().iter().map(Times::told).collect()
    }
}

/// Times of requests, to 1.6 %.
#[derive(Clone, Debug, Default)]
struct Times {
    until: Span,
    count: u64,
    longest: Span,
    /// Empty without times: a look in which nothing came takes no room.
    buckets: Vec<u32>,
}

impl Times {
    fn record(&mut self, took: Span) {
        if self.buckets.is_empty() {
            self.buckets = vec![0; BUCKETS];
        }
        self.count += 1;
        self.longest = self.longest.max(took);
        self.buckets[bucket(took)] += 1;
    }

    /// The time that `share` of all do not exceed, if there are enough for that.
    fn quantile(&self, share: f64) -> Option<Span> {
        if self.count < Histogram::needed(share) {
            return None;
        }
        let wanted = (self.count as f64 * share).ceil().max(1.0) as u64;
        let sums = self.buckets.iter().scan(0, |sum, count| {
            *sum += u64::from(*count);
            Some(*sum)
        });
        let place = sums.enumerate().find(|(_, sum)| *sum >= wanted)?.0;
        Some(middle(place).min(self.longest))
    }

    fn told(&self) -> LatencyLook {
        LatencyLook {
            until: self.until,
            transactions: self.count,
            p50: self.quantile(0.5),
            p99: self.quantile(0.99),
            max: (self.count > 0).then_some(self.longest),
        }
    }
}

impl Join for Times {
    fn join(&mut self, next: &Self) {
        self.until = next.until;
        self.count += next.count;
        self.longest = self.longest.max(next.longest);
        if self.buckets.is_empty() {
            self.buckets.clone_from(&next.buckets);
            return;
        }
        self.buckets.iter_mut().zip(&next.buckets).for_each(|(sum, more)| *sum += more);
    }
}

/// Where a time is counted: below 32 ns each nanosecond has a bucket, above that each of 32 steps of
/// every doubling.
fn bucket(took: Span) -> usize {
    let ns = took.as_ps() / 1_000;
    if ns < STEPS {
        return ns as usize;
    }
    let doubling = ns.ilog2() - STEPS.ilog2();
    let step = (ns >> doubling) - STEPS;
    (STEPS as usize * (doubling as usize + 1) + step as usize).min(BUCKETS - 1)
}

/// The time in the middle of a bucket.
fn middle(bucket: usize) -> Span {
    let (row, step) = (bucket as u64 / STEPS, bucket as u64 % STEPS);
    match row {
        0 => Span::from_ps(step * 1_000 + 500),
        row => Span::from_ps(((STEPS + step) * 1_000 + 500) << (row - 1)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    /// The looks at `count` requests, the nth of which takes so many us and ends after so many ms.
    fn looks(lasts: Option<Span>, count: u64, took: impl Fn(u64) -> u64) -> Vec<LatencyLook> {
        let mut record = LatencyRecord::new(0, at(0), lasts).expect("the first flow");
        (1..=count).for_each(|nth| record.record(Span::from_us(took(nth)), at(nth)));
        record.into_looks(at(count))
    }

    #[test]
    fn requests_of_any_length_have_enough_looks_and_each_its_own_median() {
        for lasts in [None, Some(Span::from_ms(10_000))] {
            let looks = looks(lasts, 10_000, |nth| if nth <= 5_000 { 100 } else { 400 });
            assert!((60..=128).contains(&looks.len()), "{}", looks.len());
            assert_eq!(looks.iter().map(|look| look.transactions).sum::<u64>(), 10_000);
            let medians: Vec<f64> = looks.iter().filter_map(|it| Some(it.p50?.as_us())).collect();
            let half = medians.len() / 2;
            assert!(medians[..half - 1].iter().all(|us| (us / 100.0 - 1.0).abs() < 0.016), "{medians:?}");
            assert!(medians[half + 1..].iter().all(|us| (us / 400.0 - 1.0).abs() < 0.016), "{medians:?}");
            assert!(looks.iter().all(|look| look.until <= Span::from_ms(10_000)));
        }
    }

    #[test]
    fn a_pause_is_looks_without_requests() {
        let mut record = LatencyRecord::new(0, at(0), Some(Span::from_ms(640))).expect("the first flow");
        record.record(Span::from_us(5), at(4));
        record.record(Span::from_us(7), at(95));
        let looks = record.into_looks(at(97));
        let first = looks.first().expect("a look");
        assert_eq!((first.transactions, first.max, first.p99), (1, Some(Span::from_us(5)), None));
        let last = looks.last().expect("a look");
        assert_eq!((last.transactions, last.until), (1, Span::from_ms(97)));
        assert!(looks.len() > 2, "{looks:?}");
        assert!(looks[1..looks.len() - 1].iter().all(|look| (look.transactions, look.max) == (0, None)));
    }

    #[test]
    fn only_what_a_chart_can_show_is_kept() {
        assert!(
            LatencyRecord::new(17, at(0), None).is_some() && LatencyRecord::new(18, at(0), None).is_none()
        );
    }

    proptest! {
        #[test]
        fn a_bucket_knows_its_times_to_a_sixtieth(ns in 1_u64..100_000_000_000) {
            let middle = middle(bucket(Span::from_ns(ns))).as_ps() as f64 / 1e3;
            prop_assert!((middle - ns as f64).abs() <= (ns as f64 / 62.0).max(0.5) + 1e-9, "{} {}", ns, middle);
        }

        #[test]
        fn a_quantile_is_that_of_the_sorted_times(mut us in prop::collection::vec(1_u64..100_000, 100..300)) {
            let mut times = Times::default();
            us.iter().for_each(|us| times.record(Span::from_us(*us)));
            us.sort_unstable();
            for share in [0.5, 0.99] {
                let place = (us.len() as f64 * share).ceil() as usize - 1;
                let seen = times.quantile(share).expect("there are enough").as_us();
                prop_assert!((seen / us[place] as f64 - 1.0).abs() < 0.017, "{} {}", seen, us[place]);
            }
        }
    }
}
