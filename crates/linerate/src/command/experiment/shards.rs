//! Parts of an experiment on models, each by a process of its own, in one folder.

use std::path::Path;
use std::process::ExitCode;

use linerate_analysis::experiment::{ExperimentPlan, Factor};
use linerate_study::Shard;

use super::conductor::Stop;
use super::findings::Reader;
use super::fixed::Asked;
use super::folder;
use super::given::Given;
use crate::cli::HowToRun;
use crate::command::shards;
use crate::screen::note;
use crate::trouble::Trouble;

/// Exit code when runs of the part failed, or are still to be made.
const UNFINISHED: u8 = 1;

/// The part that was chosen, if one was, of an experiment that has parts.
pub(super) fn chosen(given: &Given, how: &HowToRun) -> Result<Option<Shard>, Trouble> {
    let Some(choice) = how.shard else { return Ok(None) };
    if let Some(why) = indivisible(&given.plan) {
        return Err(Trouble::new(
            format!("failed to run a part of {}: {why}", given.name),
            "leave --shard out; it is for experiments on models (--model) whose runs are all known at the beginning",
        ));
    }
    shards::chosen(choice).map(Some)
}

/// Why the experiment has no parts, if it has none.
fn indivisible(plan: &ExperimentPlan) -> Option<&'static str> {
    if !plan.is_modelled() {
        Some("its runs are not on a model, and would disturb each other")
    } else if plan.design.finds_its_way() {
        Some("its design decides on each run by the results of those before")
    } else if plan.factor.iter().any(|factor: &Factor| factor.manual.is_some()) {
        Some("a person sets levels of it, one after the other")
    } else {
        None
    }
}

/// Says what was done of a part.
pub(super) fn conclude(
    plan: &ExperimentPlan,
    path: &Path,
    (schedule, shard): (&[Asked], Shard),
    stop: Option<Stop>,
    quiet: bool,
) -> Result<ExitCode, Trouble> {
    if let Some(Stop::Trouble(trouble)) = stop {
        return Err(trouble);
    }
    let (ledger, mut reader) = (folder::ledger(path)?, Reader::new(plan, path));
    let (mut all, mut done) = (0, 0);
    for (_, asked) in schedule.iter().enumerate().filter(|(nth, _)| shard.has(*nth)) {
        let id = reader.id(&asked.cell)?;
        all += 1;
        done += usize::from(ledger.find(plan, &asked.cell, &id, asked.slot).is_some());
    }
    let why = match stop {
        Some(Stop::Interrupted) => ", interrupted",
        Some(Stop::TimeOver) => ", its time is over",
        Some(Stop::Failed) => ", stopped because a run failed",
        _ => "",
    };
    let path = path.display();
    note(format_args!("shard {shard}: {done} of {all} runs have a result{why}"));
    if !quiet {
        note(format_args!(
            "when all parts have ended, `linerate experiment resume {path}` runs what is missing"
        ));
    }
    Ok(ExitCode::from(if done == all { 0 } else { UNFINISHED }))
}
