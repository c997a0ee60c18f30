//! The time of a measurement is a bound, also on a path that is at first faster than it is.

use linerate_analysis::assessment::assess;
use linerate_core::bench::{Bench, RunError};
use linerate_core::caution::Caution;
use linerate_core::measure::{Ended, Outcome, measure};
use linerate_core::pattern::Pattern;
use linerate_core::run::{Run, Source};
use linerate_core::trial::{Sample, Tally, Trial};
use linerate_core::units::Span;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rstest::rstest;

use super::campaign::netpipe;
use crate::support::watch::{Recorder, method};

/// A token bucket of `burst` bytes before a link. All that is in the bucket passes at 10 Gb/s. Every
/// trial ends, if need be at the limit, and takes 0.2 ms besides.
struct Bucket {
    bytes_per_second: f64,
    burst: f64,
    tokens: f64,
    elapsed: f64,
    limit: f64,
}

impl Bucket {
    const WIRE: f64 = 1.25e9;

    fn new(bits_per_second: f64, burst: f64, limit: f64) -> Self {
        Self { bytes_per_second: bits_per_second / 8.0, burst, tokens: burst, elapsed: 0.0, limit }
    }

    fn pass(&mut self, bytes: f64) -> f64 {
        let at_once = bytes.min(self.tokens);
        self.tokens -= at_once;
        at_once / Self::WIRE + (bytes - at_once) / self.bytes_per_second
    }

    fn idle(&mut self, seconds: f64) {
        self.tokens = (self.tokens + seconds * self.bytes_per_second).min(self.burst);
        self.elapsed += seconds;
    }
}

impl Bench for Bucket {
    fn run(&mut self, trial: &Trial) -> Result<Sample, RunError> {
        let began = self.elapsed;
        self.idle(2e-4);
        let size = trial.size as f64;
        self.elapsed += self.pass(size * trial.untimed() as f64);
        let mut times = Vec::new();
        for _ in 0..trial.samples {
            let took = self.pass(size * f64::from(trial.batch) * trial.pattern.legs() as f64);
            self.elapsed += took;
            times.push(trial.per_message(Span::from_seconds(took)));
            if self.elapsed > self.limit {
                let after = Span::from_seconds(self.limit - began);
                self.elapsed = self.limit;
                return Err(RunError::Late { size: trial.size, after });
            }
        }
        Ok(Sample {
            times,
            tally: Tally::default(),
            kept_up: true,
            spent: Span::from_seconds(self.elapsed - began),
            effort: None,
        })
    }

    fn elapsed(&self) -> Option<Span> {
        Some(Span::from_seconds(self.elapsed))
    }
}

fn measured(pattern: Pattern, rate: f64, burst: f64, seconds: u64) -> (Outcome, f64) {
    let mut bench = Bucket::new(rate, burst, seconds as f64 * 1.05);
    let mut method = method(&netpipe(10_000_000), seconds * 1_000, 0.02, 1);
    method.pattern = pattern;
    let outcome = measure(&mut bench, &method, &mut Recorder::default());
    (outcome, bench.elapsed / seconds as f64)
}

#[rstest]
fn no_rate_and_no_burst_makes_a_run_longer_than_its_time(
    #[values(Pattern::PingPong, Pattern::OneWay)] pattern: Pattern,
    #[values(64e3, 1e6, 10e6, 100e6)] rate: f64,
    #[values(0.0, 32e3, 256e3, 1e6)] burst: f64,
    #[values(1, 5, 20)] seconds: u64,
) {
    let (outcome, part) = measured(pattern, rate, burst, seconds);
    assert!(matches!(outcome.ended, Ended::Complete));
    assert!(part <= 1.05, "{part} of the time");
    let series = outcome.series;
    // All sizes up to one of them have a time, and no other has.
    let mut points: Vec<_> = series.points.iter().map(|point| (point.size, point.rounds.len())).collect();
    points.sort_unstable();
    // The reference is measured before all others, if messages overlap.
    if let Some(alone) = points.iter().rposition(|(_, rounds)| *rounds > 0)
        && pattern == Pattern::OneWay
        && alone > 0
        && points[alone - 1].1 == 0
    {
        points[alone].1 = 0;
    }
    let timed = points.iter().take_while(|(_, rounds)| *rounds > 0).count();
    // What is more than a second of the rate and fits the burst takes all of the time, once it does not.
    let hopeless = series.late.is_some() && burst / (rate / 8.0) > 4.0 * seconds as f64;
    assert!(timed > 0 || hopeless, "nothing was timed");
    assert!(points[timed..].iter().all(|(_, rounds)| *rounds == 0), "{points:?}");
    assert_eq!(series.needed.is_some() || hopeless, timed < points.len(), "{:?}", series.needed);
}

