//! What was once found wrong, each with the test that keeps it right.

use std::ops::ControlFlow;

use linerate_analysis::assessment::assess;
use linerate_analysis::derive::{Boundaries, dips};
use linerate_core::bench::{Bench, RunError};
use linerate_core::environment::Fact;
use linerate_core::measure::{Ended, Method, Progress, Watch, measure};
use linerate_core::run::{Run, RunFileError, Source};
use linerate_core::series::{Series, Stop};
use linerate_core::stats::warm_up;
use linerate_core::trial::{Sample, Trial};
use linerate_core::units::Span;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::campaign::{netpipe, quiet};
use super::run_file::run;
use super::statistics::curve;
use crate::support::link::Link;
use crate::support::virtual_bench::VirtualBench;
use crate::support::watch::{Recorder, method, point, watched};

#[test]
fn a_complete_run_cuts_nothing() {
    // At 1 Mb/s in 1 s the largest size is left out; nobody interrupted.
    let slow = Link { per_byte: Span::from_us(8), ..Link::default() };
    let (outcome, _) =
        watched(&mut VirtualBench::new(slow, 1), &method(&[1, 64, 1024, 16_384], 1_000, 0.02, 1));
    assert!(matches!(outcome.ended, Ended::Complete));
    let stops: Vec<Option<Stop>> = outcome.series.points.iter().map(|point| point.stop).collect();
    assert!(!stops.contains(&Some(Stop::Cut)), "{stops:?}");
}

#[test]
fn the_trial_at_which_a_run_is_interrupted_is_kept() {
    let sizes = netpipe(64);
    let mut recorder = Recorder { break_after: Some(sizes.len() + 1), ..Recorder::default() };
    let outcome = measure(&mut quiet(), &method(&sizes, 1_000, 0.02, 1), &mut recorder);
    assert_eq!(outcome.series.timed().count(), 1);
}

#[test]
fn a_large_size_first_in_a_list_does_not_hide_the_small_ones() {
    let slow = Link { per_byte: Span::from_us(8), ..Link::default() };
    let (outcome, _) = watched(&mut VirtualBench::new(slow, 1), &method(&[1 << 20, 64, 1], 4_000, 0.02, 1));
    assert!(!point(&outcome.series, 64).rounds.is_empty(), "64 B was never timed");
}

#[test]
fn a_jump_in_a_list_does_not_overrun_the_time() {
    // 8 MiB at 1 Mb/s take 134 s there and back.
    let slow = Link { per_byte: Span::from_us(8), ..Link::default() };
    let method = method(&[1, 1024, 8 << 20], 4_000, 0.02, 1);
    let (_, recorder) = watched(&mut VirtualBench::new(slow, 1), &method);
    assert!(recorder.spent <= method.time * 2, "{} of {}", recorder.spent, method.time);
}

/// Gives up after this many trials, as nothing else would end the loop.
struct Patience(u64);

impl Watch for Patience {
    fn trial_done(&mut self, _: &Progress) -> ControlFlow<()> {
        self.0 -= 1;
        if self.0 == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn round_done(&mut self, _: &mut Series) {}
}

/// All trials take no time at all, as on a clock that stands still.
struct Timeless;

impl Bench for Timeless {
    fn run(&mut self, trial: &Trial) -> Result<Sample, RunError> {
        let times = vec![Span::ZERO; trial.samples as usize];
        Ok(Sample { times, tally: Default::default(), kept_up: true, spent: Span::ZERO, effort: None })
    }
}

#[test]
fn a_clock_that_stands_still_does_not_measure_for_ever() {
    let outcome = measure(&mut Timeless, &method(&[1, 2], 10, 0.02, 1), &mut Patience(2_000));
    assert!(!matches!(outcome.ended, Ended::Interrupted), "still going after 2,000 trials");
}

#[test]
fn a_coarse_clock_does_not_overrun_the_time() {
    // Steps of 4 ms, as of the clock source `jiffies` at 250 Hz: a message of 100 us takes 0 or 4 ms.
    let link = Link { tick: Span::from_ms(4), ..Link::default() };
    let mut bench = VirtualBench::new(link, 1);
    bench.set_up = Span::ZERO;
    let method = method(&[1, 64], 100, 0.02, 1);
    let mut planned: u64 = 0;
    struct Limit<'a>(&'a mut VirtualBench, &'a mut u64);
    impl Bench for Limit<'_> {
        fn run(&mut self, trial: &Trial) -> Result<Sample, RunError> {
            *self.1 = (*self.1).max(trial.messages());
            if trial.messages() > 100_000 {
                return Err(RunError::Peer { size: trial.size, reason: "too many".to_owned() });
            }
            self.0.run(trial)
        }
    }
    let outcome = measure(&mut Limit(&mut bench, &mut planned), &method, &mut Patience(2_000));
    // 100 ms hold a thousand round trips of 100 us.
    assert!(planned < 10_000, "a trial of {planned} messages was asked for; {:?}", outcome.ended);
}

