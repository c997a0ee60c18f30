//! A sweep in parts: each keeps its results in a folder, and a merge shows them as one.

use std::cell::RefCell;
use std::path::Path;
use std::process::ExitCode;

use linerate_sim::load::LoadOutcome;
use linerate_sim::plan::ModelPlan;
use linerate_study::result_file::{KeptLoad, Manifest, ResultName};
use linerate_study::{Named, Orders, Study, parallel, run_each, value_text};

use super::{Found, present, study};
use crate::cli::{LoadArgs, ShardChoice};
use crate::command::shards::{self, Found as File, Part, ResultFolder};
use crate::progress::Line;
use crate::screen::note;
use crate::signals::Interrupt;
use crate::store::Writer;
use crate::trouble::Trouble;

/// Exit code when results are missing.
const MISSING: u8 = 1;

/// The runs of a study, and what their results are called.
struct Runs {
    plans: Vec<ModelPlan>,
    names: Vec<ResultName>,
}

impl Runs {
    fn of(found: &Found) -> Self {
        let plans = found.grid.plans(found.seeds);
        // Its result has more in it than one of many.
        let kind = if found.is_single() { "model load, with delays" } else { "model load" };
        let names = plans.iter().map(|plan| ResultName::of(kind, &[&plan.to_toml()])).collect();
        Self { plans, names }
    }

    fn manifest(&self, args: &LoadArgs, found: &Found, shards: usize) -> Manifest {
        Manifest::of("model load", asked(args, found), &self.names, shards)
    }
}

/// What was asked, as on the command line.
fn asked(args: &LoadArgs, found: &Found) -> String {
    let plans = found.plans.iter().map(|Named { name, .. }| name.clone());
    let question = &args.question;
    let set = question.set.iter().map(|set| format!("--set {set}"));
    let sweep = question.sweep.iter().map(|sweep| format!("--sweep {sweep}"));
    let seeds = (found.seeds > 1).then(|| format!("--seeds {}", found.seeds));
    plans.chain(set).chain(sweep).chain(seeds).collect::<Vec<_>>().join(" ")
}

/// Runs the part of the study that was chosen.
pub(super) fn run(
    args: &LoadArgs,
    (found, files): (&Found, &Writer),
    choice: ShardChoice,
    folder: &Path,
) -> Result<ExitCode, Trouble> {
    let shard = shards::chosen(choice)?;
    let runs = Runs::of(found);
    let folder = ResultFolder::open(folder, &runs.manifest(args, found, shard.of()), files)?;
    let part = Part::of::<KeptLoad>(shard, &runs.names, &folder);
    let interrupt = Interrupt::listen()?;
    let orders = Orders {
        plans: part.missing.iter().map(|place| runs.plans[*place].clone()).collect(),
        trace: None,
        jobs: args.question.jobs.unwrap_or_else(parallel::processors),
        delays: found.is_single(),
    };
    let line = Line::new();
    // A result that cannot be kept ends the part.
    let unkept: RefCell<Option<Trouble>> = RefCell::new(None);
    let mut done = 0;
    let stop = || interrupt.asked() || unkept.borrow().is_some();
    let ended = run_each(orders, stop, |number, loaded| {
        let kept = KeptLoad::from(loaded.outcome);
        match folder.put(&runs.names[part.missing[number]], &kept, files) {
            Ok(()) => done += 1,
            Err(trouble) => *unkept.borrow_mut() = Some(trouble),
        }
        line.runs_done(done, part.missing.len());
    });
    line.clear();
    ended.map_err(|(number, error)| found.grid.refused(part.missing[number] / found.seeds, error))?;
    unkept.into_inner().map_or(Ok(()), Err)?;
    part.conclude(done, folder.path())?;
    Ok(ExitCode::SUCCESS)
}

/// Shows what all parts left.
pub(super) fn merge(
    args: &LoadArgs,
    found: Found,
    folder: &Path,
    files: &Writer,
) -> Result<ExitCode, Trouble> {
    let runs = Runs::of(&found);
    let folder = ResultFolder::existing(folder, &runs.manifest(args, &found, 1))?;
    let mut results: Vec<Option<LoadOutcome>> = Vec::with_capacity(runs.names.len());
    for name in &runs.names {
        results.push(match folder.get::<KeptLoad>(name) {
            File::Whole(kept) => Some(kept.into()),
            File::Absent => None,
            File::Unusable(reason) => {
                note(format_args!("! {}: {reason}; it is left out", name.file()));
                None
            }
        });
    }
    for stranger in folder.strangers(&runs.names)? {
        note(format_args!("! {stranger}: it is no result of this plan; it is left out"));
    }
    let absent = |(place, result): (usize, &Option<LoadOutcome>)| result.is_none().then_some(place);
    let missing: Vec<usize> = results.iter().enumerate().filter_map(absent).collect();
    let seeds = found.seeds;
    let study = study(found, results);
    if study.done() > 0 {
        present(args, &study, files)?;
    }
    if missing.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    shards::name_missing(&runs.names, &missing, &folder, |place| {
        described(&study, place / seeds, &runs.plans[place])
    });
    Ok(ExitCode::from(MISSING))
}

/// A run, by the values of its point, and its seed if there are several or nothing is swept.
fn described(study: &Study, point: usize, plan: &ModelPlan) -> String {
    let set = study.keys.iter().zip(&study.points[point].set);
    let values = set.map(|(key, value)| format!("{key} = {}", value_text(value)));
    let seed = (study.seeds() > 1 || study.keys.is_empty()).then(|| format!("seed {}", plan.seed));
    values.chain(seed).collect::<Vec<_>>().join(", ")
}