/// When it was said how much time is needed, and how much.
#[derive(Default)]
struct Heard(Option<(Span, Span)>, Span);
impl linerate_core::measure::Watch for Heard {
    fn trial_done(&mut self, progress: &linerate_core::measure::Progress) -> std::ops::ControlFlow<()> {
        self.1 = progress.spent;
        std::ops::ControlFlow::Continue(())
    }
    fn round_done(&mut self, _: &mut linerate_core::series::Series) {}
    fn short_of_time(&mut self, needed: Span, _: Span) {
        self.0.get_or_insert((needed, self.1));
    }
}

#[test]
fn a_lack_of_time_is_said_early_with_the_time_that_is_needed() {
    let mut heard = Heard::default();
    let mut method = method(&netpipe(10_000_000), 20_000, 0.02, 1);
    method.pattern = Pattern::OneWay;
    let sizes: u64 = method.sizes.iter().sum();
    measure(&mut Bucket::new(10e6, 0.0, 21.0), &method, &mut heard);
    let (needed, when) = heard.0.expect("it was said");
    // An opening message and one more, and later an opening message and four more, at 1.25 MB/s.
    let expected = sizes as f64 * 7.0 / 1.25e6;
    assert!((needed.as_seconds() / expected - 1.0).abs() < 0.02, "{needed} is not {expected} s");
    assert!(when < Span::from_ms(3_000), "{when}");
}

/// A bucket so far away that each message and each agreement takes this long.
struct Far(Bucket, Span);

impl Bench for Far {
    fn run(&mut self, trial: &Trial) -> Result<Sample, RunError> {
        let far = self.1.as_seconds() * (1.0 + trial.messages() as f64);
        self.0.idle(far);
        let sample = self.0.run(trial)?;
        let times = sample.times.iter().map(|time| *time + self.1 / 2).collect();
        Ok(Sample { times, spent: sample.spent + Span::from_seconds(far), ..sample })
    }

    fn elapsed(&self) -> Option<Span> {
        self.0.elapsed()
    }

    fn round_trip(&self) -> Span {
        self.1
    }
}

#[test]
fn a_long_round_trip_is_in_the_time_that_is_needed_from_the_first_message_on() {
    let (mut heard, round_trip) = (Heard::default(), Span::from_ms(1_000));
    let method = method(&netpipe(10_000_000), 20_000, 0.02, 1);
    measure(&mut Far(Bucket::new(10e6, 0.0, 21.0), round_trip), &method, &mut heard);
    let (needed, when) = heard.0.expect("it was said");
    assert!(needed >= round_trip * method.sizes.len() as u64, "{needed}");
    assert!(when <= round_trip * 4, "{when}");
}

/// Draws far paths and times: where nothing shows what the path sustains, the time that is named for it is enough.
#[test]
fn the_time_that_is_named_for_what_a_path_sustains_is_enough() {
    let seed = u64::from(std::process::id());
    println!("seed {seed}");
    let mut random = Pcg64::seed_from_u64(seed);
    let mut named = 0;
    while named < 8 {
        let (rate, far) = (10_f64.powf(random.random_range(6.0..9.0)), random.random_range(1..150));
        let look = |ms: u64| {
            let (curve, look) = method(&netpipe(100_000), ms, 0.02, 1).and_sustained();
            let look = look.expect("it is a ping-pong");
            let mut bench = Far(Bucket::new(rate, 16e3, 1e9), Span::from_ms(far));
            let round_trips = measure(&mut bench, &curve, &mut Recorder::default()).series;
            let best = look.clone().at_best_size(&round_trips);
            let found = measure(&mut bench, &best, &mut Recorder::default()).series;
            let found = (look.time > Span::ZERO).then_some(&found);
            let rate = found.and_then(|series| series.points[0].throughput());
            (rate, look.time_for_sustained(&mut bench, found))
        };
        let ms = random.random_range(300..20_000);
        let (None, Some(time)) = look(ms) else { continue };
        named += 1;
        let (found, _) = look(time.as_ps() / 1_000_000_000);
        assert!(found.is_some(), "{rate:.0} bit/s, {far} ms, {ms} ms: {time} was not enough");
    }
}

