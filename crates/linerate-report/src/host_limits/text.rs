//! The limits of a host as text for people.

use linerate_core::host_limits::HostLimitsFile;

use super::sections::{Rows, Section, all};
use super::words::{cautions, facts, state};
use crate::columns::fit;
use crate::text::{item, wrap};

/// Blanks before what belongs to a title.
const INDENT: usize = 2;
/// No line is longer, on however wide a terminal.
const WIDEST: usize = 100;

/// What was measured, as text of at most `width` columns and at most 100.
#[must_use]
pub fn text(file: &HostLimitsFile, width: u16) -> String {
    let width = usize::from(width).min(WIDEST);
    let items = |list: Vec<[String; 2]>| {
        list.iter().map(|[label, value]| item(label, value, width)).collect::<Vec<_>>().join("\n")
    };
    let mut blocks = vec![items(facts(file))];
    blocks.extend(all(&file.limits, Rows::Short).into_iter().map(|section| block(section, width)));
    blocks.push(format!("State of the host\n{}", items(state(&file.environment, &file.limits))));
    let doubts = cautions(&file.limits);
    let doubts =
        doubts.iter().map(|[finding, advice]| wrap(&format!("! {finding}; {advice}"), width, INDENT));
    let doubts: Vec<String> = doubts.collect();
    if !doubts.is_empty() {
        blocks.push(doubts.join("\n"));
    }
    blocks.join("\n\n") + "\n"
}

fn block(section: Section, width: usize) -> String {
    let Section { title, columns, notes } = section;
    let mut lines = vec![title];
    if columns.iter().any(|column| !column.cells.is_empty()) {
        lines.push(fit(columns, width).0);
    }
    let note = |note: &String| wrap(&format!("  {note}"), width - INDENT, 0).replace('\n', "\n  ");
    lines.extend(notes.iter().map(|it| format!("  {}", note(it))));
    lines.join("\n")
}
