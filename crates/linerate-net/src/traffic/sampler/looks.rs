//! The samples of a load, in bounded memory.

use linerate_core::kernel::{HostSample, TcpSample};
use linerate_core::traffic::Interval;

use super::Look;

/// Everything that a sampler kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Looks {
    /// The flows, in the order in which they were given.
    pub flows: Vec<FlowLooks>,
    /// What the host did in each interval.
    pub host: Vec<HostSample>,
}

/// What was kept of one flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowLooks {
    /// What it counted in each interval; together its whole counter.
    pub intervals: Vec<Interval>,
    /// What TCP said at the end of each, if it carries the flow.
    pub tcp: Vec<TcpSample>,
}

impl Looks {
    /// The most flows whose TCP is sampled: the first ones.
    pub const MOST_TCP_FLOWS: usize = 64;

    /// How many samples are kept of each of `flows`. When there are more, neighbouring samples are
    /// joined in pairs, and from then on each entry covers twice as many samples.
    ///
    /// One flow keeps 32,768, which is 9 hours at a look a second; from 64 on they keep 512 each.
    /// Some 10 MiB in memory, whatever the time and the flows.
    #[must_use]
    pub fn most(flows: usize) -> usize {
        /// TCP samples of all flows together, each some 200 bytes.
        const TCP: usize = 1 << 15;
        /// Intervals of all flows together, each 16 bytes.
        const INTERVALS: usize = 1 << 19;
        let flows = flows.max(1);
        let most = (TCP / flows.min(Self::MOST_TCP_FLOWS)).min(INTERVALS / flows);
        // Even, so that pairs come out; of very many flows at least two.
        (most & !1).max(2)
    }
}

/// What is kept while looking.
#[derive(Debug)]
pub(super) struct Record {
    looks: Looks,
    most: usize,
    /// How many looks are taken together, and how many of them the newest entry has.
    together: u64,
    filled: u64,
}

impl Record {
    pub(super) fn of(flows: usize) -> Self {
        let looks = Looks { flows: vec![FlowLooks::default(); flows], host: Vec::new() };
        Self { looks, most: Looks::most(flows), together: 1, filled: 0 }
    }

    pub(super) fn keep(&mut self, look: &Look<'_>) {
        let begins = self.filled == 0;
        if begins && self.looks.host.len() >= self.most {
            self.halve();
        }
        for (at, (flow, bytes)) in self.looks.flows.iter_mut().zip(look.bytes).enumerate() {
            let interval = Interval { until: look.until, bytes: *bytes };
            add(&mut flow.intervals, interval, begins, absorb);
            if let Some(Some(sample)) = look.tcp.get(at) {
                // Its counts are since the connection began, so the later one says it all.
                add(&mut flow.tcp, sample.clone(), begins, |last, next| *last = next.clone());
            }
        }
        add(&mut self.looks.host, look.host.clone(), begins, HostSample::absorb);
        self.filled = (self.filled + 1) % self.together;
    }

    /// Joins the entries in pairs.
    fn halve(&mut self) {
        for flow in &mut self.looks.flows {
            pair(&mut flow.intervals, absorb);
            pair(&mut flow.tcp, |last, next| *last = next.clone());
        }
        pair(&mut self.looks.host, HostSample::absorb);
        self.together *= 2;
    }

    pub(super) fn into_looks(self) -> Looks {
        self.looks
    }
}

fn absorb(last: &mut Interval, next: &Interval) {
    *last = Interval { until: next.until, bytes: last.bytes + next.bytes };
}

/// Appends `next`, or joins it to the newest entry unless it `begins` one.
fn add<T>(entries: &mut Vec<T>, next: T, begins: bool, join: impl Fn(&mut T, &T)) {
    match entries.last_mut() {
        Some(last) if !begins => join(last, &next),
        _ => entries.push(next),
    }
}

/// Joins each two entries that follow one another; an odd one at the end stays.
fn pair<T>(entries: &mut Vec<T>, join: impl Fn(&mut T, &T)) {
    let mut joined = Vec::with_capacity(entries.len());
    let mut left = entries.drain(..);
    while let Some(mut first) = left.next() {
        if let Some(second) = left.next() {
            join(&mut first, &second);
        }
        joined.push(first);
    }
    drop(left);
    *entries = joined;
}

#[cfg(test)]
mod tests {
    use linerate_core::units::Span;
    use proptest::prelude::*;

    use super::*;

    /// A record of one flow that keeps `most` looks, after `looks` of 10 bytes and 1 ms each.
    fn record(most: usize, looks: u64) -> Looks {
        let mut record = Record { most, ..Record::of(1) };
        for number in 1..=looks {
            let bytes = [10];
            let until = Span::from_ms(number);
            let host = HostSample { until, span: Span::from_ms(1), ..HostSample::default() };
            let tcp = [Some(TcpSample { at: until, acknowledged: 10 * number, ..TcpSample::default() })];
            record.keep(&Look { until, bytes: &bytes, arrived: &bytes, tcp: &tcp, host: &host });
        }
        record.into_looks()
    }

    #[test]
    fn every_look_is_kept_while_there_is_room() {
        let looks = record(4, 4);
        let interval = |ms| Interval { until: Span::from_ms(ms), bytes: 10 };
        assert_eq!(looks.flows[0].intervals, [1, 2, 3, 4].map(interval));
        assert_eq!(looks.flows[0].tcp.len(), 4);
        assert_eq!(looks.host.len(), 4);
    }

    #[test]
    fn then_two_become_one_and_the_newest_waits_for_its_second() {
        let ends = |looks: u64| -> Vec<(u64, u64)> {
            let kept = record(4, looks);
            assert_eq!(kept.flows[0].tcp.last().map(|sample| sample.acknowledged), Some(10 * looks));
            kept.flows[0]
                .intervals
                .iter()
                .map(|entry| (entry.until.as_ps() / 1_000_000_000, entry.bytes))
                .collect()
        };
        assert_eq!(ends(5), [(2, 20), (4, 20), (5, 10)]);
        assert_eq!(ends(8), [(2, 20), (4, 20), (6, 20), (8, 20)]);
        assert_eq!(ends(9), [(4, 40), (8, 40), (9, 10)]);
    }

    #[test]
    fn what_is_kept_is_bounded_whatever_the_flows() {
        assert_eq!([0, 1, 4, 64].map(Looks::most), [32_768, 32_768, 8_192, 512]);
        assert_eq!([1_000, 1_000_000].map(Looks::most), [512, 2]);
        for flows in [1, 3, 64, 65, 1_000, 100_000] {
            assert!(Looks::most(flows) * flows <= 1 << 19, "{flows} flows");
        }
    }

    proptest! {
        #[test]
        fn no_byte_and_no_time_is_lost_by_joining(half in 1_usize..8, looks in 0_u64..300) {
            let kept = record(2 * half, looks);
            let flow = &kept.flows[0];
            prop_assert!(flow.intervals.len() <= 2 * half);
            prop_assert_eq!(flow.intervals.iter().map(|entry| entry.bytes).sum::<u64>(), 10 * looks);
            prop_assert_eq!(kept.host.iter().map(|host| host.span).sum::<Span>(), Span::from_ms(looks));
            let ends: Vec<_> = flow.intervals.iter().map(|entry| entry.until).collect();
            prop_assert_eq!(&ends, &flow.tcp.iter().map(|sample| sample.at).collect::<Vec<_>>());
            prop_assert_eq!(ends, kept.host.iter().map(|host| host.until).collect::<Vec<_>>());
        }
    }
}
