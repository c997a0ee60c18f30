//! Waiting at a switch's output, against the closed forms of queueing theory.
//!
//! Sixteen stations at 100 Gb/s send at random times to one at 1 Gb/s, so that what arrives at the
//! queue is a Poisson process but for a hundredth of a frame time.

use linerate_core::units::{Span, Time};
use linerate_sim::ethernet::parameters::frame_bytes;
use linerate_sim::ethernet::topology::{Relay, SwitchParameters, Topology, Wire};
use linerate_sim::frame::Destination;
use linerate_sim::pace::Pace;
use rand::Rng as _;
use rand_pcg::Pcg64;
use rstest::rstest;

use super::harness::{Bench, GIGABIT, Poisson, data, period, to};

const SOURCES: u32 = 16;
const FAST: Pace = Pace::of_bits_per_second(100_000_000_000);

/// The mean wait in the queue, and its level times time in byte seconds, for `frames` frames whose
/// mean time on the slow line, gap included, is `service`.
fn mean_wait(load: f64, service: Span, size: fn(&mut Pcg64) -> u32, frames: u32) -> (Span, f64) {
    let mut topology = Topology::new();
    let switch = topology.add_relay("switch 0", Relay::Switch(SwitchParameters::plain(u64::MAX)));
    topology.attach_stations(SOURCES as usize, switch, Wire::full(FAST, Span::ZERO));
    topology.attach_stations(1, switch, Wire::full(GIGABIT, Span::ZERO));
    let mut bench = Bench::with_seed(&topology, 7);
    bench.offer(Time::ZERO, SOURCES, Destination::Everyone, 64);
    bench.run();
    bench.stations.arrivals.clear();
    let mean = Span::from_ps((service.as_ps() as f64 * f64::from(SOURCES) / load) as u64);
    for from in 0..SOURCES {
        let poisson = Poisson { destination: to(SOURCES), mean, size, left: frames / SOURCES };
        bench.offer_at_random(from, poisson);
    }
    bench.run();
    let waits = bench.stations.arrivals.iter().map(|arrival| {
        let bits = (frame_bytes(arrival.frame.data_bytes) + 8) * 8;
        arrival.at.since(arrival.frame.offered).as_ps() - (FAST.span(bits) + GIGABIT.span(bits)).as_ps()
    });
    let wait = Span::from_ps(waits.sum::<u64>() / bench.stations.arrivals.len() as u64);
    (wait, bench.queue("switch 0 port 16 out").mean * bench.kernel.now().since(Time::ZERO).as_seconds())
}

#[rstest]
#[case(0.3, 64_000)]
#[case(0.5, 96_000)]
#[case(0.8, 300_000)]
fn frames_of_one_size_wait_as_in_m_d_1(#[case] load: f64, #[case] frames: u32) {
    let service = period(1000);
    let (wait, area) = mean_wait(load, service, |_| data(1000), frames);
    let expected = load / (2.0 * (1.0 - load)) * service.as_seconds();
    let error = wait.as_seconds() / expected - 1.0;
    assert!(error.abs() < 0.03, "{error} off {expected} s");
    // Little's law: the level over time is the waits of all frames.
    let little = wait.as_seconds() * f64::from(frames) * 1000.0;
    assert!((area / little - 1.0).abs() < 0.005, "{area} and {little} byte seconds");
}

#[rstest]
#[case(0.3, 60_000)]
#[case(0.6, 150_000)]
fn frames_of_exponential_sizes_wait_as_in_m_m_1(#[case] load: f64, #[case] frames: u32) {
    // Mean 10,000 bytes with preamble and gap; what would be shorter than the shortest frame,
    // less than one in a hundred, is as long.
    let size = |random: &mut Pcg64| {
        let uniform = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        (-(1.0 - uniform).ln() * 10_000.0).max(84.0) as u32 - 38
    };
    let service = GIGABIT.span(10_000 * 8);
    let (wait, _) = mean_wait(load, service, size, frames);
    let expected = load / (1.0 - load) * service.as_seconds();
    let error = wait.as_seconds() / expected - 1.0;
    assert!(error.abs() < 0.05, "{error} off {expected} s");
}
