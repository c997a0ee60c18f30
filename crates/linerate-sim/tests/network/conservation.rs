//! Every frame comes to exactly one end for each of its addressees, whatever the network.

use std::collections::BTreeMap;

use linerate_core::units::{Span, Time};
use linerate_sim::ethernet::pause::FlowControl;
use linerate_sim::ethernet::phy::Duplex;
use linerate_sim::ethernet::topology::{
    Buffer, GigabitHalfDuplex, Node, ReceiveSide, Relay, Side, SwitchParameters, Topology, Wire,
};
use linerate_sim::fabric::Fabric as _;
use linerate_sim::frame::{Content, Destination, Station};
use linerate_sim::pace::Pace;
use proptest::prelude::*;

use super::harness::{Bench, GIGABIT, MEGABIT_100, to};

const FLOWS: [FlowControl; 4] =
    [FlowControl::NONE, FlowControl::SENDS, FlowControl::OBEYS, FlowControl::BOTH];

/// A number for each choice to be made.
type Choices = Vec<u32>;

fn buffer(choice: u32) -> Buffer {
    let capacity = 2_000 + u64::from(choice % 7) * 4_000;
    Buffer::new(capacity, capacity / 2, capacity / 4)
}

/// A cable that suits both of its ends, at the one rate of the network if there is a hub or a
/// repeater. Some are far too long for a collision domain.
fn wire(rate: Pace, kinds: [Option<&Relay>; 2], choice: u32) -> Wire {
    let is = |wanted: fn(&Relay) -> bool| kinds.iter().flatten().any(|kind| wanted(kind));
    let delay = Span::from_ns(u64::from(choice % 5) * if choice.is_multiple_of(7) { 20_000 } else { 100 });
    let hub = is(Relay::is_hub);
    let repeater = is(|kind| matches!(kind, Relay::Distributor(_)));
    if hub || (!repeater && choice.is_multiple_of(3)) {
        let mut wire = Wire::half(rate, delay);
        if !hub && choice.is_multiple_of(6) {
            wire.sides[(choice / 6 % 2) as usize] = Side::new(Duplex::Full);
        }
        return wire;
    }
    let flow = [choice / 4, choice / 16].map(|choice| FLOWS[choice as usize % 4]);
    let pace = if repeater || !choice.is_multiple_of(5) { rate } else { GIGABIT };
    Wire::full(pace, delay).with_flow(flow)
}

/// A random tree of relays with one to three stations at each, some of them slow.
fn network(rate: Pace, relays: &Choices, cables: &Choices) -> Topology {
    let mut topology = Topology::new();
    let mut cables = cables.iter().copied().cycle();
    let mut cable = move || cables.next().unwrap_or_default();
    for (number, choice) in relays.iter().enumerate() {
        let kind = match choice % 4 {
            0 => Relay::Hub { delay: Span::from_ns(u64::from(choice / 4)) },
            1 => Relay::Distributor(buffer(choice / 4)),
            _ => Relay::Switch(SwitchParameters {
                latency: Span::from_ns(u64::from(choice / 4 % 3) * 700),
                output_bytes: 1_600 + u64::from(choice / 4) * 500,
                input: (choice % 4 == 2).then(|| buffer(choice / 16)),
                taught: choice % 8 >= 4,
                marking: None,
            }),
        };
        // A hub has no full-duplex cable to a repeater, and at 1 Gb/s none to a hub: it is replaced.
        let above = number.checked_sub(1).map(|last| (choice / 32) as usize % (last + 1));
        let clash = |above: usize| {
            let other = &topology.relays[above].kind;
            (kind.is_hub() && matches!(other, Relay::Distributor(_)))
                || (other.is_hub() && matches!(kind, Relay::Distributor(_)))
                || (rate == GIGABIT && kind.is_hub() && other.is_hub())
        };
        let plain = Relay::Switch(SwitchParameters::plain(6_000));
        let kind = if above.is_some_and(clash) { plain } else { kind };
        let relay = topology.add_relay(kind.default_name(number), kind);
        if let Some(above) = above {
            let wire = wire(rate, [Some(&kind), Some(&topology.relays[above].kind)], cable());
            topology.connect(Node::Relay(above), relay, wire);
        }
        for _ in 0..=choice / 8 % 3 {
            topology.attach_stations(1, relay, wire(rate, [Some(&kind), None], cable()));
            let choice = cable();
            if choice.is_multiple_of(4) {
                let drain = Pace::of_bits_per_second(5_000_000 * u64::from(choice % 13 + 1));
                let last = topology.stations.len() - 1;
                topology.stations[last].receive = Some(ReceiveSide { buffer: buffer(choice), drain });
            }
        }
    }
    topology
}

