//! Fibre Channel: rates, latencies and credit stalls in closed form, and conservation.

mod whatever;

use linerate_core::units::Span;
use linerate_sim::fabric::{Fabric as _, Loss};
use linerate_sim::fibre_channel::{
    Baud, Encapsulation, FibreChannel, Forwarding, Parameters, ParametersError, Switch, Topology,
};
use linerate_sim::frame::{Destination, Port};

use crate::support::stations::{Offer, Run, to};

/// This many bytes at full speed, 160 000 / 17 picoseconds each, to the picosecond in which they end.
const fn bytes(count: u64) -> u64 {
    (count * 160_000).div_ceil(17)
}

/// A frame's bytes without its data field, and the least gap.
const OVERHEAD: u64 = 36;
const GAP: u64 = 24;

fn prepare(parameters: Parameters, offers: &[Offer]) -> Run<FibreChannel> {
    let fabric = FibreChannel::new(parameters).expect("such a network can be");
    Run::new(fabric, offers)
}

/// Makes all offers.
fn run(parameters: Parameters, offers: &[Offer]) -> Run<FibreChannel> {
    prepare(parameters, offers).finished()
}

/// Information units without any header of IP.
fn plain() -> Parameters {
    Parameters { encapsulation: Encapsulation::Plain, ..Parameters::default() }
}

#[test]
fn a_saturated_line_carries_what_framing_leaves() {
    let count = 20_000_u64;
    for (size, expected) in [(2_048, 825.806), (2_112, 8.0 * 103.315)] {
        let Run { kernel, stations, .. } = run(plain(), &vec![(0, to(1), size, 0); count as usize]);
        let period = u64::from(size) + OVERHEAD + GAP;
        for (number, at) in stations.instants().into_iter().enumerate() {
            assert_eq!(at, bytes(number as u64 * period + period - GAP));
        }
        let mbps = f64::from(size) * 8.0 / bytes(period * count) as f64 * count as f64 * 1e6;
        assert!((mbps - expected).abs() < 0.004, "{size}: {mbps}");
        assert_eq!(kernel.happened() - count, 2 * count, "two events for each");
    }
}

#[test]
fn one_frame_takes_its_bytes_and_a_switch_takes_what_it_waits_for() {
    let [delay, latency] = [Span::from_ps(49_999), Span::from_ns(600)];
    for size in [0, 1, 4, 40, 2_047, 2_112] {
        let frame = bytes(u64::from(size).next_multiple_of(4) + OVERHEAD);
        let offer = [(0, to(1), size, 77)];
        let direct = Parameters { delay, ..plain() };
        let Run { stations, .. } = run(direct, &offer);
        assert_eq!(stations.instants(), [77 + frame + 49_999]);
        assert_eq!(stations.sent, [(77 + frame, 0)], "seen when its last bit has left, not after the gap");
        for (forwarding, wait) in
            [(Forwarding::StoreAndForward, frame), (Forwarding::CutThrough, bytes(4 + 24))]
        {
            let switch = Switch { forwarding, latency, credits: 1 };
            let topology = Topology::Switched { stations: 2, switch };
            let Run { stations, .. } = run(Parameters { topology, ..direct }, &offer);
            assert_eq!(stations.instants(), [77 + wait + latency.as_ps() + frame + 2 * 49_999]);
        }
    }
}

#[test]
fn a_sequence_is_cut_in_frames_and_carries_its_headers_once() {
    // 65 280 bytes of IP and 24 of headers: 31 frames of 2112 bytes, the last of 1944.
    let Run { kernel, stations, .. } = run(Parameters::default(), &[(0, to(1), 65_280, 0)]);
    assert_eq!(stations.instants(), [bytes(65_304 + 31 * OVERHEAD + 30 * GAP)]);
    assert_eq!(kernel.happened(), 1 + 31 + 1, "one event a frame and one for the arrival");
    let common = Parameters { payload_bytes: 2_048, mtu_bytes: 2_025, ..Parameters::default() };
    for (size, expected) in [(2_024, 2_048 + OVERHEAD), (2_025, 2_048 + 2 * OVERHEAD + GAP + 4)] {
        let Run { stations, .. } = run(common, &[(1, to(0), size, 0)]);
        assert_eq!(stations.instants(), [bytes(expected)]);
    }
}

