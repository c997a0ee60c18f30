//! `linerate calibrate` as a user runs it.

use linerate_core::run::{Source, State};
use linerate_sim::calibrate::{HostFile, Parameter};
use rustix::process::Signal;
use serde_json::Value;

use crate::support::{self, Desk, has, is_root, process};

/// Whether there can be a laboratory.
fn can() -> bool {
    has("ip") && has("ethtool") && is_root()
}

/// The interfaces of this network namespace, and the names of all others but those of tests that run beside this one,
/// in this process or another.
fn network() -> [String; 2] {
    let said = |arguments: &[&str]| {
        let desk = Desk::new();
        desk.finish(desk.command("ip", arguments)).done().stdout
    };
    // Their laboratories are called by a word and the process's number: `sw1234.a`. That of a calibration is over.
    let beside = |line: &&str| {
        let name = line.trim_start_matches(|of: char| of.is_ascii_lowercase());
        let number: String = name.chars().take_while(char::is_ascii_digit).collect();
        let number = number.trim_start_matches('0');
        !number.is_empty() && std::path::Path::new("/proc").join(number).exists()
    };
    let names = said(&["netns", "list"]);
    let names: Vec<&str> = names.lines().filter(|line| !beside(line)).collect();
    [said(&["-brief", "link"]), names.join("\n")]
}

/// What is asserted is what must hold on any host, not how quick this one is.
#[test]
fn a_host_is_calibrated_predicted_and_left_as_it_was() {
    if !can() {
        return;
    }
    let desk = Desk::new();
    let before = network();
    let said = desk.linerate(&["calibrate", "--time", "3s", "--draws", "8"]).done();
    assert!(said.stdout.contains("costs.wake-up"), "{}", said.stdout);
    assert!(said.stderr.starts_with("takes about 26 s: 3 s of measuring, then the fit\n"), "{}", said.stderr);
    assert!(said.stderr.ends_with("host file: host.toml\n"), "{}", said.stderr);
    assert_eq!(network(), before, "nothing is left behind");

    let file = HostFile::from_toml(&desk.read("host.toml")).expect("it is readable");
    // Six sizes at one MTU, four at three, eight of streams and two on one processor.
    let points = file.calibration.point.len();
    let said_missing = said.stderr.contains(&format!("{} of 28 points have no round", 28 - points.min(28)));
    assert!(points == 28 || said_missing, "{points} points: {}", said.stderr);
    assert_eq!(file.calibration.probe.len(), 8);
    for value in &file.calibration.value {
        let [low, high] = value.interval;
        assert!(0.0 < low && low <= value.fitted && value.fitted <= high, "{value:?}");
    }
    for probe in &file.calibration.probe {
        assert!(probe.samples >= 15, "{probe:?}");
        assert!(probe.interval[0] <= probe.median && probe.median <= probe.interval[1], "{probe:?}");
    }
    assert!(Parameter::ALL.iter().all(|parameter| parameter.of(&file.host) > 0.0));

    let curve = ["--schedule", "list:64,3000,20000", "--time", "1s", "--out", "x.run.json"];
    desk.linerate(&[&["calibrate", "--measure", "--mtu", "2000", "--"], &curve[..]].concat()).done();
    let run = desk.run_file("x.run.json");
    assert_eq!((&run.source, &run.state), (&Source::Measured, &State::Complete));
    assert_eq!(run.framing().map(|framing| framing.mtu), Some(2000));
    assert_eq!(network(), before, "nothing is left behind");

    let said = desk.linerate(&["predict", "--host", "host.toml", "x.run.json", "--format", "json"]).done();
    let json: Value = serde_json::from_str(&said.stdout).expect("JSON");
    assert_eq!(json["held_out"], 3, "the calibration used other MTUs");

    let stream = ["--pattern", "one-way", "--schedule", "list:64,1448", "--out", "m.run.json"];
    desk.linerate(&[&["measure", "--model", "host.toml"], &stream[..]].concat()).done();
    let run = desk.run_file("m.run.json");
    assert_eq!(run.source, Source::Modelled("host".to_owned()));
    let times: Vec<f64> = run.series[0].timed().map(|point| point.time().expect("timed").median).collect();
    assert!(times.len() == 2 && times[0] < times[1], "{times:?}");
    let plan = &run.model.as_ref().expect("it was modelled").plan;
    assert!(plan.contains("ends = ["), "both ends are on the calibrated host: {plan}");
}

#[test]
fn ctrl_c_leaves_nothing_behind() {
    if !can() {
        return;
    }
    let desk = Desk::new();
    let before = network();
    let mut command = desk.command(support::PROGRAM, &["calibrate", "--time", "60s"]);
    command.env("LINERATE_TEST_MARK", desk.folder());
    let calibration = process::Process::start(command);
    let mark = format!("LINERATE_TEST_MARK={}", desk.folder().display());
    process::wait_for("the peer", || (process::marked(&mark).len() >= 2).then_some(()));
    calibration.press_ctrl_c();
    let said = calibration.finish();
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains("interrupted"), "{}", said.stderr);
    process::wait_for("the peer's end", || process::marked(&mark).is_empty().then_some(()));
    assert!(!desk.path("host.toml").exists());
    assert_eq!(network(), before);
}

#[test]
fn a_killed_calibration_leaves_nothing_behind() {
    if !can() {
        return;
    }
    let desk = Desk::new();
    let before = network();
    let mut command = desk.command(support::PROGRAM, &["calibrate", "--time", "60s"]);
    command.env("LINERATE_TEST_MARK", desk.folder());
    let calibration = process::Process::start(command);
    let mark = format!("LINERATE_TEST_MARK={}", desk.folder().display());
    process::wait_for("the peer", || (process::marked(&mark).len() >= 2).then_some(()));
    calibration.signal(Signal::KILL);
    process::wait_for("the end of both", || process::marked(&mark).is_empty().then_some(()));
    assert_eq!(network(), before);
}

#[test]
fn without_root_one_sentence_says_so() {
    if !(is_root() && has("setpriv")) {
        return;
    }
    let desk = Desk::new();
    // The folder is the tester's; the program only has to be readable.
    let arguments = ["--bounding-set", "-all", "--inh-caps", "-all", support::PROGRAM, "calibrate"];
    let said = desk.finish(desk.command("setpriv", &arguments));
    insta::assert_snapshot!(said.complaint(), @"
    failed to make a network namespace: that needs root
    help: run it as root (`sudo linerate ...`); nothing outside its namespaces is changed
    ");
    assert!(!desk.path("host.toml").exists());
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_measured() {
    let desk = Desk::new();
    for (arguments, words) in [
        (&["calibrate", "--draws", "1"][..], "8..=1000"),
        (&["calibrate", "--mtu", "9000"], "--measure"),
        (&["calibrate", "--measure", "--out", "x.toml"], "cannot be used with"),
        (&["calibrate", "--time", "soon"], "is not a time"),
    ] {
        let said = desk.linerate(arguments);
        assert!(said.code == Some(2) && said.stderr.contains(words), "{arguments:?}: {}", said.stderr);
    }
    if can() {
        let said = desk.linerate(&["calibrate", "--time", "10ms"]).complaint();
        assert!(said.starts_with("failed to calibrate in 10 ms\nhelp: give --time at least"), "{said}");
        let said = desk.linerate(&["calibrate", "--out", "no/such/folder/host.toml"]).complaint();
        assert!(said.starts_with("failed to write no/such/folder/host.toml: "), "{said}");
    }
}