#[test]
fn with_too_little_time_for_all_the_cheap_sizes_still_get_many_samples() {
    // NetPIPE's whole schedule at 100 Mb/s in the default 20 s.
    let mut bench = VirtualBench::new(Link::of_mbps(100), 1);
    let (outcome, _) = watched(&mut bench, &method(&netpipe(8_388_608), 20_000, 0.02, 1));
    let samples: u64 = point(&outcome.series, 1).rounds.iter().map(|round| u64::from(round.samples)).sum();
    assert!(samples >= 70, "1 B, which takes 100 us of 20 s, got {samples} samples");
}

#[test]
fn even_noise_is_not_taken_for_warm_up() {
    let mut random = Pcg64::seed_from_u64(1);
    let mut noise = |len: u64| -> Vec<Span> {
        (0..len).map(|_| Span::from_ns(1000 + random.random_range(0..200))).collect()
    };
    for len in 2..20 {
        let taken = (0..1000).filter(|_| warm_up(&noise(len)) > 0).count();
        assert!(taken <= 150, "of {len} samples within +-10 %, {taken} of 1000 times some were warm-up");
    }
}

#[test]
fn a_file_that_was_cut_within_a_number_says_that_it_was_cut() {
    let text = run(1).to_json();
    let foreign: Vec<usize> = (0..text.trim_end().len())
        .filter(|end| matches!(Run::from_json(&text[..*end]), Err(RunFileError::Foreign(_))))
        .collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}

#[test]
fn no_number_in_a_run_file_panics_dips() {
    let extra = |size| if size == 1024 { Span::from_us(100) } else { Span::ZERO };
    let series = curve(Link { extra, ..Link::default() }, 400, 1);
    let boundaries = Boundaries { segment: Some(u64::MAX), page: Some(u64::MAX), ..Boundaries::default() };
    assert_eq!(dips(&series, &boundaries).len(), 1);
}

#[test]
fn no_number_in_a_run_file_panics_tally() {
    let mut run = run(1);
    for round in run.series[0].points.iter_mut().flat_map(|point| &mut point.rounds) {
        round.tally.sent_bytes = u64::MAX;
    }
    assert_eq!(run.series[0].tally().sent_bytes, u64::MAX);
}

#[test]
fn no_number_in_a_run_file_panics_assess() {
    let mut run = run(1);
    run.source = Source::Measured;
    run.nodes[0].observation.tally.sent_bytes = u64::MAX;
    run.nodes[0].observation.tally.received_bytes = u64::MAX;
    run.nodes[0].observation.interface = Fact::Known(Default::default());
    drop(assess(&run));
}

#[test]
fn one_slow_sample_does_not_shrink_the_next_trial() {
    let link = Link { jitter: |_| Span::from_us(400), ..Link::default() };
    let method = Method { rounds: 41, ..method(&[1], 120, 1e-6, 1) };
    let (outcome, _) = watched(&mut VirtualBench::new(link, 1), &method);
    // After ten rounds the cost of a message is known well.
    let taken = outcome.series.points[0].rounds[10..].iter().map(|round| round.samples + round.warmup);
    let (least, most) = (taken.clone().min().expect("rounds"), taken.max().expect("rounds"));
    assert!(most <= 3 * least, "from {least} to {most} samples a trial");
}
