//! `linerate history changes`.

use std::process::ExitCode;

use linerate_analysis::changes::Standing;
use linerate_core::plan::Rows;
use linerate_report::history::{self as render, PathHistory};

use super::{load, opened};
use crate::cli::{Conditions, ExplainFormat};
use crate::context::Context;
use crate::screen::{columns, show};
use crate::trouble::Trouble;

/// Something changed for the worse.
const FINDING: u8 = 1;

pub(super) fn run(
    path: Option<&str>,
    exit_code: bool,
    format: ExplainFormat,
    (conditions, context): (&Conditions, &Context),
) -> Result<ExitCode, Trouble> {
    let mut store = opened(context)?;
    let histories = load::histories(&mut store, path, &conditions.filter())?;
    let text = match format {
        ExplainFormat::Table if histories.is_empty() => {
            "no path has a run that meets the filter\n".to_owned()
        }
        ExplainFormat::Table => render::changes(&histories).text(columns(), Rows::Short),
        ExplainFormat::Json => render::changes_json(&histories).map_err(|error| {
            Trouble::new(format!("failed to show the changes: {error}"), "leave out --format json")
        })?,
    };
    show(&text)?;
    let finding = exit_code && histories.iter().any(alarming);
    Ok(if finding { ExitCode::from(FINDING) } else { ExitCode::SUCCESS })
}

/// Whether something changed for the worse, for certain or as measuring again said, and nobody said that it does not
/// matter.
fn alarming(history: &PathHistory) -> bool {
    let members = history.changes.events.iter().flat_map(|event| &event.members);
    members.filter(|member| member.worse == Some(true)).any(|member| {
        match history.said.get(&member.id.to_string()).map(String::as_str) {
            Some("muted") => false,
            Some("confirmed") => true,
            _ => member.standing == Standing::Confirmed,
        }
    })
}
