//! What media have in common under load: throughput counts the same on each, and a saturated
//! sender's delay has its whole wait in it.

use linerate_sim::load::LoadOutcome;
use toml::Value;

use super::shipped::{assert_near, load};

/// The media side by side, saturated, with packets of `packet` bytes.
fn side_by_side(name: &str, stations: i64, packet: i64) -> LoadOutcome {
    let changes = [
        ("network.stations", Value::from(stations)),
        ("load.packet", Value::from(packet)),
        ("load.to", Value::from("next")),
        ("load.time", Value::from("2s")),
    ];
    load(name, &changes)
}

/// By hand, for packets of 1500 B: what a frame and what its line take. FDDI loses the walk of its
/// token on top, a few us of each 16 ms.
#[test]
fn efficiency_and_goodput_order_the_media_alike() {
    for (name, frame, line) in [
        ("fast-ethernet", 1518.0, 1538.0),
        ("fddi", 1525.0, 1536.0),
        ("atm-oc3c", 1536.0, 1696.0),
        ("fibre-channel", 1552.0, 1584.0),
    ] {
        let outcome = side_by_side(name, 2, 1500);
        // The ring is one line for both, elsewhere each station has its own.
        let lines = if name == "fddi" { 1.0 } else { 2.0 };
        assert_near(outcome.efficiency(), lines * frame / line, 2e-3);
        assert_near(outcome.goodput().share_of(outcome.line_rate), lines * 1500.0 / line, 2e-3);
    }
    let [fast, ring] = ["fast-ethernet", "fddi"].map(|name| side_by_side(name, 2, 1500));
    let goodput = |run: &LoadOutcome| run.goodput().as_mbps();
    // 97.53 of each line of Fast Ethernet, 97.6 of the ring: both measures say so.
    assert!(goodput(&ring) > goodput(&fast) / 2.0 && ring.efficiency() > fast.efficiency() / 2.0);
}

/// A saturated sender always has exactly one frame at the head of its queue. By Little's law, so the
/// time between two of its frames is the time that one waits there; the way comes on top.
#[test]
fn a_saturated_frame_waits_as_long_as_the_sender_takes_for_each() {
    for (name, stations) in [
        ("fddi", 2),
        ("fddi", 20),
        ("fast-ethernet", 2),
        ("gigabit", 2),
        ("atm-oc3c", 2),
        ("fibre-channel", 2),
        ("fibre-channel", 20),
        ("myrinet", 20),
        ("full-duplex-repeater", 8),
    ] {
        let outcome = side_by_side(name, stations, 1500);
        for station in &outcome.stations {
            let seconds = outcome.counted.as_seconds();
            let per_second = station.goodput.bits_per_second() / (1500.0 * 8.0);
            let mean = station.delay.expect("it sends").as_seconds();
            let at_head = mean * per_second;
            // One wait, that at either end of the count, is not whole.
            let cut = outcome.delay.max.expect("frames").as_seconds() / seconds;
            assert!(at_head > 0.999 - cut, "{name} {stations}: {at_head} at the head");
            let direct = stations == 2 && name != "myrinet";
            // 100 m of cable and a station's latency against 12 us and more for each frame.
            assert!(!direct || at_head < 1.1, "{name} {stations}: {at_head} at the head");
        }
    }
}

/// Jain (1990): the longest access to a ring of n saturated stations is (n - 1) T + 2 D.
#[test]
fn on_a_ring_each_of_twenty_stations_waits_for_the_other_nineteen() {
    let outcome = side_by_side("fddi", 20, 4352);
    let longest = outcome.delay.max.expect("frames").as_seconds();
    let wait = 19.0 * 8e-3;
    // At most 2 D of the ring's 24 us, the frame itself, and an overrun of it for each station.
    assert!(longest > 0.95 * wait && longest < wait + 20.0 * 0.36e-3, "{longest} s");
}

/// PAUSE holds a saturated sender back as any other wait does.
#[test]
fn a_paused_sender_waits() {
    let outcome = load("log-jam", &[]);
    let paused = outcome.stations.iter().filter(|station| station.mac.pause_received > 0);
    let longest = outcome.delay.max.expect("frames");
    assert!(paused.count() > 0 && longest.as_us() > 500.0, "{longest}");
}
