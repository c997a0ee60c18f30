//! `linerate experiment`.

mod by_hand;
mod cell_run;
mod conductor;
mod dry_run;
mod findings;
mod fixed;
mod folder;
mod given;
mod hosts;
mod init;
mod outcome;
mod prepared;
mod shards;
mod there;
mod way;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use linerate_analysis::experiment::ExperimentPlan;
use linerate_core::plan::Rows;
use linerate_core::units::Span;
use linerate_study::Shard;

use self::by_hand::ByHand;
use self::cell_run::Place;
use self::conductor::Conductor;
use self::folder::Folder;
use self::given::Given;
use self::hosts::Hosts;
use crate::cli::{ExperimentArgs, ExperimentVerb, HowToRun, ProgressForm, RunExperiment};
use crate::context::Context;
use crate::progress::Line;
use crate::screen::show;
use crate::signals::Interrupt;
use crate::trouble::Trouble;

/// A plan that takes longer than this without saying so is asked about first.
const LONG: Span = Span::from_ms(24 * 3_600_000);

pub(super) fn run(args: &ExperimentArgs, context: &Context) -> Result<ExitCode, Trouble> {
    match &args.verb {
        None => begin(&args.run, context),
        Some(ExperimentVerb::Run(run)) => begin(run, context),
        Some(ExperimentVerb::Resume { folder, how }) => resume(folder, how, context),
        Some(ExperimentVerb::Report { folder, report, rows, all }) => {
            let rows = if *all { Rows::All } else { rows.unwrap_or_default() };
            outcome::report(folder, report, rows, &context.files)
        }
        Some(ExperimentVerb::Init { design }) => {
            show(&init::text(*design))?;
            Ok(ExitCode::SUCCESS)
        }
        Some(ExperimentVerb::List) => list(),
        Some(ExperimentVerb::Show { name }) => {
            show(given::shipped(name).ok_or_else(|| given::unknown(name, "no shipped experiment"))?.text)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn begin(args: &RunExperiment, context: &Context) -> Result<ExitCode, Trouble> {
    let given = Given::read(args.plan.as_deref().unwrap_or_default())?.on(&args.lab, &args.model)?;
    if args.dry_run {
        show(&dry_run::text(&given)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let path = args.folder.clone().unwrap_or_else(|| PathBuf::from(format!("{}.experiment", given.name)));
    // Every cell is tried before anything is written.
    let schedule = fixed::schedule(&given.plan)?;
    fixed::prepare(&given.plan, &schedule)?;
    way::prepare(&given.plan)?;
    let shard = shards::chosen(&given, &args.how)?;
    let folder = Folder::open(&path, shard, &context.files)?;
    match shard {
        None => folder.keep_plan(&given.text, &context.files)?,
        Some(_) => folder.keep_plan_of_parts(&given.text, &context.files)?,
    }
    conduct(&given, folder, &Wanted { how: &args.how, shard, resumed: false, context })
}

fn resume(path: &Path, how: &HowToRun, context: &Context) -> Result<ExitCode, Trouble> {
    let text = folder::plan(path)?;
    let name = folder::name(path);
    let plan = given::checked(&name, &text)?;
    let given = Given { name, text, plan };
    let shard = shards::chosen(&given, how)?;
    conduct(
        &given,
        Folder::open(path, shard, &context.files)?,
        &Wanted { how, shard, resumed: true, context },
    )
}

/// What is wanted of an experiment.
struct Wanted<'a> {
    how: &'a HowToRun,
    /// Only this part.
    shard: Option<Shard>,
    /// A person has done what the experiment asked for, if it did.
    resumed: bool,
    context: &'a Context,
}

/// Runs everything that the ledgers do not have, and shows what was found; or runs a part of it.
fn conduct(given: &Given, mut folder: Folder, wanted: &Wanted<'_>) -> Result<ExitCode, Trouble> {
    let Wanted { how, shard, resumed, context } = *wanted;
    let path = folder.path().to_owned();
    let plan = &given.plan;
    let interrupt = Interrupt::listen()?;
    let line = Line::of(if how.quiet { ProgressForm::Quiet } else { ProgressForm::Auto });
    let ledger = folder.ledger()?;
    let time = how.time.or(plan.budget.time);
    let mut conductor = Conductor {
        plan,
        place: Place {
            folder: &path,
            files: &context.files,
            bench: &plan.bench,
            command: plan.command.as_ref(),
            limit: plan.budget.cell,
            record: how.record,
            history: context.history.named(),
            part: shard.map(folder::part_name).unwrap_or_default(),
        },
        files: &context.files,
        folder: &mut folder,
        ledger,
        by_hand: ByHand::read(&path, resumed)?,
        hosts: Hosts::of(plan, &given.name)?,
        interrupt: &interrupt,
        line: &line,
        deadline: time.map(|time| Instant::now() + time.to_duration()),
        prepared: BTreeMap::new(),
        name: &given.name,
    };
    let schedule = fixed::schedule(plan)?;
    let needed = fixed::asked_time(&mut conductor, &schedule)?;
    if time.is_none() && needed > LONG {
        return Err(too_long(&given.name, needed));
    }
    let stop = match way::run(&mut conductor) {
        None => fixed::run(&mut conductor, &schedule, shard.unwrap_or(Shard::WHOLE)),
        Some(ended) => ended,
    };
    line.clear();
    folder::note_restored(&path, &conductor.hosts.restore(), &context.files)?;
    if let Some(shard) = shard {
        return shards::conclude(plan, &path, (&schedule, shard), stop.err(), how.quiet);
    }
    outcome::conclude(given, &path, stop.err(), (how, &context.files))
}

fn too_long(name: &str, needed: Span) -> Trouble {
    let days = needed.as_seconds() / 86_400.0;
    Trouble::new(
        format!("failed to begin {name}: its runs ask for {days:.1} days"),
        "use fewer levels, blocks or a shorter task.time; or say how long it may take with --time or budget.time, and go on later with `linerate experiment resume`",
    )
}

fn list() -> Result<ExitCode, Trouble> {
    let about = |shipped: &linerate_sim::shipped::Shipped| {
        given::checked(shipped.name, shipped.text).map(|plan: ExperimentPlan| (shipped.name, plan.about))
    };
    let plans: Vec<(&str, String)> = given::SHIPPED.iter().map(about).collect::<Result<_, _>>()?;
    show(&linerate_report::experiment::plans(&plans))?;
    Ok(ExitCode::SUCCESS)
}
