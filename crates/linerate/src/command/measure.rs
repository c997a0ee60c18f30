//! `linerate measure`.

mod memory;
mod modelled;
mod subject;
mod sustained;

use std::ops::ControlFlow;
use std::process::ExitCode;

use linerate_core::bench::{Bench, RunError};
use linerate_core::measure::{Ended, Method, Progress, Watch, measure};
use linerate_core::plan::{Plan, Task};
use linerate_core::series::Series;
use linerate_core::transport::Transport;
use linerate_core::units::{Size, Span};

use self::memory::Memory;
pub(super) use self::modelled::Modelled;
pub(super) use self::subject::{CurveSubject, Hosts};
use super::conduct::{Stopped, Surroundings, Underway, conduct, exit_status};
use super::explained;
use super::host_limits;
use super::hosts::Opening;
use super::laboratory::Entered;
use super::modelled::Chosen;
use super::planned::{self, Asked, Planned};
use crate::cli::{MeasureArgs, PeerArgs};
use crate::context::Context;
use crate::progress::Line;
use crate::signals::Interrupt;
use crate::trouble::{Trouble, run_help};

pub(super) fn run(args: &MeasureArgs, context: &Context) -> Result<ExitCode, Trouble> {
    let model = Chosen::read(&args.model)?;
    let base = model.as_ref().map(|chosen| chosen.plan.measure.clone());
    let planned = plan(args, base)?;
    if planned.printed(&args.plan)? {
        return Ok(ExitCode::SUCCESS);
    }
    let Planned { mut plan, key_file, .. } = planned;
    let lab = Entered::into(&args.lab, &mut plan, context)?;
    let interrupt = Interrupt::listen()?;
    let line = Line::of(args.plan.shows(args.output.quiet));
    let around = Surroundings { context, line: &line, interrupt: &interrupt };
    match model {
        Some(chosen) => {
            let subject = Modelled::build(chosen, &plan, around)?;
            if let Task::Curve(curve) = &mut plan.task
                && subject.is_exact()
            {
                curve.rounds = 1;
            }
            curve(subject, plan, around)
        }
        None if plan.common.transport == Transport::Memory => {
            let limits = host_limits::before_run(args.peer.host_limits, around)?;
            curve(Memory::prepare(&plan, context.clock, limits)?, plan, around)
        }
        None => {
            let limits = host_limits::before_run(args.peer.host_limits, around)?;
            let (peer, lab) = (args.peer.or_key_in(key_file), lab.as_ref());
            let opening = Opening { peer: &peer, lab, limits, around };
            curve(Hosts::open(opening, &plan)?, plan, around)
        }
    }
}

/// A curve is measured between two hosts.
pub(super) fn one_peer(peer: &PeerArgs) -> Result<(), Trouble> {
    if peer.deployed().count() < 2 {
        return Ok(());
    }
    Err(Trouble::new(
        "failed to measure several hosts at once: a curve and requests have one peer",
        "name one host; `linerate mesh` measures every pair of many",
    ))
}

/// The plan of all sources.
fn plan(args: &MeasureArgs, of_model: Option<Plan>) -> Result<Planned, Trouble> {
    let of_model = of_model.map(|plan| planned::fitting(plan, "measure")).transpose()?;
    let ground = planned::ground(&args.peer, &args.lab, &args.model);
    let plain = &|base| Ok(MeasureArgs::default().over(base));
    let asked = Asked { args: &args.plan, verb: "measure", ground, usual: Plan::default(), plain, of_model };
    let planned = Planned::of(asked, |base| {
        let mut plan = args.over(base);
        args.peer.note_in(&mut plan);
        Ok(plan)
    })?
    .at_port(args.peer.port)?;
    one_peer(&args.peer)?;
    planned.plan.check().map_err(|error| Trouble::plan(error, None))?;
    planned::built_in(&planned.plan)?;
    Ok(planned)
}

