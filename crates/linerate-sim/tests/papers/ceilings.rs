//! What bounds a long message (D2 of the reference; docs/models/host.md): nothing is faster than any of its ceilings, and
//! a host in which one stage alone takes time reaches that stage's.

use linerate_core::pattern::Pattern;
use linerate_core::units::Span;
use linerate_sim::machine::{Profile, Times};
use linerate_sim::plan::ModelPlan;
use linerate_sim::stack::Side;
use linerate_sim::tcp::Connection;

use super::ensemble::{HOSTS, drawn};
use super::lab::{
    HEADERS, Lab, asking, bus_span, free_host, host, mbps, on_the_wire, paper, round_bus, round_host,
    with_host, with_mtu,
};

/// Segments of a long message.
const SEGMENTS: u64 = 300;

/// The least time that each stage allows a message of this many full segments, from one idle host to its
/// like. How many acknowledgements and interrupts it takes depends on the host: what they take is left out, except
/// those without which a window does not open.
fn least(profile: &Profile, mtu: u32, window: u64) -> [(&'static str, Span); 5] {
    let payload = u64::from(mtu) - HEADERS;
    let times = Times::of(profile, mtu);
    let packet = u64::from(mtu);
    let message = SEGMENTS * payload;
    let received = times.receive_data(u32::try_from(payload).expect("a segment"));
    // A segment takes the line for 12 bytes more, the gap (IEEE 802.3, 4.4.2); the last has none.
    let framing = (on_the_wire(packet) + Span::from_ns(96)) * SEGMENTS - Span::from_ns(96);
    let bus = bus_span(&profile.bus, packet) * SEGMENTS;
    let sender = (times.copy_in(payload, message) + times.transmit) * SEGMENTS;
    let receiver = (received + times.copy_out(payload, message)) * SEGMENTS;
    // From a segment's transmission to that of the one that its acknowledgement lets go.
    let there = bus_span(&profile.bus, packet) * 2 + profile.adaptor.latency * 2 + on_the_wire(packet);
    let back = bus_span(&profile.bus, HEADERS) * 2 + profile.adaptor.latency * 2 + on_the_wire(HEADERS);
    let hosts =
        times.interrupt * 2 + received + times.transmit_acknowledgement + times.receive_acknowledgement;
    let round = there + back + hosts + times.transmit;
    let turns = (message - 1) / window;
    [
        ("framing", framing),
        ("bus", bus),
        ("sender's processor", sender),
        ("receiver's processor", receiver),
        ("window", round * turns),
    ]
}

/// Seen: the hosts reach 50 to 97 % of their least ceiling, the bus most nearly.
#[test]
fn no_host_is_faster_than_any_of_its_ceilings() {
    let mut closest = 0.0_f64;
    for number in 0..HOSTS {
        let mut plan = paper("gnic-ii");
        let profile = drawn(host(&mut plan), number);
        let mtu = [1500, 4500, 9000][number as usize % 3];
        let buffer = [None, Some(65_535)][number as usize % 2];
        let plan = asking(with_mtu(with_host(plan, profile.clone()), mtu), buffer);
        let mut lab = Lab::new(&plan);
        let window = lab.connection(Side::Second, Connection::usable_window);
        let message = SEGMENTS * (u64::from(mtu) - HEADERS);
        let time = lab.times(Pattern::PingPong, message, 2)[1];
        let bounds = least(&profile, mtu, window);
        let (name, bound) = *bounds.iter().max_by_key(|(_, span)| *span).expect("five");
        println!("host {number}, MTU {mtu}, {buffer:?}: {time}, at least {bound} by its {name}");
        for (name, bound) in bounds {
            assert!(time >= bound, "host {number} takes {time}, its {name} alone {bound}");
            closest = closest.max(bound.as_seconds() / time.as_seconds());
        }
    }
    println!("closest {closest:.3}");
    assert!(closest > 0.8, "no ceiling comes near: {closest}");
}

/// Throughput of messages one way, after the first. Unit: Mb/s.
fn one_way(plan: &ModelPlan) -> f64 {
    let message = SEGMENTS * 1448;
    let spans = Lab::new(plan).times(Pattern::OneWay, message, 4);
    let total = spans.iter().fold(Span::ZERO, |sum, span| sum + *span);
    mbps(4 * message, total)
}

#[track_caller]
fn assert_share(value: f64, form: f64, off: f64) {
    println!("{value:.2} Mb/s, by the form {form:.2}");
    assert!((value / form - 1.0).abs() < off, "{value} is not {form}");
}

/// R (MTU - 52) / (MTU + 38).
#[test]
fn hosts_that_cost_nothing_reach_the_framing_ceiling() {
    for mtu in [1500, 9000] {
        let plan = with_mtu(with_host(paper("gnic-ii"), Profile::free()), mtu);
        let message = SEGMENTS * (u64::from(mtu) - HEADERS);
        let spans = Lab::new(&plan).times(Pattern::OneWay, message, 4);
        let total = spans.iter().fold(Span::ZERO, |sum, span| sum + *span);
        let form = 1000.0 * f64::from(mtu - 52) / f64::from(mtu + 38);
        assert_share(mbps(4 * message, total), form, 0.001);
    }
}

/// 8 p / (B(p + h) + B(h) / 2): every second segment is acknowledged, over the same bus.
#[test]
fn a_parallel_bus_alone_reaches_its_ceiling() {
    let mut profile = free_host();
    profile.bus = round_bus();
    let pair = bus_span(&profile.bus, 1500) * 2 + bus_span(&profile.bus, HEADERS);
    assert_share(one_way(&with_host(paper("gnic-ii"), profile)), mbps(2 * 1448, pair), 0.002);
}

/// 8 p / (transmit + p copy in + (receive-acknowledgement + interrupt) / 2).
#[test]
fn a_senders_processor_alone_reaches_its_ceiling() {
    let (mut profile, round) = (free_host(), round_host());
    profile.costs.transmit = round.costs.transmit;
    profile.costs.receive_acknowledgement = round.costs.receive_acknowledgement;
    profile.memory.copy_in_ns = round.memory.copy_in_ns;
    let acknowledged = profile.costs.receive_acknowledgement;
    let pair = (profile.costs.transmit + Span::from_ps(5000 * 1448)) * 2 + acknowledged;
    assert_share(one_way(&with_host(paper("gnic-ii"), profile)), mbps(2 * 1448, pair), 0.002);
}

/// 8 p / (interrupt / b + receive + p (checksum + copy out) + acknowledgements), with as many interrupts and
/// acknowledgements as there were: where the receiver binds, frames wait for one another.
#[test]
fn a_receivers_processor_alone_reaches_its_ceiling() {
    let (mut profile, round) = (free_host(), round_host());
    profile.costs.receive = round.costs.receive;
    profile.costs.interrupt = round.costs.interrupt;
    profile.costs.transmit_acknowledgement = round.costs.transmit_acknowledgement;
    profile.memory.checksum_out_ns = round.memory.checksum_out_ns;
    profile.memory.copy_out_ns = round.memory.copy_out_ns;
    let mut lab = Lab::new(&with_host(paper("gnic-ii"), profile.clone()));
    let counted = |lab: &Lab| {
        let acknowledgements = lab.connection(Side::Second, |end| end.counters().bare_segments_sent);
        [lab.adaptor(1).interrupts, acknowledgements]
    };
    let before = counted(&lab);
    let message = 2 * SEGMENTS * 1448;
    // The first goes before the clock starts. The last ends with nothing behind it: its time says less.
    let spans = lab.times(Pattern::OneWay, message, 5);
    let time = spans[..4].iter().fold(Span::ZERO, |sum, span| sum + *span) / 4;
    let after = counted(&lab);
    let [interrupts, acknowledgements] = [0, 1].map(|index| (after[index] - before[index]) / 6);
    let segment = profile.costs.receive + Span::from_ps(8500 * 1448);
    let busy = segment * (2 * SEGMENTS)
        + profile.costs.interrupt * interrupts
        + profile.costs.transmit_acknowledgement * acknowledgements;
    println!("{interrupts} interrupts, {acknowledgements} acknowledgements for {} segments", 2 * SEGMENTS);
    assert_share(mbps(message, time), mbps(message, busy), 0.01);
}

/// W a round trip. A window is told with segments unread, so that somewhat less than it is in flight.
#[test]
fn a_long_way_gives_a_window_a_round_trip() {
    let mut profile = free_host();
    profile.adaptor.latency = Span::from_ms(1);
    let plan = with_host(paper("gnic-ii"), profile);
    let window = Lab::new(&plan).connection(Side::Second, Connection::usable_window);
    let form = mbps(window, Span::from_ms(4));
    let found = one_way(&plan);
    println!("{found:.2} Mb/s, {form:.2} by the window");
    assert!((0.9..=1.0).contains(&(found / form)), "{found} of {form}");
}
