//! How a measurement spends its time, and how it ends.

use linerate_core::bench::RunError;
use linerate_core::caution::Caution;
use linerate_core::measure::{Ended, Method, Phase, measure};
use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::schedule::{Bounds, Schedule};
use linerate_core::series::Stop;
use linerate_core::trial::{Half, Tally};
use linerate_core::units::{Size, Span};

use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use super::run_file::run_of;
use crate::support::link::Link;
use crate::support::virtual_bench::VirtualBench;
use crate::support::watch::{Recorder, method, point, watched};

pub(crate) fn netpipe(to: u64) -> Vec<u64> {
    let bounds = Bounds { to: Some(Size(to)), ..Bounds::default() };
    Schedule::Netpipe.sizes(bounds).expect("NetPIPE's schedule")
}

pub(crate) fn quiet() -> VirtualBench {
    VirtualBench::new(Link::default(), 1)
}

#[test]
fn the_exact_link_is_measured_exactly_at_every_size() {
    let sizes = netpipe(65_536);
    let mut bench = quiet();
    let (outcome, _) = watched(&mut bench, &method(&sizes, 2_000, 0.02, 1));
    assert!(matches!(outcome.ended, Ended::Complete));
    for (point, size) in outcome.series.points.iter().zip(sizes) {
        let expected = bench.link.one_way(size).as_ps() as f64;
        let time = point.time().expect("every size is timed");
        assert_eq!((point.size, time.median, time.interval), (size, expected, Some([expected; 2])));
        assert_eq!(point.stop, Some(Stop::Target));
    }
}

#[test]
fn every_size_is_verified_first_with_every_byte() {
    let sizes = netpipe(1024);
    let mut bench = quiet();
    let (outcome, recorder) = watched(&mut bench, &method(&sizes, 200, 0.02, 1));
    assert!(outcome.series.points.iter().all(|point| point.verified));
    let full: Vec<u64> =
        bench.asked.iter().filter(|trial| trial.check == Check::Full).map(|trial| trial.size).collect();
    assert_eq!(full, sizes);
    assert!(recorder.trials[..sizes.len()].iter().all(|(phase, _)| *phase == Phase::Verify));
    assert!(recorder.trials[sizes.len()..].iter().all(|(phase, _)| *phase != Phase::Verify));
}

#[test]
fn the_time_is_kept_to_within_one_trial() {
    let noisy = Link { jitter: |_| Span::from_us(20), ..Link::default() };
    for ms in [10, 30, 100, 1_000] {
        for to in [64, 65_536, 1 << 20] {
            let mut bench = VirtualBench::new(noisy.clone(), ms);
            let method = method(&netpipe(to), ms, 0.001, 1);
            let (outcome, recorder) = watched(&mut bench, &method);
            assert!(matches!(outcome.ended, Ended::Complete));
            let longest = bench.spent.iter().copied().max().expect("some trial ran");
            assert!(
                recorder.spent <= method.time + longest,
                "{} of {} to {to} B",
                recorder.spent,
                method.time
            );
            let total: Span = bench.spent.iter().copied().sum();
            assert_eq!(total, recorder.spent);
        }
    }
}

#[test]
fn it_ends_early_when_every_target_is_reached() {
    let method = method(&netpipe(1024), 1_000, 0.02, 1);
    let (outcome, recorder) = watched(&mut quiet(), &method);
    assert!(outcome.series.points.iter().all(|point| point.stop == Some(Stop::Target)));
    // Seven tenths are the common rounds; the rest is not needed.
    assert!(recorder.spent < method.time * 75 / 100, "{}", recorder.spent);
    assert!(recorder.trials.iter().all(|(phase, _)| !matches!(phase, Phase::Refine(_))));
}

