//! Full-duplex Ethernet.

use linerate_core::pattern::Pattern;
use linerate_core::schedule::{Bounds, Schedule};
use linerate_core::units::{Size, Span};
use linerate_sim::ethernet::phy::Phy;
use linerate_sim::pace::Pace;
use rstest::rstest;

use super::forms::{Hop, ethernet, holds, packets};

/// NetPIPE's sizes.
fn sizes(to: u64) -> Vec<u64> {
    let bounds = Bounds { to: Some(Size(to)), ..Bounds::default() };
    Schedule::Netpipe.sizes(bounds).expect("NetPIPE's schedule")
}

/// Half a round trip that begins on a quiet network: what is acknowledged travels with the reply.
fn ping_pong(size: u64, mtu: u32, hops: &[Hop]) -> Span {
    ethernet(&packets(size, mtu), hops)
}

/// A cable of `metres` with the physical layer `phy`.
fn hop(phy: &str, mbps: u64, metres: u64) -> Hop {
    let phy = Phy::find(phy).expect("a physical layer");
    Hop { pace: Pace::of_bits_per_second(mbps * 1_000_000), delay: phy.cable.delay(metres) }
}

#[rstest]
fn a_ping_pong_over_a_cable_takes_its_frames_one_after_the_other_and_the_delay(
    #[values(("10BASE-T", 10), ("100BASE-TX", 100), ("1000BASE-T", 1_000), ("10GBASE-R", 10_000))]
    (phy, mbps): (&str, u64),
    #[values(512, 1500, 9000)] mtu: u32,
) {
    let text = format!("network = {{ medium = 'ethernet', phy = '{phy}', mtu = {mtu}, length-m = 70 }}");
    let hops = [hop(phy, mbps, 70)];
    holds(&text, Pattern::PingPong, &sizes(100_000), |size| ping_pong(size, mtu, &hops));
}

#[rstest]
fn switches_add_a_cable_and_a_whole_frame_each(
    #[values(1, 3)] switches: u32,
    #[values(1500, 9000)] mtu: u32,
) {
    let text = format!(
        "network = {{ medium = 'ethernet', topology = 'line', relays = {switches}, stations = {}, mtu = {mtu},
         length-m = 30, queue = '8MiB' }}",
        switches + 1
    );
    let hops = vec![hop("1000BASE-T", 1_000, 30); switches as usize + 1];
    holds(&text, Pattern::PingPong, &sizes(100_000), |size| ping_pong(size, mtu, &hops));
    // One frame, by hand: preamble and 72 B of IP in a frame of 90 B on each cable, and its delay.
    let each = Span::from_ns(64 + 90 * 8) + Span::from_ps(30 * 5_560);
    holds(&text, Pattern::PingPong, &[32], |_| each * u64::from(switches + 1));
}

#[test]
fn a_slower_cable_between_switches_sets_the_pace_and_a_latency_adds_to_each() {
    let text =
        "network = { medium = 'ethernet', topology = 'line', relays = 2, phy = '1000BASE-T', length-m = 10,
        uplink-phy = '100BASE-TX', latency = '3us', queue = '1MiB' }";
    let edge = hop("1000BASE-T", 1_000, 10);
    let trunk = hop("100BASE-TX", 100, 10);
    let latency = Span::from_us(3);
    // What a switch takes is the same for every frame: as if the cable before it were longer.
    let later = |hop: Hop| Hop { delay: hop.delay + latency, ..hop };
    let hops = [later(edge), later(trunk), edge];
    holds(text, Pattern::PingPong, &sizes(60_000), |size| ping_pong(size, 1500, &hops));
}

#[rstest]
fn an_exchange_uses_both_directions_at_once(#[values(1500, 9000)] mtu: u32) {
    let text = format!("network = {{ medium = 'ethernet', mtu = {mtu}, length-m = 70 }}");
    let hops = [hop("1000BASE-T", 1_000, 70)];
    // What is acknowledged travels with the other direction's segments.
    let one_way = |size| ethernet(&packets(size, mtu), &hops);
    holds(&text, Pattern::Exchange, &sizes(100_000), one_way);
}
