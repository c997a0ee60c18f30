//! Round trips behind a shaper: what they show above the rate of the wire is told from that rate.

use std::sync::PoisonError;

use linerate_core::caution::Caution;
use linerate_core::run::Run;
use rstest::rstest;

use super::ALONE;
use super::held_back::Burner;
use super::host::{Carried, EDGE, held};
use crate::support::Desk;
use crate::support::lab::{Lab, Limit};

/// The part of a run at whose end the wire is looked at: half of what the run takes to see what the path sustains, after a
/// shaper's tokens.
const SUSTAINED: f64 = 0.05;

/// Measures NetPIPE's whole schedule, to and fro, where a process may keep a processor busy, and counts what the wire
/// carries; none where there can be no lab.
fn curve(limit: Option<Limit>, seconds: u64, crowded: bool) -> Option<(Run, Carried)> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let _burner = crowded.then(Burner::start);
    let (desk, lab) = (Desk::new(), Lab::new(limit)?);
    let server = lab.serve(&desk);
    let time = format!("{seconds}s");
    let arguments = ["measure", &server.address, "--time", &time, "--out", "x.run.json"];
    let (said, carried) = lab.watched(|| lab.linerate(&desk, &arguments));
    println!("{}", said.done().stdout);
    Some((desk.run_file("x.run.json"), carried))
}

/// The run's caution about bursts names a rate that is no lower than the mean of what the wire carried at the end, which is
/// idle where other programs have the processors between two rounds, and no higher than the wire's.
fn is_told(limit: Limit, seconds: u64, run: &Run, carried: &Carried) -> Result<(), String> {
    let nominal = limit.mbps as f64 * run.framing().expect("MTU and timestamps are known").share();
    let (_, end) = carried.busy(limit);
    let mean = carried.mean(end - EDGE - seconds as f64 * SUSTAINED, end - EDGE);
    // Tokens make it faster than the wire is.
    let expected = mean.min(nominal);
    let found = run.cautions.iter().find_map(|caution| match caution {
        Caution::AboveSustained { rate, sustained, .. } => Some((rate.as_mbps(), sustained.as_mbps())),
        _ => None,
    });
    let (rate, sustained) = found.ok_or_else(|| format!("no caution among {:?}", run.cautions))?;
    if rate <= expected * 1.25 {
        return Err(format!("{rate} Mb/s were no reason to speak: the wire has {expected}"));
    }
    println!("{sustained} Mb/s one way; the wire carried {mean} of {nominal}");
    let near = (expected * 0.98..nominal * 1.01).contains(&sustained);
    near.then_some(())
        .ok_or_else(|| format!("{sustained} Mb/s one way, and the wire has {expected} of {nominal}"))
}

fn holds(limit: Limit, seconds: u64) {
    held(|| {
        let (run, carried) = curve(Some(limit), seconds, false)?;
        let outcome = is_told(limit, seconds, &run, &carried);
        Some((run, outcome))
    });
}

#[test]
fn what_passes_in_a_burst_is_not_taken_for_the_rate_of_the_wire() {
    holds(Limit { mbps: 100, burst: "1MiB" }, 6);
}

#[rstest]
#[ignore = "takes a minute; ./check full runs it"]
fn nor_over_any_wire(#[values(10, 100, 1000)] mbps: u64) {
    holds(Limit { mbps, burst: "1MiB" }, 20);
}

/// Between two namespaces without a shaper processors are the bound, and other work may have them while messages go one
/// way: then round trips are faster, and no shaper is the reason.
#[rstest]
fn without_a_shaper_nothing_is_said(#[values(false, true)] crowded: bool) {
    let Some((run, _)) = curve(None, 6, crowded) else { return };
    let sustained = run.sustained.as_ref().expect("it was looked at");
    assert!(sustained.points[0].sustained(), "{sustained:?}");
    let said = run.cautions.iter().any(|caution| matches!(caution, Caution::AboveSustained { .. }));
    assert!(!said, "{:?}, {:?}", run.cautions, sustained.points[0].effort);
}
