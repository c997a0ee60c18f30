//! Hubs, repeaters and switches: who shares a line, who waits, who loses.

use linerate_sim::fabric::Loss;
use toml::Value;

use super::shipped::{assert_near, load, lost};

/// Time for 4000 frames on one line beside the warm-up of 5 ms, so that a frame at the edge is little.
fn enough(frame: u32) -> Value {
    Value::from(format!("{}us", 5_000 + 4000 * (frame + 20) / 125))
}

fn framing(frame: u32) -> f64 {
    f64::from(frame) / f64::from(frame + 20)
}

#[test]
fn a_hub_shares_less_than_a_line_a_full_duplex_repeater_a_line_and_a_switch_gives_one_to_each() {
    for frame in [64, 1518] {
        let on = |topology: &str| {
            let changes = [
                ("network.topology", topology.into()),
                ("load.frame", Value::from(frame)),
                ("load.time", enough(frame)),
            ];
            load("hub-switch-repeater", &changes).efficiency()
        };
        let one = framing(frame);
        let [hub, repeater, switch] = ["hub", "distributor", "switch"].map(on);
        assert!(hub < one - 0.01, "{frame} B: {hub}");
        assert_near(repeater, one, 3e-4);
        assert_near(switch, 8.0 * one, 3e-4);
    }
}

#[test]
fn a_full_duplex_repeater_with_pause_carries_a_full_line_of_any_frames_without_loss() {
    for frame in [64, 256, 1518] {
        let changes = [("load.frame", Value::from(frame)), ("load.time", "25ms".into())];
        let outcome = load("full-duplex-repeater", &changes);
        assert_eq!(outcome.all_lost(), 0);
        // PAUSE frames take some of the lines, and the run ends within a frame.
        let share = outcome.efficiency() / framing(frame);
        assert!((0.998..=1.0).contains(&share), "{share}");
        assert!(outcome.fairness() > 0.999, "{}", outcome.fairness());
    }
}

#[test]
fn a_direct_cable_carries_a_full_line_each_way() {
    for frame in [64, 512, 1518] {
        let outcome = load("direct", &[("load.frame", Value::from(frame))]);
        assert_near(outcome.efficiency(), 2.0 * framing(frame), 2e-4);
    }
}

#[test]
fn flows_that_cross_lose_nothing_until_the_middle_cable_is_full() {
    let at = |share: f64| load("indirect", &[("load.station-load", Value::from(share))]);
    // The four stations of one side send 16/7 of a station's load over it.
    let [below, above] = [0.4, 0.5].map(at);
    assert_eq!(below.all_lost(), 0);
    assert!(lost(&above, Loss::Overflow) > 1_000, "{:?}", above.lost);
    let [empty, busy] = [at(0.1), below].map(|outcome| outcome.delay.mean.expect("frames").as_us());
    assert!(busy > 1.5 * empty, "{empty} us, {busy} us");
}

#[test]
fn waits_are_those_of_the_queue_with_poisson_arrivals_and_equal_services() {
    // Two lines of (1518 + 8) x 8 ns, two cables of 100 m at 5.56 ns/m.
    let empty_us = 2.0 * (12.208 + 0.556);
    let service_us = 1538.0 * 8e-3;
    for share in [0.5, 0.8] {
        let changes = [("load.station-load", Value::from(share)), ("load.time", "35ms".into())];
        let outcome = load("switch-queue", &changes);
        let rho = share * 1538.0 / 1518.0;
        let wait_us = rho * service_us / (2.0 * (1.0 - rho));
        let waits = outcome.delay.mean.expect("frames").as_us() - empty_us;
        assert_near(waits, 2.0 * wait_us, 0.03);
        assert_eq!(outcome.all_lost(), 0);
    }
}

#[test]
fn a_campus_carries_its_load_and_the_laboratory_on_the_hub_waits_longest() {
    let outcome = load("campus", &[]);
    assert_eq!(outcome.all_lost(), 0);
    let delay = |station: usize| outcome.stations[station].delay.expect("frames").as_us();
    for desk in [0, 1, 2, 3, 6] {
        assert!(delay(desk) * 1.3 < delay(4).min(delay(5)), "station {desk}: {} us", delay(desk));
    }
}
