//! Which number a station has, and at which port it is, decides nothing.

use linerate_core::units::{Span, Time};
use linerate_sim::ethernet::topology::{Buffer, Relay, SwitchParameters, Topology, Wire};
use linerate_sim::fabric::Fabric as _;
use linerate_sim::frame::Port;
use rstest::rstest;

use super::harness::{Bench, GIGABIT, MEGABIT_100, to};

/// Size of the frames that each role sends to the next. Unit: bytes.
const SIZES: [u64; 5] = [64, 400, 512, 1000, 1518];

/// How many frames of each role arrive, if role r is played by station `players[r]`.
fn arrivals(relay: Relay, players: [u32; 5]) -> Vec<usize> {
    let wire = Wire::full(GIGABIT, Span::from_ns(50));
    let mut bench = Bench::new(&Topology::star(5, relay, wire));
    for (role, bytes) in SIZES.iter().enumerate() {
        bench.saturate(players[role], to(players[(role + 1) % 5]), *bytes);
    }
    bench.run_for(Span::from_ms(5));
    let warm = Time::from_ps(1_000_000_000);
    let of = |player: &u32| {
        let arrivals = bench.stations.arrivals.iter().filter(|arrival| arrival.at > warm);
        arrivals.filter(|arrival| arrival.frame.source.0 == *player).count()
    };
    players.iter().map(of).collect()
}

#[rstest]
#[case(Relay::Switch(SwitchParameters::plain(1 << 20)))]
#[case(Relay::Distributor(Buffer::without_watermarks(1 << 20)))]
fn a_role_gets_as_much_whoever_plays_it(#[case] relay: Relay) {
    let first = arrivals(relay, [0, 1, 2, 3, 4]);
    assert!(first.iter().all(|count| *count > 100), "{first:?}");
    for players in [[4, 3, 2, 1, 0], [2, 0, 4, 1, 3]] {
        let other = arrivals(relay, players);
        // Of those on the way at either end of the window there may be one more or less.
        assert!(first.iter().zip(&other).all(|(a, b)| a.abs_diff(*b) <= 1), "{first:?} and {other:?}");
    }
}

/// Frames that all stations of a hub send together, if its legs are so long. Unit: frames.
fn sent_on_hub(legs: [u64; 6]) -> f64 {
    let sent = |seed| {
        let mut topology = Topology::new();
        let hub = topology.add_relay("hub 0", Relay::Hub { delay: Span::from_ns(400) });
        for leg in legs {
            topology.attach_stations(1, hub, Wire::half(MEGABIT_100, Span::from_ns(leg)));
        }
        let mut bench = Bench::with_seed(&topology, seed);
        for from in 0..6 {
            bench.saturate(from, to((from + 1) % 6), 64);
        }
        bench.run_for(Span::from_ms(100));
        (0..6).map(|port| bench.network.counters(Port(port)).sent as f64).sum::<f64>()
    };
    [1, 2].into_iter().map(sent).sum::<f64>() / 2.0
}

#[test]
fn on_a_hub_the_order_of_the_stations_decides_nothing() {
    let first = sent_on_hub([10, 110, 210, 310, 410, 510]);
    let second = sent_on_hub([410, 510, 310, 10, 110, 210]);
    assert!((first / second - 1.0).abs() < 0.01, "{first} and {second} frames");
}
