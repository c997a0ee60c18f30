//! The tables of the page: every number.

use linerate_analysis::experiment::{EffectFound, FigureFound, Findings, WayFound};

use super::super::table::setting_columns;
use super::super::{costs, trade, views, words};
use crate::columns::Column;
use crate::section::TableView;

/// Every table that has rows.
pub(super) fn all(findings: &Findings) -> Vec<TableView> {
    let mut tables = Vec::new();
    match &findings.way {
        Some(WayFound::Staircase(stairs)) => {
            let notes = words::total(findings, stairs).map(|total| format!("Together: {total}.")).into_iter();
            let notes = words::failures(stairs).into_iter().chain(notes).collect();
            tables.push(TableView::new("The steps", views::steps(findings, stairs)).noted(notes));
        }
        Some(WayFound::Search(found)) => {
            tables.push(TableView::new("The levels that were tried", views::tried(found)));
        }
        None => {}
    }
    for figure in &findings.figures {
        tables.extend(of_figure(findings, figure));
    }
    if let Some(found) = &findings.trade {
        tables.push(TableView::new(
            "Cells that no other beats in rate and latency",
            trade::columns(findings, found),
        ));
    }
    if let Some(found) = &findings.costs {
        let source = if found.source.is_empty() { String::new() } else { format!(", from {}", found.source) };
        let note = format!("Prices in {} of {}{source}.", found.currency, found.date);
        tables.push(
            TableView::new("What cells cost and give", views::offers(findings, found)).noted(vec![note]),
        );
        tables.push(TableView::new("Bills", costs::bills(findings, found)));
    }
    tables.push(TableView::new(
        "What was set, and whether it is as before",
        setting_columns(&findings.settings),
    ));
    tables.retain(|table| !table.rows.is_empty());
    tables
}

fn of_figure(findings: &Findings, figure: &FigureFound) -> Vec<TableView> {
    let name = words::titled(&figure.figure.title, &figure.figure.unit);
    let effects = |effects: &[EffectFound], heading: &str| {
        let shown: Vec<&EffectFound> = effects.iter().collect();
        let columns: Vec<Column> = views::effects(&figure.figure, &shown, heading);
        TableView::new(format!("{name}: {heading}s"), columns).noted(words::notes(&shown, true))
    };
    let mut known = views::by_merit(figure);
    known.sort_unstable();
    vec![
        effects(&figure.effects, "effect"),
        effects(&figure.pairs, "pair"),
        TableView::new(format!("{name}: cells"), views::cells(findings, figure, &known)),
    ]
}
