//! The laws of throughput under loss, and of sharing.

use linerate_core::units::{Size, Span, Time};
use linerate_sim::tcp::Settings;
use rstest::rstest;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

use super::path::{Chance, Way};
use super::settings::{self, Recovery};
use super::task::{Step, writer};
use super::world::{CLIENT, Flow, SERVER, World};

/// Segments of this size keep the test quick. Unit: bytes.
const MSS: u64 = 200;

/// A TCP for the laws: slow start ends at `threshold` segments, near the window that the law gives, and no
/// timer interferes.
fn lawful(settings: Settings, threshold: f64) -> Settings {
    let mut settings = Settings { mss: Some(MSS as u32), ..settings };
    settings.rules.congestion.initial_threshold = Some(Size(threshold as u64 * MSS));
    settings.rules.timers.rto_least = Span::from_ms(10_000);
    settings
}

/// Segments a round trip when every `period`-th is lost, over `cycles` of them after a few first.
fn rate_under_loss(settings: &Settings, delay: Span, period: u64, cycles: u64) -> f64 {
    let way = Way::new(100_000_000_000, delay);
    let mut world = World::pair([settings, settings], [way.clone().drop_every(period), way]);
    let [warm, bytes] = [3, cycles].map(|cycles| cycles * period * MSS);
    world.task(CLIENT, writer(1, warm + bytes)).task(SERVER, vec![Step::Read(warm), Step::Read(bytes)]);
    world.run(Span::from_ms(100_000_000));
    let done = world.done(SERVER);
    let round_trips = done[1].since(done[0]).as_seconds() / (2.0 * delay.as_seconds());
    assert_eq!(world.client().counters().timeouts, 0, "fast retransmit repairs every loss of {period}");
    (bytes / MSS) as f64 / round_trips
}

/// A line through the logarithms.
struct Fit {
    slope: f64,
    /// Half the 95 % interval of the slope.
    half: f64,
}

fn fit(points: &[(f64, f64)]) -> Fit {
    let points: Vec<_> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (mean_x, mean_y) = (mean(|point| point.0), mean(|point| point.1));
    let sum_xx: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let sum_xy: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let slope = sum_xy / sum_xx;
    let left = points.iter().map(|(x, y)| (y - mean_y - slope * (x - mean_x)).powi(2)).sum::<f64>();
    let student = StudentsT::new(0.0, 1.0, count - 2.0).expect("there are more than two points");
    let half = student.inverse_cdf(0.975) * (left / (count - 2.0) / sum_xx).sqrt();
    Fit { slope, half }
}

/// Mathis et al. 1997, equation 3: MSS/RTT * sqrt(3/2) / sqrt(p) for losses at equal distances and every
/// segment acknowledged.
#[test]
fn reno_goes_with_the_square_root_of_loss() {
    let points = [800, 1600, 3200, 6400, 12_800].map(|period: u64| {
        let half_window = (2.0 * period as f64 / 3.0).sqrt();
        let settings = lawful(settings::textbook(Recovery::Sack), half_window);
        (1.0 / period as f64, rate_under_loss(&settings, Span::from_ms(50), period, 4))
    });
    let Fit { slope, half } = fit(&points);
    assert!((slope + 0.5).abs() <= half, "exponent {slope} +- {half}: {points:?}");
    assert!(half < 0.05, "the interval says something: {half}");
    for (loss, rate) in &points {
        let constant = rate * loss.sqrt();
        assert!((1.1..1.3).contains(&constant), "1.22, less what recovery takes: {constant} at {loss}");
    }
}

/// RFC 9438, 5.1, equation 6: AVG_W = (C (3 + beta) / (4 (1 - beta)))^(1/4) RTT^(3/4) / p^(3/4), where the
/// round trip is so long that Reno would have less.
#[test]
fn cubic_goes_with_the_three_quarter_power_of_loss() {
    let average = |loss: f64| (0.4_f64 * 3.7 / (4.0 * 0.3)).powf(0.25) * (0.8 / loss).powf(0.75);
    let points = [200, 400, 800, 1600, 3200].map(|period: u64| {
        let loss = 1.0 / period as f64;
        let settings = settings::cubic(settings::textbook(Recovery::Sack));
        let settings = lawful(settings, 0.8 * average(loss));
        (loss, rate_under_loss(&settings, Span::from_ms(400), period, 8))
    });
    let Fit { slope, half } = fit(&points);
    assert!((slope + 0.75).abs() < 0.05, "exponent {slope} +- {half}: {points:?}");
    for (loss, rate) in points {
        let share = rate / average(loss);
        assert!((0.8..1.2).contains(&share), "{share} of what the RFC has at {loss}");
    }
}

/// Jain, Chiu and Hawe 1984: (sum x)^2 / (n sum x^2), 1 if all have the same.
fn jain(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    sum.powi(2) / (shares.len() as f64 * shares.iter().map(|share| share.powi(2)).sum::<f64>())
}

/// What each of four flows through one queue had in 40 s after the first 10, and the share of the line
/// that they had together. They begin one after the other, and each has `extra` more of a round trip
/// than the one before.
fn shares(settings: &Settings, extra: Span, jitter: Span) -> (Vec<f64>, f64) {
    const RATE: u64 = 10_000_000;
    let flows = (0..4).map(|flow| Flow {
        client: settings.clone(),
        server: settings.clone(),
        start: Time::ZERO + Span::from_ms(137 * flow),
        extra: extra * flow / 2,
    });
    let way = Way::new(RATE, Span::from_ms(10));
    let back = way.clone().chance(Chance { jitter, seed: 1, ..Chance::default() });
    let mut world = World::new(flows.collect(), [way.queue(40), back]);
    for flow in 0..4 {
        world.task(2 * flow, vec![Step::Write(1 << 32)]).task(2 * flow + 1, vec![Step::Read(1 << 32)]);
    }
    let taken = |world: &World| -> Vec<f64> {
        world.ends.iter().skip(1).step_by(2).map(|end| end.taken as f64).collect()
    };
    world.run_while(Span::from_ms(10_000), |_| true);
    let before = taken(&world);
    world.run_while(Span::from_ms(50_000), |_| true);
    world.check_bytes();
    let shares: Vec<f64> = taken(&world).iter().zip(before).map(|(after, before)| after - before).collect();
    let used = shares.iter().sum::<f64>() * 8.0 / (40.0 * RATE as f64);
    (shares, used)
}

/// Flows that differ in when they begin, or a little in their round trips, share a queue about evenly and
/// fill the line but for headers. The noise on the way back is more than a segment's 1.23 ms: without
/// it the phases of the flows decide who finds the queue full (Floyd and Jacobson 1992), and where round
/// trips differ, those that grow first lose first.
#[rstest]
#[case(Span::ZERO, Span::from_ms(2))]
#[case(Span::from_us(1_400), Span::from_ms(10))]
fn equal_flows_share_a_queue_fairly(
    #[case] extra: Span,
    #[case] jitter: Span,
    #[values(false, true)] is_cubic: bool,
) {
    let mut settings = settings::textbook(Recovery::Sack);
    if is_cubic {
        settings = settings::cubic(settings);
    }
    settings.rules.congestion.initial_threshold = Some(Size(20 * 1460));
    settings.rules.timers.rto_least = Span::from_ms(200);
    let (shares, used) = shares(&settings, extra, jitter);
    assert!(jain(&shares) > 0.9, "{}: {shares:?}", jain(&shares));
    assert!(used > 0.9 && used < 1460.0 / 1538.0 + 1e-3, "{used} of the line");
}
