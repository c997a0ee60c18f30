//! The runs of claims in parts: each keeps its results in a folder, and a merge judges by all of them.

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use linerate_study::claims::{self, Answer, Job, Results};
use linerate_study::parallel;
use linerate_study::result_file::{Manifest, ResultName};

use crate::cli::{CheckArgs, ShardChoice};
use crate::command::shards::{self, Found, Part, ResultFolder};
use crate::progress::Line;
use crate::screen::note;
use crate::signals::Interrupt;
use crate::store::Writer;
use crate::trouble::Trouble;

/// What a job gave, or why it gave nothing.
type Given = Result<Answer, String>;

/// Why a part ends early.
enum Ended {
    Stopped,
    Unkept(Trouble),
}

/// What the results of the jobs are called, and what they are of.
fn named(args: &CheckArgs, jobs: &[Job], shards: usize) -> (Vec<ResultName>, Manifest) {
    let names: Vec<ResultName> = jobs.iter().map(claims::result_name).collect();
    let asked = if args.ids.is_empty() { "of all claims".to_owned() } else { args.ids.join(" ") };
    let manifest = Manifest::of("model check", asked, &names, shards);
    (names, manifest)
}

/// Runs the part of the jobs that was chosen.
pub(super) fn run(
    args: &CheckArgs,
    (jobs, files): (&[Job], &Writer),
    choice: ShardChoice,
    folder: &Path,
) -> Result<ExitCode, Trouble> {
    let shard = shards::chosen(choice)?;
    let (names, manifest) = named(args, jobs, shard.of());
    let folder = ResultFolder::open(folder, &manifest, files)?;
    let part = Part::of::<Given>(shard, &names, &folder);
    let interrupt = Interrupt::listen()?;
    let line = Line::new();
    let (stop, done) = (|| interrupt.asked(), AtomicUsize::new(0));
    let at_once = args.jobs.unwrap_or_else(parallel::processors);
    line.runs_done(0, part.missing.len());
    let ended = parallel::map(&part.missing, at_once, |place| {
        let answer = claims::answer(&jobs[*place], &stop).ok_or(Ended::Stopped)?;
        folder.put(&names[*place], &answer, files).map_err(Ended::Unkept)?;
        line.runs_done(done.fetch_add(1, Ordering::Relaxed) + 1, part.missing.len());
        Ok(())
    });
    line.clear();
    if let Err(Ended::Unkept(trouble)) = ended {
        return Err(trouble);
    }
    part.conclude(done.into_inner(), folder.path())?;
    Ok(ExitCode::SUCCESS)
}

/// What all parts left. Absent if results are missing, which are then named.
pub(super) fn merge(args: &CheckArgs, jobs: &[Job], folder: &Path) -> Result<Option<Results>, Trouble> {
    let (names, manifest) = named(args, jobs, 1);
    let folder = ResultFolder::existing(folder, &manifest)?;
    let (mut results, mut missing) = (Results::default(), Vec::new());
    for (place, name) in names.iter().enumerate() {
        match folder.get::<Given>(name) {
            Found::Whole(answer) => {
                results.0.insert(jobs[place].clone(), answer);
                continue;
            }
            Found::Absent => {}
            Found::Unusable(reason) => note(format_args!("! {}: {reason}; it is left out", name.file())),
        }
        missing.push(place);
    }
    for stranger in folder.strangers(&names)? {
        note(format_args!("! {stranger}: it is no result of these claims; it is left out"));
    }
    if missing.is_empty() {
        return Ok(Some(results));
    }
    shards::name_missing(&names, &missing, &folder, |place| described(&jobs[place]));
    Ok(None)
}

/// A job in words.
fn described(job: &Job) -> String {
    let what = match job {
        Job::Plan(_) => "the plan",
        Job::Load(_) => "a load on",
        Job::Curve(_) => "the curve of",
    };
    let run = job.run();
    let set: String = run.set.iter().map(|set| format!(", {set}")).collect();
    format!("{what} {}{set}", run.plan)
}
