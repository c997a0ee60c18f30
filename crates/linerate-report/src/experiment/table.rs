//! What an experiment found, as text for people.

mod costs;
mod figure;
mod way;

use linerate_analysis::experiment::{Findings, SettingShown};

use super::clean::cleaned;
use super::words;
use crate::columns::{Column, fit_wrapped};
use crate::text::{item, wrap};

/// The narrowest table: labels and numbers alone need this.
const NARROWEST: usize = 40;

/// `findings` as text of at most `columns` columns: what was found and what limits it, a staircase or a search,
/// the effects and the cells of the goal, costs, and what is doubtful. `all` shows every figure, and of each every
/// row. No colours, no control codes.
#[must_use]
pub fn table(findings: &Findings, columns: u16, all: bool) -> String {
    let findings = &cleaned(findings);
    let width = usize::from(columns).max(NARROWEST);
    let mut blocks = vec![head(findings, width)];
    blocks.extend(way::block(findings, width));
    let shown = if all { findings.figures.len() } else { 1 };
    for figure in findings.figures.iter().take(shown) {
        blocks.extend(figure::blocks(findings, figure, (width, all)));
    }
    blocks.extend(others(findings, shown, width));
    blocks.extend(costs::block(findings, width));
    blocks.extend(costs::trade(findings, width));
    blocks.push(doubts(findings, width));
    blocks.push(settings(&findings.settings, width));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

/// What was done, what was found, and what limits it.
fn head(findings: &Findings, width: usize) -> String {
    let title = if findings.about.is_empty() { &findings.name } else { &findings.about };
    let mut lines = vec![wrap(&format!("{title}: {}", words::extent(findings)), width, 2)];
    lines.extend(
        words::sentences(findings)
            .iter()
            .enumerate()
            .map(|(nth, sentence)| item(if nth == 0 { "found" } else { "" }, sentence, width)),
    );
    let limits = words::limits(findings);
    if !limits.is_empty() {
        lines.push(item("limited by", &limits.join("; "), width));
    }
    lines.extend(findings.factors.iter().enumerate().map(|(nth, factor)| {
        let base = if factor.levels.len() > 1 { " (the first is the base)" } else { "" };
        let hard = if factor.hard { "; hard to change" } else { "" };
        let text = format!("{}: {}{base}{hard}", factor.name, factor.levels.join(", "));
        item(if nth == 0 { "factors" } else { "" }, &text, width)
    }));
    lines.extend(words::naming(findings).map(|text| item("", text, width)));
    if !findings.bench.is_empty() {
        lines.push(item("ran on", &findings.bench, width));
    }
    lines.push(item("seed", &findings.seed.to_string(), width));
    lines.join("\n")
}

/// The figures that are not shown.
fn others(findings: &Findings, shown: usize, width: usize) -> Option<String> {
    let names: Vec<&str> =
        findings.figures.iter().skip(shown).map(|figure| figure.figure.title.as_str()).collect();
    (!names.is_empty())
        .then(|| item("not shown", &format!("{} (`report --all` shows them)", names.join(", ")), width))
}

/// Runs that failed, and cautions.
fn doubts(findings: &Findings, width: usize) -> String {
    let failed = findings.failed.iter().map(|[cell, why]| format!("! failed: {cell}: {why}"));
    let cautions = findings.cautions.iter().map(|caution| format!("! {caution}"));
    failed.chain(cautions).map(|line| wrap(&line, width, 2)).collect::<Vec<String>>().join("\n")
}

/// What was set, and whether it is as before.
fn settings(settings: &[SettingShown], width: usize) -> String {
    if settings.is_empty() { String::new() } else { fit_wrapped(setting_columns(settings), width).0 }
}

/// The columns of the settings, for the text and for the page.
pub(super) fn setting_columns(settings: &[SettingShown]) -> Vec<Column> {
    let column = |heading: &str, expendable, of: &dyn Fn(&SettingShown) -> String| {
        Column::of_words(heading, expendable, settings.iter().map(of).collect())
    };
    let restored = |setting: &SettingShown| match setting.restored {
        Some(true) => "restored",
        Some(false) => "NOT RESTORED",
        None => "not known yet",
    };
    vec![
        column("setting", 0, &|it| {
            format!("{} ({}): {} -> {}", it.setting, it.host, it.original, it.values.join(", "))
        }),
        column("afterwards", 0, &|it| restored(it).to_owned()),
    ]
}
