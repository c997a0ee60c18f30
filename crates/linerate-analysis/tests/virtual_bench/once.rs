//! A bench on which nothing is random: each size once, and as long as it takes.

use linerate_core::measure::{Ended, Exact, Method, Phase};
use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::series::Stop;
use linerate_core::units::Span;
use rstest::rstest;

use super::campaign::{netpipe, quiet};
use crate::support::watch::{method, watched};

fn exact(pattern: Pattern, sizes: &[u64], time: Span) -> Method {
    Method { pattern, time, exact: Some(Exact::AT_ONCE), ..method(sizes, 0, 0.02, 1) }
}

#[rstest]
fn each_size_is_visited_once_and_verified_whatever_the_time_allowed(
    #[values(Pattern::PingPong, Pattern::OneWay, Pattern::Exchange)] pattern: Pattern,
    #[values(Span::ZERO, Span::from_ps(1), Span::from_ms(3_600_000))] time: Span,
) {
    // Sizes far apart too: none is approached by steps.
    let sizes = [netpipe(65_536), vec![4 << 20, 1]].concat();
    let mut bench = quiet();
    let (outcome, recorder) = watched(&mut bench, &exact(pattern, &sizes, time));
    assert!(matches!(outcome.ended, Ended::Complete));
    let asked: Vec<u64> = bench.asked.iter().map(|trial| trial.size).collect();
    assert_eq!(asked, sizes, "in the order of the schedule");
    assert!(bench.asked.iter().all(|trial| trial.check == Check::Full));
    assert!(recorder.trials.iter().all(|(phase, _)| *phase == Phase::Round(0)));
    assert_eq!(recorder.trials.len(), sizes.len());
    assert_eq!(recorder.saved, std::slice::from_ref(&outcome.series), "saved once, at the end");
    for (point, size) in outcome.series.points.iter().zip(sizes) {
        let [round] = point.rounds[..] else { panic!("{} rounds of {size} B", point.rounds.len()) };
        assert_eq!((point.size, point.verified, round.round), (size, true, 0));
        assert_eq!(point.stop, Some(Stop::Target));
        let link = &bench.link;
        let expected = if pattern == Pattern::OneWay { link.per_byte * size } else { link.one_way(size) };
        assert_eq!((round.median, round.min, round.max), (expected, expected, expected), "{size} B");
    }
}

#[test]
fn a_stream_has_messages_enough_to_fill_what_is_on_its_way_and_the_others_have_one() {
    let sizes = [1, 4_096, 10_000, 32_768, 32_769, 8 << 20];
    for (pattern, samples, batches) in [
        // 16 samples of at least 32 KiB.
        (Pattern::OneWay, 16, [32_768, 8, 4, 1, 1, 1]),
        (Pattern::PingPong, 1, [1; 6]),
        (Pattern::Exchange, 1, [1; 6]),
    ] {
        let mut bench = quiet();
        watched(&mut bench, &exact(pattern, &sizes, Span::ZERO));
        let asked: Vec<(u32, u32)> = bench.asked.iter().map(|trial| (trial.samples, trial.batch)).collect();
        assert_eq!(asked, batches.map(|batch| (samples, batch)), "{pattern}");
    }
}

#[test]
fn a_failure_keeps_the_sizes_before_it() {
    let mut bench = quiet();
    bench.fails_at = Some(2);
    let (outcome, _) = watched(&mut bench, &exact(Pattern::PingPong, &[1, 2, 3, 4], Span::ZERO));
    assert!(matches!(outcome.ended, Ended::Failed(_)), "{:?}", outcome.ended);
    let stops: Vec<_> = outcome.series.points.iter().map(|point| point.stop).collect();
    let [target, cut] = [Some(Stop::Target), Some(Stop::Cut)];
    assert_eq!(stops, [target, target, cut, cut]);
    assert_eq!(outcome.series.timed().count(), 2);
}
