//! `linerate calibrate`.

mod evidence;
mod measured;
mod observe;

use std::process::ExitCode;

use jiff::Zoned;
use linerate_core::environment::Fact;
use linerate_core::plan::Rows;
use linerate_core::units::Span;
use linerate_net::lab::{THERE, TwoHosts};
use linerate_net::probe::{Place, Probe, Probes, place};
use linerate_report as render;
use linerate_sim::calibrate::{
    Calibration, Conditions, Evidence, Fit, HostFile, Identity, Parameter, PointRecord, ProbeRecord, fit,
};
use linerate_sim::machine::Profile;

use self::observe::{Observations, Observed};
use super::predict::model::{self, Failure};
use crate::cli::CalibrateArgs;
use crate::context::Context;
use crate::peer::{LoopbackPeer, fresh_key};
use crate::progress::Line;
use crate::screen::{columns, note, show};
use crate::signals::Interrupt;
use crate::trouble::Trouble;

/// Of the time, this share goes to the micro-measurements; the rest to messages.
const PROBES_SHARE: u64 = 6;
/// Making the laboratory and the connections, and the fit: measured on two processors of 2022
/// (docs/performance.md).
const SET_UP: Span = Span::from_ms(3_000);
const FIT: Span = Span::from_ms(20_000);
/// Less is not enough for an interval of every point.
const LEAST_TIME: Span = Span::from_ms(500);

pub(super) fn run(args: &CalibrateArgs, context: &Context) -> Result<ExitCode, Trouble> {
    let interrupt = Interrupt::listen()?;
    let ended = attempt(args, context, &interrupt);
    // Whatever Ctrl-C broke off says so itself: a program that was setting up the wire, a model.
    if interrupt.asked() && !args.measure {
        let help = "nothing was written, and the laboratory is gone; calibrate again";
        return Err(Trouble::new("interrupted", help));
    }
    ended
}

fn attempt(args: &CalibrateArgs, context: &Context, interrupt: &Interrupt) -> Result<ExitCode, Trouble> {
    // Before anything is measured: what is missing is said at once.
    if !args.measure {
        context.files.writable(&args.out)?;
    }
    let lab = TwoHosts::new(args.mtu)?;
    let peer = lab.there(|| LoopbackPeer::listening(&format!("{THERE}:0"), fresh_key()?))??;
    if args.measure {
        return measured::run(&lab, &peer, &args.flags);
    }
    if args.time < LEAST_TIME {
        let help = format!("give --time at least {LEAST_TIME}");
        return Err(Trouble::new(format!("failed to calibrate in {}", args.time.exact()), help));
    }
    note(format_args!("takes about {} s: {} of measuring, then the fit", total(args), args.time.exact()));
    let line = Line::new();
    line.doing("measuring calls, copies and wake-ups");
    let probes = Probes::take(&context.clock, args.time / PROBES_SHARE).map_err(|error| {
        Trouble::new(format!("failed to {error}"), "look at the limits of this host (`ulimit -a`)")
    })?;
    let time = args.time - args.time / PROBES_SHARE;
    let watcher = observe::Watcher { line: &line, interrupt };
    let observed = observe::all(&lab, &peer, context.clock, time, &watcher).inspect_err(|_| line.clear())?;
    drop((peer, lab));
    let missing = observe::wanted() - observed.points.len();
    if missing > 0 {
        line.clear();
        let of = observe::wanted();
        note(format_args!(
            "{missing} of {of} points have no round: calibrate on a quieter host, or with more --time"
        ));
    }
    line.doing("fitting");
    let file = fitted(args, &probes, &observed, interrupt);
    line.clear();
    let file = file?;
    if interrupt.asked() {
        return Ok(ExitCode::SUCCESS);
    }
    context.files.replace(&args.out, &file.to_toml())?;
    show(&render::host(&file).text(columns(), Rows::All))?;
    note(format_args!("host file: {}", args.out.display()));
    Ok(ExitCode::SUCCESS)
}

/// How long all of it takes. Unit: seconds.
fn total(args: &CalibrateArgs) -> u64 {
    (args.time + SET_UP + FIT).as_seconds().ceil() as u64
}

/// The host that what was observed comes down to.
fn fitted(
    args: &CalibrateArgs,
    probes: &Probes,
    observed: &Observations,
    interrupt: &Interrupt,
) -> Result<HostFile, Trouble> {
    let host = place();
    let (start, beliefs) = evidence::start(probes, &host, observed.slice());
    let evidence = Evidence { beliefs, measured: observed.points.iter().map(Observed::measured).collect() };
    let predict = |profile: &Profile, conditions: &[Conditions]| {
        if interrupt.asked() { Err(Failure::Interrupted) } else { model::times(profile, conditions) }
    };
    let found = fit(&start, &evidence, args.draws.into(), predict).map_err(|error| {
        Trouble::new(format!("failed to {error}"), "calibrate again on a quieter host, or with more --time")
    })?;
    Ok(host_file(found, &evidence, (probes, &host), observed))
}

/// The file of what was found.
fn host_file(
    found: Fit,
    evidence: &Evidence,
    (probes, host): (&Probes, &Place),
    observed: &Observations,
) -> HostFile {
    let text = |fact: &Fact<String>| fact.known().cloned().unwrap_or_default();
    let of = Identity {
        hostname: text(&host.hostname),
        kernel: text(&host.kernel),
        processor: text(&host.processor),
    };
    let source = |parameter: Parameter| {
        let belief = evidence.beliefs.iter().find(|belief| belief.parameter == parameter);
        belief.map(|belief| belief.source.clone()).unwrap_or_default()
    };
    let made = Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
    let mut calibration = Calibration::of(&found, made, of, source);
    calibration.probe = probes.all().map(record).into();
    calibration.drift = observed.drift;
    let points = observed.points.iter().zip(&found.predicted);
    calibration.point = points
        .map(|(it, fitted)| PointRecord::new(it.conditions.clone(), it.time(), it.interval(), *fitted))
        .collect();
    HostFile { host: found.profile, calibration }
}

fn record(probe: &Probe) -> ProbeRecord {
    let estimate = probe.estimate();
    ProbeRecord {
        name: probe.name.to_owned(),
        unit: probe.unit.to_owned(),
        samples: u32::try_from(probe.samples.len()).unwrap_or(u32::MAX),
        median: estimate.median,
        interval: estimate.interval.unwrap_or([estimate.median; 2]),
    }
}
