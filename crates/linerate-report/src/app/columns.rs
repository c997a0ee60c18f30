//! The tables of an application, in a terminal and on a page.

use linerate_analysis::facts::{RankCount, RankCounts};
use linerate_analysis::report::{AppResult, AppRow, NamedRun};
use linerate_core::app::{AppCase, Check};

use super::words::{figure, merit_unit, name, share};
use crate::columns::{Column, of_kind};
use crate::text::{about, digits, plain, time_text};

fn cells<T>(rows: &[T], cell: impl Fn(&T) -> String) -> Vec<String> {
    rows.iter().map(cell).collect()
}

/// A time in seconds, in the unit that fits.
pub(super) fn seconds(value: f64) -> String {
    time_text(value.max(0.0) * 1e12)
}

/// A number of ranks a row, with merits in the unit that is handy up to `highest`.
pub(super) fn rows(app: &AppResult, highest: f64) -> Vec<Column> {
    let rows = &app.rows;
    let (unit, scale) = merit_unit(&app.merit, highest);
    let range = |row: &AppRow| match row.merit_range {
        Some([low, high]) => format!("{} to {}", digits(low / scale), digits(high / scale)),
        None => "-".to_owned(),
    };
    let merits = [
        Column::new(
            unit.replacen(' ', "\n", usize::from(scale > 1.0)),
            0,
            cells(rows, |row| digits(row.merit / scale)),
        ),
        Column::new("range", 5, cells(rows, range)),
    ];
    let mut columns =
        of_kind::<RankCounts>(&rows.iter().map(|row| RankCount { app, row }).collect::<Vec<_>>());
    let place = columns.iter().position(|column| column.heading.starts_with("time")).unwrap_or(0);
    columns.splice(place..place, merits);
    columns
}

/// A figure of a case a row.
pub(super) fn figures(case: &AppCase) -> Vec<Column> {
    let figures = &case.figures;
    vec![
        Column::of_words("figure", 0, cells(figures, |it| name(&it.name))),
        Column::new("value", 0, cells(figures, |it| figure(it.value))),
        Column::of_words("unit", 1, cells(figures, |it| name(&it.unit))),
    ]
}

/// A check of a case a row.
pub(super) fn checks(case: &AppCase) -> Vec<Column> {
    let checks = &case.checks;
    let held = |it: &Check| if it.held { "yes" } else { "NO" }.to_owned();
    vec![
        Column::of_words("what must be so", 0, cells(checks, |it| plain(&it.what))),
        Column::of_words("held", 0, cells(checks, held)),
        Column::of_words("found", 0, cells(checks, |it| plain(&it.found))),
    ]
}

/// A rank of a case a row: what it did with its time.
pub(super) fn ranks(app: &AppResult, case: &AppCase, named: &NamedRun) -> Vec<Column> {
    let all: Vec<usize> = (0..case.accounts.len()).collect();
    let account = |rank: &usize| &case.accounts[*rank];
    let host = |rank: &usize| {
        let node = named.run.ranks().and_then(|ranks| ranks.get(*rank)).map(|rank| rank.node as usize);
        let node = node.and_then(|node| named.run.nodes.get(node));
        node.map_or_else(|| "-".to_owned(), |node| plain(&node.environment.hostname.to_string()))
    };
    let communicated = |rank: &usize| {
        let (total, communicated) = (account(rank).total_ps as f64, account(rank).communicated_ps as f64);
        if total > 0.0 { share(communicated / total) } else { "-".to_owned() }
    };
    let mut columns = vec![
        Column::of_words("rank", 0, cells(&all, |rank| rank_name(app, *rank))),
        Column::of_words("host", 4, cells(&all, host)),
        Column::new("time", 1, cells(&all, |rank| time_text(account(rank).total_ps as f64))),
        Column::new("calculated", 1, cells(&all, |rank| time_text(account(rank).computed_ps as f64))),
        Column::new("communication", 0, cells(&all, communicated)),
        Column::new("units of work", 3, cells(&all, |rank| account(rank).units.to_string())),
        Column::new(
            "messages",
            2,
            cells(&all, |rank| account(rank).messages.iter().sum::<u64>().to_string()),
        ),
        Column::new("sent", 2, cells(&all, |rank| about(account(rank).bytes.iter().sum::<u64>() as f64))),
    ];
    if named.run.model.is_some() {
        // Its ranks run on no host.
        columns.remove(1);
    }
    columns
}

/// The name of a rank, safe to show and not too long.
pub(super) fn rank_name(app: &AppResult, rank: usize) -> String {
    app.ranks.get(rank).filter(|it| !it.is_empty()).map_or_else(|| rank.to_string(), |it| name(it))
}
