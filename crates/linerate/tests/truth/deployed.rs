//! Servers of other tools over a wire of known rate: the rate is that of the wire, both ways, and what was lost is what its
//! queue dropped.

use linerate_core::run::Run;
use linerate_core::traffic::Class;
use linerate_core::units::Span;
use linerate_net::lab::THERE;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use rstest::rstest;

use super::host::{EDGE, held};
use super::{ALONE, PoisonError};
use crate::support::lab::{Lab, Limit};
use crate::support::process::Process;
use crate::support::{Desk, has, missing};

/// Until the bucket is no longer full, and how long a stream then lasts. Unit: seconds.
const WARM_UP: u64 = 1;
const SECONDS: u64 = 3;
/// Packets of the conversation that the queue may drop beside those of the flow.
const OTHERS: u64 = 10;

/// Starts iperf3 on the other host of `lab`. None, with a word, where there is none.
fn iperf3(lab: &Lab, desk: &Desk) -> Option<Process> {
    if !has("iperf3") {
        missing("iperf3");
        return None;
    }
    let command = desk.command("iperf3", &["-s", "--forceflush"]);
    let server = lab.0.there(|| Process::start(command)).expect("entered");
    server.stdout.until(|line| line.contains("Server listening"));
    Some(server)
}

#[rstest]
fn the_rate_is_that_of_the_wire(#[values("send", "receive")] direction: &str) {
    let seed = u64::from(std::process::id());
    let limit = Limit { mbps: Pcg64::seed_from_u64(seed).random_range(20..=200), burst: "128KiB" };
    println!("seed {seed}: {} Mb/s", limit.mbps);
    held(|| {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let (desk, lab) = (Desk::new(), Lab::new(Some(limit))?);
        let _server = iperf3(&lab, &desk)?;
        let (address, warm_up) = (format!("iperf3://{THERE}"), format!("{WARM_UP}s"));
        let time = format!("{SECONDS}s");
        let options = ["stream", &address, "--time", &time, "--congestion", "cubic", "--warm-up", &warm_up];
        let files = ["--direction", direction, "--out", "x.run.json", "--no-report"];
        let work = || lab.linerate(&desk, &[&options[..], &files].concat());
        let (said, carried) =
            if direction == "send" { lab.watched(work) } else { lab.watched_from_there(work) };
        println!("{}", said.done().stdout);
        let run = desk.run_file("x.run.json");
        let flow = &run.transfers[0].flows[0];
        assert_eq!(flow.class(Span::from_ms(1_000)), Class::Complete, "{flow:?}");
        // A server goes on for a moment that nobody counts.
        let (begin, _) = carried.busy(limit);
        let warm = begin + WARM_UP as f64;
        let expected = carried.mean(warm + EDGE, warm + SECONDS as f64 - EDGE);
        let rate = flow.rate().expect("it was timed").as_mbps();
        println!("{rate} Mb/s; the wire carried {expected:.3} of {} Mb/s", limit.mbps);
        let near = (rate / expected - 1.0).abs() < 0.01;
        let holds = near.then_some(()).ok_or_else(|| format!("{rate} is not {expected} Mb/s {direction}"));
        Some((run, holds))
    });
}

#[test]
fn datagrams_that_the_queue_dropped_are_lost() {
    let seed = u64::from(std::process::id());
    let mut random = Pcg64::seed_from_u64(seed);
    let limit = Limit { mbps: random.random_range(5..=40), burst: "16KiB" };
    let asked = format!("{}M", limit.mbps * random.random_range(11..=20) / 10);
    println!("seed {seed}: {asked}bit/s into {} Mb/s", limit.mbps);
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (desk, Some(lab)) = (Desk::new(), Lab::new(Some(limit))) else { return };
    lab.queue(limit, "64KiB");
    let Some(_server) = iperf3(&lab, &desk) else { return };
    let address = format!("iperf3://{THERE}");
    let options = ["stream", &address, "-u", "--rate", &asked, "--message", "1200", "--time", "2s"];
    lab.linerate(&desk, &[&options[..], &["--out", "x.run.json", "--no-report"]].concat()).done();
    let (run, dropped) = (desk.run_file("x.run.json"), dropped(&lab));
    let lost = lost(&run);
    assert!(lost > 0 && (lost..=lost + OTHERS).contains(&dropped), "{lost} lost of {dropped} dropped");
}

fn lost(run: &Run) -> u64 {
    let told = run.transfers[0].flows[0].receiver.datagrams.as_ref().expect("datagrams are counted");
    assert_eq!(told.sent, told.received + told.lost, "{told:?}");
    told.lost
}

/// What the token bucket of this end has dropped.
fn dropped(lab: &Lab) -> u64 {
    let counters = lab.counters();
    let (_, rest) = counters.split_once("dropped ").expect("tc counts");
    rest.split(',').next().and_then(|count| count.parse().ok()).expect("a number")
}
