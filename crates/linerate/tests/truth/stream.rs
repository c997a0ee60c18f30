//! The three bounds of a stream over a wire of known rate: they agree with it and with each other.

use std::time::Duration;

use linerate_analysis::report::{NamedRun, Report};
use linerate_core::run::Run;
use linerate_core::traffic::Class;
use linerate_core::units::{Rate, Span};
use rstest::rstest;

use super::{ALONE, PoisonError};
use crate::support::Desk;
use crate::support::lab::{Lab, Limit};

/// How long each transfer lasts at the rate of the wire. Unit: seconds.
const SECONDS: u64 = 3;

/// Runs one stream over `lab`, for as long as `bound` says.
fn stream(lab: &Lab, bound: &[&str]) -> Run {
    let desk = Desk::new();
    let server = lab.serve(&desk);
    // The bucket is full at first; by the end of the warm-up it is not.
    let options =
        ["stream", &server.address, "--congestion", "cubic", "--message", "64KiB", "--warm-up", "300ms"];
    let files = ["--out", "x.run.json", "--report", "x.html"];
    let said = lab.linerate(&desk, &[&options, bound, &files].concat()).done();
    println!("{}", said.stdout);
    desk.run_file("x.run.json")
}

/// Published tables have such transfers as rows of 6.40 and 0.01 Mb/s: normal speed and then silence,
/// in one number.
#[test]
fn a_transfer_that_stops_moving_for_a_while_is_stalled_and_no_slow_one() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(lab) = Lab::new(Some(Limit { mbps: 100, burst: "32KiB" })) else { return };
    let desk = Desk::new();
    let server = lab.serve(&desk);
    let options = ["stream", &server.address, "--time", "6s", "--stall", "900ms", "--interval", "200ms"];
    let files = ["--out", "x.run.json", "--report", "x.html"];
    let running = lab.start(&desk, &[options.as_slice(), &files].concat());
    running.stdout.until(|line| line.contains(", cwnd "));
    lab.plug(false);
    // The silence that is to be seen; nothing tells when it has been long enough but the clock.
    std::thread::sleep(Duration::from_millis(1_500));
    lab.plug(true);
    let said = running.finish();
    assert_eq!(said.code, Some(1), "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("STALLED"), "{}", said.stdout);
    let run = desk.run_file("x.run.json");
    let [transfer] = &run.transfers[..] else { panic!("one load was asked for") };
    let Class::Stalled(silent) = transfer.class(&transfer.flows[0]) else {
        panic!("{:?}", transfer.flows[0])
    };
    assert!(silent >= Span::from_ms(1_400), "{silent}");
    let [summary] = transfer.summaries().try_into().expect("one direction");
    assert_eq!((summary.complete, summary.stalled, summary.rate), (0, 1, None));
}

/// A shaper that was idle lets a megabyte through at once. At 10 Mb/s half of the load is 50 of the lumps of
/// 64 KiB in which bytes then arrive.
#[rstest]
#[case::at_10_mbps(10, "4s", 0.02)]
#[case::at_100_mbps(100, "3s", 0.01)]
#[ignore = "takes 10 s; ./check full runs it"]
fn what_a_shaper_had_saved_is_told_from_what_it_carries(
    #[case] mbps: u64,
    #[case] time: &str,
    #[case] bound: f64,
) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(lab) = Lab::new(Some(Limit { mbps, burst: "1MiB" })) else { return };
    let desk = Desk::new();
    let server = lab.serve(&desk);
    let options = ["stream", &server.address, "--time", time, "--out", "x.run.json", "--no-report"];
    let said = lab.linerate(&desk, &options).done();
    let run = desk.run_file("x.run.json");
    let expected = mbps as f64 * run.framing().expect("MTU and timestamps are known").share();
    let report = Report::new(vec![NamedRun { name: "wire".to_owned(), run }]);
    let sum = &report.loads[0].sums[0];
    let (whole, later) = (sum.mbps.expect("it moved"), sum.later_mbps.expect("it began faster"));
    println!("{whole} and then {later} of {expected} Mb/s");
    assert!(whole > expected * 1.01, "{whole} Mb/s has no burst: {}", said.stdout);
    assert!((later / expected - 1.0).abs() < bound, "{later} is not {expected} Mb/s: {}", said.stdout);
    assert!(said.stdout.contains(" in the second half, "), "{}", said.stdout);
}

/// The payload rate that the receiver counted.
fn rate(run: &Run) -> Rate {
    let [transfer] = &run.transfers[..] else { panic!("one load was asked for") };
    let [flow] = &transfer.flows[..] else { panic!("one flow was asked for") };
    assert_eq!(flow.class(Span::from_ms(1_000)), Class::Complete, "{flow:?}");
    assert_eq!(flow.sender.bytes, flow.receiver.bytes);
    flow.rate().expect("it was timed")
}

#[rstest]
// Each bucket holds 8 to 26 ms: a processor that is away for longer loses the wire's time.
#[case::at_10_mbps(Limit { mbps: 10, burst: "32KiB" })]
#[case::at_100_mbps(Limit { mbps: 100, burst: "128KiB" })]
#[case::at_1000_mbps(Limit { mbps: 1000, burst: "1MiB" })]
fn a_bound_in_time_in_bytes_and_in_messages_gives_the_rate_of_the_wire(#[case] limit: Limit) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(lab) = Lab::new(Some(limit)) else { return };
    let bytes = (limit.mbps * 125_000 * SECONDS).to_string();
    let count = (limit.mbps * 125_000 * SECONDS / 65_536).to_string();
    let time = format!("{SECONDS}s");
    let bounds: [&[&str]; 3] = [&["--time", &time], &["--bytes", &bytes], &["--count", &count]];
    let runs = bounds.map(|bound| stream(&lab, bound));
    let rates = runs.each_ref().map(|run| rate(run).as_mbps());
    let framing = runs[0].framing().expect("MTU and timestamps are known");
    let expected = limit.mbps as f64 * framing.share();
    println!("{rates:?} Mb/s of {expected:.3} Mb/s");
    for rate in rates {
        assert!((rate / expected - 1.0).abs() < 0.01, "{rate} is not {expected} Mb/s");
        assert!(
            rates.iter().all(|other| (rate / other - 1.0).abs() < 0.01),
            "the bounds disagree: {rates:?}"
        );
    }
    let received = |run: &Run| run.transfers[0].flows[0].receiver.bytes;
    assert_eq!(received(&runs[1]).to_string(), bytes, "exactly");
    assert_eq!(received(&runs[2]), count.parse::<u64>().expect("a number") * 65_536, "exactly");
}