#[test]
fn the_signalling_rate_scales_everything() {
    // From quarter speed to 8GFC, the last with 8B/10B.
    for power in 0..6 {
        let baud = Baud(265_625_000 << power);
        // 17 frames of 2112 bytes and their gaps take a whole number of picoseconds at any rate.
        let Run { stations, .. } = run(Parameters { baud, ..plain() }, &[(0, to(1), 2_112, 0); 18]);
        let [first, last] = [stations.delivered[0].0, stations.delivered[17].0];
        assert_eq!((last - first) << power, 2_172 * 160_000 * 4);
    }
}

/// When frames of `size` bytes begin and arrive by the rule itself, in 1/17 ps: after the one
/// before and its gap, and after the frame that used the same credit has returned it.
fn by_rule(size: u64, credits: usize, turn: u64, count: usize) -> Vec<u64> {
    let [frame, gap] = [(size + OVERHEAD) * 160_000, GAP * 160_000];
    let mut ends: Vec<u64> = Vec::new();
    for number in 0..count {
        let line = ends.last().map_or(0, |end| end + gap);
        let credit = number.checked_sub(credits).map_or(0, |before| (ends[before].div_ceil(17) + turn) * 17);
        // A line that became free within a picosecond has not been idle.
        let start = if line > 0 && credit < line + 17 { line } else { credit };
        ends.push(start + frame);
    }
    ends.into_iter().map(|end| end.div_ceil(17)).collect()
}

#[test]
fn a_long_link_is_as_fast_as_its_credits_return() {
    // 10 km of fibre at 5 ns/m, and 1.5 us until a buffer is free.
    let [delay, processing] = [Span::from_us(50), Span::from_ns(1_500)];
    let turn = 2 * delay.as_ps() + processing.as_ps();
    let (frame, count) = (bytes(2_148), 20_000);
    for credits in [1, 2, 4, 5, 6, 16] {
        let parameters = Parameters { delay, processing, credits, ..plain() };
        let Run { fabric, stations, .. } = run(parameters, &vec![(0, to(1), 2_112, 0); count]);
        let arrivals = stations.instants();
        let ruled = by_rule(2_112, usize::from(credits), turn, count);
        assert!(arrivals.iter().zip(&ruled).all(|(at, end)| *at == end + delay.as_ps()));
        // A credit goes round in frame + 2 delays + processing, unless the line is slower.
        let cycle = (frame + turn).max(bytes(2_172 * u64::from(credits)));
        let rounds = count as u64 / u64::from(credits);
        let took = arrivals[(rounds as usize - 1) * usize::from(credits)] - arrivals[0];
        if credits <= 5 {
            assert_eq!(took, (rounds - 1) * cycle, "{credits} credits");
        } else {
            assert_eq!(took, bytes(2_172 * u64::from(credits) * (rounds - 1) + 2_148) - frame);
        }
        let mbps = 2_112.0 * 8.0 * f64::from(credits) / cycle as f64 * 1e6;
        let measured = 2_112.0 * 8.0 * (count - 1) as f64 / (arrivals[count - 1] - arrivals[0]) as f64 * 1e6;
        assert!((measured / mbps - 1.0).abs() < 1e-3, "{credits}: {measured} and {mbps}");
        // Paused once a round, from the end of its last frame on; not at all with six credits.
        let paused = fabric.counters(Port(0)).paused.as_ps();
        if credits == 1 {
            assert_eq!(paused, (count as u64) * turn);
        }
        assert_eq!(paused > cycle, credits <= 5, "{credits}: {paused}");
    }
}

/// A switch whose F_Ports have this many buffers, at the ends of links of `delay`.
fn switched(stations: u32, switch: Switch, delay: Span) -> Parameters {
    Parameters { topology: Topology::Switched { stations, switch }, delay, ..plain() }
}

#[test]
fn a_switch_gives_a_credit_back_when_the_frame_has_left_it() {
    let [delay, latency] = [Span::from_us(50), Span::from_ns(600)];
    let turn = 2 * delay.as_ps() + latency.as_ps();
    for (forwarding, wait) in
        [(Forwarding::StoreAndForward, bytes(2_148)), (Forwarding::CutThrough, bytes(28))]
    {
        let parameters = switched(2, Switch { forwarding, credits: 1, latency }, delay);
        let instants = run(parameters, &[(0, to(1), 2_112, 0); 100]).stations.instants();
        let cycle = wait + bytes(2_148) + turn;
        assert!(instants.windows(2).all(|pair| pair[1] - pair[0] == cycle), "{forwarding:?}");
        // A frame for nobody is discarded when the switch has it whole and has looked at it.
        let Run { stations, .. } = run(parameters, &[(0, to(7), 2_112, 0), (0, to(1), 2_112, 0)]);
        let thrown = bytes(2_148).max(wait + latency.as_ps()) + 2 * delay.as_ps();
        assert_eq!(stations.instants(), [thrown + wait + turn + bytes(2_148)]);
    }
}

