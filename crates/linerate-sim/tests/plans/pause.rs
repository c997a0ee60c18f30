//! PAUSE: room for what is under way, log-jams, many senders to one.

use linerate_core::units::Span;
use linerate_sim::ethernet::pause::Headroom;
use linerate_sim::fabric::Loss;
use linerate_sim::pace::Pace;
use toml::Value;

use super::shipped::{load, lost};

#[test]
fn with_its_headroom_a_switch_loses_nothing_at_any_length_of_cable() {
    for metres in [2.0, 100.0, 550.0, 5000.0] {
        let outcome = load("pause-headroom", &[("network.length-m", Value::from(metres))]);
        assert_eq!(outcome.all_lost(), 0, "{metres} m");
        assert!(outcome.efficiency() > 0.986, "the receiver's line stays full: {}", outcome.efficiency());
        let paused = outcome.stations.iter().filter(|station| station.mac.pause_received > 100).count();
        assert_eq!(paused, 3, "all senders are paused");
    }
}

#[test]
fn a_watermark_for_a_short_cable_loses_on_a_long_one() {
    let needed = |metres: u64| {
        let pace = Pace::of_bits_per_second(1_000_000_000);
        Headroom::at_reaction_limit(1518, pace, Span::from_ns(5 * metres)).bytes_by_frame()
    };
    assert_eq!((needed(100), needed(5000)), (4930, 11_055), "what the plan says");
    let at = |metres: f64| load("pause-no-headroom", &[("network.length-m", Value::from(metres))]);
    assert_eq!(at(100.0).all_lost(), 0);
    assert!(lost(&at(5000.0), Loss::Overflow) > 100);
}

#[test]
fn the_widest_cable_of_a_network_decides_its_headroom() {
    // Two cables are longer than the network's length says, and one is drawn from the relay to the station.
    let text = r#"
        network = { medium = "ethernet", topology = "graph", stations = 3, phy = "1000BASE-X", pause = "asymmetric",
          length-m = 10.0, queue = "40K", relay = [{ name = "a", kind = "switch" }], cable = [
            { between = ["s0", "a"], length-m = 5000.0 },
            { between = ["a", "s1"], length-m = 5000.0 },
            { between = ["s2", "a"] },
        ] }
        load = { to = "station 2" }
    "#;
    let plan = linerate_sim::plan::ModelPlan::from_toml(text).expect("a plan");
    let outcome = linerate_sim::model::load(&plan, None).expect("it can be built").outcome;
    assert_eq!(outcome.all_lost(), 0);
    let heard = |station: usize| outcome.stations[station].mac.pause_received;
    assert!(heard(0) > 50 && heard(1) > 50, "either way of drawing a cable: {} {}", heard(0), heard(1));
}

#[test]
fn symmetric_pause_lets_a_slow_station_stop_everyone_and_asymmetric_does_not() {
    let jam = load("log-jam", &[]);
    let free = load("log-jam-asymmetric", &[]);
    let mbps = |outcome: &linerate_sim::load::LoadOutcome, station: usize| {
        outcome.stations[station].throughput.as_mbps()
    };
    for station in 0..4 {
        let rate = mbps(&jam, station);
        assert!((95.0..=105.0).contains(&rate), "all have the slow station's rate: {rate}");
    }
    assert_eq!(jam.all_lost(), 0);
    // A quarter of the line each; the slow one takes 100 of what is sent to it.
    for station in [0, 1, 3] {
        assert!(mbps(&free, station) > 240.0, "station {station}: {}", mbps(&free, station));
    }
    assert!((95.0..=105.0).contains(&mbps(&free, 2)), "{}", mbps(&free, 2));
    assert!(free.stations[2].lost.contains_key(&Loss::Overflow) && free.stations[2].delivered > 1_000);
    assert_eq!(free.all_lost(), free.stations[2].lost[&Loss::Overflow], "nobody else loses");
}

#[test]
fn many_senders_to_one_lose_most_without_pause_and_nothing_with_it() {
    let open = load("n-to-1", &[]);
    let share = open.all_lost() as f64 / open.offered as f64;
    assert!((0.7..0.76).contains(&share), "three quarters find no room: {share}");
    let paused = load("n-to-1-lossless", &[]);
    assert_eq!(paused.all_lost(), 0);
    for outcome in [open, paused] {
        assert!(outcome.efficiency() > 0.98, "the receiver's line is full: {}", outcome.efficiency());
        assert!(outcome.fairness() > 0.98, "{}", outcome.fairness());
    }
}
