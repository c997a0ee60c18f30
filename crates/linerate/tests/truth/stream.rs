//! The three bounds of a stream over a wire of known rate: they agree with it and with each other.

use std::time::Duration;

use linerate_analysis::report::{NamedRun, Report};
use linerate_core::caution::Caution;
use linerate_core::run::Run;
use linerate_core::traffic::Class;
use linerate_core::units::{Rate, Span};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use rstest::rstest;

use super::host::{Carried, EDGE, held};
use super::{ALONE, PoisonError};
use crate::support::Desk;
use crate::support::lab::{Lab, Limit};

/// How long each transfer lasts at the rate of the wire. Unit: seconds.
const SECONDS: u64 = 3;
/// Unit: bytes.
const MESSAGE: u64 = 64 << 10;

/// How long the warm-up is: then the bucket is no longer full. Unit: seconds.
const WARM_UP: f64 = 0.3;

/// Runs one stream over `lab`, for as long as `bound` says, and counts what the wire carries.
fn stream(lab: &Lab, bound: &[&str]) -> (Run, Carried) {
    let desk = Desk::new();
    let server = lab.serve(&desk);
    let warm_up = format!("{WARM_UP}s");
    let options =
        ["stream", &server.address, "--congestion", "cubic", "--message", "64KiB", "--warm-up", &warm_up];
    let files = ["--out", "x.run.json", "--report", "x.html"];
    let (said, carried) = lab.watched(|| lab.linerate(&desk, &[&options, bound, &files].concat()));
    println!("{}", said.done().stdout);
    (desk.run_file("x.run.json"), carried)
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
    assert_eq!((summary.complete, summary.stalled), (0, 1));
    let rate = summary.rate.expect("what moved has a rate").as_mbps();
    assert!((30.0..100.0).contains(&rate), "beside the stall, not above the wire: {rate} Mb/s");
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
    let limit = Limit { mbps, burst: "1MiB" };
    held(|| {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let (desk, lab) = (Desk::new(), Lab::new(Some(limit))?);
        let server = lab.serve(&desk);
        let options = ["stream", &server.address, "--time", time, "--out", "x.run.json", "--no-report"];
        let (said, carried) = lab.watched(|| lab.linerate(&desk, &options));
        let (said, run) = (said.done().stdout, desk.run_file("x.run.json"));
        let holds = is_told_apart(limit, bound, &run, &carried, &said);
        Some((run, holds))
    });
}

fn is_told_apart(limit: Limit, bound: f64, run: &Run, carried: &Carried, said: &str) -> Result<(), String> {
    let nominal = limit.mbps as f64 * run.framing().expect("MTU and timestamps are known").share();
    let (begin, end) = carried.busy(limit);
    let expected = carried.mean((begin + end) / 2.0, end - EDGE);
    let report = Report::new(vec![NamedRun { name: "wire".to_owned(), run: run.clone() }]);
    let sum = &report.loads[0].sums[0];
    let whole = sum.mbps.expect("it moved");
    let later = sum.later_mbps.ok_or_else(|| format!("{whole} Mb/s all along: {said}"))?;
    println!("{whole} and then {later}; the wire carried {expected} of {nominal} Mb/s");
    if whole <= later * 1.01 {
        return Err(format!("{whole} Mb/s has no burst beside {later}: {said}"));
    }
    if (later / expected - 1.0).abs() >= bound || later > nominal * (1.0 + bound) {
        return Err(format!("{later} is not {expected} of {nominal} Mb/s: {said}"));
    }
    let told = said.contains(" in the second half, ");
    told.then_some(()).ok_or_else(|| format!("no word of the second half: {said}"))
}

/// The payload rate that the receiver counted.
fn rate(run: &Run) -> Rate {
    let [transfer] = &run.transfers[..] else { panic!("one load was asked for") };
    let [flow] = &transfer.flows[..] else { panic!("one flow was asked for") };
    assert_eq!(flow.class(Span::from_ms(1_000)), Class::Complete, "{flow:?}");
    // What still waited when the time was over was handed over and never came.
    assert!(flow.is_cut_off() || flow.sender.bytes == flow.receiver.bytes, "{flow:?}");
    flow.rate().expect("it was timed")
}

