//! `linerate explain`.

use std::process::ExitCode;

use linerate_analysis::explain::{Explanation, explain};
use linerate_analysis::report::{NamedRun, Report};
use linerate_report::explain as render;

use super::results;
use crate::cli::{ExplainArgs, ExplainFormat};
use crate::context::Context;
use crate::screen::{columns, note, show};
use crate::store;
use crate::trouble::Trouble;

pub(super) fn run(args: &ExplainArgs, context: &Context) -> Result<ExitCode, Trouble> {
    let runs: Result<Vec<NamedRun>, Trouble> = args.runs.iter().map(|path| store::load(path)).collect();
    let runs = runs?;
    let explained: Result<Vec<(&NamedRun, Explanation)>, Trouble> = runs.iter().map(explained).collect();
    let explained = explained?;
    let reports = context.files.prepare(&args.report, |path| {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
        match &ending[..] {
            "json" => json(&explained),
            "html" | "svg" | "md" => results::page(&Report::new(runs.clone()), path),
            _ => Err(Trouble::new(
                format!("failed to choose a format for {}", path.display()),
                "end the file's name in .html, .svg, .md or .json",
            )),
        }
    })?;
    match args.format {
        ExplainFormat::Table => {
            let texts: Vec<String> = explained
                .iter()
                .map(|(named, explanation)| render::text(named, explanation, usize::from(columns())))
                .collect();
            show(&texts.join("\n"))?;
        }
        ExplainFormat::Json => show(&json(&explained)?)?,
    }
    for (path, text) in reports {
        context.files.replace(path, &text)?;
        note(format_args!("explanation: {}", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn explained(named: &NamedRun) -> Result<(&NamedRun, Explanation), Trouble> {
    let explanation = explain(&named.run).map_err(|error| {
        Trouble::new(
            format!("failed to explain {}: {error}", named.name),
            "give a run of `linerate measure`, `stream` or `rr`, or a NetPIPE file",
        )
    })?;
    Ok((named, explanation))
}

fn json(explained: &[(&NamedRun, Explanation)]) -> Result<String, Trouble> {
    let all: Vec<_> = explained.iter().map(|(named, explanation)| (*named, explanation)).collect();
    render::json(&all).map_err(|error| {
        Trouble::new(format!("failed to show the explanation: {error}"), "try --format table")
    })
}