#[test]
fn a_slow_receiver_holds_back_the_sender_through_the_switch() {
    let [delay, processing] = [Span::from_us(5), Span::from_us(400)];
    let switch = Switch { credits: 3, ..Switch::default() };
    let parameters = Parameters { credits: 1, processing, ..switched(2, switch, delay) };
    let Run { stations, .. } = run(parameters, &[(0, to(1), 2_112, 0); 50]);
    let cycle = bytes(2_148) + 2 * delay.as_ps() + processing.as_ps();
    assert!(stations.instants().windows(2).all(|pair| pair[1] - pair[0] == cycle));
    // One frame is at the receiver and three are in the switch; a fifth has no credit until the
    // second has left the switch.
    let sent: Vec<u64> = stations.sent.iter().map(|(at, _)| *at).collect();
    assert_eq!(sent[3], bytes(4 * 2_172 - GAP));
    let second_out = bytes(28) + delay.as_ps() + cycle + bytes(2_148);
    assert_eq!(sent[4], second_out + delay.as_ps() + bytes(2_148));
}

#[test]
fn credits_come_back_in_the_order_in_which_frames_leave_the_switch() {
    // A long frame is on its way out at one port while a short one, which came later, is out at
    // another: it is the short one's credit that the third frame gets.
    let switch = Switch { forwarding: Forwarding::StoreAndForward, credits: 2, latency: Span::ZERO };
    let offers = [(0, to(1), 2_112, 0), (0, to(2), 4, 0), (0, to(3), 4, 0), (0, to(3), 4, 0)];
    let Run { stations, .. } = run(switched(4, switch, Span::ZERO), &offers);
    let short_out = bytes(2_148 + GAP + 40) + bytes(40);
    assert_eq!(stations.instants_at(2), [short_out]);
    // The fourth follows when the third has left; the long one's credit is still out.
    assert_eq!(stations.instants_at(3), [short_out + 2 * bytes(40), short_out + 4 * bytes(40)]);
    assert_eq!(stations.instants_at(1), [2 * bytes(2_148)]);
}

#[test]
fn a_line_that_waits_for_a_credit_counts_its_wait_once_however_often_it_is_woken() {
    let delay = Span::from_us(50);
    let parameters = Parameters { delay, credits: 1, ..plain() };
    let offers: Vec<Offer> = (0..20).map(|number| (0, to(1), 2_112, number * 7_000_000)).collect();
    let Run { fabric, kernel, .. } = run(parameters, &offers);
    assert_eq!(fabric.counters(Port(0)).paused, delay * 2 * 20);
    // For each its offer, its end, its arrival, and a credit that is waited for.
    assert_eq!(kernel.happened(), 4 * 20);
}

#[test]
fn both_directions_do_not_disturb_each_other() {
    let delay = Span::from_us(5);
    let one: Vec<Offer> = (0..300).map(|_| (0, to(1), 5_000, 0)).collect();
    let back: Vec<Offer> = (0..500).map(|_| (1, to(0), 1_234, 0)).collect();
    for credits in [1, 3] {
        let switch = Switch { credits, ..Switch::default() };
        for topology in [Topology::PointToPoint, Topology::Switched { stations: 2, switch }] {
            let parameters = Parameters { delay, credits, topology, ..Parameters::default() };
            let times = |offers: &[Offer]| {
                let Run { stations, .. } = run(parameters, offers);
                stations.instants_at(1)
            };
            assert_eq!(times(&one), times(&[one.clone(), back.clone()].concat()));
        }
    }
}

#[test]
fn two_stations_share_an_output_frame_by_frame_and_nothing_is_lost() {
    let count = 400_u64;
    let offers: Vec<Offer> = (0..count).map(|number| (number as u32 % 2, to(2), 2_112, 0)).collect();
    for (forwarding, wait) in [(Forwarding::StoreAndForward, 2_148), (Forwarding::CutThrough, 28)] {
        let switch = Switch { forwarding, credits: 4, ..Switch::default() };
        let topology = Topology::Switched { stations: 3, switch };
        let Run { stations, .. } = run(Parameters { topology, ..plain() }, &offers);
        let sources: Vec<u32> = stations.delivered.iter().map(|(_, _, frame)| frame.source.0).collect();
        assert!(sources.chunks(2).all(|pair| pair == [0, 1]), "in turn");
        // The output never rests; it begins at a whole picosecond, when the switch knows enough.
        let end = bytes(wait) + bytes(count * 2_172 - GAP);
        assert_eq!(stations.instants().last(), Some(&end));
    }
}

