//! A hub, a full-duplex repeater and a switch in one picture.

use std::fmt::Write as _;

use linerate_core::units::{Span, Time};
use linerate_sim::ethernet::pause::{FlowControl, Headroom};
use linerate_sim::ethernet::topology::{Buffer, Relay, SwitchParameters, Topology, Wire};

use super::harness::{Bench, GIGABIT, to};

/// MAC frames of four stations at 1 Gb/s that always send, in pairs. Unit: Mb/s.
fn aggregate(relay: Relay, wire: Wire, bytes: u64) -> f64 {
    let mut bench = Bench::new(&Topology::star(4, relay, wire));
    for station in 0..4 {
        bench.saturate(station, to(station ^ 1), bytes);
    }
    let warm = Span::from_ms(1);
    bench.run_for(warm + Span::from_us(100 + bytes * 10));
    bench.rate(Time::ZERO + warm, |_| true) * 1_000.0
}

#[test]
fn four_stations_in_pairs_on_a_hub_a_repeater_and_a_switch() {
    // 10 m of cable, and the delay of a repeater of IEEE 802.3, clause 41: half of 976 bit times.
    let delay = Span::from_ns(50);
    let high = 60_000;
    let headroom = Headroom::at_reaction_limit(1518, GIGABIT, delay);
    let fifo = Buffer::new(high + headroom.bytes_by_frame(), high, 20_000);
    let flow = [FlowControl::OBEYS, FlowControl::SENDS];
    let kinds = [
        ("hub, half duplex", Relay::Hub { delay: Span::from_ns(488) }, Wire::half(GIGABIT, delay)),
        ("distributor", Relay::Distributor(fifo), Wire::full(GIGABIT, delay).with_flow(flow)),
        ("switch", Relay::Switch(SwitchParameters::plain(1 << 20)), Wire::full(GIGABIT, delay)),
    ];
    let mut table = format!("{:<18}{:>8}{:>8}{:>8}\n", "Mb/s", "64 B", "512 B", "1518 B");
    for (name, relay, wire) in kinds {
        let _ = write!(table, "{name:<18}");
        for bytes in [64, 512, 1518] {
            let _ = write!(table, "{:>8.0}", aggregate(relay, wire, bytes));
        }
        table.push('\n');
    }
    insta::assert_snapshot!(table, @r"
    Mb/s                  64 B   512 B  1518 B
    hub, half duplex       718     957     980
    distributor            762     962     987
    switch                3048    3853    3949
    ");
}
