//! What a page shows of applications: key numbers, charts of how they scale, a step of each rank, tables.

use linerate_analysis::report::{AppResult, NamedRun, Report};
use linerate_core::app::AppCase;

use super::charts::{communication, groups, merits, speed_up};
use super::matrix::{Matrix, matrices};
use super::words::{case_of, checks, cost, facts, failures, headline, merit, name, run_of, share, short};
use super::{columns, courses, timeline, words};
use crate::columns::TableView;
use crate::error::RenderError;
use crate::figure::{Figure, Title};
use crate::page::{Card, Entry, entries};
use crate::plot::look;
use crate::text::{count, plain};

/// The applications of a page.
pub(crate) struct Apps {
    pub(crate) parts: Vec<AppPart>,
    pub(crate) cards: Vec<Card>,
}

/// All runs of one application.
pub(crate) struct AppPart {
    pub(crate) number: usize,
    /// What it is called, where there are several.
    pub(crate) name: String,
    pub(crate) figures: Vec<Figure>,
    /// The number of its first figure among the graphs of the page.
    pub(crate) first: usize,
    pub(crate) runs: Vec<AppOf>,
}

/// A run of an application.
pub(crate) struct AppOf {
    /// Whose numbers they are, where there are several runs.
    pub(crate) name: String,
    /// What did not hold.
    pub(crate) failures: Vec<String>,
    pub(crate) tables: Vec<TableView>,
    pub(crate) matrices: Vec<Matrix>,
}

/// The applications of `report` for a page that has `graphs` before them.
///
/// # Errors
///
/// [`RenderError::Draw`] when a chart cannot be drawn.
pub(crate) fn apps(report: &Report, graphs: usize) -> Result<Apps, RenderError> {
    let groups = groups(report);
    let mut first = graphs;
    let (mut parts, mut cards) = (Vec::new(), Vec::new());
    for (number, group) in groups.iter().enumerate() {
        let figures = figures(report, group, number)?;
        let runs = group.iter().map(|app| of_run(report, app)).collect();
        let name = if groups.len() > 1 { words::title(group[0]) } else { String::new() };
        let after = first + figures.len();
        parts.push(AppPart { number, name, figures, first, runs });
        first = after;
        let is_alone = group.len() == 1;
        cards.extend(
            group
                .iter()
                .enumerate()
                .map(|(nth, app)| card(report, app, (!is_alone).then(|| look(nth).colour))),
        );
    }
    Ok(Apps { parts, cards })
}

/// What the run of an application was asked for.
pub(crate) fn asked(named: &NamedRun) -> Vec<Entry> {
    entries(facts(named))
}

fn card(report: &Report, app: &AppResult, colour: Option<usize>) -> Card {
    let named = &report.runs[app.run];
    let title = match report.runs.len() {
        1 => headline(app, named),
        _ => format!("{}: {}", name(&app.name), headline(app, named)),
    };
    let mut keys = Vec::new();
    if let Some(last) = app.rows.last() {
        let on = count(u64::from(last.ranks), "rank");
        keys.push(["merit".to_owned(), format!("{} on {on}", merit(&app.merit, last.merit))]);
        if let (Some(speed_up), Some(efficiency)) = (last.speed_up, last.efficiency) {
            keys.push([
                "speed-up".to_owned(),
                format!("{} on {on}, {} of ideal", short(speed_up), share(efficiency)),
            ]);
        }
        keys.push(["communication".to_owned(), format!("{} of the time", share(last.communication_share))]);
    }
    keys.extend(checks(app).map(|checks| ["checks".to_owned(), checks]));
    keys.extend(run_of(report, app).and_then(cost).map(|cost| ["cost".to_owned(), cost]));
    let note = "Medians over the repetitions. Communication includes waiting for others.".to_owned();
    Card { title, colour, keys: entries(keys), note }
}

/// The shown case on the most ranks.
fn last_case<'a>(report: &'a Report, app: &AppResult) -> Option<&'a AppCase> {
    case_of(report, app, app.rows.last()?)
}

fn figures(report: &Report, group: &[&AppResult], id: usize) -> Result<Vec<Figure>, RenderError> {
    let mut figures: Vec<Figure> = Vec::new();
    figures.extend(speed_up(group, id)?);
    figures.extend(merits(group, id)?);
    figures.extend(communication(group, id)?);
    for (nth, app) in group.iter().enumerate() {
        let Some(case) = last_case(report, app) else { continue };
        let of = if group.len() > 1 { format!(", {}", name(&app.name)) } else { String::new() };
        let title = Title {
            id: format!("step-{id}-{nth}"),
            title: format!("{}: one step on {}{of}", words::title(app), count(u64::from(case.ranks), "rank")),
            caption: "Bars: the rank calculates. Thin lines: it communicates, or waits for others."
                .to_owned(),
        };
        figures.extend(timeline::figure(app, case, title)?);
    }
    figures.extend(courses::figures(report, group, id)?);
    Ok(figures)
}

fn of_run(report: &Report, app: &AppResult) -> AppOf {
    let named = &report.runs[app.run];
    let mut tables = Vec::new();
    let mut add = |view: TableView| tables.extend((!view.rows.is_empty()).then_some(view));
    let mut notes = Vec::new();
    if !app.rows.is_empty() && app.rows.iter().all(|row| row.speed_up.is_none()) {
        notes.push("There is no speed-up: it was not run on one rank.".to_owned());
    }
    if app.rows.iter().any(|row| row.interrupted) {
        notes.push("* Ended early: its numbers are of what was done until then.".to_owned());
    }
    add(TableView::new("By number of ranks", columns::rows(app, words::highest(report, app))).noted(notes));
    if let Some(case) = last_case(report, app) {
        let on = count(u64::from(case.ranks), "rank");
        add(TableView::new(format!("Figures on {on}"), columns::figures(case)));
        add(TableView::new(format!("Checks on {on}"), columns::checks(case)));
        add(TableView::new(format!("What each rank did, on {on}"), columns::ranks(app, case, named)));
    }
    AppOf {
        name: if report.apps.len() > 1 { plain(&app.name) } else { String::new() },
        failures: failures(app),
        tables,
        matrices: last_case(report, app).map_or_else(Vec::new, |case| matrices(app, case)),
    }
}
