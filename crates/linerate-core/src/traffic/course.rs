//! What held the flows of a load back over time.

use super::{Direction, FlowAccount, FlowRecord, Interval, Transfer};
use crate::kernel::limit::{AT_LINE_RATE, Ends, Stretch, course};
use crate::units::{Rate, Span};

impl Transfer {
    /// What held each flow back over time, as far as the kernels of both hosts can tell: the first
    /// flows, each with its place in [`flows`](Self::flows). `link` is the highest rate of payload that
    /// the path allows.
    #[must_use]
    pub fn courses(
        &self,
        link: Option<Rate>,
        ends: impl Fn(&FlowAccount) -> Ends,
    ) -> Vec<(usize, Vec<Stretch>)> {
        let sums = [Direction::Send, Direction::Receive].map(|direction| (direction, self.sum(direction)));
        let of = |(place, flow): (usize, &FlowAccount)| {
            let sum = sums.iter().find(|(direction, _)| *direction == flow.direction);
            let full = |since: Span, until: Span| {
                let rate = sum.and_then(|(_, sum)| rate(sum, since, until));
                link.zip(rate).is_some_and(|(link, rate)| rate.share_of(link) >= AT_LINE_RATE)
            };
            (place, course(&self.known_of(flow, ends(flow)), full))
        };
        let first = self.flows.iter().take(FlowRecord::MOST_FINE).enumerate();
        first.map(of).filter(|(_, course)| !course.is_empty()).collect()
    }

    /// What the receivers of all flows of a direction counted together. All samplers look at the
    /// same times.
    fn sum(&self, direction: Direction) -> Vec<Interval> {
        let halves = || self.flows.iter().filter(|flow| flow.direction == direction).map(|it| &it.receiver);
        let fine = halves().all(|half| !half.looks.is_empty());
        let mut sum: Vec<Interval> = Vec::new();
        for half in halves() {
            let seen = if fine { &half.looks } else { &half.intervals };
            for (place, look) in seen.iter().enumerate() {
                match sum.get_mut(place) {
                    Some(sum) => sum.bytes += look.bytes,
                    None => sum.push(*look),
                }
            }
        }
        sum
    }
}

/// The rate between two moments, if every byte of a look passed evenly in it.
fn rate(seen: &[Interval], since: Span, until: Span) -> Option<Rate> {
    let begins = std::iter::once(Span::ZERO).chain(seen.iter().map(|look| look.until));
    let bytes: f64 = begins
        .zip(seen)
        .map(|(begin, look)| {
            let common = look.until.min(until).saturating_sub(begin.max(since));
            let whole = look.until.saturating_sub(begin).as_seconds();
            if whole > 0.0 { look.bytes as f64 * common.as_seconds() / whole } else { 0.0 }
        })
        .sum();
    Rate::of(bytes as u64, until.saturating_sub(since))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::TcpSample;
    use crate::kernel::limit::Holder;
    use crate::traffic::HalfAccount;

    #[test]
    fn a_rate_is_of_the_looks_that_a_time_has_in_common() {
        let look = |ms, bytes| Interval { until: Span::from_ms(ms), bytes };
        let seen = [look(100, 1_000), look(200, 3_000)];
        let bits =
            |since, until| rate(&seen, Span::from_ms(since), Span::from_ms(until)).map(Rate::bits_per_second);
        assert_eq!(bits(0, 200), Some(160_000.0));
        assert_eq!(bits(50, 150), Some(160_000.0), "500 and 1500 bytes");
        assert_eq!(bits(200, 300), Some(0.0));
        assert_eq!(bits(100, 100), None);
    }

    #[test]
    fn a_link_that_two_flows_fill_together_holds_both_back_while_it_is_full() {
        let seen: Vec<Interval> = (1..=10_u64)
            .map(|nth| Interval {
                until: Span::from_ms(100 * nth),
                bytes: if nth > 5 { 600_000 } else { 100 },
            })
            .collect();
        let tcp = |nth: u64| TcpSample {
            at: Span::from_ms(100 * nth),
            busy: Some(Span::from_ms(100 * nth)),
            ..TcpSample::default()
        };
        let flow = |number| FlowAccount {
            flow: number,
            peer: 0,
            direction: Direction::Send,
            sender: HalfAccount { tcp: (1..=10).map(tcp).collect(), ..HalfAccount::default() },
            receiver: HalfAccount { looks: seen.clone(), ..HalfAccount::default() },
        };
        let transfer = Transfer { flows: vec![flow(0), flow(1)], ..Transfer::default() };
        // 1.2 MB in 100 ms are 96 Mb/s.
        let courses =
            transfer.courses(Some(Rate::from_mbps(100.0)), |_| Ends { modelled: true, ..Ends::default() });
        assert_eq!(courses.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [0, 1]);
        for (_, course) in courses {
            let link = course.iter().map(|it| it.shares.of(Holder::Link)).collect::<Vec<_>>();
            assert_eq!(link, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        }
    }
}
