//! One-way curves over a shaper, whatever tokens it saved and the buffers hold: no size comes out above the
//! rate of the wire.

use std::sync::PoisonError;

use linerate_analysis::derive::{Boundaries, derive};
use linerate_core::run::Run;
use rstest::rstest;

use super::ALONE;
use super::host::{Carried, held};
use crate::support::Desk;
use crate::support::lab::{Lab, Limit};

/// Measures NetPIPE's whole schedule, and counts what the wire carries; none where there can be no lab.
fn curve(limit: Limit, time: &str) -> Option<(Run, Carried)> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (desk, lab) = (Desk::new(), Lab::new(Some(limit))?);
    let server = lab.serve(&desk);
    let arguments =
        ["measure", &server.address, "--pattern", "one-way", "--time", time, "--out", "x.run.json"];
    let (said, carried) = lab.watched(|| lab.linerate(&desk, &arguments));
    println!("{}", said.done().stdout);
    Some((desk.run_file("x.run.json"), carried))
}

/// No size is above `limit` by more than 1 %, which no wire that loses time can be; of `least` sizes the rate is known;
/// and the peak is no less than what the wire carried.
fn is_true(limit: Limit, run: &Run, carried: &Carried, least: usize) -> Result<(), String> {
    let nominal = limit.mbps as f64 * run.framing().expect("MTU and timestamps are known").share();
    let series = &run.series[0];
    let rates = series.timed().map(|point| (point.size, point.throughput().expect("timed").as_mbps()));
    let rates: Vec<(u64, f64)> = rates.collect();
    let above: Vec<_> = rates.iter().filter(|(_, mbps)| *mbps > nominal * 1.01).collect();
    if !above.is_empty() {
        return Err(format!("of {} sizes above {nominal} Mb/s: {above:?}", rates.len()));
    }
    if rates.len() < least {
        return Err(format!("only {} sizes", rates.len()));
    }
    let peak =
        derive(series, None, &Boundaries::of(run)).bandwidth.expect("there is one").peak.throughput.as_mbps();
    // Tokens make a window of the wire faster than the wire is.
    let expected = carried.typical().min(nominal);
    println!("the peak is {peak} Mb/s; the wire carried {expected} of {nominal} Mb/s");
    let near = peak >= expected * 0.98;
    near.then_some(()).ok_or_else(|| format!("the peak {peak} is not {expected} of {nominal} Mb/s"))
}

/// Measures over `limit` for `time`, as often as the machine has to be asked.
fn holds(limit: Limit, time: &str, least: usize) {
    held(|| {
        let (run, carried) = curve(limit, time)?;
        let outcome = is_true(limit, &run, &carried, least);
        Some((run, outcome))
    });
}

/// A bucket that is smaller at 1000 Mb/s loses tokens whenever the processor is away.
#[rstest]
#[case::at_100_mbps_large(Limit { mbps: 100, burst: "1MiB" })]
#[case::at_1000_mbps_small(Limit { mbps: 1000, burst: "256KiB" })]
fn no_size_is_above_the_rate_of_the_wire(#[case] limit: Limit) {
    holds(limit, "6s", 5);
}

/// Four minutes: `./check full` runs it.
#[rstest]
#[ignore = "takes four minutes; ./check full runs it"]
fn nor_over_any_wire_and_burst(
    #[values(10, 100, 1000)] mbps: u64,
    #[values("3KiB", "32KiB", "256KiB", "1MiB")] burst: &'static str,
) {
    holds(Limit { mbps, burst }, "20s", 10);
}
