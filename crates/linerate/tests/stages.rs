//! `linerate measure --stages` as a user runs it.

use linerate_core::run::State;
use linerate_core::stages::Clocks;
use rstest::rstest;

use crate::support::lab::{Lab, Limit, MTU};
use crate::support::{Desk, PROGRAM, unfolded};

#[rstest]
fn the_stages_of_messages_are_in_the_text_the_page_and_the_file(#[values("tcp", "udp")] transport: &str) {
    let desk = Desk::new();
    let flags = [
        "measure",
        "--stages=20",
        "--transport",
        transport,
        "--schedule",
        "list:1,1000,32000",
        "--time",
        "300ms",
        "--out",
        "x.run.json",
        "--report",
        "x.html",
    ];
    let said = desk.finish(desk.command(PROGRAM, &flags)).done();
    let run = desk.run_file("x.run.json");
    assert_eq!(
        (run.state.clone(), run.plan.curve().and_then(|curve| curve.stages)),
        (State::Complete, Some(20))
    );
    assert_eq!(run.stages.iter().map(|stages| stages.size).collect::<Vec<_>>(), [1, 1_000, 32_000]);
    for stages in &run.stages {
        assert_eq!((stages.clocks, stages.messages()), (Clocks::One, 20));
        for (name, part) in stages.in_order() {
            assert!(part.each_ns.iter().all(|ns| *ns >= 0), "{name}: {:?}", part.each_ns);
        }
        assert_eq!(stages.acknowledged.each_ns.len(), if transport == "tcp" { 20 } else { 0 });
    }
    assert_eq!(run.local().observation.tally.sent, run.remote().observation.tally.received);

    let (_, stages) = said.stdout.split_once("Stages of a message").expect("they are shown");
    let words = unfolded(stages);
    assert!(words.contains("medians of 20 a size; software stamps; one clock"), "{stages}");
    for size in ["1", "1000", "32000"] {
        let line = |line: &str| line.split_whitespace().next() == Some(size);
        assert!(stages.lines().any(line), "{size} in\n{stages}");
    }
    assert_eq!(stages.contains("acked"), transport == "tcp", "{stages}");
    assert!(said.stdout.lines().all(|line| line.chars().count() <= 80), "{}", said.stdout);

    let page = desk.read("x.html");
    assert!(page.contains("id=\"stages-0\"") && page.contains("Where the time of a message goes"));
    assert_eq!(page.contains("acknowledgement back"), transport == "tcp");
    // A report made later from the file says the same.
    let later = desk.finish(desk.command(PROGRAM, &["report", "x.run.json"])).done();
    assert!(later.stdout.contains("Stages of a message"), "{}", later.stdout);
}

#[rstest]
#[case(&["--transport", "quic"], "transport is quic; it must be tcp or udp where stages are asked for")]
#[case(&["--min-size", "1MiB"], "stages is 50; it must be left out where no size is up to 64 KiB")]
#[case(&["--model", "gigabit"], "its hosts have no kernels that stamp the stages of a message")]
fn what_has_no_stages_is_refused_before_anything_is_measured(#[case] flags: &[&str], #[case] reason: &str) {
    let desk = Desk::new();
    let all = [&["measure", "--stages"], flags].concat();
    let said = desk.finish(desk.command(PROGRAM, &all));
    let text = unfolded(&said.stderr);
    assert!(text.contains(reason), "{text}");
    assert!(said.stdout.is_empty(), "{}", said.stdout);
}

/// A slow wire is a queue of known length: the time is before the driver, and no less than the wire
/// needs for what its bucket does not hold.
#[test]
fn over_a_slow_wire_the_time_is_in_the_queue() {
    const SIZE: u64 = 30_000;
    const BURST: u64 = 4 << 10;
    let Some(lab) = Lab::new(Some(Limit { mbps: 10, burst: "4KiB" })) else { return };
    let desk = Desk::new();
    let server = lab.serve(&desk);
    let size = format!("list:{SIZE}");
    let asked = ["measure", &server.address, "--stages=20", "--schedule", &size, "--time", "1s"];
    let files = ["--out", "x.run.json", "--report", "x.html"];
    let said = lab.linerate(&desk, &[&asked[..], &files].concat()).done();
    println!("{}", said.stdout);
    let run = desk.run_file("x.run.json");
    let [stages] = &run.stages[..] else { panic!("one size was asked for") };
    assert_eq!(stages.messages(), 20);
    assert_eq!(stages.hardware.known(), Some(&false), "a veth has no clock of its own");
    // Full frames of 1514 B count as 1538 B do on the wire; payload alone is less than that.
    let bits = 8 * (SIZE - BURST) * (MTU + 38) / (MTU + 14);
    let least_ns = i64::try_from(bits * 1_000 / 10).expect("milliseconds");
    for nth in 0..20 {
        let [to_queue, to_driver, to_peer, to_application] =
            stages.in_order().map(|(_, part)| part.each_ns[nth]);
        assert!(to_queue + to_driver >= least_ns, "{} ns of {least_ns}", to_queue + to_driver);
        assert!(to_peer >= 0 && to_application >= 0);
    }
    let median = |part: &linerate_core::stages::Part| part.median_us().expect("there are messages");
    assert!(median(&stages.to_peer) < median(&stages.whole) / 10.0, "{stages:?}");
}
