//! `linerate app`.

mod alone;
mod describe;
mod measured;
mod modelled;
mod scene;
mod shown;
mod watcher;

pub use measured::{cases as app_cases, ended as app_ended};
pub use watcher::Watcher as AppWatcher;

use std::process::ExitCode;

use linerate_apps::application::AppError;
use linerate_apps::catalogue::App;
use linerate_core::plan::{Plan, Task};
use linerate_core::units::Span;

use super::conduct::{Surroundings, exit_status};
use super::modelled::Chosen;
use super::planned::{Asked, Ground, Planned, refuse_np};
use super::ranks::{self, Place};
use crate::cli::AppArgs;
use crate::context::Context;
use crate::progress::Line;
use crate::signals::Interrupt;
use crate::trouble::Trouble;

use shown::Shown;

/// Default of `--patience`: a rank calculates for a while before it says something.
const PATIENCE: Span = Span::from_ms(120_000);

pub(super) fn run(args: &AppArgs, context: &Context) -> Result<ExitCode, Trouble> {
    if args.describes() {
        return describe::run(args.name());
    }
    let model = Chosen::read(&args.model)?;
    let base = model.as_ref().map(|chosen| chosen.plan.measure.clone());
    let base = base.filter(|plan| plan.app().is_some());
    let plain = &|base| Ok(AppArgs::default().over(base));
    let (usual, ground) = (Plan::default(), Ground::Apart);
    let asked = Asked { args: &args.plan, verb: "app", ground, usual, plain, of_model: base };
    let mut planned = Planned::of(asked, |base| Ok(args.over(base)))?;
    let shown = Shown::of(args.show());
    let app = read_app(&mut planned.plan, shown.is_wanted())?;
    if planned.printed(&args.plan)? {
        return Ok(ExitCode::SUCCESS);
    }
    let plan = planned.plan;
    shown.check(&app)?;
    let line = Line::of(args.plan.shows(args.output.quiet));
    let report = if let Some(chosen) = model {
        let stations = args.ranks.ranks;
        let around = Surroundings { context, line: &line, interrupt: &Interrupt::listen()? };
        Some(modelled::measure((chosen, stations), (&app, &shown), plan, around)?)
    } else {
        let AppArgs { ranks, key, lab, threads, .. } = args;
        let place = Place { ranks, key, lab, threads: *threads, patience: PATIENCE, fewest: 1, all: true };
        ranks::conducted(place, plan, context, &line, |ranks, underway| {
            measured::conduct(ranks, &app, &shown, underway)
        })?
    };
    Ok(report.map_or(ExitCode::SUCCESS, |report| ExitCode::from(exit_status(&report))))
}

/// The application of `plan`, whose options are filled in. It `keeps` what it shows, if that is wanted.
///
/// # Errors
///
/// When there is no such application, or it has no such options.
///
/// # Panics
///
/// When `plan` is not one of an application.
pub fn read_app(plan: &mut Plan, keeps: bool) -> Result<App, Trouble> {
    plan.check().map_err(|error| Trouble::plan(error, None))?;
    refuse_np(plan)?;
    let Task::App(asked) = &mut plan.task else {
        unreachable!("the plan of this verb is one of an application")
    };
    scene::take_in(asked)?;
    let mut app = App::read(&asked.name, &asked.options).map_err(|error| trouble(&error, &asked.name))?;
    if keeps {
        app.keep_what_it_shows();
    }
    asked.options = app.options();
    Ok(app)
}

/// Refuses numbers of ranks on which `app` cannot run, or that are more than `all`.
///
/// # Errors
///
/// When `plan` asks for one.
pub fn check_app(app: &App, plan: &Plan, all: usize) -> Result<(), Trouble> {
    let numbers = plan.app().map_or(Ok(Vec::new()), |asked| asked.cases(all as u32));
    for ranks in numbers.map_err(|error| Trouble::plan(error, None))? {
        app.check(ranks as usize).map_err(|error| trouble(&error, app.name()))?;
    }
    Ok(())
}

/// What an application of this name refuses.
fn trouble(error: &AppError, name: &str) -> Trouble {
    let known = App::all().iter().any(|app| app.name() == name);
    let help = if known {
        format!("`linerate app {name} --describe` lists its options")
    } else {
        "`linerate app --describe` lists them".to_owned()
    };
    Trouble::new(format!("failed to {error}"), help)
}
