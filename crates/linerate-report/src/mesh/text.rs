//! Meshes as plain text for people.

mod heat;

use linerate_analysis::facts::{Collectives, Togethers};
use linerate_analysis::report::{CollectiveRow, MeshResult, MeshView, NamedRun, Report, describe};
use linerate_core::plan::Rows;

use super::columns;
use super::words::{facts, headline, keys, meanwhile, view_name};
use crate::columns::{Column, fit, fit_wrapped, of_kind};
use crate::text::{item, plain, unfinished, wrap};

/// The narrowest text.
const NARROWEST: usize = 40;
/// More suspects, lost pairs or collectives than these are shown with `--rows all` only.
const MOST_ROWS: usize = 12;
/// What the words of a verdict mean.
const VERDICTS: &str = "bad: slow alone as well; congested: slow only while others talk; unconfirmed: not measured \
                        alone, or not often enough";

/// The meshes of `report` as text of about `width` columns: a block for each run, under its name if there are several.
/// No colours, no control codes.
pub(crate) fn text(report: &Report, width: u16, rows: Rows) -> String {
    let width = usize::from(width).max(NARROWEST);
    let runs = report.runs.iter().enumerate().filter(|(_, named)| named.has_mesh());
    runs.map(|(index, named)| of_run(report, (index, named), width, rows)).collect::<Vec<_>>().join("\n\n")
        + "\n"
}

fn of_run(report: &Report, (index, named): (usize, &NamedRun), width: usize, rows: Rows) -> String {
    let mesh = report.meshes.iter().find(|mesh| mesh.run == index);
    let of = if report.runs.len() > 1 { format!("{}: ", plain(&named.name)) } else { String::new() };
    let mut head: Vec<String> =
        unfinished(report, index).map(|state| wrap(&format!("{of}{state}"), width, 2)).into_iter().collect();
    match mesh {
        Some(mesh) => head.push(wrap(&format!("{of}{}", headline(mesh, &named.run)), width, 2)),
        None => head.push(wrap(&format!("{of}a mesh of which nothing was measured"), width, 2)),
    }
    let mut lines = mesh.map(keys).unwrap_or_default();
    lines.extend(facts(named));
    if named.run.model.is_some() {
        lines.push(["model".to_owned(), plain(&describe(&named.run))]);
    }
    head.extend(lines.into_iter().map(|[label, value]| item(&label, &value, width)));
    let mut blocks = vec![head.join("\n")];
    blocks.extend(mesh.into_iter().flat_map(|mesh| of_mesh(mesh, width, rows)));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n")
}

/// What is slow and lost, the heat maps, and what all did at once.
fn of_mesh(mesh: &MeshResult, width: usize, rows: Rows) -> Vec<String> {
    let mut blocks = vec![suspects(mesh, width, rows), lost(mesh, width, rows)];
    if mesh.views.len() > 2 || rows == Rows::All {
        blocks.push(fitted(columns::views(mesh), width));
    }
    let shown: Vec<&MeshView> = match (&mesh.views[..], rows) {
        ([first, .., last], Rows::Short) => vec![first, last],
        (all, _) => all.iter().collect(),
    };
    for view in &shown {
        let title = format!("{} ({}): {}", view_name(view), view.unit.name(), meanwhile(view.schedule));
        blocks.push(format!("{}\n{}", wrap(&title, width, 2), heat::map(mesh, view, width, rows)));
    }
    if shown.len() < mesh.views.len() {
        blocks.push(format!("  {} of {} heat maps; --rows all shows all", shown.len(), mesh.views.len()));
    }
    blocks.push(table(of_kind::<Togethers>(&mesh.together.iter().collect::<Vec<_>>()), width));
    blocks.push(collectives(mesh, width, rows));
    blocks
}

fn suspects(mesh: &MeshResult, width: usize, rows: Rows) -> String {
    if mesh.suspects.is_empty() {
        return String::new();
    }
    let shown = if rows == Rows::Short { mesh.suspects.len().min(MOST_ROWS) } else { mesh.suspects.len() };
    let table = fit_wrapped(columns::suspects(&mesh.suspects[..shown]), width);
    let mut lines = vec![noted(table, width)];
    lines.extend(more(mesh.suspects.len() - shown, "suspects"));
    lines.push(note(&format!("({VERDICTS})"), width));
    lines.join("\n")
}

fn lost(mesh: &MeshResult, width: usize, rows: Rows) -> String {
    let shown = if rows == Rows::Short { mesh.lost.len().min(MOST_ROWS) } else { mesh.lost.len() };
    let line = |text: &String| item("lost", &plain(text), width);
    let lines = mesh.lost[..shown].iter().map(line).chain(more(mesh.lost.len() - shown, "lost"));
    lines.collect::<Vec<_>>().join("\n")
}

fn more(many: usize, what: &str) -> Option<String> {
    (many > 0).then(|| format!("  and {many} more {what}; --rows all has all"))
}

/// Every collective, or of each the fastest algorithm at its least and its greatest size.
fn collectives(mesh: &MeshResult, width: usize, rows: Rows) -> String {
    let all: Vec<&CollectiveRow> = mesh.collectives.iter().collect();
    if all.len() <= MOST_ROWS || rows == Rows::All {
        return table(of_kind::<Collectives>(&all), width);
    }
    let mut shown: Vec<&CollectiveRow> = Vec::new();
    for row in &all {
        let of_it = || all.iter().filter(|other| other.collective == row.collective);
        let ends = [of_it().map(|it| it.bytes).min(), of_it().map(|it| it.bytes).max()];
        let time = |it: &CollectiveRow| it.slowest_mean_us.unwrap_or(f64::INFINITY);
        let is_fastest =
            of_it().filter(|other| other.bytes == row.bytes).all(|other| time(row) <= time(other));
        let is_there = shown.iter().any(|it| it.collective == row.collective && it.bytes == row.bytes);
        if ends.contains(&Some(row.bytes)) && is_fastest && !is_there {
            shown.push(row);
        }
    }
    let chosen = format!(
        "the fastest algorithm at the least and the greatest size, {} of {} rows; --rows all has all",
        shown.len(),
        all.len()
    );
    format!("{}\n{}", table(of_kind::<Collectives>(&shown), width), note(&chosen, width))
}

/// A table, unless it has no rows.
fn table(columns: Vec<Column>, width: usize) -> String {
    if columns.iter().all(|column| column.cells.is_empty()) { String::new() } else { fitted(columns, width) }
}

/// A note below a table.
fn note(text: &str, width: usize) -> String {
    let wrapped = wrap(text, width.saturating_sub(2), 1);
    wrapped.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// As many columns as there is room for.
fn fitted(columns: Vec<Column>, width: usize) -> String {
    noted(fit(columns, width), width)
}

fn noted((text, left_out): (String, Vec<String>), width: usize) -> String {
    if left_out.is_empty() {
        return text;
    }
    let missing = format!("(no room for {}; --format json has all)", left_out.join(", "));
    format!("{text}\n{}", note(&missing, width))
}