/// Measures the plan's curve over `subject`.
fn curve<S: CurveSubject>(subject: S, plan: Plan, around: Surroundings<'_>) -> Result<ExitCode, Trouble> {
    let asked = plan.curve().cloned().unwrap_or_default();
    let method = subject.method(&plan.common, &asked).map_err(|error| Trouble::plan(error, None))?;
    let report = conduct(subject, plan, around, |subject, underway| {
        let (method, after) = sustained::divided(method, &underway.run);
        underway.run.sustained = after.as_ref().map(|after| Series::new(after.pattern, &[]));
        for pass in 0..asked.repeat {
            if pass > 0 {
                again(subject, pass, underway)?;
            }
            // Another order of the sizes.
            let method = Method { seed: method.seed.wrapping_add(pass.into()), ..method.clone() };
            underway.begin_pass(pass, asked.repeat);
            measure_pass(subject.bench(), &method, underway, run_help)?;
            if let Some(after) = &after {
                sustained::look(subject, after, pass, underway)?;
            }
        }
        if asked.stages.is_some() {
            stages(subject, underway)?;
        }
        explained::settle(subject, underway, explained::measured)
    })?;
    Ok(ExitCode::from(exit_status(&report)))
}

/// Ends a pass and begins number `pass`, over new connections.
fn again(subject: &mut impl CurveSubject, pass: u32, underway: &mut Underway<'_>) -> Result<(), Stopped> {
    let plan = underway.run.plan.clone();
    let renewed = subject.finish(underway.context).and_then(|()| {
        underway.end_pass(subject);
        subject.begin_again(&plan, pass)
    });
    match renewed {
        Ok(()) => Ok(()),
        Err(_) if underway.go_on().is_break() => Err(Stopped::Interrupted),
        Err(trouble) => Err(Stopped::Broken { reason: trouble.to_string() }),
    }
}

/// Measures all sizes over the connections that there are; `help` says what to do about an error.
///
/// # Errors
///
/// What ended it early, or that the time was too short.
pub fn measure_pass(
    bench: &mut impl Bench,
    method: &Method,
    underway: &mut Underway<'_>,
    help: impl Fn(&RunError) -> &'static str,
) -> Result<(), Stopped> {
    let outcome = measure(bench, method, underway);
    let timed = outcome.series.timed().next().is_some();
    underway.measured(outcome.series);
    match outcome.ended {
        Ended::Complete if timed => Ok(()),
        Ended::Complete => {
            let reason = "time any size: the time was not enough";
            let help = "allow more --time, or begin with smaller sizes (--min-size)";
            let trouble = Trouble::new(format!("failed to {reason}"), help);
            Err(Stopped::Failed { reason: reason.to_owned(), trouble })
        }
        Ended::Interrupted => Err(Stopped::Interrupted),
        Ended::Failed(error @ (RunError::Link { .. } | RunError::Control { .. })) if timed => {
            Err(Stopped::Broken { reason: error.to_string() })
        }
        Ended::Failed(error) => {
            let trouble = Trouble::new(format!("failed to {error}"), help(&error));
            Err(Stopped::Failed { reason: error.to_string(), trouble })
        }
    }
}

/// The stages of single messages, after the curve.
fn stages(subject: &mut impl CurveSubject, underway: &mut Underway<'_>) -> Result<(), Stopped> {
    let plan = underway.run.plan.clone();
    let found = subject.stages(&plan, |size| {
        underway.line.doing(&format!("stages of messages of {}", Size(size)));
        underway.go_on()
    });
    match found {
        Ok(stages) => underway.run.stages = stages,
        Err(trouble) => return Err(Stopped::Failed { reason: trouble.to_string(), trouble }),
    }
    if underway.go_on().is_break() { Err(Stopped::Interrupted) } else { Ok(()) }
}

/// Shows progress, saves after every round, and ends the measurement when the user asks.
impl Watch for Underway<'_> {
    fn trial_done(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.line.trial_done(progress);
        self.go_on()
    }

    fn short_of_time(&mut self, needed: Span, allowed: Span) {
        self.line.short_of_time(needed, allowed);
    }

    fn round_done(&mut self, series: &mut Series) {
        let empty = Series::new(series.pattern, &[]);
        let lent = std::mem::replace(series, empty);
        let earlier = std::mem::take(&mut self.run.series);
        // Nothing is copied in the first pass, which is the only one of most runs.
        let (shown, lent) = if earlier.is_empty() { (lent, None) } else { (lent.clone(), Some(lent)) };
        self.run.series = earlier.clone();
        self.measured(shown);
        self.line.round_done();
        self.save();
        let shown = std::mem::replace(&mut self.run.series, earlier);
        if let Some(lent) = lent.or_else(|| shown.into_iter().next()) {
            *series = lent;
        }
    }
}