#[test]
fn a_size_that_is_certain_early_still_has_the_rounds_that_were_asked_for() {
    let method = Method { rounds: 10, ..method(&[1, 64, 1000], 1_000, 0.02, 1) };
    let (outcome, _) = watched(&mut quiet(), &method);
    for point in &outcome.series.points {
        // Six rounds give an interval, and that of a bench without noise has no width.
        assert_eq!((point.rounds.len(), point.stop), (10, Some(Stop::Target)), "{} B", point.size);
    }
}

#[test]
fn the_rest_of_the_time_goes_to_the_noisy_sizes() {
    let jitter = |size| if size == 1024 { Span::from_us(50) } else { Span::from_us(5) };
    let sizes: Vec<u64> = (0..24).map(|step| 1 << step.min(10) | step).collect();
    let mut bench = VirtualBench::new(Link { jitter, ..Link::default() }, 1);
    let sizes = [&sizes[..], &[1024]].concat();
    let (outcome, _) = watched(&mut bench, &method(&sizes, 1_000, 0.02, 1));
    let rounds = |size| point(&outcome.series, size).rounds.len();
    let most_quiet = sizes.iter().filter(|size| **size != 1024).map(|size| rounds(*size)).max();
    assert!(rounds(1024) > most_quiet.expect("quiet sizes") * 3, "{} and {most_quiet:?}", rounds(1024));
}

#[test]
fn a_slow_start_is_counted_and_left_out() {
    let cold = Link { cold: (3, Span::from_us(400)), ..Link::default() };
    let mut bench = VirtualBench::new(cold, 1);
    let (outcome, _) = watched(&mut bench, &method(&[64, 1000], 1_000, 0.02, 1));
    for point in &outcome.series.points {
        let exact = bench.link.one_way(point.size);
        for round in &point.rounds {
            assert_eq!((round.warmup, round.min, round.max), (3, exact, exact), "{} B", point.size);
            assert_eq!(round.warmup_span, (exact + Span::from_us(400)) * 3);
            assert!(round.tally.sent >= u64::from(round.samples + round.warmup));
        }
        assert_eq!(
            point.histogram.count(),
            point.rounds.iter().map(|round| u64::from(round.samples)).sum::<u64>()
        );
    }
}

#[test]
fn sizes_too_slow_for_the_time_are_cut_and_cautioned() {
    // At 1 Mb/s the schedule's last size alone would take 134 s there and back.
    let slow = Link { per_byte: Span::from_us(8), ..Link::default() };
    let method = method(&netpipe(8_388_608), 2_000, 0.02, 1);
    let mut bench = VirtualBench::new(slow, 1);
    let (outcome, recorder) = watched(&mut bench, &method);
    let untimed = outcome.series.points.iter().filter(|point| point.rounds.is_empty()).count() as u64;
    assert!(untimed > 20, "{untimed}");
    assert!(recorder.spent <= method.time + bench.spent.iter().copied().max().expect("trials"));
    let run = run_of(outcome, &method);
    let caution = run.cautions.iter().find(|caution| matches!(caution, Caution::NotTimed { .. }));
    let Some(Caution::NotTimed { sizes, from, .. }) = caution else { panic!("{:?}", run.cautions) };
    assert_eq!(*sizes, untimed);
    assert!(*from > 1024, "{from}");
}

#[test]
fn what_was_measured_before_an_interruption_is_kept_and_marked() {
    let sizes = netpipe(64);
    let mut recorder = Recorder { break_after: Some(sizes.len() * 3), ..Recorder::default() };
    let mut bench = quiet();
    let outcome = measure(&mut bench, &method(&sizes, 1_000, 0.02, 1), &mut recorder);
    assert!(matches!(outcome.ended, Ended::Interrupted));
    assert_eq!(bench.asked.len(), sizes.len() * 3);
    assert!(outcome.series.points.iter().all(|point| point.verified && !point.rounds.is_empty()));
    assert!(outcome.series.points.iter().all(|point| point.stop == Some(Stop::Cut)));
}

