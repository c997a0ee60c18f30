//! The tables: every number.

use linerate_analysis::experiment::{EffectFound, FigureFound, Findings, SettingShown, WayFound};

use super::super::{costs, trade, views, words};
use crate::columns::Column;
use crate::section::{Cell, TableView};

/// At most this many pairs and cells are in a short text.
const ROWS: usize = 12;

/// Every table that has rows.
pub(super) fn all(findings: &Findings) -> Vec<TableView> {
    let mut tables = Vec::new();
    match &findings.way {
        Some(WayFound::Staircase(stairs)) => {
            let notes = words::total(findings, stairs).map(|total| format!("Together: {total}.")).into_iter();
            let base =
                stairs.base.map(|base| format!("Base: {}.", words::estimate(base, None, &stairs.unit)));
            let notes = base.into_iter().chain(words::failures(stairs)).chain(notes).collect();
            tables.push(
                TableView::new(
                    format!("The steps, in {}", words::titled(&stairs.goal, &stairs.unit)),
                    views::steps(findings, stairs),
                )
                .noted(notes),
            );
        }
        Some(WayFound::Search(found)) => {
            let by = words::titled(&found.figure, &found.unit);
            let title = format!("The levels that were tried, by {by}");
            tables.push(TableView::new(title, views::tried(found)));
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
        tables.push(TableView::new("Bills", costs::bills(findings, found)).at_length());
    }
    tables.push(settings(&findings.settings));
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// Its effects, pairs and cells; a short text has those of the goal, of many pairs those that do something, and of many
/// cells the best.
fn of_figure(findings: &Findings, figure: &FigureFound) -> Vec<TableView> {
    let of = &figure.figure;
    let name = format!("{}, {}", words::titled(&of.title, &of.unit), words::better(of));
    let effects = |effects: &[EffectFound], heading: &str| {
        let shown: Vec<&EffectFound> = effects.iter().collect();
        let columns: Vec<Column> = views::effects(of, &shown, heading);
        TableView::new(format!("{name}: {heading}s"), columns).noted(words::notes(&shown, true))
    };
    let by_value = views::by_value(figure);
    let known: Vec<usize> = (0..figure.cells.len()).filter(|cell| figure.cells[*cell].is_some()).collect();
    let mut cells = TableView::new(format!("{name}: cells"), views::cells(findings, figure, &known));
    let mut pairs = effects(&figure.pairs, "pair");
    if known.len() > ROWS {
        let place = |cell: &usize| known.iter().position(|known| known == cell);
        let best = by_value.iter().take(ROWS).filter_map(place).collect();
        cells = cells.brief(best, format!("the best {ROWS} of {} cells", known.len()));
    }
    if figure.pairs.len() > ROWS {
        let shown: Vec<usize> = views::telling(figure).take(ROWS).collect();
        let chosen = format!("{} of {} pairs of factors", shown.len(), figure.pairs.len());
        pairs = pairs.brief(shown, chosen);
    }
    let is_goal = findings.figures.first() == Some(figure);
    if !is_goal {
        cells.notes = about(findings, figure);
    }
    let tables = vec![effects(&figure.effects, "effect"), pairs, cells];
    if is_goal { tables } else { tables.into_iter().map(TableView::at_length).collect() }
}

/// The best cell of a figure, and what is doubtful.
fn about(findings: &Findings, figure: &FigureFound) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(best) = &figure.best {
        notes.push(format!("Best: {}.", words::winner(findings, figure, best)));
        if !best.as_good.is_empty() {
            notes.push(format!("Not told apart from it: {}.", words::cells(findings, &best.as_good)));
        }
        if !best.elsewhere.is_empty() {
            notes.push(format!("Elsewhere: {}.", words::elsewhere(findings, best)));
        }
    }
    notes.extend(words::drift(figure).map(|text| format!("Drift: {text}.")));
    notes.extend(words::outliers(figure).map(|text| format!("Outliers: {text}.")));
    notes
}

/// What was set, and whether it is as before.
fn settings(settings: &[SettingShown]) -> TableView {
    let restored = |setting: &SettingShown| match setting.restored {
        Some(true) => "restored",
        Some(false) => "NOT RESTORED",
        None => "not known yet",
    };
    let row = |it: &SettingShown| {
        let set = format!("{} ({}): {} -> {}", it.setting, it.host, it.original, it.values.join(", "));
        vec![Cell::from(set), restored(it).into()]
    };
    let columns = [("setting", 0), ("afterwards", 0)];
    TableView::of("What was set, and whether it is as before", &columns, settings.iter().map(row).collect())
}