// Each bucket holds 8 to 26 ms: a processor that is away for longer loses the wire's time.
#[test]
fn a_bound_in_time_in_bytes_and_in_messages_gives_the_rate_of_the_wire() {
    each_bound_gives_the_rate(Limit { mbps: 100, burst: "128KiB" });
}

#[rstest]
#[case::at_10_mbps(Limit { mbps: 10, burst: "32KiB" })]
#[case::at_1000_mbps(Limit { mbps: 1000, burst: "1MiB" })]
#[ignore = "takes 30 s; ./check full runs it"]
fn so_it_does_over_other_wires(#[case] limit: Limit) {
    each_bound_gives_the_rate(limit);
}

fn each_bound_gives_the_rate(limit: Limit) {
    let bytes = limit.mbps * 125_000 * SECONDS;
    let count = bytes / MESSAGE;
    let bounds = [
        ("--time", format!("{SECONDS}s"), None),
        ("--bytes", bytes.to_string(), Some(bytes)),
        ("--count", count.to_string(), Some(count * MESSAGE)),
    ];
    for (flag, value, exactly) in &bounds {
        held(|| {
            let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
            let lab = Lab::new(Some(limit))?;
            let (run, carried) = stream(&lab, &[flag, value]);
            if let Some(bytes) = exactly {
                assert_eq!(run.transfers[0].flows[0].receiver.bytes, *bytes, "{flag}");
            }
            let holds = is_the_rate(limit, &run, &carried);
            Some((run, holds))
        });
    }
}

/// The rate of each bound is what the wire carried then, so the bounds agree too.
fn is_the_rate(limit: Limit, run: &Run, carried: &Carried) -> Result<(), String> {
    let nominal = limit.mbps as f64 * run.framing().expect("MTU and timestamps are known").share();
    let (begin, end) = carried.busy(limit);
    let (rate, expected) = (rate(run).as_mbps(), carried.mean(begin + WARM_UP + EDGE, end - EDGE));
    println!("{rate} Mb/s; the wire carried {expected:.3} of {nominal:.3} Mb/s");
    let near = (rate / expected - 1.0).abs() < 0.01 && rate < nominal * 1.01;
    near.then_some(()).ok_or_else(|| format!("{rate} is not {expected} of {nominal} Mb/s"))
}

/// The account comes at most two round trips after the end: 90 kB would take as long on the faster of these paths, and
/// on the slower ones several times that.
#[test]
#[ignore = "takes 20 s; ./check full runs it"]
fn the_account_comes_in_time_over_a_long_and_thin_path() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    if Lab::new(None).is_none() {
        return;
    }
    let seed = u64::from(std::process::id());
    let mut random = Pcg64::seed_from_u64(seed);
    let (kbps, flows) = (random.random_range(96..400), random.random_range(1..24));
    println!("seed {seed}: {kbps} kb/s, {flows} flows");
    let desk = Desk::new();
    let link =
        format!("between = ['a', 'b'], delay = '500ms', burst = 0, rate-mbps = {}", f64::from(kbps) / 1e3);
    desk.write("far.toml", format!("hosts = ['a', 'b']\nlink = [{{ {link} }}]\n"));
    let flows = flows.to_string();
    let options = ["stream", "--lab", "far.toml", "--time", "4s", "--flows", &flows];
    desk.linerate(&[&options[..], &["--out", "x.run.json", "--no-report"]].concat());
    let run = desk.run_file("x.run.json");
    let late = |caution: &&Caution| matches!(caution, Caution::AccountLate { .. });
    assert_eq!(run.cautions.iter().find(late), None);
    let [transfer] = &run.transfers[..] else { panic!("one load was asked for") };
    let [ours, theirs] = &transfer.hosts[..] else { panic!("two hosts") };
    assert!(theirs.len() * 3 > ours.len(), "{} of {}", theirs.len(), ours.len());
    let few = transfer.flows.iter().take(18);
    assert!(few.clone().all(|flow| flow.receiver.intervals.len() > 3), "{few:?}");
}
