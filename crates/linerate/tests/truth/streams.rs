//! What a calibrated model says of this machine's streams and ping-pongs over a veth, between two processors and on
//! one, beside what they take.
//!
//! The goal is a median error under 10 % and 90 % of the sizes in their bands. It is asserted of two ends on one
//! processor, the error with a margin. What two processors take is shown: those of a virtual machine pass memory to
//! each other in 0.55 of the time or in all of it, for tens of seconds, and no calibration knows in which state the
//! next run is (docs/models/host.md).

use std::sync::PoisonError;

use serde_json::Value;

use super::ALONE;
use crate::support::{Desk, has, is_root};

/// Median error of the held-out sizes of the runs on one processor, at most.
const ERROR: f64 = 0.15;
/// How many of them are in their bands, at least.
const INSIDE: f64 = 0.9;

/// The errors of a run's held-out sizes, and how many of them are in their bands.
fn held_out(desk: &Desk, pattern: &str, pin: &str) -> (Vec<f64>, usize) {
    let curve =
        ["--pattern", pattern, "--pin", pin, "--min-size", "64", "--max-size", "4MiB", "--time", "15s"];
    let arguments =
        [&["calibrate", "--measure", "--"], &curve[..], &["--force", "--out", "x.run.json"]].concat();
    desk.linerate(&arguments).done();
    let said = desk.linerate(&["predict", "--host", "host.toml", "x.run.json", "--format", "json"]).done();
    let said: Value = serde_json::from_str(&said.stdout).expect("JSON");
    println!("{pattern} {pin}: error {}, in the band {}", said["median_error"], said["coverage"]);
    let points = said["points"].as_array().expect("points");
    let points = || points.iter().filter(|point| point["used_for_calibration"] == false);
    let errors = points().map(|point| point["error"].as_f64().expect("a number").abs()).collect();
    (errors, points().filter(|point| point["inside"] == true).count())
}

#[test]
#[ignore = "takes two minutes; ./check full runs it"]
fn streams_and_ping_pongs_take_what_the_calibrated_model_says() {
    let two = std::thread::available_parallelism().is_ok_and(|count| count.get() > 1);
    if !(is_root() && has("ip") && has("ethtool") && two) {
        return;
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let desk = Desk::new();
    desk.linerate(&["calibrate", "--time", "20s"]).done();
    let (mut errors, mut inside) = (Vec::new(), 0);
    for (pattern, pin) in [("one-way", "0,1"), ("one-way", "0,0"), ("ping-pong", "0,1"), ("ping-pong", "0,0")]
    {
        let (more, held) = held_out(&desk, pattern, pin);
        assert!(more.len() > 20, "{pattern} {pin}: {} sizes", more.len());
        if pin == "0,0" {
            errors.extend(more);
            inside += held;
        }
    }
    errors.sort_by(f64::total_cmp);
    let (median, share) = (errors[errors.len() / 2], inside as f64 / errors.len() as f64);
    println!("on one processor: median error {median}, in the band {share}");
    assert!(median < ERROR, "{median}");
    assert!(share >= INSIDE, "{share}");
}
