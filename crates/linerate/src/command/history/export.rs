//! `linerate history export`.

use std::path::Path;
use std::process::ExitCode;

use linerate_report::history as render;

use super::{load, opened};
use crate::cli::Conditions;
use crate::context::Context;
use crate::screen::note;
use crate::store;
use crate::trouble::Trouble;

pub(super) fn run(
    to: Option<&Path>,
    prometheus: Option<&Path>,
    conditions: &Conditions,
    context: &Context,
) -> Result<ExitCode, Trouble> {
    let mut store = opened(context)?;
    let histories = load::histories(&mut store, None, &conditions.filter())?;
    if let Some(path) = to {
        context.files.replace(path, &rendered(&histories, path)?)?;
        say(path);
    }
    if let Some(path) = prometheus {
        context.files.replace(path, &render::prometheus(&histories))?;
        say(path);
    }
    Ok(ExitCode::SUCCESS)
}

fn say(path: &Path) {
    if !store::is_stream(path) {
        note(format_args!("written: {}", path.display()));
    }
}

/// In the format of the file's ending.
fn rendered(histories: &[render::PathHistory], path: &Path) -> Result<String, Trouble> {
    let unrendered = |error: linerate_report::RenderError| {
        Trouble::new(format!("failed to write the history: {error}"), "choose the other format")
    };
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("csv") => render::csv(histories).map_err(unrendered),
        Some("jsonl" | "ndjson") => render::json_lines(histories).map_err(unrendered),
        _ if store::is_stream(path) => render::json_lines(histories).map_err(unrendered),
        _ => Err(Trouble::new(
            format!("failed to choose a format for {}", path.display()),
            "end the file's name in .csv or .jsonl",
        )),
    }
}
