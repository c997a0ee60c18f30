//! The full-duplex repeater.

use linerate_core::units::{Span, Time};
use linerate_sim::ethernet::pause::{FlowControl, Headroom};
use linerate_sim::ethernet::topology::{Buffer, ReceiveSide, Relay, SwitchParameters, Topology, Wire};
use linerate_sim::fabric::{Fabric as _, Loss};
use linerate_sim::frame::{Destination, Port};
use linerate_sim::pace::Pace;
use proptest::prelude::*;
use rstest::rstest;

use super::harness::{Bench, GIGABIT, Poisson, data, period, to};

const ROOM: Buffer = Buffer::without_watermarks(1 << 20);
/// A station, and the repeater that may stop it and is never stopped.
const ASYMMETRIC: [FlowControl; 2] = [FlowControl::OBEYS, FlowControl::SENDS];
const SYMMETRIC: [FlowControl; 2] = [FlowControl::BOTH; 2];

fn wire() -> Wire {
    Wire::full(GIGABIT, Span::from_ns(50))
}

fn star(stations: usize) -> Bench {
    Bench::new(&Topology::star(stations, Relay::Distributor(ROOM), wire()))
}

#[rstest]
fn all_ports_together_get_one_line_whatever_the_size(
    #[values(64, 65, 128, 511, 512, 1000, 1518, 9018)] bytes: u64,
    #[values(2, 4, 7)] stations: u32,
) {
    let mut bench = star(stations as usize);
    for station in 0..stations {
        bench.saturate(station, to((station + 1) % stations), bytes);
    }
    bench.run_for(Span::from_ms(1));
    let warm = Time::from_ps(100_000_000);
    let times: Vec<Time> =
        bench.stations.arrivals.iter().map(|arrival| arrival.at).filter(|at| *at > warm).collect();
    assert!(times.len() > 10);
    // L / (L + 20) of the rate, exactly: one frame for each frame time of the one medium.
    assert!(times.windows(2).all(|pair| pair[1].since(pair[0]) == period(bytes)));
}

#[test]
fn every_station_sees_every_frame_and_takes_its_own() {
    let mut bench = star(4);
    for number in 0..10 {
        bench.offer(Time::from_ps(number), 0, to(2), 100);
    }
    bench.offer(Time::from_ps(20), 3, Destination::Everyone, 100);
    bench.run();
    assert_eq!(bench.stations.seen, 3 * 11, "by three stations each");
    assert_eq!(bench.stations.arrivals.len(), 10 + 3);
    let received: Vec<u64> = (0..4).map(|port| bench.network.counters(Port(port)).received).collect();
    assert_eq!(received, [1, 1, 11, 0]);
}

