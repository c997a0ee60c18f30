//! `linerate model load`.

use std::process::ExitCode;

use linerate_report as render;
use linerate_sim::model::Loaded;
use linerate_sim::plan::ModelPlan;
use linerate_study::{Grid, Orders, Point, Study, changed, parallel, run_all};

use super::given::Given;
use super::traced;
use crate::cli::{LoadArgs, LoadFormat, LoadOutput};
use crate::progress::Line;
use crate::screen::{columns, note, show};
use crate::signals::Interrupt;
use crate::store;
use crate::trouble::Trouble;

pub(super) fn run(args: &LoadArgs) -> Result<ExitCode, Trouble> {
    let given = Given::read(&args.plan)?;
    let plan = changed(&given.plan, &args.question.set)?;
    if args.output.print_plan {
        show(&plan.to_toml())?;
        return Ok(ExitCode::SUCCESS);
    }
    let seeds = args.question.seeds.get() as usize;
    let grid = Grid::of(&plan, &args.question.sweep, seeds)?;
    if args.output.trace.is_some() && seeds > 1 {
        return Err(Trouble::new(
            "failed to choose what to trace: there are several runs",
            "give --trace without --seeds",
        ));
    }
    writable(&args.output)?;
    let interrupt = Interrupt::listen()?;
    let orders = Orders {
        plans: grid.plans(seeds),
        trace: args.output.trace.as_ref().map(|_| traced::MOST_PASSAGES),
        jobs: args.question.jobs.unwrap_or_else(parallel::processors),
    };
    let line = Line::new();
    let done = run_all(orders, || interrupt.asked(), |done, all| line.runs_done(done, all));
    line.clear();
    let done = done.map_err(|(number, error)| grid.refused(number / seeds, error))?;
    conclude(args, Found { name: given.name, plan, grid, seeds }, done)
}

/// The results, when they are complete.
struct Found {
    name: String,
    plan: ModelPlan,
    grid: Grid,
    seeds: usize,
}

/// Shows and writes the runs that finished; an error if not all did.
fn conclude(args: &LoadArgs, found: Found, mut done: Vec<Option<Loaded>>) -> Result<ExitCode, Trouble> {
    let trace = done.first_mut().and_then(Option::as_mut).and_then(|loaded| loaded.trace.take());
    let study = study(found, done);
    print(&study, args.output.format)?;
    if let Some(path) = &args.output.report {
        let page = render::load::html(&study).map_err(|error| unrendered(&error))?;
        store::replace(path, &page)?;
        note(format_args!("report:   {}", path.display()));
    }
    if let (Some(path), Some(trace)) = (&args.output.trace, trace) {
        traced::keep(&trace, &study.plan, path)?;
    }
    if study.complete() {
        Ok(ExitCode::SUCCESS)
    } else {
        Err(Trouble::new("interrupted", "the runs that finished are shown"))
    }
}

fn study(found: Found, done: Vec<Option<Loaded>>) -> Study {
    let asked = done.len();
    let mut done = done.into_iter().map(|loaded| loaded.map(|loaded| loaded.outcome));
    let point = |set| Point { set, runs: done.by_ref().take(found.seeds).flatten().collect() };
    let points = found.grid.points.into_iter().map(|cell| cell.set).map(point).collect();
    Study { name: found.name, plan: found.plan, keys: found.grid.keys, points, asked }
}

/// Finds a path that cannot be written before anything is run.
fn writable(output: &LoadOutput) -> Result<(), Trouble> {
    [&output.report, &output.trace].into_iter().flatten().try_for_each(|path| traced::prepare(path))
}

fn print(study: &Study, format: LoadFormat) -> Result<(), Trouble> {
    let text = match format {
        LoadFormat::Table => render::load::table(study, columns()),
        LoadFormat::Json => render::load::json(study).map_err(|error| unrendered(&error))?,
        LoadFormat::Csv => render::load::csv(study).map_err(|error| unrendered(&error))?,
    };
    show(&text)
}

fn unrendered(error: &render::RenderError) -> Trouble {
    Trouble::new(format!("failed to show the result: {error}"), "try another --format")
}
