//! The report as text for a terminal.

use linerate_core::plan::Rows;
use linerate_core::report::{NamedRun, Report};

use super::chart::chart;
use super::table::table;
use super::{stages, traffic};

/// Rows of the chart of curves.
const CHART_ROWS: u16 = 18;

/// `report` as plain text of about `width` columns: of curves a table, a chart and the stages of
/// messages; then each run of loads. Tables have these `rows`. No colours, no control codes.
pub fn text(report: &Report, width: u16, rows: Rows) -> String {
    let loads = report.runs.iter().filter(|named| named.has_loads()).count();
    let mut parts = Vec::new();
    if loads == 0 || loads < report.runs.len() {
        parts.push(curves(report, width, rows));
    }
    if loads > 0 {
        parts.push(traffic::text(report, width, rows));
    }
    parts.join("\n")
}

fn curves(report: &Report, width: u16, rows: Rows) -> String {
    let mut text = format!("{}\n{}", table(report, width, rows), chart(report, width, CHART_ROWS));
    let staged = |named: &NamedRun| stages::text(named, width);
    for stages in report.runs.iter().filter_map(staged) {
        text = format!("{text}\n{stages}\n");
    }
    text
}