#[test]
fn turns_are_by_frames_so_bytes_go_by_size() {
    let mut bench = star(3);
    bench.saturate(0, to(2), 64);
    bench.saturate(1, to(2), 1518);
    bench.run_for(Span::from_ms(20));
    let warm = Time::from_ps(1_000_000_000);
    let small = bench.rate(warm, |arrival| arrival.frame.source.0 == 0);
    let all = bench.rate(warm, |_| true);
    let share = small / all;
    assert!((share - 64.0 / (64.0 + 1518.0)).abs() < 1e-3, "{share}");
    assert!((all - (64.0 + 1518.0) / (84.0 + 1538.0)).abs() < 1e-3, "{all}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Also with others that come and go.
    #[test]
    fn between_two_turns_of_a_backlogged_port_every_other_has_at_most_one(
        sizes in prop::collection::vec(64..1519_u64, 2..5),
        others in 0..4_u32,
        seed in any::<u64>(),
    ) {
        let backlogged = sizes.len() as u32;
        let listener = backlogged + others;
        let topology = Topology::star(listener as usize + 1, Relay::Distributor(ROOM), wire());
        let mut bench = Bench::with_seed(&topology, seed);
        for (from, bytes) in sizes.iter().enumerate() {
            bench.saturate(from as u32, to(listener), *bytes);
        }
        for from in backlogged..listener {
            let mean = Span::from_us(20);
            let poisson = Poisson { destination: to(listener), mean, size: |_| data(500), left: 60 };
            bench.offer_at_random(from, poisson);
        }
        bench.run_for(Span::from_ms(1));
        let warm = Time::from_ps(60_000_000);
        let turns: Vec<u32> = bench.arrivals_at(listener, warm).map(|arrival| arrival.frame.source.0).collect();
        for port in 0..backlogged {
            for gap in turns.split(|turn| *turn == port).skip(1) {
                let mut seen: Vec<u32> = gap.to_vec();
                seen.sort_unstable();
                seen.dedup();
                prop_assert_eq!(seen.len(), gap.len(), "{:?} between two turns of {}", gap, port);
            }
        }
        prop_assert!(turns.len() > 50);
    }
}

#[test]
fn frames_that_arrive_together_are_taken_in_the_order_of_the_ports() {
    let mut bench = star(5);
    for from in [3, 0, 2, 1] {
        bench.offer(Time::ZERO, from, to(4), 64);
    }
    bench.run();
    let order: Vec<u32> = bench.stations.arrivals.iter().map(|arrival| arrival.frame.source.0).collect();
    assert_eq!(order, [0, 1, 2, 3]);
}

/// Stations that always send frames of `bytes` round a repeater, through cables of `delay`.
fn loaded(stations: u32, bytes: u64, delay: Span, buffer: Buffer, flow: [FlowControl; 2]) -> Bench {
    let wire = Wire::full(GIGABIT, delay).with_flow(flow);
    let topology = Topology::star(stations as usize, Relay::Distributor(buffer), wire);
    let mut bench = Bench::new(&topology);
    for station in 0..stations {
        bench.saturate(station, to((station + 1) % stations), bytes);
        bench.saturate(station, to((station + 1) % stations), 1518);
    }
    bench.run_for(Span::from_ms(4));
    bench
}

#[rstest]
fn with_headroom_and_pause_nothing_is_lost_and_the_medium_is_used(
    #[values(2, 5)] stations: u32,
    #[values(64, 1000, 1518)] bytes: u64,
    #[values(2, 550, 5_000)] metres: u64,
) {
    let delay = Span::from_ps(metres * 5_000);
    let headroom = Headroom::at_reaction_limit(1518, GIGABIT, delay);
    let high = 30_360;
    // The low watermark leaves the medium enough to do until a resumed station's frames are here.
    let buffer = Buffer::new(high + headroom.bytes_by_frame(), high, 15_180);
    let bench = loaded(stations, bytes, delay, buffer, ASYMMETRIC);
    assert_eq!(bench.stations.losses, []);
    let peaks = (0..stations).map(|port| bench.queue(&format!("distributor 0 port {port} in")).peak);
    let peak = peaks.max().unwrap_or_default();
    assert!(peak > high, "the watermark is reached: {peak}");
    let share = bench.rate(Time::from_ps(1_000_000_000), |_| true);
    let [a, b] = [bytes as f64, 1518.0];
    // One frame more or less in the window is 0.004.
    let most = (a + b) / (a + b + 40.0);
    assert!(share <= most + 5e-3 && share > 0.97 * most, "{share} of at most {most}");
}

#[test]
fn without_pause_the_same_load_overflows() {
    let buffer = Buffer::new(40_000, 30_360, 15_180);
    let bench = loaded(5, 1518, Span::from_ns(10), buffer, [FlowControl::NONE; 2]);
    assert!(bench.stations.losses.len() > 100);
    assert!(bench.stations.losses.iter().all(|(_, loss)| *loss == Loss::Overflow));
    let overflows: u64 =
        (0..5).map(|port| bench.queue(&format!("distributor 0 port {port} in")).overflow).sum();
    assert_eq!(bench.stations.losses.len() as u64, overflows);
}

#[test]
fn with_too_little_headroom_pause_comes_too_late() {
    let buffer = Buffer::new(30_360 + 1518, 30_360, 15_180);
    let bench = loaded(5, 1518, Span::from_us(25), buffer, ASYMMETRIC);
    assert!(!bench.stations.losses.is_empty());
}

/// Station 2 takes 10 Mb/s. Station 3 sends to it, and station 0 to station 1.
fn slow_receiver(flow: [FlowControl; 2]) -> Bench {
    let relay = Relay::Distributor(Buffer::new(100_000, 60_000, 20_000));
    let mut topology = Topology::star(4, relay, wire().with_flow(flow));
    let buffer = Buffer::new(100_000, 60_000, 20_000);
    let drain = Pace::of_bits_per_second(10_000_000);
    topology.stations[2].receive = Some(ReceiveSide { buffer, drain });
    let mut bench = Bench::new(&topology);
    bench.saturate(0, to(1), 1000);
    bench.saturate(3, to(2), 1000);
    bench.run_for(Span::from_ms(300));
    bench
}

#[test]
fn a_slow_receiver_that_may_pause_the_repeater_jams_everyone() {
    let bench = slow_receiver(SYMMETRIC);
    let warm = Time::from_ps(100_000_000_000);
    let bystander = bench.rate(warm, |arrival| arrival.station == 1);
    let slow = bench.rate(warm, |arrival| arrival.station == 2);
    assert!((slow - 0.01).abs() < 5e-4, "{slow}");
    // They take turns, so the bystander gets as many frames as the slow one, in bursts.
    assert!((0.005..0.02).contains(&bystander), "{bystander}");
    assert_eq!(bench.stations.losses, []);
    assert!(bench.network.relay_counters(0, 2).paused > Span::from_ms(100));
}

#[test]
fn a_repeater_that_is_never_paused_jams_nobody() {
    let bench = slow_receiver(ASYMMETRIC);
    let warm = Time::from_ps(100_000_000_000);
    let bystander = bench.rate(warm, |arrival| arrival.station == 1);
    assert!((bystander - 0.5 * 1000.0 / 1020.0).abs() < 0.005, "{bystander}");
    // The slow one loses what it cannot take.
    assert!(bench.queue("station 2 receive").overflow > 1_000);
    assert!(bench.stations.losses.iter().all(|(frame, _)| frame.destination == to(2)));
    assert_eq!(bench.network.relay_counters(0, 2).paused, Span::ZERO);
}

#[test]
fn a_turn_that_waits_for_a_line_is_not_passed_on() {
    let relay = Relay::Distributor(ROOM);
    let mut topology = Topology::star(4, relay, wire().with_flow(SYMMETRIC));
    let buffer = Buffer::new(4_000, 1_000, 100);
    let drain = Pace::of_bits_per_second(10_000_000);
    topology.stations[2].receive = Some(ReceiveSide { buffer, drain });
    let mut bench = Bench::new(&topology);
    // After this frame, which had the turn of port 1, station 2 stops the repeater for 1.2 ms.
    bench.offer(Time::ZERO, 1, to(2), 1500);
    let at = |microseconds| Time::ZERO + Span::from_us(microseconds);
    bench.offer(at(100), 3, to(0), 64);
    // Port 2 is nearer to port 1 than port 3 is, and its frame does not need the line to 2.
    bench.offer(at(200), 2, to(0), 64);
    bench.run();
    let order: Vec<u32> = bench.arrivals_at(0, Time::ZERO).map(|arrival| arrival.frame.source.0).collect();
    assert_eq!(order, [3, 2]);
    assert!(bench.arrivals_at(0, Time::ZERO).all(|arrival| arrival.at > at(1_200)));
}

/// Two repeaters in a row, with stations that always send to the other side.
fn two_repeaters(trunk: [FlowControl; 2]) -> Bench {
    let relay = Relay::Distributor(Buffer::new(100_000, 60_000, 20_000));
    let edge = wire().with_flow(ASYMMETRIC);
    let mut bench = Bench::new(&Topology::line(2, 2, relay, edge, wire().with_flow(trunk)));
    for (from, destination) in [(0, 2), (1, 3), (2, 0), (3, 1)] {
        bench.saturate(from, to(destination), 1518);
    }
    bench
}

#[test]
fn two_repeaters_that_pause_each_other_stand_still_for_ever() {
    let mut bench = two_repeaters(SYMMETRIC);
    bench.run_for(Span::from_ms(100));
    let arrived = bench.stations.arrivals.len();
    assert!(arrived > 0);
    bench.run_for(Span::from_ms(400));
    assert_eq!(bench.stations.arrivals.len(), arrived, "PAUSE is sent anew before it runs out");
    assert!(bench.network.held() > 0);
}

#[test]
fn two_repeaters_that_do_not_pause_each_other_go_on_and_lose_frames() {
    let mut bench = two_repeaters([FlowControl::NONE; 2]);
    bench.run_for(Span::from_ms(10));
    let since = bench.kernel.now();
    bench.run_for(Span::from_ms(10));
    assert!(bench.rate(since, |_| true) > 0.3);
    assert!(!bench.stations.losses.is_empty());
}

/// A short frame to a free station behind ten long ones to a busy one, all from station 0: how
/// many frames arrive from the first of the ten until the short one does.
fn behind_long_frames(relay: Relay) -> usize {
    let mut bench = Bench::new(&Topology::star(4, relay, wire()));
    // Everyone is known, if somebody learns.
    for station in 0..4 {
        bench.offer(Time::ZERO, station, Destination::Everyone, 64);
    }
    bench.run();
    bench.stations.arrivals.clear();
    bench.saturate(3, to(1), 1518);
    let now = bench.kernel.now();
    for _ in 0..10 {
        bench.offer(now + Span::from_us(500), 0, to(1), 1518);
    }
    bench.offer(now + Span::from_us(500), 0, to(2), 64);
    bench.run_for(Span::from_ms(1));
    let short = bench.arrivals_at(2, now).next().expect("it arrived").at;
    let from_first = bench.arrivals_at(1, now).skip_while(|arrival| arrival.frame.source.0 != 0);
    from_first.filter(|arrival| arrival.at < short).count()
}

#[test]
fn a_frame_waits_behind_those_that_came_by_its_port_for_others() {
    // Station 3 has a turn after each of the ten.
    assert_eq!(behind_long_frames(Relay::Distributor(ROOM)), 2 * 10);
    let switch = behind_long_frames(Relay::Switch(SwitchParameters::plain(1 << 20)));
    assert!(switch < 2 * 10, "a switch has a queue for each way out: {switch}");
}

#[test]
fn pause_is_sent_anew_while_the_buffer_stays_above_its_low_mark() {
    let mut topology = Topology::direct(wire().with_flow([FlowControl::OBEYS, FlowControl::SENDS]));
    let buffer = Buffer::new(100_000, 60_000, 10_000);
    // 50,000 bytes at 1 Mb/s take 0.4 s, twelve times what one PAUSE asks for.
    topology.stations[1].receive = Some(ReceiveSide { buffer, drain: Pace::of_bits_per_second(1_000_000) });
    let mut bench = Bench::new(&topology);
    bench.saturate(0, to(1), 1518);
    bench.run_for(Span::from_ms(380));
    assert_eq!(bench.stations.losses, []);
    let sent = bench.network.counters(Port(0)).sent;
    assert!(sent < 50, "{sent}: only what the buffer held before the first PAUSE");
    let pauses = bench.network.counters(Port(1)).pause_sent;
    assert!((20..25).contains(&pauses), "{pauses}: one for each half of the longest PAUSE");
    bench.run_for(Span::from_ms(50));
    assert!(bench.network.counters(Port(0)).sent > sent, "and then it goes on");
}
