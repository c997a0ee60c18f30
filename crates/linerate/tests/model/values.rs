//! Values that a load cannot have: each ends in one sentence that says what it can.

use rstest::rstest;

use super::desk;
use crate::support::unfolded;

/// What `linerate model load` with one value set complains of, without the help.
#[track_caller]
fn complaint(plan: &str, set: &str) -> String {
    let said = desk().linerate(&["model", "load", plan, "--set", set]);
    assert_eq!(said.stdout, "", "nothing was run");
    said.complaint().lines().next().unwrap_or_default().to_owned()
}

#[rstest]
#[case("load.frame=0", "load.frame is 0; it must be from 64 to 1518 B on this network")]
#[case("load.packet=0", "load.packet is 0; it must be from 1 to 1500 B on this network")]
#[case("load.packet=1501", "load.packet is 1501; it must be from 1 to 1500 B on this network")]
#[case(
    "load.frame=[[64, 0]]",
    "load.frame is an empty mix; give a size, or sizes with weights such as [[64, 7], [1518, 1]]"
)]
fn a_size_that_the_network_does_not_carry(#[case] set: &str, #[case] reason: &str) {
    assert_eq!(complaint("fast-ethernet", set), format!("failed to build the model: {reason}"));
}

const SIZES: &str =
    "a size in whole bytes, such as 1518, or sizes with weights, such as [[64, 7], [1518, 1]]";
const ENTRIES: &str = "each entry of a mix is a size in whole bytes and a weight from 0 to 4294967295, \
                       such as [[64, 7], [1518, 1]]";

#[rstest]
#[case("load.frame=1e3", "load.frame = 1000.0", &format!("it must be {SIZES}"))]
#[case("load.frame=big", "load.frame = big", &format!("it must be {SIZES}"))]
#[case("load.frame=-64", "load.frame = -64", &format!("it must be {SIZES}"))]
#[case("load.frame=[64]", "load.frame = [64]", ENTRIES)]
#[case("load.frame=[[64, 4294967296]]", "load.frame = [[64, 4294967296]]", ENTRIES)]
#[case("load.frames=1e3", "load.frames = 1000.0", "it must be a whole number from 0 to 9223372036854775807")]
#[case("load.station-load=most", "load.station-load = most", "it must be a number, such as 0.5")]
#[case("load.senders=3", "load.senders = 3", "it must be a list, such as [0, 1]")]
#[case("load.beside=1", "load.beside = 1", "it must be true or false")]
#[case(
    "load.time=true",
    "load.time = true",
    "it must be a time with its unit, such as \"20s\" or \"250ms\", or a number of seconds"
)]
#[case(
    "load.time=-2",
    "load.time = -2",
    "`-2` is not a time; write a number with ns, us, ms, s, min or h, such as 20s or 250ms"
)]
fn a_value_of_another_kind(#[case] set: &str, #[case] with: &str, #[case] reason: &str) {
    assert_eq!(complaint("fast-ethernet", set), format!("failed to build the model with {with}: {reason}"));
}

#[rstest]
#[case("seed=18446744073709551615", "18446744073709551615")]
#[case("load.frame=[[64, 18446744073709551615]]", "18446744073709551615")]
#[case("load.queue-frames=99999999999999999999", "99999999999999999999")]
fn a_number_that_no_key_takes(#[case] set: &str, #[case] number: &str) {
    let said = complaint("fast-ethernet", set);
    assert_eq!(said, format!("failed to read the number {number}: it is too large"));
}

#[test]
fn the_greatest_weights_are_taken() {
    let mix = "load.frame=[[64, 4294967295], [1518, 4294967295]]";
    let args =
        ["model", "load", "fast-ethernet", "--set", mix, "--set", "load.frames=2000", "--format", "csv"];
    let said = desk().linerate(&args).done();
    assert_eq!(said.stdout.lines().count(), 2, "{}", said.stdout);
}

#[test]
fn a_bare_number_is_seconds() {
    let desk = desk();
    let plan = |set: &str| {
        desk.linerate(&["model", "load", "fast-ethernet", "--set", set, "--print-plan"]).done().stdout
    };
    assert_eq!(plan("load.time=2"), plan("load.time=2s"));
    assert_eq!(plan("load.time=0.5"), plan("load.time=500ms"));
}

#[test]
fn a_key_that_the_network_does_not_use_is_named_and_one_out_of_range_refused() {
    let desk = desk();
    let run = |set: &str| {
        let short = ["--set", "load.time=10ms", "--set", "load.warm-up=1ms"];
        desk.linerate(&[&["model", "load", "fast-ethernet-hub", "--set", set], &short[..]].concat())
    };
    let said = run("network.queue=4096").done().stdout;
    let plain = unfolded(&said);
    assert!(
        plain.contains("! `network.queue` has no effect: no relay of this network has queues; leave it out"),
        "{said}"
    );
    assert!(run("network.queue=2GiB").complaint().contains("it must be at most 1 GiB"));
    assert!(run("network.uplink-phy=2G").complaint().contains("it must be one of 10BASE-T"));
}

#[test]
fn a_run_that_gives_up_a_fifth_of_its_frames_says_so_on_screen_and_page() {
    let desk = desk();
    let args = [
        "model",
        "load",
        "ten-base-t",
        "--set",
        "stations=60",
        "--set",
        "load.time=2s",
        "--report",
        "x.html",
    ];
    let said = desk.linerate(&args).done().stdout;
    let plain = unfolded(&said);
    assert!(
        plain.contains("% of the frames were lost (excessive collisions), and the delays do not count them"),
        "{said}"
    );
    let page = desk.read("x.html");
    assert!(
        page.contains("of the frames were lost (excessive collisions)")
            && !page.contains("There are no cautions")
    );
}
