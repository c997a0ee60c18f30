//! Round trips behind a shaper: what they show above the rate of the wire is told from that rate.

use std::sync::PoisonError;

use linerate_core::caution::Caution;
use linerate_core::run::Run;
use rstest::rstest;

use super::ALONE;
use super::held_back::Burner;
use super::host::held;
use crate::support::Desk;
use crate::support::lab::{Lab, Limit};

/// Measures NetPIPE's whole schedule, to and fro, where a process may keep a processor busy; none where there can be no lab.
fn curve(limit: Option<Limit>, time: &str, crowded: bool) -> Option<Run> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let _burner = crowded.then(Burner::start);
    let (desk, lab) = (Desk::new(), Lab::new(limit)?);
    let server = lab.serve(&desk);
    let said =
        lab.linerate(&desk, &["measure", &server.address, "--time", time, "--out", "x.run.json"]).done();
    println!("{}", said.stdout);
    Some(desk.run_file("x.run.json"))
}

/// The run's caution about bursts names the rate of the wire.
fn is_told(limit: Limit, run: &Run) -> Result<(), String> {
    let expected = limit.mbps as f64 * run.framing().expect("MTU and timestamps are known").share();
    let found = run.cautions.iter().find_map(|caution| match caution {
        Caution::AboveSustained { rate, sustained, .. } => Some((rate.as_mbps(), sustained.as_mbps())),
        _ => None,
    });
    let (rate, sustained) = found.ok_or_else(|| format!("no caution among {:?}", run.cautions))?;
    if rate <= expected * 1.25 {
        return Err(format!("{rate} Mb/s were no reason to speak: the wire has {expected}"));
    }
    let near = (0.98..1.01).contains(&(sustained / expected));
    near.then_some(()).ok_or_else(|| format!("{sustained} Mb/s one way, and the wire has {expected}"))
}

fn holds(limit: Limit, time: &str) {
    held(|| {
        let run = curve(Some(limit), time, false)?;
        let outcome = is_told(limit, &run);
        Some((run, outcome))
    });
}

#[test]
fn what_passes_in_a_burst_is_not_taken_for_the_rate_of_the_wire() {
    holds(Limit { mbps: 100, burst: "1MiB" }, "6s");
}

#[rstest]
#[ignore = "takes a minute; ./check full runs it"]
fn nor_over_any_wire(#[values(10, 100, 1000)] mbps: u64) {
    holds(Limit { mbps, burst: "1MiB" }, "20s");
}

/// Between two namespaces without a shaper processors are the bound, and other work may have them while messages go one
/// way: then round trips are faster, and no shaper is the reason.
#[rstest]
fn without_a_shaper_nothing_is_said(#[values(false, true)] crowded: bool) {
    let Some(run) = curve(None, "6s", crowded) else { return };
    let sustained = run.sustained.as_ref().expect("it was looked at");
    assert!(sustained.points[0].sustained(), "{sustained:?}");
    let said = run.cautions.iter().any(|caution| matches!(caution, Caution::AboveSustained { .. }));
    assert!(!said, "{:?}, {:?}", run.cautions, sustained.points[0].effort);
}
