//! Applications as plain text for people.

use linerate_analysis::report::{AppResult, NamedRun, Report};
use linerate_core::plan::Rows;

use super::columns;
use super::words::{answer, case_of, checks, cost, facts, failures, headline, highest, name, run_of};
use crate::columns::{Column, fit, fit_wrapped};
use crate::text::{count, item, plain, unfinished, wrap};

/// The narrowest text.
const NARROWEST: usize = 40;
/// More figures or checks than these are shown with `--rows all` only.
const MOST_ROWS: usize = 16;

/// The applications of `report` as text of about `width` columns: a block for each run, under its name if there are
/// several. No colours, no control codes.
pub(crate) fn text(report: &Report, width: u16, rows: Rows) -> String {
    let width = usize::from(width).max(NARROWEST);
    let runs = report.runs.iter().enumerate().filter(|(_, named)| named.has_app());
    runs.map(|(index, named)| of_run(report, (index, named), width, rows)).collect::<Vec<_>>().join("\n\n")
        + "\n"
}

fn of_run(report: &Report, (index, named): (usize, &NamedRun), width: usize, rows: Rows) -> String {
    let app = report.apps.iter().find(|app| app.run == index);
    let of = if report.runs.len() > 1 { format!("{}: ", plain(&named.name)) } else { String::new() };
    let mut head: Vec<String> =
        unfinished(report, index).map(|state| wrap(&format!("{of}{state}"), width, 2)).into_iter().collect();
    match app {
        Some(app) => {
            head.push(wrap(&format!("{of}{}", headline(app, named)), width, 2));
            head.push(item("result", &answer(app), width));
        }
        None => head.push(wrap(&format!("{of}{}", nothing(named)), width, 2)),
    }
    let mut lines = facts(named);
    let cost = app.and_then(|app| cost(run_of(report, app)?));
    lines.extend(cost.map(|cost| ["cost".to_owned(), cost]));
    lines.extend(app.and_then(checks).map(|checks| ["checks".to_owned(), checks]));
    head.extend(lines.into_iter().map(|[label, value]| item(&label, &value, width)));
    let mut blocks = vec![head.join("\n")];
    blocks.extend(app.into_iter().flat_map(|app| of_app(report, app, width, rows)));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n")
}

/// What is said of a run that ended before its application began.
fn nothing(named: &NamedRun) -> String {
    let asked = named.run.plan.app().map(|plan| name(&plan.name)).filter(|name| !name.is_empty());
    let what = asked.map_or_else(|| "an application".to_owned(), |name| format!("the application {name}"));
    format!("{what}, of which nothing was run")
}

/// What did not hold, the table of rows, and the figures on the most ranks.
fn of_app(report: &Report, app: &AppResult, width: usize, rows: Rows) -> Vec<String> {
    let line = |failure: String| wrap(&format!("! FAILED {failure}"), width, 2);
    let mut blocks = vec![failures(app).into_iter().map(line).collect::<Vec<_>>().join("\n")];
    blocks.push(table(report, app, width));
    let Some(last) = app.rows.last() else { return blocks };
    let Some(case) = case_of(report, app, last) else { return blocks };
    let mut figures = columns::figures(case);
    let left_out = if rows == Rows::Short { case.figures.len().saturating_sub(MOST_ROWS) } else { 0 };
    figures.iter_mut().for_each(|column| column.cells.truncate(case.figures.len() - left_out));
    if !case.figures.is_empty() {
        let heading = format!("Figures on {}:", count(u64::from(last.ranks), "rank"));
        let (table, _) = fit_wrapped(figures, width);
        let more = (left_out > 0).then(|| format!("\n  and {left_out} more figures; --rows all has all"));
        blocks.push(format!("{heading}\n{table}{}", more.unwrap_or_default()));
    }
    if rows == Rows::All && !case.checks.is_empty() {
        blocks.push(fit_wrapped(columns::checks(case), width).0);
    }
    blocks
}

/// A row for each number of ranks, and how to read it.
fn table(report: &Report, app: &AppResult, width: usize) -> String {
    if app.rows.is_empty() {
        return String::new();
    }
    let (table, left_out) = fit(of_some(columns::rows(app, highest(report, app)), app), width);
    let mut notes = Vec::new();
    if app.rows.iter().all(|row| row.speed_up.is_none()) {
        notes.push("(there is no speed-up: it was not run on one rank)".to_owned());
    }
    if app.rows.iter().any(|row| row.interrupted) {
        notes.push("(* ended early: its numbers are of what was done until then)".to_owned());
    }
    if app.rows.iter().any(|row| row.ranks > 1) {
        notes.push(
            "(comm.: the share of the ranks' time in calls that send and receive: communication, and waiting for others)"
                .to_owned(),
        );
    }
    if !left_out.is_empty() {
        notes.push(format!("(no room for {}; --format json has all)", left_out.join(", ")));
    }
    let note = |note: String| {
        let wrapped = wrap(&note, width.saturating_sub(2), 1);
        wrapped.lines().map(|line| format!("\n  {line}")).collect::<String>()
    };
    notes.into_iter().map(note).fold(table, |text, note| text + &note)
}

/// Without the number of runs where it is the same on each number of ranks, and with headings of two lines.
fn of_some(mut columns: Vec<Column>, app: &AppResult) -> Vec<Column> {
    if app.rows.iter().all(|row| row.repetitions == app.rows[0].repetitions) {
        columns.retain(|column| column.heading != "runs");
    }
    for column in &mut columns {
        if column.heading.starts_with("10^") {
            column.heading = column.heading.replacen(' ', "\n", 1);
        }
    }
    columns
}