#[test]
fn an_interruption_during_verification_leaves_nothing_timed() {
    let mut recorder = Recorder { break_after: Some(3), ..Recorder::default() };
    let outcome = measure(&mut quiet(), &method(&netpipe(64), 1_000, 0.02, 1), &mut recorder);
    assert!(matches!(outcome.ended, Ended::Interrupted));
    assert_eq!(outcome.series.timed().count(), 0);
}

#[test]
fn a_failure_keeps_what_came_before() {
    let sizes = netpipe(64);
    let mut bench = quiet();
    bench.fails_at = Some(sizes.len() as u64 * 2 + 1);
    let (outcome, recorder) = watched(&mut bench, &method(&sizes, 1_000, 0.02, 1));
    let Ended::Failed(error) = outcome.ended else { panic!("{:?}", outcome.ended) };
    assert!(error.to_string().starts_with("run a trial of "), "{error}");
    assert_eq!(recorder.saved.last().expect("saved after each round").timed().count(), sizes.len());
    assert!(outcome.series.points.iter().all(|point| point.rounds.len() == 1 || point.rounds.len() == 2));
    assert_eq!(outcome.series.points.iter().filter(|point| point.rounds.len() == 2).count(), 1);
}

#[test]
fn a_changed_byte_ends_the_measurement() {
    let mut bench = VirtualBench::new(Link { corrupt: Some(0), ..Link::default() }, 1);
    let (outcome, _) = watched(&mut bench, &method(&[4], 100, 0.02, 1));
    let Ended::Failed(RunError::Corrupt { size: 4, source }) = outcome.ended else {
        panic!("{:?}", outcome.ended)
    };
    assert_eq!((source.offset, source.found ^ source.expected), (0, 1));
}

#[test]
fn counts_that_are_no_mirror_image_end_the_measurement() {
    let lie = |half: &mut Half| half.tally.received += 1;
    let mut bench = quiet();
    bench.lie = lie;
    let (outcome, _) = watched(&mut bench, &method(&[64], 100, 0.02, 1));
    let Ended::Failed(RunError::Disagree { here, there, expected }) = outcome.ended else {
        panic!("{:?}", outcome.ended)
    };
    assert_eq!(here, expected);
    assert_eq!(there, Tally { received: 2, ..expected });
}

/// A window of data passes at once, however long the next one takes: a trial lasts for several.
#[test]
fn small_messages_through_a_window_are_timed_for_several_round_trips() {
    let mut random = Pcg64::seed_from_u64(3);
    for _ in 0..20 {
        let latency = Span::from_us(random.random_range(5_000..150_000));
        let (window, size) = (random.random_range(4_000..60_000_usize), random.random_range(64..1_400));
        let link = Link { latency, window, ..Link::default() };
        let turn = latency + link.per_byte * window as u64;
        let expected = turn.as_ps() as f64 * size as f64 / window as f64;
        let mut bench = VirtualBench::new(link, 1);
        (bench.round_trip, bench.set_up) = (latency * 2, latency * 4);
        let one_way = Method {
            pattern: Pattern::OneWay,
            ..method(&[size], latency.as_ps() * 120 / 1_000_000_000, 0.02, 1)
        };
        let (outcome, _) = watched(&mut bench, &one_way);
        let time = point(&outcome.series, size).time().expect("it was timed").median;
        assert!(
            (0.8..1.2).contains(&(time / expected)),
            "{time} is not {expected}: {latency}, {window}, {size}"
        );
    }
}

#[test]
fn missing_times_end_the_measurement() {
    let mut bench = quiet();
    bench.lie = |half| half.elapsed.clear();
    let one_way = Method { pattern: Pattern::OneWay, ..method(&[64], 100, 0.02, 1) };
    let (outcome, _) = watched(&mut bench, &one_way);
    assert!(matches!(outcome.ended, Ended::Failed(RunError::Untimed { expected: 1, found: 0 })));
}