#[test]
fn a_frame_for_a_busy_output_keeps_its_buffer_and_holds_up_what_comes_behind_it() {
    // Station 0 has one buffer in the switch: its short frame to 3 waits until the one to 2, which
    // stands behind a long one of station 1, has left.
    let switch = Switch { forwarding: Forwarding::StoreAndForward, credits: 1, latency: Span::ZERO };
    let topology = Topology::Switched { stations: 4, switch };
    let offers = [(1, to(2), 2_112, 0), (0, to(2), 2_112, 1), (0, to(3), 4, 1)];
    let Run { stations, .. } = run(Parameters { topology, ..plain() }, &offers);
    let third_out = bytes(2_148) + bytes(2 * 2_148 + GAP);
    assert_eq!(stations.delivered[2].0, third_out + 2 * bytes(40));
    let switch = Switch { credits: 2, ..switch };
    let topology = Topology::Switched { stations: 4, switch };
    let Run { stations, .. } = run(Parameters { topology, ..plain() }, &offers);
    let (at, port, _) = stations.delivered[0];
    assert_eq!((at, port), (1 + bytes(2_148 + GAP + 40) + bytes(40), 3), "with two it passes");
}

#[test]
fn a_frame_for_everyone_comes_to_all_others_and_is_held_until_the_last() {
    for stations_count in [2, 4] {
        let parameters = Parameters::switched(stations_count, Switch { credits: 1, ..Switch::default() });
        let offers = [(1, Destination::Everyone, 9_000, 0), (0, to(0), 40, 0), (1, to(0), 40, 0)];
        let Run { fabric, stations, .. } = run(parameters, &offers);
        let others: Vec<u32> = (0..stations_count).filter(|port| *port != 1).collect();
        assert_eq!([0, 1, 2].map(|number| stations.ports_of(number)), [others, vec![0], vec![0]]);
        assert_eq!((fabric.held(), stations.lost.len()), (0, 0));
    }
}

#[test]
fn what_no_port_can_take_is_lost_and_gives_its_credit_back() {
    let parameters = Parameters::switched(3, Switch { credits: 1, ..Switch::default() });
    let offers = [(0, to(3), 9_000, 0), (0, Destination::Link, 40, 0), (0, to(1), 40, 0)];
    let Run { fabric, stations, .. } = run(parameters, &offers);
    assert_eq!(stations.losses(), [(Loss::Error, 0), (Loss::Error, 1)]);
    assert_eq!((stations.delivered.len(), fabric.held(), fabric.counters(Port(0)).sent), (1, 0, 3));
}

#[test]
fn what_cannot_be_built_is_named_with_its_range() {
    let refused =
        |parameters| FibreChannel::new(parameters).map(|_| ()).expect_err("it cannot be").to_string();
    let said = |what| format!("build a Fibre Channel network: {what}");
    let usual = Parameters::default();
    assert_eq!(
        refused(Parameters { payload_bytes: 2_116, ..usual }),
        said("a payload of 2116 bytes; it is a multiple of 4 from 128 to 2112")
    );
    assert_eq!(
        refused(Parameters { mtu_bytes: 65_281, ..usual }),
        said("an MTU of 65281 bytes; a sequence carries from 1 to 65280")
    );
    assert!(refused(Parameters { credits: 0, ..usual }).contains("0 credits of an N_Port"));
    let none = Switch { credits: 0, ..Switch::default() };
    assert!(refused(Parameters::switched(2, none)).contains("0 credits of an F_Port"));
    assert_eq!(Parameters { baud: Baud(0), ..usual }.validate(), Err(ParametersError::Rate { baud: 0 }));
    let crowd = Parameters::switched(0, Switch::default());
    assert_eq!(refused(crowd), said("0 stations on a switch; there are from 2 to 256"));
    assert!(refused(Parameters { payload_bytes: 130, ..usual }).contains("multiple of 4"));
}

#[test]
#[should_panic(expected = "1501 bytes, more than the MTU of 1500")]
fn a_packet_over_the_mtu_is_a_mistake_of_the_client() {
    run(Parameters { mtu_bytes: 1_500, ..Parameters::default() }, &[(0, to(1), 1_501, 0)]);
}
