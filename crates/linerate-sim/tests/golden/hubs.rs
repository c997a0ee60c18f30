//! Stations x frame size: how much of a hub's line is frames that arrive.

use std::fmt::Write as _;

use linerate_sim::model;

use crate::support::plans;

const FRAMES: u64 = 6_000;
const STATIONS: [u32; 6] = [2, 5, 10, 20, 50, 100];
const SIZES: [u32; 3] = [64, 512, 1518];
const HUBS: [(&str, f64, &str); 3] = [
    ("10M", 1e7, "phy = '10BASE-T', diameter-bits = 25"),
    ("1G ext", 1e9, "phy = '1000BASE-T', diameter-bits = 500, bursting = false"),
    ("1G burst", 1e9, "phy = '1000BASE-T', diameter-bits = 500"),
];

/// Bits of frames that arrive, headers but no preambles, over the time of all bits.
fn efficiency(stations: u32, bytes: u32, rate: f64, hub: &str) -> f64 {
    // A tenth of what the frames take at least.
    let warm_up_us = (FRAMES as f64 / 10.0 * f64::from(bytes + 20) * 8.0 / rate * 1e6).round();
    let text = format!(
        "seed = 1
         network = {{ medium = 'ethernet', topology = 'hub', stations = {stations}, {hub} }}
         load = {{ frame = {bytes}, frames = {FRAMES}, warm-up = '{warm_up_us}us', time = '20s', to = 'next' }}"
    );
    let outcome = model::load(&plans::plan(&text), None).expect("a hub").outcome;
    outcome.throughput().share_of(outcome.line_rate)
}

/// The 10 Mb/s hub is 25 bit times wide, the gigabit hubs 500. Without contention 64 B would have
/// .762, .120 and .721 of the line, 512 B .962 and 1518 B .987: each station more takes a little of
/// that for collisions, most where frames are no longer than the slot; a burst shares one collision
/// among its frames.
#[test]
fn efficiency_of_saturated_hubs_by_stations_and_frame_size() {
    let mut table = format!("{:>8}", "stations");
    for ((name, ..), size) in HUBS.iter().flat_map(|hub| SIZES.map(|size| (hub, size))) {
        write!(table, " {:>13}", format!("{name} {size}")).expect("a String takes all");
    }
    for stations in STATIONS {
        write!(table, "\n{stations:>8}").expect("a String takes all");
        for ((_, rate, hub), size) in HUBS.iter().flat_map(|hub| SIZES.map(|size| (hub, size))) {
            write!(table, " {:>13.4}", efficiency(stations, size, *rate, hub)).expect("a String takes all");
        }
    }
    insta::assert_snapshot!(table, @r"
    stations        10M 64       10M 512      10M 1518     1G ext 64    1G ext 512   1G ext 1518   1G burst 64  1G burst 512 1G burst 1518
           2        0.7599        0.9593        0.9835        0.1200        0.9606        0.9846        0.7172        0.9605        0.9847
           5        0.7524        0.9501        0.9756        0.1191        0.9536        0.9753        0.7100        0.9546        0.9760
          10        0.7371        0.9344        0.9654        0.1161        0.9329        0.9609        0.7033        0.9407        0.9655
          20        0.7110        0.9125        0.9549        0.1115        0.9001        0.9243        0.6967        0.9329        0.9544
          50        0.6196        0.8756        0.9482        0.0980        0.7952        0.8548        0.6942        0.9181        0.9440
         100        0.4975        0.8641        0.9455        0.0787        0.6333        0.7954        0.6862        0.9197        0.9412
    ");
}
