//! The sections of applications: key numbers, charts of how they scale, a step of each rank, tables.

use linerate_analysis::report::{AppResult, NamedRun, Report};
use linerate_core::app::AppCase;

use super::charts::{communication, groups, merits, speed_up};
use super::matrix::matrices;
use super::words::{case_of, checks, cost, facts, failures, headline, merit, name, run_of, share, short};
use super::{columns, courses, timeline, words};
use crate::figure::{Figure, Title};
use crate::plot::look;
use crate::section::{Card, Entry, Item, Kind, Part, Section, TableView, charts, entries, tables};
use crate::text::{count, plain};

/// The sections of the applications of `report`: the runs of one application share its charts.
pub(crate) fn sections(report: &Report) -> Vec<Section> {
    let groups = groups(report);
    let mut sections = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let of = if groups.len() > 1 { format!(": {}", words::title(group[0])) } else { String::new() };
        let runs = group.iter().map(|app| app.run);
        let drawn = charts(figures(report, group, number)).collect();
        sections.push(Section::new(Part::Charts, "scaling", format!("How it scales{of}"), drawn).of(runs));
        for app in group {
            sections.extend(of_run(report, app));
        }
    }
    sections
}

/// The key numbers of each run, in the colours that it has in the charts.
pub(crate) fn cards(report: &Report) -> Vec<Card> {
    let of_group = |group: &Vec<&AppResult>| {
        let colour = |nth: usize| (group.len() > 1).then(|| look(nth).colour);
        group.iter().enumerate().map(|(nth, app)| card(report, app, colour(nth))).collect::<Vec<Card>>()
    };
    groups(report).iter().flat_map(of_group).collect()
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
        keys.push(["figure of merit".to_owned(), format!("{} on {on}", merit(&app.merit, last.merit))]);
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
    let note = "Medians over the repetitions.".to_owned();
    Card { kind: Kind::Application, title, colour, keys: entries(keys), note }
}

/// The shown case on the most ranks.
fn last_case<'a>(report: &'a Report, app: &AppResult) -> Option<&'a AppCase> {
    case_of(report, app, app.rows.last()?)
}

fn figures(report: &Report, group: &[&AppResult], id: usize) -> Vec<Figure> {
    let mut figures: Vec<Figure> = Vec::new();
    figures.extend(speed_up(group, id));
    figures.extend(merits(group, id));
    figures.extend(communication(group, id));
    for (nth, app) in group.iter().enumerate() {
        let Some(case) = last_case(report, app) else { continue };
        let of = if group.len() > 1 { format!(", {}", name(&app.name)) } else { String::new() };
        let title = Title {
            id: format!("step-{id}-{nth}"),
            title: format!("{}: one step on {}{of}", words::title(app), count(u64::from(case.ranks), "rank")),
            caption: "Bars: the rank calculates. Thin lines: it communicates, or waits for others."
                .to_owned(),
        };
        figures.extend(timeline::figure(app, case, title));
    }
    figures.extend(courses::figures(report, group, id));
    figures
}

/// What did not hold, and the numbers of a run.
fn of_run(report: &Report, app: &AppResult) -> [Section; 2] {
    let of = if report.runs.len() > 1 { format!(": {}", plain(&app.name)) } else { String::new() };
    let failed = failures(app).into_iter().map(|failure| Item::State(format!("FAILED {failure}"))).collect();
    let numbers = tables(numbers(report, app)).collect();
    [
        Section::new(Part::Result, "failed", format!("What did not hold{of}"), failed).of([app.run]),
        Section::new(Part::Tables, "app-numbers", format!("By number of ranks{of}"), numbers).of([app.run]),
    ]
}

fn numbers(report: &Report, app: &AppResult) -> Vec<TableView> {
    let named = &report.runs[app.run];
    let mut notes = Vec::new();
    if !app.rows.is_empty() && app.rows.iter().all(|row| row.speed_up.is_none()) {
        notes.push("There is no speed-up: it was not run on one rank.".to_owned());
    }
    if app.rows.iter().any(|row| row.ranks > 1) {
        notes.push(
            "comm.: the share of the ranks' time in calls that send and receive: communication, and waiting for others."
                .to_owned(),
        );
    }
    let rows = columns::rows(app, words::highest(report, app));
    let mut tables = vec![TableView::new("", rows).noted(notes)];
    if let Some(case) = last_case(report, app) {
        let on = count(u64::from(case.ranks), "rank");
        tables.push(TableView::new(format!("Figures on {on}"), columns::figures(case)).first());
        let ranks = TableView::new(format!("What each rank did, on {on}"), columns::ranks(app, case, named));
        let checks = TableView::new(format!("Checks on {on}"), columns::checks(case));
        tables.extend([checks, ranks].into_iter().chain(matrices(app, case)).map(TableView::at_length));
    }
    tables
}
