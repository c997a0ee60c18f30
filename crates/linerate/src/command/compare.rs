//! `linerate compare`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use jiff::Timestamp;
use linerate_analysis::compare::{Comparison, Outcome, Question, Spread, compare};
use linerate_analysis::report::NamedRun;
use linerate_core::run::Source;
use linerate_report::compare as render;

use crate::cli::{CompareArgs, CompareFormat, Inconclusive};
use crate::context::Context;
use crate::history::History;
use crate::screen::{columns, note, show, show_text};
use crate::store;
use crate::trouble::Trouble;

/// Something is worse by more than what matters, or changed.
const FINDING: u8 = 1;
/// It cannot be told.
pub(super) const INCONCLUSIVE: u8 = 3;

pub(super) fn run(args: &CompareArgs, context: &Context) -> Result<ExitCode, Trouble> {
    let history = &context.history;
    let (base, candidate) = (side(&args.base, history)?, side(&args.candidate, history)?);
    let comparison = compared(&base, &candidate, args, history)?;
    let reports = context.files.prepare(&args.report, |path| rendered(&comparison, path))?;
    match args.format {
        CompareFormat::Table => {
            show_text(&render::document(&comparison).text(columns(), args.rows.unwrap_or_default()))?;
        }
        CompareFormat::Markdown => show(&render::document(&comparison).markdown())?,
        CompareFormat::Json => show(&render::json(&comparison).map_err(|error| unrendered(&error))?)?,
    }
    for (path, text) in reports {
        context.files.replace(path, &text)?;
        note(format_args!("comparison: {}", path.display()));
    }
    Ok(match comparison.outcome(args.any) {
        Outcome::Worse | Outcome::Changed => ExitCode::from(FINDING),
        Outcome::Inconclusive { .. } if args.inconclusive == Inconclusive::Fail => {
            ExitCode::from(INCONCLUSIVE)
        }
        Outcome::Inconclusive { .. } | Outcome::Equal | Outcome::Better => ExitCode::SUCCESS,
    })
}

/// The runs that are named: files, or runs and paths of the history.
fn side(names: &[PathBuf], history: &History) -> Result<Vec<NamedRun>, Trouble> {
    let mut runs = Vec::new();
    for name in names {
        let of_history = match name.to_str() {
            Some(text) if !store::is_stream(name) && !name.exists() => history.find(text)?,
            _ => None,
        };
        match of_history {
            Some(found) => runs.extend(found),
            None => runs.extend(store::load_all(name)?),
        }
    }
    Ok(runs)
}

/// What the history knows of how much runs of this path differ, where one run a side needs it.
fn spread(base: &[NamedRun], candidate: &[NamedRun], history: &History) -> Option<Spread> {
    let ([one], [other]) = (base, candidate) else { return None };
    let modelled = |named: &NamedRun| matches!(named.run.source, Source::Modelled(_));
    if modelled(one) && modelled(other) {
        return None;
    }
    history.spread(&one.run, &[&one.run.id, &other.run.id]).unwrap_or_else(|trouble| {
        note(trouble.as_caution());
        None
    })
}

fn compared(
    base: &[NamedRun],
    candidate: &[NamedRun],
    args: &CompareArgs,
    history: &History,
) -> Result<Comparison, Trouble> {
    let spread = spread(base, candidate, history);
    let question = Question { threshold: args.within, anyway: args.anyway, spread, began };
    compare(base, candidate, &question)
        .map_err(|error| Trouble::new(format!("failed to compare: {error}"), error.advice()))
}

/// When a run began. Unit: microseconds since 1970.
pub(super) fn began(started: &str) -> Option<i64> {
    Some(started.parse::<Timestamp>().ok()?.as_microsecond())
}

/// The comparison in the format of the file's ending.
fn rendered(comparison: &Comparison, path: &Path) -> Result<String, Trouble> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("html") => render::document(comparison).html().map_err(|error| unrendered(&error)),
        Some("json") => render::json(comparison).map_err(|error| unrendered(&error)),
        Some("md") => Ok(render::document(comparison).markdown()),
        _ => Err(Trouble::new(
            format!("failed to choose a format for {}", path.display()),
            "end the file's name in .html, .json or .md",
        )),
    }
}

fn unrendered(error: &linerate_report::RenderError) -> Trouble {
    Trouble::new(format!("failed to show the comparison: {error}"), "try --format json")
}
