//! `linerate model load`.

mod shards;

use std::process::ExitCode;

use linerate_report as render;
use linerate_sim::load::LoadOutcome;
use linerate_sim::model::{Loaded, ceiling};
use linerate_study::{Cell, Grid, Named, Orders, Point, Study, changed, parallel, run_all, shipped};

use super::given::Given;
use super::traced;
use crate::cli::{LoadArgs, LoadFormat, LoadOutput};
use crate::context::Context;
use crate::progress::Line;
use crate::screen::{columns, note, show};
use crate::signals::Interrupt;
use crate::store::Writer;
use crate::trouble::Trouble;

pub(super) fn run(args: &LoadArgs, context: &Context) -> Result<ExitCode, Trouble> {
    let plans = plans(args)?;
    if args.output.print_plan {
        plans.iter().try_for_each(|named| show(&named.plan.to_toml()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let seeds = args.question.seeds.get() as usize;
    let grid = Grid::across(&plans, &args.question.sweep, seeds)?;
    if args.output.trace.is_some() && (seeds > 1 || plans.len() > 1) {
        return Err(Trouble::new(
            "failed to choose what to trace: there are several runs",
            "give --trace with one plan and without --seeds",
        ));
    }
    writable(&args.output, &context.files)?;
    let found = Found { plans, grid, seeds };
    if let (Some(choice), Some(folder)) = (args.shards.shard, &args.shards.folder) {
        return shards::run(args, (&found, &context.files), choice, folder);
    }
    if let Some(folder) = &args.shards.merge {
        return shards::merge(args, found, folder, &context.files);
    }
    let interrupt = Interrupt::listen()?;
    let orders = Orders {
        plans: found.grid.plans(seeds),
        trace: args.output.trace.as_ref().map(|_| traced::MOST_PASSAGES),
        jobs: args.question.jobs.unwrap_or_else(parallel::processors),
        delays: found.is_single(),
    };
    let line = Line::new();
    let done = run_all(orders, || interrupt.asked(), |done, all| line.runs_done(done, all));
    line.clear();
    let done = done.map_err(|(number, error)| found.grid.refused(number / seeds, error))?;
    conclude(args, found, done, &context.files)
}

/// The plans that were named, with the values that were set.
fn plans(args: &LoadArgs) -> Result<Vec<Named>, Trouble> {
    let named = |name: &str| {
        let Given { name, plan } = Given::read(name)?;
        Ok(Named { name, plan: changed(&plan, &args.question.set)? })
    };
    if args.question.media {
        return shipped::MEDIA.into_iter().map(named).collect();
    }
    let plans: Vec<Named> = args.plans.iter().map(|name| named(name)).collect::<Result<_, Trouble>>()?;
    let mut names: Vec<&str> = plans.iter().map(|named| named.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Trouble::new(
            format!("failed to compare plans: two of them are called `{}`", pair[0]),
            "give each once, or copy one to a file of another name",
        )),
        None => Ok(plans),
    }
}

/// The results, when they are complete.
struct Found {
    plans: Vec<Named>,
    grid: Grid,
    seeds: usize,
}

impl Found {
    /// Whether there is one run: the distribution of its delays is shown.
    fn is_single(&self) -> bool {
        self.grid.points.len() * self.seeds == 1
    }
}

/// Shows and writes the runs that finished; an error if not all did.
fn conclude(
    args: &LoadArgs,
    found: Found,
    mut done: Vec<Option<Loaded>>,
    files: &Writer,
) -> Result<ExitCode, Trouble> {
    let trace = done.first_mut().and_then(Option::as_mut).and_then(|loaded| loaded.trace.take());
    let outcomes = done.into_iter().map(|loaded| loaded.map(|loaded| loaded.outcome));
    let study = study(found, outcomes.collect());
    present(args, &study, files)?;
    if let (Some(path), Some(trace)) = (&args.output.trace, trace) {
        traced::keep(&trace, &study.plans[0].plan, path, files)?;
    }
    if study.complete() {
        Ok(ExitCode::SUCCESS)
    } else {
        Err(Trouble::new("interrupted", "the runs that finished are shown"))
    }
}

/// Shows and writes the runs that there are.
fn present(args: &LoadArgs, study: &Study, files: &Writer) -> Result<(), Trouble> {
    print(study, &args.output)?;
    let Some(path) = &args.output.report else { return Ok(()) };
    let page = render::load::document(study).html().map_err(|error| unrendered(&error))?;
    files.replace(path, &page)?;
    note(format_args!("report:   {}", path.display()));
    Ok(())
}

fn study(found: Found, done: Vec<Option<LoadOutcome>>) -> Study {
    let asked = done.len();
    let mut done = done.into_iter();
    let point = |Cell { set, plan }| {
        let runs = done.by_ref().take(found.seeds).flatten().collect();
        // Its run, or its check, found that it can be built; a graph has no ceiling.
        Point { set, runs, ceiling: ceiling(&plan).ok().flatten() }
    };
    let points = found.grid.points.into_iter().map(point).collect();
    Study { plans: found.plans, keys: found.grid.keys, points, asked }
}

/// Finds a path that cannot be written before anything is run.
fn writable(output: &LoadOutput, files: &Writer) -> Result<(), Trouble> {
    [&output.report, &output.trace].into_iter().flatten().try_for_each(|path| files.writable(path))
}

fn print(study: &Study, output: &LoadOutput) -> Result<(), Trouble> {
    let text = match output.format {
        LoadFormat::Table => render::load::document(study).text(columns(), output.rows.unwrap_or_default()),
        LoadFormat::Json => render::load::json(study).map_err(|error| unrendered(&error))?,
        LoadFormat::Csv => render::load::csv(study).map_err(|error| unrendered(&error))?,
    };
    show(&text)
}

fn unrendered(error: &render::RenderError) -> Trouble {
    Trouble::new(format!("failed to show the result: {error}"), "try another --format")
}
