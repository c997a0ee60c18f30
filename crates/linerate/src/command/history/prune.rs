//! `linerate history prune`.

use std::process::ExitCode;

use jiff::Timestamp;
use linerate_report::history::PathHistory;
use linerate_store::{Filter, Thinning};

use super::{failed, load, opened};
use crate::context::Context;
use crate::screen::{note, show};
use crate::trouble::Trouble;

/// So many runs on each side of a change keep their curves.
const BESIDE: usize = 5;

pub(super) fn run(
    older_us: i64,
    every_us: i64,
    dry_run: bool,
    context: &Context,
) -> Result<ExitCode, Trouble> {
    let mut store = opened(context)?;
    let histories = load::histories(&mut store, None, &Filter::default())?;
    let rule = Thinning {
        before_us: Timestamp::now().as_microsecond().saturating_sub(older_us),
        period_us: every_us,
        protected: histories.iter().flat_map(beside_changes).collect(),
    };
    let pruned = if dry_run { store.prunable(&rule) } else { store.prune(&rule) }.map_err(failed)?;
    let lines: Vec<String> = pruned.iter().map(|run| format!("{}  {}\n", run.id, run.file)).collect();
    show(&lines.concat())?;
    let bytes: u64 = pruned.iter().map(|run| run.curve_bytes).sum();
    let verb = if dry_run { "would lose" } else { "lost" };
    note(format_args!(
        "{} runs {verb} their curves ({:.1} MB); figures and run files stay",
        pruned.len(),
        bytes as f64 / 1e6
    ));
    Ok(ExitCode::SUCCESS)
}

/// The runs on both sides of the changes of a path.
fn beside_changes(history: &PathHistory) -> Vec<String> {
    let members = history.changes.events.iter().flat_map(|event| &event.members);
    let places = members.flat_map(|member| [member.at, member.to]);
    let near = places.flat_map(|at| at.saturating_sub(BESIDE)..(at + BESIDE).min(history.runs.len()));
    near.map(|nth| history.runs[nth].id.clone()).collect()
}
