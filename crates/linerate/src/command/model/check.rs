//! `linerate model check`.

mod shards;

use std::process::ExitCode;

use linerate_report as render;
use linerate_report::claims::Checked;
use linerate_study::claims::{self, Claim, Claims, Job, Judged, Results, Tally, Unknown};
use linerate_study::parallel;

use crate::cli::{CheckArgs, CheckFormat};
use crate::context::Context;
use crate::progress::Line;
use crate::screen::{columns, note, show};
use crate::signals::Interrupt;
use crate::trouble::Trouble;

/// Exit code when a claim does not come out as expected: one that should hold does not, or a
/// recorded miss is none any more.
const FINDING: u8 = 1;
/// Exit code when a claim could not be checked.
const COULD_NOT: u8 = 2;

pub(super) fn run(args: &CheckArgs, context: &Context) -> Result<ExitCode, Trouble> {
    let claims = Claims::shipped();
    let chosen = claims::select(&claims, &args.ids).map_err(|unknown| stranger(&unknown))?;
    args.report.as_ref().map_or(Ok(()), |path| context.files.writable(path))?;
    let jobs = claims::jobs(&claims, &chosen);
    if let (Some(choice), Some(folder)) = (args.shards.shard, &args.shards.folder) {
        return shards::run(args, (&jobs, &context.files), choice, folder);
    }
    let results = match &args.shards.merge {
        None => carry_out(args, &jobs)?,
        Some(folder) => match shards::merge(args, &jobs, folder)? {
            Some(results) => results,
            // What is missing was named.
            None => return Ok(ExitCode::from(FINDING)),
        },
    };
    let judged: Vec<Judged<'_>> =
        chosen.iter().map(|claim| claims::judge(&claims, claim, &results)).collect();
    let named = named(&args.ids, &chosen);
    conclude(args, &Checked { claims: &claims, judged: &judged, results: &results, in_full: named }, context)
}

/// Runs every job.
fn carry_out(args: &CheckArgs, jobs: &[Job]) -> Result<Results, Trouble> {
    let interrupt = Interrupt::listen()?;
    let at_once = args.jobs.unwrap_or_else(parallel::processors);
    let line = Line::new();
    let stop = || interrupt.asked();
    let results = claims::carry_out(jobs, at_once, stop, |done, all| line.runs_done(done, all));
    line.clear();
    results.ok_or_else(|| Trouble::new("interrupted", "nothing was checked; check fewer claims"))
}

/// Whether every claim was named, and so is shown in full.
fn named(ids: &[String], chosen: &[&Claim]) -> bool {
    !chosen.is_empty() && !ids.is_empty() && ids.iter().all(|id| id.trim().len() > 1)
}

fn stranger(unknown: &Unknown) -> Trouble {
    let help = match &unknown.near[..] {
        [] => "give names such as F063, or the letter of a source: F, P, A or T".to_owned(),
        near => {
            format!("did you mean {}? F, P, A or T alone selects all claims of a source", near.join(" or "))
        }
    };
    Trouble::new(format!("failed to find the claim `{}`: no claim has this name", unknown.given), help)
}

/// Shows and writes the results of the checks.
fn conclude(args: &CheckArgs, checked: &Checked<'_>, context: &Context) -> Result<ExitCode, Trouble> {
    let text = match args.format {
        CheckFormat::Table => {
            render::claims::document(checked).text(columns(), args.rows.unwrap_or_default())
        }
        CheckFormat::Json => render::claims::json(checked).map_err(|error| unrendered(&error))?,
    };
    show(&text)?;
    if let Some(path) = &args.report {
        let page = render::claims::document(&Checked { in_full: false, ..*checked })
            .html()
            .map_err(|error| unrendered(&error))?;
        context.files.replace(path, &page)?;
        note(format_args!("report:   {}", path.display()));
    }
    Ok(ExitCode::from(code(&Tally::of(checked.judged))))
}

/// What nobody expected outranks what could not be checked. A miss that is recorded is expected.
const fn code(tally: &Tally) -> u8 {
    match (tally.findings(), tally.could_not) {
        (1.., _) => FINDING,
        (0, 1..) => COULD_NOT,
        (0, 0) => 0,
    }
}

fn unrendered(error: &render::RenderError) -> Trouble {
    Trouble::new(format!("failed to show the result: {error}"), "try another --format")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_expected_goes_before_what_could_not_be_checked() {
        let expected =
            Tally { definition: 3, predicted: 2, calibrated: 1, not_testable: 9, ..Tally::default() };
        assert_eq!(code(&expected), 0);
        assert_eq!(code(&Tally { contradicted: 1, ..expected }), 0, "nobody expects it to hold");
        assert_eq!(code(&Tally { missed: 1, ..expected }), 0, "as recorded");
        assert_eq!(code(&Tally { could_not: 1, ..expected }), 2);
        assert_eq!(code(&Tally { could_not: 5, fail: 1, ..expected }), 1);
        assert_eq!(code(&Tally { out_of_date: 1, ..expected }), 1);
    }
}
