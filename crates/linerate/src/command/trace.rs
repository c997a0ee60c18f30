//! `linerate trace`.

mod modelled;

use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use linerate_analysis::report::Report;
use linerate_core::plan::Plan;
use linerate_core::trace::Trace;
use linerate_core::units::Size;

use self::modelled::Modelled;
use super::conduct::{Stopped, Subject, Surroundings, Underway, conduct, go_on};
use super::hosts::Opening;
use super::laboratory::Entered;
use super::measure::{Hosts, one_peer};
use super::modelled::Chosen;
use super::planned::{Asked, Planned};
use super::{host_limits, planned};
use crate::capture::messages;
use crate::cli::TraceArgs;
use crate::context::Context;
use crate::progress::Line;
use crate::screen::note;
use crate::signals::Interrupt;
use crate::store::Writer;
use crate::trouble::Trouble;

/// Anything whose messages can be traced.
trait TraceSubject: Subject {
    /// Traces what `plan` asks for; `watch` receives each size and may end it, and `done` what there is after each.
    fn trace(
        &mut self,
        plan: &Plan,
        watch: impl FnMut(u64) -> ControlFlow<()>,
        done: impl FnMut(&Trace),
    ) -> Result<Trace, Trouble>;
}

impl TraceSubject for Hosts<'_> {
    fn trace(
        &mut self,
        plan: &Plan,
        watch: impl FnMut(u64) -> ControlFlow<()>,
        done: impl FnMut(&Trace),
    ) -> Result<Trace, Trouble> {
        Ok(self.pair().trace(plan, watch, done)?)
    }
}

pub(super) fn run(args: &TraceArgs, context: &Context) -> Result<ExitCode, Trouble> {
    let model = Chosen::read(&args.model)?;
    let planned = plan(args)?;
    if planned.printed(&args.plan)? {
        return Ok(ExitCode::SUCCESS);
    }
    let Planned { mut plan, key_file, .. } = planned;
    // Before anything is traced: what cannot be written is said at once.
    for path in args.perfetto.iter().chain(&args.pcapng) {
        context.files.writable(path)?;
    }
    let lab = Entered::into(&args.lab, &mut plan, context)?;
    let interrupt = Interrupt::listen()?;
    let line = Line::of(args.plan.shows(args.output.quiet));
    let around = Surroundings { context, line: &line, interrupt: &interrupt };
    let report = match model {
        Some(chosen) => traced(Modelled::build(chosen, &plan, around)?, plan, around)?,
        None => {
            let limits = host_limits::before_run(args.peer.host_limits, around)?;
            let (peer, lab) = (args.peer.or_key_in(key_file), lab.as_ref());
            let opening = Opening { peer: &peer, lab, limits, around };
            traced(Hosts::open(opening, &plan)?, plan, around)?
        }
    };
    keep(args, &report, &context.files)?;
    Ok(ExitCode::SUCCESS)
}

/// The plan of all sources.
fn plan(args: &TraceArgs) -> Result<Planned, Trouble> {
    let ground = planned::ground(&args.peer, &args.lab, &args.model);
    let (usual, plain) = (TraceArgs::usual(), &|base| Ok(TraceArgs::default().over(base)));
    let asked = Asked { args: &args.plan, verb: "trace", ground, usual, plain, of_model: None };
    let planned = Planned::of(asked, |base| {
        let mut plan = args.over(base);
        args.peer.note_in(&mut plan);
        Ok(plan)
    })?
    .at_port(args.peer.port)?;
    one_peer(&args.peer)?;
    planned.plan.check().map_err(|error| Trouble::plan(error, None))?;
    Ok(planned)
}

/// Traces the messages of `plan` on `subject`.
fn traced<S: TraceSubject>(subject: S, plan: Plan, around: Surroundings<'_>) -> Result<Report, Trouble> {
    let Surroundings { line, interrupt, .. } = around;
    conduct(subject, plan, around, |subject, underway| {
        let plan = underway.run.plan.clone();
        let watch = |size| {
            line.doing(&format!("messages of {}", Size(size)));
            go_on(interrupt)
        };
        let traced = subject.trace(&plan, watch, |so_far| save(underway, so_far));
        match traced {
            Ok(trace) => underway.run.trace = Some(trace),
            Err(_) if go_on(interrupt).is_break() => return Err(Stopped::Interrupted),
            Err(trouble) => return Err(Stopped::Failed { reason: trouble.to_string(), trouble }),
        }
        if go_on(interrupt).is_break() { Err(Stopped::Interrupted) } else { Ok(()) }
    })
}

/// Saves what there is after a size.
fn save(underway: &mut Underway<'_>, so_far: &Trace) {
    underway.run.trace = Some(so_far.clone());
    underway.save();
}

/// Writes the files that were asked for besides.
fn keep(args: &TraceArgs, report: &Report, files: &Writer) -> Result<(), Trouble> {
    let run = &report.runs[0].run;
    let said = |what: &str, path: &Path| {
        if !args.output.quiet {
            note(format_args!("{what} {}", path.display()));
        }
    };
    if let Some(path) = &args.perfetto {
        files.replace(path, &linerate_report::trace::perfetto(run))?;
        said("timeline:", path);
    }
    if let Some(path) = &args.pcapng {
        let ends = messages::seen(run).ok_or_else(|| {
            let help = "only eBPF sees packets: the report says why it could not be used; of a model, --trace writes them";
            Trouble::new("failed to write packets: none were seen", help)
        })?;
        files.replace_with(path, |out| messages::write(run, ends, out))?;
        said("packets: ", path);
    }
    Ok(())
}
