//! What several pairs of ranks did at the same time, as one.

use linerate_core::trial::{Sample, Tally};
use linerate_core::units::Span;

/// All pairs as one: of each sample the time between two messages of any pair, so that rates add up. There is at least
/// one pair.
pub(super) fn together(samples: Vec<Sample>) -> Sample {
    if samples.len() == 1 {
        return samples.into_iter().next().expect("there is one");
    }
    let least = samples.iter().map(|sample| sample.times.len()).min().unwrap_or(0);
    let time = |at: usize| {
        let rate: f64 = samples.iter().map(|sample| 1.0 / sample.times[at].as_ps().max(1) as f64).sum();
        Span::from_ps_rounded(1.0 / rate)
    };
    let mut tally = Tally::default();
    samples.iter().for_each(|sample| tally += sample.tally);
    Sample {
        times: (0..least).map(time).collect(),
        tally,
        kept_up: samples.iter().all(|sample| sample.kept_up),
        spent: samples.iter().map(|sample| sample.spent).max().unwrap_or(Span::ZERO),
        // Of several pairs at once there is no one end.
        effort: match &*samples {
            [one] => one.effort,
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(times_ns: &[u64]) -> Sample {
        let times = times_ns.iter().map(|ns| Span::from_ns(*ns)).collect();
        let tally = Tally { sent: 10, sent_bytes: 80, ..Tally::default() };
        Sample { times, tally, kept_up: true, spent: Span::from_us(1), effort: None }
    }

    #[test]
    fn rates_of_pairs_add_up_and_one_pair_is_itself() {
        assert_eq!(together(vec![pair(&[100, 200])]), pair(&[100, 200]));
        let both = together(vec![pair(&[100, 200, 300]), pair(&[100, 600])]);
        assert_eq!(both.times, [Span::from_ns(50), Span::from_ns(150)]);
        assert_eq!((both.tally.sent, both.tally.sent_bytes), (20, 160));
    }
}
