//! An adaptor that cuts segments and a driver that merges them, with TCP: what they spare, and that they
//! change neither bytes nor their order.

use linerate_core::bench::Bench as _;
use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::trial::Trial;
use linerate_core::units::{Size, Span};
use linerate_sim::machine::Profile;
use linerate_sim::model;
use linerate_sim::plan::ModelPlan;
use linerate_sim::stack::Side;
use linerate_sim::tcp::{Counters, Counting};
use rstest::rstest;

use super::lab::{Lab, free_host, mbps, on_the_wire, tcp, with_host};
use crate::support::plans::plan;

const PLAIN: &str = "[network]\nmedium = 'ethernet'\n[tcp]\n";
const SEGMENTS: u64 = 10;

fn with(change: impl FnOnce(&mut Profile)) -> ModelPlan {
    let mut profile = free_host();
    profile.adaptor.checksum_receive = true;
    change(&mut profile);
    let mut plan = with_host(plan(PLAIN), profile);
    tcp(&mut plan).rules.congestion.counting = Counting::AllBytes;
    plan
}

/// Ten segments fit the first window. Alone each takes the protocol 20 us, which is longer than its time on the
/// line; cut by the adaptor they leave one after the other once the protocol is done, for the first time only.
#[test]
fn the_protocol_works_once_on_what_the_adaptor_cuts() {
    let transmit = Span::from_us(20);
    let line = on_the_wire(1500) + Span::from_ns(96);
    let size = SEGMENTS * 1448;
    let alone = Lab::new(&with(|host| host.costs.transmit = transmit)).one_way(size);
    let together = Lab::new(&with(|host| {
        host.costs.transmit = transmit;
        host.adaptor.segmentation_offload = Some(Size(64 << 10));
    }));
    let mut together = together;
    assert_eq!(alone - together.one_way(size), (transmit - line) * (SEGMENTS - 1));
    // In two, three, five at a time: as often as that.
    for (most, hand_overs) in [(2, 5), (5, 2)] {
        let mut lab = Lab::new(&with(|host| {
            host.costs.transmit = Span::from_us(200);
            host.adaptor.segmentation_offload = Some(Size(most * 1448));
        }));
        let frames = line * (most - 1) + on_the_wire(1500);
        let cable = Span::from_ns(556);
        assert_eq!(lab.one_way(size), Span::from_us(200) * hand_overs + frames + cable, "{most} at once");
    }
}

/// A slow receiver: each look finds several segments of one flow, which the protocol takes as one, and
/// acknowledges as one (RFC 9293, 3.8.6.3: at least every second segment of full size).
#[test]
fn what_the_driver_merges_costs_the_protocol_once_and_is_acknowledged_once() {
    let size = 2_000_000;
    let run = |most: Option<Size>| {
        let mut lab = Lab::new(&with(|host| {
            host.costs.receive = Span::from_us(30);
            host.costs.merge = Span::from_us(1);
            host.adaptor.polling = true;
            host.adaptor.receive_offload = most;
        }));
        lab.times(Pattern::OneWay, size, 1);
        let counters = lab.connection(Side::Second, |connection| *connection.counters());
        (lab.mbps(size), counters)
    };
    let (slow, before) = run(None);
    let (fast, after) = run(Some(Size(64 << 10)));
    // 30 us a segment are 386 Mb/s; merged the line is the limit.
    assert!(slow < 8.0 * 1448.0 / 30.0, "{slow}");
    assert!(fast > 900.0, "{fast}");
    let segments = |counters: Counters| counters.segments_received;
    assert!(segments(after) >= segments(before) / 2 && after.duplicate_bytes == 0, "{before:?} {after:?}");
    assert!(after.bare_segments_sent < after.segments_received / 4, "{after:?}");
}

/// Whatever is merged, cut, lost and repeated: every byte of a message arrives, in its place.
#[rstest]
fn every_byte_arrives_whatever_is_merged_and_lost(
    #[values(Some(Size(64 << 10)), Some(Size(3000)), None)] cut: Option<Size>,
    #[values(Some(Size(64 << 10)), Some(Size(5000)), None)] merged: Option<Size>,
    #[values("", "[[impair]]\nloss = 0.01\njitter = '30us'\n")] path: &str,
    #[values(false, true)] polling: bool,
) {
    let mut profile = Profile::find("modern").expect("it ships");
    profile.adaptor.polling = polling;
    (profile.adaptor.segmentation_offload, profile.adaptor.receive_offload) = (cut, merged);
    let plan = with_host(plan(&format!("{PLAIN}\n{path}")), profile);
    let mut curve = model::curve(&plan, None).unwrap_or_else(|error| panic!("{error}"));
    for (pattern, size) in [(Pattern::PingPong, 300_001), (Pattern::Exchange, 200_000), (Pattern::OneWay, 77)]
    {
        let trial = Trial { pattern, size, samples: 2, batch: 1, lead: 0, seed: 1, check: Check::Full };
        curve.bench.run(&trial).unwrap_or_else(|error| panic!("{trial:?}: {error}"));
    }
    curve.bench.look(|world| {
        let ends =
            [Side::First, Side::Second].map(|side| world.stations.connection(0, side).expect("the flow"));
        let again: u64 = ends.iter().map(|end| end.counters().retransmitted).sum();
        assert_eq!(again > 0, !path.is_empty());
        if path.is_empty() {
            for [one, other] in [[0, 1], [1, 0]].map(|places| places.map(|place| ends[place].counters())) {
                let sent = one.data_segments_sent + one.bare_segments_sent;
                assert!(
                    other.segments_received <= sent && other.segments_received + 2 >= sent,
                    "{one:?} {other:?}"
                );
            }
        }
    });
}

/// Both together make a host that single segments overload keep up with 10 Gb/s.
#[test]
fn a_host_with_both_fills_a_faster_line() {
    let run = |offload: Option<Size>| {
        let mut profile = Profile::find("modern").expect("it ships");
        (profile.adaptor.segmentation_offload, profile.adaptor.receive_offload) = (offload, offload);
        profile.costs.merge = Span::from_ns(100);
        let text =
            "[network]\nmedium = 'ethernet'\nphy = '25G'\n[tcp]\nrules.congestion.counting = 'all-bytes'";
        let mut lab = Lab::new(&with_host(plan(text), profile));
        lab.times(Pattern::OneWay, 16 << 20, 1);
        mbps(16 << 20, lab.times(Pattern::OneWay, 16 << 20, 1)[0])
    };
    let [single, both] = [None, Some(Size(64 << 10))].map(run);
    println!("{single} and {both} Mb/s");
    assert!(single < 12_000.0 && both > 1.5 * single, "{single} and {both}");
}