#[test]
fn a_trial_that_was_ended_is_named_and_not_counted() {
    // Two small sizes never leave the bucket while their cost is learnt; 1 MiB then takes two minutes.
    let mut bench = Bucket::new(64e3, 40e6, 5.2);
    let mut method = method(&[1 << 20], 5_000, 0.02, 1);
    method.pattern = Pattern::OneWay;
    let outcome = measure(&mut bench, &method, &mut Recorder::default());
    assert!(matches!(outcome.ended, Ended::Complete));
    let late = outcome.series.late.expect("a trial was ended");
    assert_eq!(late.size, 1 << 20);
    let plan = linerate_core::plan::Plan::default();
    let run = Run { series: vec![outcome.series], ..Run::new(Source::Measured, plan) };
    let caution = assess(&run).into_iter().find(|caution| matches!(caution, Caution::Late { .. }));
    let Some(Caution::Late { size, after }) = caution else { panic!("no caution") };
    assert_eq!((size, after), (late.size, late.after));
}

/// The time that a curve has, and what is measured after it on the same bench, in a tenth of that.
#[rstest]
#[case(10e6, 1e6, 20_000, 18_000, 2_000)]
#[case(100e6, 1e6, 60_000, 57_000, 3_000)]
#[case(100e6, 32e3, 5_000, 4_500, 500)]
#[case(100e6, 32e3, 2_000, 1_700, 300)]
#[case(1e6, 32e3, 5_000, 4_500, 500)]
fn after_round_trips_the_rate_that_is_sustained_is_known(
    #[case] rate: f64,
    #[case] burst: f64,
    #[case] ms: u64,
    #[case] of_curve: u64,
    #[case] after: u64,
) {
    let mut bench = Bucket::new(rate, burst, 1e9);
    let (curve, sustained) = method(&netpipe(10_000_000), ms, 0.02, 1).and_sustained();
    let sustained = sustained.expect("there is time");
    assert_eq!([curve.time, sustained.time], [of_curve, after].map(Span::from_ms));
    let round_trips = measure(&mut bench, &curve, &mut Recorder::default()).series;
    let sustained = sustained.at_best_size(&round_trips);
    assert!(
        sustained.sizes[0] as f64 * 8.0 * 20.0 < rate * after as f64 * 1e-3 * 2.0,
        "{:?}",
        sustained.sizes
    );
    let began = bench.elapsed;
    let outcome = measure(&mut bench, &sustained, &mut Recorder::default());
    assert!(bench.elapsed - began <= after as f64 * 1.04e-3 + 0.2, "{}", bench.elapsed - began);
    let point = &outcome.series.points[0];
    let found = point.throughput().expect("it was timed").bits_per_second();
    assert!((found / rate - 1.0).abs() < 0.01 && point.sustained(), "{found}");
}

#[test]
fn what_is_one_way_or_short_has_nothing_measured_after_it() {
    let of = |ms: u64| method(&netpipe(10_000_000), ms, 0.02, 1);
    let (curve, after) = of(899).and_sustained();
    let after = after.expect("it is known that it is lacking");
    assert_eq!([curve.time, after.time], [Span::from_ms(899), Span::ZERO]);
    let mut one_way = of(20_000);
    one_way.pattern = Pattern::OneWay;
    let (curve, after) = one_way.and_sustained();
    assert_eq!(curve.time, Span::from_ms(20_000));
    assert!(after.is_none());
}
