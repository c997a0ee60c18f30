//! The end of an experiment, for now or for good: what it found, on the screen and as a page.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use linerate_analysis::report::Report;
use linerate_core::plan::Rows;
use linerate_report::experiment as render;

use super::conductor::Stop;
use super::findings::{self, Found};
use super::folder;
use super::given::{self, Given};
use crate::cli::HowToRun;
use crate::screen::{columns, note, show_text};
use crate::store::Writer;
use crate::trouble::Trouble;

/// The page in the folder.
pub(super) const PAGE: &str = "index.html";
/// The same as data.
pub(super) const DATA: &str = "findings.json";
/// Something is missing: runs failed, or are still to be made.
const UNFINISHED: u8 = 1;

/// Shows what was found, and says why the experiment stopped if it did.
pub(super) fn conclude(
    given: &Given,
    path: &Path,
    stop: Option<Stop>,
    (how, files): (&HowToRun, &Writer),
) -> Result<ExitCode, Trouble> {
    let ledger = folder::ledger(path)?;
    let found = findings::found(given, path, &ledger)?;
    if found.findings.done > 0 {
        show_text(&render::document(&found.findings, None).text(columns(), Rows::Short))?;
        let page = path.join(PAGE);
        files.replace(&page, &html(&found)?)?;
        files.replace(&path.join(DATA), &json(&found)?)?;
        if !how.quiet {
            note(format_args!("page: {}", page.display()));
        }
    }
    stopped(&found, path, stop)
}

/// Why it stopped, and what to do.
fn stopped(found: &Found, path: &Path, stop: Option<Stop>) -> Result<ExitCode, Trouble> {
    let resume = format!("linerate experiment resume {}", path.display());
    match stop {
        Some(Stop::Trouble(trouble)) => return Err(trouble),
        Some(Stop::Interrupted) => note(format_args!("interrupted{}; `{resume}` goes on", left(found))),
        Some(Stop::TimeOver) => note(format_args!("its time is over{}; `{resume}` goes on", left(found))),
        Some(Stop::Failed) => note(format_args!("stopped, because a run failed; `{resume}` tries again")),
        Some(Stop::ByHand(sentences)) => {
            note("the next level is set by a person:");
            for sentence in sentences {
                note(format_args!("  {sentence}"));
            }
            note(format_args!("then `{resume}` goes on, also after a reboot"));
        }
        None if found.findings.done == 0 => {
            return Err(Trouble::new(
                "failed to measure any cell: every run failed",
                "the reasons are above; the outputs of the runs are in the folder's runs",
            ));
        }
        None if found.findings.failed.is_empty() => return Ok(ExitCode::SUCCESS),
        None => {
            note(format_args!("{} runs failed; `{resume}` tries them again", found.findings.failed.len()));
        }
    }
    Ok(ExitCode::from(UNFINISHED))
}

/// How many runs are still to be made, if that is known.
fn left(found: &Found) -> String {
    found.missing.map_or_else(String::new, |missing| format!(" with {missing} runs to go"))
}

/// `linerate experiment report`.
pub(super) fn report(
    path: &Path,
    pages: &[PathBuf],
    rows: Rows,
    files: &Writer,
) -> Result<ExitCode, Trouble> {
    let text = folder::plan(path)?;
    let name = folder::name(path);
    let plan = given::checked(&name, &text)?;
    let found = findings::found(&Given { name, text, plan }, path, &folder::ledger(path)?)?;
    if found.findings.done == 0 {
        return Err(Trouble::new(
            format!("failed to show {}: it has no run with a result yet", path.display()),
            format!("`linerate experiment resume {}` goes on", path.display()),
        ));
    }
    let pages = files.prepare(pages, |file| rendered(&found, file))?;
    show_text(&render::document(&found.findings, None).text(columns(), rows))?;
    for (file, text) in pages {
        files.replace(file, &text)?;
        note(format_args!("experiment: {}", file.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn rendered(found: &Found, path: &Path) -> Result<String, Trouble> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("html") => html(found),
        Some("json") => json(found),
        Some("csv") => render::csv(&found.findings).map_err(|error| unrendered(&error)),
        _ => Err(Trouble::new(
            format!("failed to choose a format for {}", path.display()),
            "end the file's name in .html, .json or .csv",
        )),
    }
}

fn html(found: &Found) -> Result<String, Trouble> {
    let curves = (!found.curves.is_empty()).then(|| Report::new(found.curves.clone()));
    render::document(&found.findings, curves.as_ref()).html().map_err(|error| unrendered(&error))
}

fn json(found: &Found) -> Result<String, Trouble> {
    render::json(&found.findings).map_err(|error| unrendered(&error))
}

fn unrendered(error: &linerate_report::RenderError) -> Trouble {
    Trouble::new(format!("failed to show the experiment: {error}"), "the runs in its folder are complete")
}
