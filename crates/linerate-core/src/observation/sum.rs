//! What an end saw in several passes together. Sums saturate, because a peer may say anything.

use std::collections::BTreeSet;

use super::{Activity, Clock, Connection, Counters, Noise, Observation, Throttled};
use crate::environment::Fact;

impl Observation {
    /// What an end saw in all of these passes, one after the other. Counts and times add up, extremes
    /// are those of all, and the state of the connection is that at the end of the last. What is
    /// unknown in one pass is unknown. Absent without passes.
    #[must_use]
    pub fn over<'a>(passes: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        passes.into_iter().cloned().reduce(Self::then)
    }

    fn then(self, next: Self) -> Self {
        let mut tally = self.tally;
        tally += next.tally;
        let cpus: BTreeSet<u32> = self.cpus.into_iter().chain(next.cpus).collect();
        Self {
            clock: both(self.clock, next.clock, Clock::then),
            noise: both(self.noise, next.noise, Noise::then),
            load: self.load.then(next.load),
            interface: both(self.interface, next.interface, Counters::then),
            connection: both(self.connection, next.connection, Connection::then),
            tally,
            cpus: cpus.into_iter().collect(),
            peak_memory_bytes: both(self.peak_memory_bytes, next.peak_memory_bytes, u64::max),
            first_sample_after: self.first_sample_after.or(next.first_sample_after),
            link_down: self.link_down + next.link_down,
            silent: self.silent.max(next.silent),
        }
    }
}

/// Both facts as one, or the reason why one of them is unknown.
fn both<T>(one: Fact<T>, other: Fact<T>, join: impl FnOnce(T, T) -> T) -> Fact<T> {
    match (one, other) {
        (Fact::Known(one), Fact::Known(other)) => Fact::Known(join(one, other)),
        (Fact::Unknown { unknown }, _) | (_, Fact::Unknown { unknown }) => Fact::Unknown { unknown },
    }
}

impl Clock {
    fn then(self, next: Self) -> Self {
        Self {
            reads: self.reads.saturating_add(next.reads),
            cost: self.cost.max(next.cost),
            resolution: self.resolution.max(next.resolution),
            backwards: self.backwards.saturating_add(next.backwards),
            name: next.name,
        }
    }
}

impl Noise {
    fn then(self, next: Self) -> Self {
        Self {
            watched: self.watched + next.watched,
            lost: self.lost + next.lost,
            gaps: self.gaps.saturating_add(next.gaps),
            longest: self.longest.max(next.longest),
            threshold: self.threshold.max(next.threshold),
            throttled: self.throttled + next.throttled,
        }
    }
}

impl Activity {
    fn then(self, next: Self) -> Self {
        let sum = |one, other| both(one, other, std::ops::Add::add);
        Self {
            span: self.span + next.span,
            cpu_pressure: sum(self.cpu_pressure, next.cpu_pressure),
            run_delay: sum(self.run_delay, next.run_delay),
            involuntary_switches: both(
                self.involuntary_switches,
                next.involuntary_switches,
                u64::saturating_add,
            ),
            steal: sum(self.steal, next.steal),
            throttled: both(self.throttled, next.throttled, Throttled::then),
        }
    }
}

impl Throttled {
    fn then(self, next: Self) -> Self {
        Self {
            periods: self.periods.saturating_add(next.periods),
            throttled_periods: self.throttled_periods.saturating_add(next.throttled_periods),
            throttled: self.throttled + next.throttled,
            ..next
        }
    }
}

impl Counters {
    fn then(self, next: Self) -> Self {
        Self {
            rx_bytes: self.rx_bytes.saturating_add(next.rx_bytes),
            tx_bytes: self.tx_bytes.saturating_add(next.tx_bytes),
            rx_packets: self.rx_packets.saturating_add(next.rx_packets),
            tx_packets: self.tx_packets.saturating_add(next.tx_packets),
            rx_dropped: self.rx_dropped.saturating_add(next.rx_dropped),
            tx_dropped: self.tx_dropped.saturating_add(next.tx_dropped),
            interface: next.interface,
        }
    }
}

impl Connection {
    fn then(self, next: Self) -> Self {
        Self {
            retransmitted: self.retransmitted.saturating_add(next.retransmitted),
            segments_out: self.segments_out.saturating_add(next.segments_out),
            min_rtt: self.min_rtt.min(next.min_rtt),
            ..next
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::Tally;
    use crate::units::Span;

    fn seen(bytes: u64, cpus: &[u32]) -> Observation {
        let counters = Counters { tx_bytes: bytes + 9, interface: "eth0".to_owned(), ..Counters::default() };
        Observation {
            interface: Fact::Known(counters),
            connection: Fact::Known(Connection {
                retransmitted: 2,
                min_rtt: Span::from_us(bytes),
                congestion_window: bytes,
                ..Connection::default()
            }),
            tally: Tally { sent_bytes: bytes, ..Tally::default() },
            cpus: cpus.to_vec(),
            ..Observation::default()
        }
    }

    #[test]
    fn counts_add_up_and_the_state_is_the_last() {
        let sum = Observation::over(&[seen(100, &[1]), seen(50, &[0, 1])]).expect("passes");
        assert_eq!(sum.interface.known().map(|counters| counters.tx_bytes), Some(168));
        assert_eq!((sum.tally.sent_bytes, sum.cpus), (150, vec![0, 1]));
        let connection = sum.connection.known().expect("it is known in both");
        assert_eq!((connection.retransmitted, connection.congestion_window), (4, 50));
        assert_eq!(connection.min_rtt, Span::from_us(50));
    }

    #[test]
    fn what_one_pass_does_not_know_is_unknown() {
        let lost = Observation { interface: Fact::unknown("the server left"), ..seen(1, &[]) };
        let sum = Observation::over(&[seen(1, &[]), lost, seen(1, &[])]).expect("passes");
        assert_eq!(sum.interface, Fact::unknown("the server left"));
        assert_eq!(Observation::over([]), None);
    }
}
