//! A path that is cut while a curve is measured, and a peer that goes away: a finding, and what was measured is kept.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use linerate_core::run::{Run, State};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use rstest::rstest;
use rustix::process::Signal;

use super::ALONE;
use crate::support::Desk;
use crate::support::lab::Lab;
use crate::support::process::wait_for;

/// The time of each run.
const SECONDS: u64 = 4;
/// How much later it may end: 2 s, and what a busy machine takes to start and end processes.
const BEYOND: Duration = Duration::from_secs(6);

/// What goes wrong.
#[derive(Clone, Copy, Debug)]
enum Event {
    Cut,
    CutFor(Duration),
    Killed,
    Stopped,
}

/// A curve of a drawn pattern, transport and way of waiting, and the drawn moment of the event.
fn is_found(event: Event, seed: u64) {
    let mut random = Pcg64::seed_from_u64(seed);
    let pattern = ["ping-pong", "one-way"][random.random_range(0..2)];
    let transport = ["tcp", "tcp", "tls", "quic"][random.random_range(0..4)];
    let wait = ["block", "spin"][random.random_range(0..2)];
    // From the first complete round on; of the end it is not asked what cannot be told from waiting.
    let at = Duration::from_millis(random.random_range(700..1_700));
    println!("{event:?} at {at:?}: {pattern} over {transport}, {wait}, seed {seed}");
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (desk, Some(lab)) = (Desk::new(), Lab::new(None)) else { return };
    let server = lab.serve(&desk);
    let time = format!("{SECONDS}s");
    let what = ["measure", &server.address, "--time", &time, "--pattern", pattern, "--transport", transport];
    let how = ["--wait", wait, "--max-size", "64KiB", "--out", "x.run.json", "--no-report"];
    let began = Instant::now();
    let running = lab.start(&desk, &[&what[..], &how].concat());
    // The run file is there from the start, and has a curve from the verification on.
    let begun = || {
        let text = std::fs::read_to_string(desk.folder().join("x.run.json")).ok()?;
        Run::from_json(&text).ok()?.series.first().map(|_| ())
    };
    wait_for("a curve", begun);
    std::thread::sleep(at);
    match event {
        Event::Cut => lab.plug(false),
        Event::CutFor(span) => {
            lab.plug(false);
            std::thread::sleep(span);
            lab.plug(true);
        }
        Event::Killed => server.process.signal(Signal::KILL),
        Event::Stopped => server.process.signal(Signal::STOP),
    }
    let said = running.finish();
    let took = began.elapsed();
    println!("{took:?}\n{}\n{}", said.stdout, said.stderr);
    if matches!(event, Event::Stopped) {
        server.process.signal(Signal::CONT);
    }
    assert_eq!(said.code, Some(1));
    let run = desk.run_file("x.run.json");
    assert!(run.series[0].points.iter().any(|point| !point.rounds.is_empty()), "what was measured is kept");
    let State::Failed(reason) = &run.state else { panic!("{:?}", run.state) };
    let down = reason.contains("was down for");
    match event {
        Event::Cut | Event::CutFor(_) => assert!(down, "{reason}"),
        Event::Killed | Event::Stopped => assert!(!down, "{reason}"),
    }
    assert!(took < Duration::from_secs(SECONDS) + BEYOND, "{took:?}");
}

#[rstest]
fn what_breaks_a_curve_is_a_finding(
    #[values(Event::Cut, Event::CutFor(Duration::from_secs(3)), Event::Killed, Event::Stopped)] event: Event,
) {
    is_found(event, 1);
}

#[rstest]
#[ignore = "takes six minutes; ./check full runs it"]
fn nor_is_any_other_missed(
    #[values(Event::Cut, Event::CutFor(Duration::from_secs(3)), Event::Killed, Event::Stopped)] event: Event,
) {
    (2..13).for_each(|seed| is_found(event, seed));
}
