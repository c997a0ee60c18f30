//! `linerate predict` as a user runs it.

use insta::assert_snapshot;
use linerate_core::environment::Fact;
use linerate_core::run::{Run, Source};
use serde_json::Value;

use crate::support::Desk;

/// A host that was calibrated on a virtual machine.
const HOST: &str = include_str!("predict/host.toml");
/// Eleven sizes between the two namespaces of that host, MTU 1500.
const LAB: &str = include_str!("predict/lab.run.json");

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("host.toml", HOST);
    desk.write("lab.run.json", LAB);
    desk
}

fn lab() -> Run {
    Run::from_json(LAB).expect("it is read for ever")
}

fn json(desk: &Desk, more: &[&str]) -> Value {
    let arguments = ["predict", "--host", "host.toml", "lab.run.json", "--format", "json"];
    let said = desk.linerate(&[&arguments, more].concat()).done();
    serde_json::from_str(&said.stdout).expect("JSON")
}

#[track_caller]
fn complaint(desk: &Desk, arguments: &[&str]) -> String {
    desk.linerate(&[&["predict"], arguments].concat()).complaint()
}

#[test]
fn every_size_has_its_band_and_what_was_used_is_not_held_out() {
    let desk = desk();
    let json = json(&desk, &[]);
    let points = json["points"].as_array().expect("points");
    assert_eq!(points.len(), lab().series[0].timed().count());
    for point in points {
        let number = |value: &Value| value.as_f64().expect("a number");
        let [low, high] = [&point["band_us"][0], &point["band_us"][1]].map(number);
        let centre = number(&point["predicted_us"]);
        assert!(0.0 < low && low < centre && centre < high, "{point}");
        let inside = (low..=high).contains(&number(&point["measured_us"]));
        assert_eq!(point["inside"], inside, "{point}");
    }
    let used = points.iter().filter(|point| point["used_for_calibration"] == true);
    let used: Vec<u64> = used.filter_map(|point| point["conditions"]["size"].as_u64()).collect();
    assert_eq!(used, [64, 1448, 32_768], "three of the sizes were used at this MTU");
    assert_eq!(json["held_out"].as_u64(), Some(points.len() as u64 - 3));
    assert!(desk.read("lab.predict.html").contains("</html>"));
}

#[test]
fn a_prediction_repeats() {
    let desk = desk();
    assert_eq!(json(&desk, &["--what-if", "mtu=3000"]), json(&desk, &["--what-if", "mtu=3000"]));
}

#[test]
fn fewer_and_larger_packets_are_predicted_to_be_quicker_and_how_to_test_it_is_said() {
    let desk = desk();
    let json = json(&desk, &["--what-if", "mtu=9000", "rcvbuf=1MiB"]);
    let what_if = &json["what_if"];
    assert_eq!(what_if["change"], "mtu=9000 rcvbuf=1MiB");
    let last = |points: &Value| points.as_array().and_then(|all| all.last()).cloned().expect("points");
    let [before, after] = [last(&json["points"]), last(&what_if["points"])];
    let us = |point: &Value| point["predicted_us"].as_f64().expect("a number");
    assert!(us(&after) < us(&before), "a message of many packets: {before} {after}");
    let test = what_if["test"][0].as_str().expect("a command");
    assert!(test.starts_with("linerate calibrate --measure --mtu 9000 -- "), "{test}");
    assert!(test.contains("--rcvbuf 1048576") && test.contains("--out after.run.json"), "{test}");
}

#[test]
fn every_combination_of_changes_is_predicted_by_itself() {
    let desk = desk();
    let all = json(&desk, &["--what-if", "mtu=1500,9000", "rcvbuf=auto,1MiB"]);
    let cells = all["what_if"].as_array().expect("a list");
    let changes: Vec<&str> = cells.iter().filter_map(|cell| cell["change"].as_str()).collect();
    let [near, far] =
        ["mtu=1500", "mtu=9000"].map(|mtu| [format!("{mtu} rcvbuf=auto"), format!("{mtu} rcvbuf=1MiB")]);
    assert_eq!(changes, [near, far].concat());
    for (cell, nth) in cells.iter().zip(1..) {
        let test = cell["test"][1].as_str().expect("a command");
        assert!(test.ends_with(&format!(" after-{nth}.run.json")), "{test}");
    }
    let alone = json(&desk, &["--what-if", "mtu=9000", "rcvbuf=1MiB"]);
    assert_eq!(cells[3]["points"], alone["what_if"]["points"], "as if it were asked for alone");
}

#[test]
fn the_text_says_what_counts() {
    let said = desk().linerate(&["predict", "--host", "host.toml", "lab.run.json"]).done();
    for words in ["held-out sizes (", "of the held-out times", "times in us", "measured  predicted"] {
        assert!(said.stdout.contains(words), "{words}: {}", said.stdout);
    }
    assert_eq!(said.stderr, "report: lab.predict.html\n");
}

