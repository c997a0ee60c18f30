//! What is kept of one flow at one end.

use super::super::Interval;
use super::Kept;
use crate::kernel::TcpSample;

/// What is kept of one flow at one end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowLooks {
    /// What it counted in each interval; together its whole counter.
    pub intervals: Vec<Interval>,
    /// What it counted in each look, if these are closer together than the intervals; only of the
    /// first flows.
    pub looks: Vec<Interval>,
    /// What TCP said at each look, if TCP carries the flow; of later flows at each interval, and of
    /// the last ones nothing.
    pub tcp: Vec<TcpSample>,
}

/// Keeps the looks at one flow at one end.
#[derive(Clone, Debug)]
pub struct FlowRecord {
    intervals: Kept<Interval>,
    looks: Kept<Interval>,
    tcp: Kept<TcpSample>,
    place: usize,
    /// What passed since the last interval. Unit: bytes.
    since: u64,
}

impl FlowRecord {
    /// The most flows whose TCP is sampled: the first ones.
    pub const MOST_TCP: usize = 64;
    /// The most flows that are looked at within an interval: as many as a chart can show.
    pub const MOST_FINE: usize = 18;

    /// Of the flow at this `place` of so many `flows`.
    #[must_use]
    pub fn new(place: usize, flows: usize) -> Self {
        let most = Self::most(flows);
        Self { intervals: Kept::new(most), looks: Kept::new(most), tcp: Kept::new(most), place, since: 0 }
    }

    /// How many entries are kept of each of `flows`.
    ///
    /// One flow keeps 32,768, which is 9 hours at an interval a second; from 64 on they keep 512
    /// each. Some 10 MiB in memory, whatever the time and the flows.
    #[must_use]
    pub fn most(flows: usize) -> usize {
        /// TCP samples of all flows together, each some 200 bytes.
        const TCP: usize = 1 << 15;
        /// Intervals of all flows together, each 16 bytes.
        const INTERVALS: usize = 1 << 19;
        let flows = flows.max(1);
        let most = (TCP / flows.min(Self::MOST_TCP)).min(INTERVALS / flows);
        // Even, so that pairs come out; of very many flows at least two.
        (most & !1).max(2)
    }

    /// Whether a look wants a sample of TCP; `ends` if an interval ends with it.
    #[must_use]
    pub const fn wants_tcp(&self, ends: bool) -> bool {
        self.place < Self::MOST_FINE || ends && self.place < Self::MOST_TCP
    }

    /// Keeps a look: the payload since the one before and what TCP says; `ends` if an interval ends
    /// with it.
    pub fn look(&mut self, look: Interval, tcp: Option<&TcpSample>, ends: bool) {
        self.since += look.bytes;
        if self.place < Self::MOST_FINE {
            self.looks.push(&look);
        }
        if let Some(sample) = tcp.filter(|_| self.wants_tcp(ends)) {
            self.tcp.push(sample);
        }
        if ends {
            self.intervals.push(&Interval { bytes: std::mem::take(&mut self.since), ..look });
        }
    }

    /// How many looks are kept.
    #[must_use]
    pub const fn looks(&self) -> usize {
        self.looks.len()
    }

    /// Joins the looks in pairs, because the period doubled.
    pub fn pair(&mut self) {
        self.looks.pair();
        if self.place < Self::MOST_FINE {
            self.tcp.pair();
        }
    }

    /// Everything; the looks only if they are as `fine` as to differ from the intervals.
    #[must_use]
    pub fn into_looks(self, fine: bool) -> FlowLooks {
        let looks = if fine { self.looks.into_entries() } else { Vec::new() };
        FlowLooks { intervals: self.intervals.into_entries(), looks, tcp: self.tcp.into_entries() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    #[test]
    fn the_first_flows_are_looked_at_within_an_interval_and_the_others_at_its_end() {
        let look = Interval { until: Span::from_ms(1_000), bytes: 5 };
        let tcp = TcpSample::default();
        let seen = |place| {
            let mut record = FlowRecord::new(place, 100);
            record.look(look, Some(&tcp), false);
            record.look(look, Some(&tcp), true);
            let FlowLooks { intervals, looks, tcp } = record.into_looks(true);
            (intervals.iter().map(|it| it.bytes).collect::<Vec<_>>(), looks.len(), tcp.len())
        };
        assert_eq!(
            [0, 17, 18, 63, 64].map(seen),
            [(vec![10], 2, 2), (vec![10], 2, 2), (vec![10], 0, 1), (vec![10], 0, 1), (vec![10], 0, 0)]
        );
    }

    #[test]
    fn what_is_kept_is_bounded_whatever_the_flows() {
        assert_eq!(FlowRecord::most(0), FlowRecord::most(1));
        assert_eq!(FlowRecord::most(1), 32_768, "nine hours at a look a second");
        for flows in 1..5_000 {
            let (most, all) = (FlowRecord::most(flows), flows.min(FlowRecord::MOST_TCP));
            assert!(most >= 2 && most.is_multiple_of(2), "{flows}: {most}");
            assert!(most * all <= 1 << 15 && most * flows <= 1 << 19 || most == 2, "{flows}: {most}");
        }
    }
}
