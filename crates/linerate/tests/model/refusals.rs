//! Whatever cannot be modelled ends in one message that says what to do, with exit code 2.

use insta::assert_snapshot;
use rstest::rstest;

use super::desk;

/// What `linerate model` with `arguments` complains of.
#[track_caller]
fn complaint_of(arguments: &[&str]) -> String {
    let said = desk().linerate(&[&["model"], arguments].concat());
    assert_eq!(said.stdout, "", "nothing was run");
    said.complaint()
}

/// What `linerate model load x.toml` with `arguments` complains of.
#[track_caller]
fn refusal_of(arguments: &[&str]) -> String {
    complaint_of(&[&["load", "x.toml"], arguments].concat())
}

#[test]
fn a_name_that_no_plan_has() {
    assert_snapshot!(complaint_of(&["load", "no-such-plan"]), @"
    failed to find the plan `no-such-plan`: it is neither a shipped plan nor a file
    help: `linerate model list` names the plans that come with linerate
    ");
    assert_snapshot!(complaint_of(&["show", "no-such-plan"]), @"
    failed to find the plan `no-such-plan`: it is no shipped plan, host or kernel
    help: `linerate model list` names the plans that come with linerate
    ");
}

#[test]
fn a_plan_that_cannot_be_read() {
    assert_snapshot!(complaint_of(&["load", "no-such.toml"]), @"
    failed to read the plan no-such.toml: No such file or directory (os error 2)
    help: name a TOML file, or a plan that `linerate model list` names
    ");
}

#[test]
fn a_plan_with_an_unknown_key_is_shown_with_the_place() {
    let desk = desk();
    desk.write("bad.toml", "[load]\ntime = '1ms'\nfrims = 3\n");
    let said = desk.linerate(&["model", "load", "bad.toml"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("frims = 3") && said.stderr.contains("bad.toml:3:1"), "{}", said.stderr);
    assert!(said.stderr.contains("unknown field `frims`"), "{}", said.stderr);
    assert!(said.stderr.contains("--print-plan"), "{}", said.stderr);
}

#[test]
fn a_value_that_cannot_be() {
    assert_snapshot!(refusal_of(&["--set", "load.frames=0"]), @"
    failed to build the model: load.frames is 0; it must be at least 1
    help: change the value in the plan, or with --set KEY=VALUE
    ");
    assert_snapshot!(refusal_of(&["--set", "load.time=soon"]), @"
    failed to build the model with load.time = soon: `soon` is not a time; write a number with ns, us, ms, s, min or h, such as 20s or 250ms
    help: change the value in the plan, or with --set KEY=VALUE
    ");
    assert_snapshot!(refusal_of(&["--sweep", "frame=64,20000"]), @"
    failed to build the model with load.frame = 20000: load.frame is 20000; it must be from 64 to 1518 B on this network
    help: change the value in the plan, or with --set KEY=VALUE
    ");
    assert_snapshot!(refusal_of(&["--sweep", "warm-up=10us,5ms"]), @"
    failed to build the model with load.warm-up = 5ms: load.warm-up is 5 ms; it must be shorter than load.time
    help: change the value in the plan, or with --set KEY=VALUE
    ");
}

#[test]
fn a_key_that_the_plan_does_not_have() {
    let said = refusal_of(&["--sweep", "statoins=2,4"]);
    assert!(said.starts_with("failed to find the key `statoins` in the plan"), "{said}");
    assert!(said.contains("network.stations") && said.contains("load.station-load"), "{said}");
    let said = refusal_of(&["--set", "network.statoins=2"]);
    assert!(said.starts_with("failed to find the key `network.statoins` in the plan"), "{said}");
}

#[test]
fn a_key_that_could_be_several() {
    let desk = desk();
    desk.write(
        "slow.toml",
        "[network]\nmedium = 'ethernet'\nreceive = { buffer = '64KiB', drain-mbps = 100.0 }\n",
    );
    let said = desk.linerate(&["model", "load", "slow.toml", "--set", "high-watermark=1"]).complaint();
    assert_snapshot!(said, @"
    failed to choose a key: `high-watermark` could be network.high-watermark or network.receive.high-watermark
    help: write the whole path
    ");
}

#[rstest]
#[case(&["--sweep", "frame"], "failed to understand --sweep `frame`")]
#[case(&["--sweep", "frame="], "failed to understand --sweep `frame=`")]
#[case(&["--sweep", "frame=64,,65"], "failed to read a value: it is empty")]
#[case(&["--sweep", "frame=64,[[64, 7]"], "failed to read the value `[[64, 7]`: it is not TOML")]
#[case(&["--set", "=1"], "failed to understand --set `=1`")]
#[case(&["--sweep", "frame=64", "--sweep", "load.frame=65"], "failed to sweep: `load.frame` is swept twice")]
#[case(&["--sweep", "frame=64,65", "--seeds", "5001"], "failed to sweep: that is 10002 runs; the limit is 10000")]
#[case(&["--seeds", "2", "--trace", "x.pcapng"], "failed to choose what to trace: there are several runs")]
#[case(&["--report", "no/such/folder.html"], "failed to write no/such/folder.html")]
fn options_that_make_no_sense(#[case] arguments: &[&str], #[case] trouble: &str) {
    let said = refusal_of(arguments);
    assert!(said.starts_with(trouble), "{said}");
}

/// What the command line's own rules refuse.
#[rstest]
#[case(&["load", "x.toml", "--seeds", "0"])]
#[case(&["load", "x.toml", "--jobs", "0"])]
#[case(&["load", "x.toml", "--sweep", "frame=64", "--trace", "x.pcapng"])]
#[case(&["load"])]
fn the_command_line_refuses(#[case] arguments: &[&str]) {
    let said = desk().linerate(&[&["model"], arguments].concat());
    assert_eq!((said.code, &*said.stdout), (Some(2), ""), "{}", said.stderr);
    assert_eq!(said.stderr.matches("error:").count(), 1, "{}", said.stderr);
}

#[test]
fn a_mistyped_verb_is_answered_with_the_right_one() {
    let said = desk().linerate(&["model", "lode"]).complaint();
    assert!(said.starts_with("linerate model has no verb lode; did you mean load?"), "{said}");
}