#[test]
fn another_host_another_kernel_and_offloads_are_doubted() {
    let desk = desk();
    let mut run = lab();
    run.nodes[1].environment.kernel = Fact::Known("Linux 2.2.1".to_owned());
    let Fact::Known(interface) = &mut run.nodes[0].environment.interface else { panic!("it has one") };
    interface.offloads = Fact::Known([("tx-tcp-segmentation".to_owned(), true)].into());
    run.paths[0].from_granted.congestion = Fact::Known("bbr".to_owned());
    desk.write("lab.run.json", run.to_json());
    let json = json(&desk, &[]).to_string();
    for words in ["the peer had the kernel `Linux 2.2.1`", "segmentation offload", "`bbr`, which spaces"] {
        assert!(json.contains(words), "{words}: {json}");
    }
}

#[test]
fn what_is_no_host_is_refused() {
    let desk = desk();
    assert_snapshot!(complaint(&desk, &["--host", "no.toml", "lab.run.json"]), @"
    failed to read the host no.toml: No such file or directory (os error 2)
    help: name a file that `linerate calibrate` wrote
    ");
    desk.write("bad.toml", "host = 5");
    let said = complaint(&desk, &["--host", "bad.toml", "lab.run.json"]);
    assert!(said.starts_with("failed to read the host bad.toml: "), "{said}");
    desk.write("bad.toml", HOST.replace("discrepancy = ", "discrepancy = -"));
    assert_snapshot!(complaint(&desk, &["--host", "bad.toml", "lab.run.json"]), @"
    failed to read the host bad.toml: calibration.discrepancy is negative or no number
    help: name a file that `linerate calibrate` wrote
    ");
}

#[test]
fn what_was_not_measured_over_tcp_is_refused() {
    let desk = desk();
    let mut modelled = lab();
    modelled.source = Source::Modelled("gigabit".to_owned());
    desk.write("m.run.json", modelled.to_json());
    assert_snapshot!(complaint(&desk, &["--host", "host.toml", "m.run.json"]), @"
    failed to predict m: it was computed by a model, not measured
    help: give a run that `linerate measure` measured over TCP
    ");
    let mut datagrams = lab();
    datagrams.paths[0].transport = "udp".to_owned();
    desk.write("u.run.json", datagrams.to_json());
    assert_snapshot!(complaint(&desk, &["--host", "host.toml", "u.run.json"]), @r#"
    failed to predict u: it was measured over "udp", and hosts are calibrated for TCP
    help: give a run that `linerate measure` measured over TCP
    "#);
    desk.write("np.out", include_str!("../../linerate-analysis/tests/netpipe/3.7.2-loopback.out"));
    let said = complaint(&desk, &["--host", "host.toml", "np.out"]);
    assert!(said.contains("recorded neither hosts, nor MTU, nor options"), "{said}");
    let mut blind = lab();
    for end in &mut blind.nodes {
        end.environment.interface = Fact::unknown("a test");
    }
    desk.write("b.run.json", blind.to_json());
    assert_snapshot!(complaint(&desk, &["--host", "host.toml", "b.run.json"]), @"
    failed to predict b: it does not say the MTU of its path
    help: predict a run of linerate over an interface whose MTU the kernel tells
    ");
}

#[test]
fn a_run_over_the_loopback_is_predicted_with_a_word_of_caution() {
    let desk = desk();
    let mut run = lab();
    run.source = Source::Loopback;
    for end in &mut run.nodes {
        let Fact::Known(interface) = &mut end.environment.interface else { panic!("it has one") };
        (interface.loopback, interface.mtu) = (true, Fact::Known(65_536));
        interface.offloads = Fact::Known([("tx-tcp-segmentation".to_owned(), true)].into());
    }
    desk.write("lab.run.json", run.to_json());
    let json = json(&desk, &[]);
    assert_eq!(json["held_out"], json["points"].as_array().expect("points").len(), "another MTU");
    assert!(json["cautions"].to_string().contains("segmentation offload"), "{}", json["cautions"]);
}

#[test]
fn a_change_that_cannot_be_is_refused() {
    let desk = desk();
    let usual = ["predict", "--host", "host.toml", "lab.run.json", "--what-if"];
    for (change, words) in
        [("speed=5", "`speed` is none of mtu, rcvbuf, sndbuf, mss"), ("mtu=big", "`big` is not a size")]
    {
        let said = desk.linerate(&[&usual[..], &[change]].concat());
        assert!(said.code == Some(2) && said.stderr.contains(words), "{}", said.stderr);
    }
    assert_snapshot!(desk.linerate(&[&usual[..], &["mtu=1500", "mtu=9000"]].concat()).complaint(), @"
    failed to change the conditions: `mtu` is given twice; give all its values at once
    help: write --what-if mtu=1500,9000
    ");
    assert_snapshot!(desk.linerate(&[&usual[..], &["mtu=1500,3000,9000", "mss=auto,500,1000"]].concat()).complaint(), @"
    failed to predict 9 combinations of changes: the limit is 8
    help: give fewer values, or several commands
    ");
    let said = desk.linerate(&[&usual[..], &["mtu=40"]].concat()).complaint();
    assert!(said.starts_with("failed to build the model: network.mtu is 40; "), "{said}");
}
