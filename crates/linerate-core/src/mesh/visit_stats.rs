//! What a rank saw of a visit beside its median: the tail of the times, and what had to be sent again.

use crate::comm::Segments;
use crate::stats;
use crate::units::Span;

/// What the sender saw of one visit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VisitStats {
    /// How many times were taken. Messages one way have one, their mean.
    pub times: u64,
    /// Mean of the times.
    pub mean: Span,
    /// 99 of 100 take no longer.
    pub p99: Span,
    /// The longest.
    pub longest: Span,
    /// What the sender sent to the other while each of the two led. Absent if the carrier does not say.
    pub segments: Option<Segments>,
}

/// As in a file: the number of times, mean, 99th percentile and longest in picoseconds; segments sent, and sent again.
pub(super) type Written = (u64, u64, u64, u64, Option<u64>, Option<u64>);

impl From<Written> for VisitStats {
    fn from((times, mean, p99, longest, sent, retransmitted): Written) -> Self {
        let segments = sent.zip(retransmitted).map(|(sent, retransmitted)| Segments { sent, retransmitted });
        let [mean, p99, longest] = [mean, p99, longest].map(Span::from_ps);
        Self { times, mean, p99, longest, segments }
    }
}

impl From<VisitStats> for Written {
    fn from(VisitStats { times, mean, p99, longest, segments }: VisitStats) -> Self {
        let sent = segments.map(|segments| segments.sent);
        let retransmitted = segments.map(|segments| segments.retransmitted);
        (times, mean.as_ps(), p99.as_ps(), longest.as_ps(), sent, retransmitted)
    }
}

impl VisitStats {
    /// How many numbers of an answer a visit has.
    pub(super) const NUMBERS: usize = 7;

    /// The numbers of an answer: the median first. None if no time was taken.
    pub(super) fn encoded(mut times: Vec<Span>, segments: Option<Segments>) -> [Option<u64>; Self::NUMBERS] {
        times.sort_unstable();
        let Some(longest) = times.last() else { return [None; Self::NUMBERS] };
        let count = times.len() as u64;
        let mean = times.iter().copied().sum::<Span>() / count;
        // The smallest time that 99 of 100 do not exceed.
        let p99 = times[(times.len() * 99).div_ceil(100).saturating_sub(1)];
        let median = stats::median(times.iter().map(|time| time.as_ps() as f64))
            .map(|median| Span::from_ps_rounded(median).as_ps());
        let ps = |time: Span| Some(time.as_ps());
        let sent = segments.map(|segments| segments.sent);
        let retransmitted = segments.map(|segments| segments.retransmitted);
        [median, Some(count), ps(mean), ps(p99), ps(*longest), sent, retransmitted]
    }

    /// The medians and the rest of all probes, from the numbers of an answer.
    pub(super) fn decoded(values: &[Option<u64>]) -> (Vec<Option<Span>>, Vec<Option<Self>>) {
        let one = |numbers: &[Option<u64>; Self::NUMBERS]| {
            let [median, times, mean, p99, longest, sent, retransmitted] = *numbers;
            let stats = times.zip(mean).zip(p99).zip(longest).map(|(((times, mean), p99), longest)| {
                Self::from((times, mean, p99, longest, sent, retransmitted))
            });
            (median.map(Span::from_ps), stats)
        };
        values.as_chunks().0.iter().map(one).unzip()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_as_they_were_sent() {
        let times: Vec<Span> = (1..=200).map(Span::from_us).collect();
        let segments = Segments { sent: 210, retransmitted: 3 };
        let sent = [VisitStats::encoded(times, Some(segments)), VisitStats::encoded(Vec::new(), None)];
        let (medians, visits) = VisitStats::decoded(sent.as_flattened());
        assert_eq!(medians, [Some(Span::from_ns(100_500)), None]);
        let (p99, longest) = (Span::from_us(198), Span::from_us(200));
        let expected =
            VisitStats { times: 200, mean: Span::from_ns(100_500), p99, longest, segments: Some(segments) };
        assert_eq!(visits, [Some(expected), None]);
        assert_eq!(VisitStats::from(Written::from(expected)), expected);
    }
}
