//! Which bound binds, in situations that are built, alone and beside a program that burns a core.
//!
//! Of loads the same situations as in `held_back` are explained there.

use linerate_core::run::Turns;
use rstest::rstest;
use serde_json::Value;

use super::held_back::{Burner, DEEP, Wire};
use super::{ALONE, PoisonError};
use crate::support::{Desk, is_root, missing};

/// What is said of each band of the curve in `x.run.json`: its sizes, and the verdict if there is one.
fn bands(desk: &Desk) -> Vec<(u64, u64, String)> {
    let said = desk.linerate(&["explain", "x.run.json", "--format", "json"]).done().stdout;
    let explained: Value = serde_json::from_str(&said).expect("it is JSON");
    let bands = explained[0]["curves"][0]["bands"].as_array().expect("a curve has bands");
    let said = |band: &Value| {
        let size = |key: &str| band[key].as_u64().expect("a size");
        let verdict = band["verdict"].as_str().unwrap_or("cannot tell").to_owned();
        (size("from_bytes"), size("to_bytes"), verdict)
    };
    bands.iter().map(said).collect()
}

/// Every size of a curve over `wire` has a verdict that begins with one of `named`.
fn curve_is(wire: Wire, options: &[&str], named: &[&str], crowded: bool) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(lab) = wire.lab() else { return };
    let desk = Desk::new();
    let server = lab.serve(&desk);
    let _burner = crowded.then(Burner::start);
    let asked = ["measure", &server.address, "--out", "x.run.json", "--no-report", "--time", "2s"];
    lab.linerate(&desk, &[&asked, options].concat()).done();
    all_are(&desk, named);
}

fn all_are(desk: &Desk, named: &[&str]) {
    let bands = bands(desk);
    let right = |(_, _, verdict): &(u64, u64, String)| named.iter().any(|name| verdict.starts_with(name));
    let text = || desk.linerate(&["explain", "x.run.json"]).stdout;
    assert!(!bands.is_empty() && bands.iter().all(right), "{named:?}: {bands:?}\n{}", text());
}

const ONE_WAY: &[&str] = &["--pattern", "one-way"];

#[rstest]
#[ignore = "wants a quiet host; ./check full runs it"]
fn small_messages_to_a_sleeper_wait_for_its_waking(#[values(false, true)] crowded: bool) {
    // On a virtual machine most of a wake-up is processor time of the waker, which asks the hypervisor for it, and the
    // file does not tell it from other work. Beside a burning core the other program may have the processor.
    let named: &[&str] = if crowded {
        &["wake-up", "both processors", "other programs"]
    } else {
        &["wake-up", "both processors"]
    };
    curve_is(Wire::Free, &["--pin", "0,1", "--schedule", "list:1,8,32"], named, crowded);
}

#[rstest]
#[ignore = "wants a quiet host; ./check full runs it"]
fn ends_that_share_a_processor_are_bound_by_it(
    #[values("ping-pong", "one-way")] pattern: &str,
    #[values(false, true)] crowded: bool,
) {
    // The burner goes where there is room.
    let options = ["--pin", "1,1", "--schedule", "list:1,8,64", "--pattern", pattern];
    curve_is(Wire::Free, &options, &["the processor that both ends share"], crowded);
}

#[rstest]
#[case::ping_pong(&["--schedule", "list:256KiB,1MiB"])]
#[case::one_way(&["--schedule", "list:16KiB,64KiB,256KiB", "--pattern", "one-way"])]
#[ignore = "wants a quiet host; ./check full runs it"]
fn a_shaper_is_a_rate_that_no_interface_states(
    #[case] options: &[&str],
    #[values(false, true)] crowded: bool,
) {
    curve_is(DEEP, options, &["a slower hop or a shaper"], crowded);
}

#[rstest]
#[ignore = "wants a quiet host; ./check full runs it"]
fn a_small_receive_buffer_is_named(#[values(false, true)] crowded: bool) {
    let options = ["--rcvbuf", "4KiB", "--schedule", "list:16KiB,64KiB", "--pin", "0,1"];
    // Without any delay between the ends, a window of two segments keeps the sender's processor busy: it is woken for
    // each. Then that is what the time goes into.
    let named = ["receiver window", "sender's processor"];
    curve_is(Wire::Free, &[ONE_WAY, &options].concat(), &named, crowded);
}

#[rstest]
#[ignore = "wants a quiet host; ./check full runs it"]
fn nagles_algorithm_holds_requests_back(#[values(false, true)] crowded: bool) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(lab) = Wire::Free.lab() else { return };
    let desk = Desk::new();
    let server = lab.serve(&desk);
    let _burner = crowded.then(Burner::start);
    let asked = ["rr", &server.address, "--time", "1500ms", "--depth", "4", "--nodelay", "off"];
    lab.linerate(&desk, &[&asked[..], &["--out", "x.run.json", "--no-report"]].concat());
    let said = desk.linerate(&["explain", "x.run.json"]).done().stdout;
    assert!(said.contains("Nagle with delayed acknowledgements"), "{said}");
    assert!(!said.contains("cannot tell"), "{said}");
}

#[test]
#[ignore = "wants a quiet host; ./check full runs it"]
fn one_way_small_messages_are_bound_by_a_processor() {
    let options = ["--pin", "0,1", "--schedule", "list:8,64"];
    curve_is(
        Wire::Free,
        &[ONE_WAY, &options].concat(),
        &["sender's processor", "receiver's processor"],
        false,
    );
}

/// Models: what costs what is in their plans.
#[rstest]
#[case::link("gigabit", &[], "list:1MiB,4MiB", "link rate")]
#[case::path("wan-10037-km", &["--pattern", "ping-pong"], "list:1,64", "delay of the path")]
#[ignore = "with the others; ./check full runs it"]
fn what_binds_in_a_model_is_named(
    #[case] model: &str,
    #[case] set: &[&str],
    #[case] schedule: &str,
    #[case] named: &str,
) {
    let desk = Desk::new();
    let asked = ["measure", "--model", model, "--schedule", schedule, "--out", "x.run.json", "--no-report"];
    desk.linerate(&[&asked, set].concat()).done();
    all_are(&desk, &[named]);
}

/// Behind a slower hop a stream is paced below its rate and above it, and both are held against the same turns as asked.
#[test]
fn the_changes_of_a_load_share_its_turns_as_asked() {
    if !is_root() {
        return missing("root");
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let desk = Desk::new();
    let link = "between = ['a', 'b'], rate-mbps = 20, delay = '5ms', queue = 100000";
    desk.write("slow.toml", format!("hosts = ['a', 'b']\nlink = [{{ {link} }}]\n"));
    let files = ["--out", "x.run.json", "--no-report"];
    let asked = ["stream", "--lab", "slow.toml", "--time", "2s", "--congestion", "reno", "--explain"];
    let said = desk.linerate(&[&asked[..], &files].concat()).done().stdout;
    let run = desk.run_file("x.run.json");
    let [below, above] = &run.changed[..] else { panic!("two paces, but {:?}:\n{said}", run.changed) };
    assert_eq!(below.usual, above.usual);
    for changed in [below, above] {
        let (Turns::Loads(usual), Turns::Loads(paced)) = (&changed.usual, &changed.changed) else {
            panic!("turns of a load")
        };
        assert_eq!((usual.len(), paced.len(), &changed.failed), (3, 3, &None), "{}", changed.change);
    }
    assert!(said.contains("the same with --rate "), "{said}");
}