/// How often each frame of each station came to an end.
fn ends(bench: &Bench) -> BTreeMap<(Station, u64), (Destination, usize)> {
    let arrived = bench.stations.arrivals.iter().map(|arrival| {
        let is_addressee = match arrival.frame.destination {
            Destination::Everyone => arrival.frame.source.0 != arrival.station,
            destination => destination == to(arrival.station),
        };
        assert!(is_addressee, "{arrival:?}");
        arrival.frame
    });
    let mut ends = BTreeMap::new();
    for frame in arrived.chain(bench.stations.losses.iter().map(|(frame, _)| *frame)) {
        let Content::Load(number) = frame.content else { panic!("{frame:?} is no load") };
        ends.entry((frame.source, number)).or_insert((frame.destination, 0)).1 += 1;
    }
    ends
}

/// Taken, less what has come to all of its ends, is what the network says that it holds.
fn check(bench: &Bench, stations: usize) -> Result<(), TestCaseError> {
    let mut ended = 0;
    for (frame, (destination, ends)) in ends(bench) {
        let whole = if destination == Destination::Everyone { stations - 1 } else { 1 };
        prop_assert!(ends <= whole, "{frame:?} ended {ends} times");
        ended += u64::from(ends == whole);
    }
    prop_assert_eq!(bench.stations.taken, ended + bench.network.held());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn frames_taken_are_delivered_lost_or_held_at_every_cut(
        relays in prop::collection::vec(0..500_u32, 1..6),
        cables in prop::collection::vec(0..10_000_u32, 1..40),
        loads in prop::collection::vec((0..20_u32, 0..21_u32, 64..1519_u64), 1..20),
        cuts in prop::collection::vec(1..2_000_u64, 1..4),
        [gigabit, burst] in any::<[bool; 2]>(),
    ) {
        let mut topology = network(if gigabit { GIGABIT } else { MEGABIT_100 }, &relays, &cables);
        topology.gigabit = GigabitHalfDuplex { extend: true, burst };
        let stations = topology.stations.len() as u32;
        prop_assume!(stations > 1);
        let mut bench = Bench::new(&topology);
        for (from, destination, bytes) in loads {
            let from = from % stations;
            let other = (from + 1 + destination % (stations - 1)) % stations;
            let everyone = destination == 20;
            bench.saturate(from, if everyone { Destination::Everyone } else { to(other) }, bytes);
        }
        for cut in cuts {
            bench.run_for(Span::from_us(cut));
            check(&bench, stations as usize)?;
        }
        bench.stop();
        // Long enough for every queue, buffer and backoff, and for PAUSE that locked repeaters up
        // not to be asked for for ever.
        bench.run_until(Time::from_ps(3_000_000_000_000));
        check(&bench, stations as usize)?;
        let locked = bench.kernel.pending() > 0;
        prop_assert!(locked || bench.network.held() == 0, "{} held in an idle network", bench.network.held());
    }
}

#[test]
fn equal_seeds_give_equal_traces_and_others_do_not() {
    let trace = |seed| {
        let topology = network(MEGABIT_100, &vec![0, 6, 3, 129, 9], &vec![1, 3, 12, 8, 77, 5, 9]);
        let mut bench = Bench::with_seed(&topology, seed);
        let stations = topology.stations.len() as u32;
        for from in 0..stations {
            bench.saturate(from, to((from + 1) % stations), 300);
        }
        bench.run_for(Span::from_ms(20));
        (bench.stations.arrivals, bench.stations.losses)
    };
    let first = trace(5);
    assert!(first.0.len() > 500 && !first.1.is_empty());
    assert_eq!(first, trace(5));
    assert_ne!(first.0, trace(6).0);
}
