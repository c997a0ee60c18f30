//! The tables of a mesh, in a terminal and on a page.

use linerate_analysis::report::{
    CollectiveRow, MeshResult, MeshUnit, MeshView, PairValue, SuspectRow, Together,
};
use linerate_core::units::Size;

use super::words::{at_once, pair, rank, times_worse, value};
use crate::columns::Column;
use crate::text::{digits, plain, shortened};

/// The longest place of a suspect. Unit: characters.
const LONGEST_PLACE: usize = 120;
/// The longest name of a collective or an algorithm.
const LONGEST_NAME: usize = 32;

fn cells<T>(rows: &[T], cell: impl Fn(&T) -> String) -> Vec<String> {
    rows.iter().map(cell).collect()
}

fn known(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), digits)
}

/// A view a row.
pub(super) fn views(mesh: &MeshResult) -> Vec<Column> {
    let views = &mesh.views;
    vec![
        Column::of_words("measured", 0, cells(views, |it| it.title.clone())),
        Column::of_words("schedule", 0, cells(views, |it| it.schedule.to_string())),
        Column::new("pairs", 1, cells(views, |it| it.sorted.len().to_string())),
        Column::new("median", 0, cells(views, |it| value(it.unit, it.median))),
        Column::new("best", 4, cells(views, |it| digits(it.best.value))),
        Column::new("worst", 0, cells(views, |it| digits(it.worst.value))),
        Column::new("times worse", 2, cells(views, |it| times(it, it.worst))),
        Column::of_words("between", 3, cells(views, |it| pair(mesh, it.worst))),
    ]
}

fn times(view: &MeshView, pair: PairValue) -> String {
    digits(times_worse(view.unit, pair.value, view.median))
}

/// A place a row.
pub(super) fn suspects(rows: &[SuspectRow]) -> Vec<Column> {
    vec![
        Column::of_words("slow", 0, cells(rows, |it| shortened(&plain(&it.place), LONGEST_PLACE))),
        Column::of_words("found at", 0, cells(rows, |it| it.probe.clone())),
        Column::new("slower", 0, cells(rows, |it| format!("{} x", digits(it.times_slower)))),
        Column::new(
            "alone",
            1,
            cells(rows, |it| it.alone.map_or_else(|| "-".to_owned(), |alone| format!("{} x", digits(alone)))),
        ),
        Column::of_words("verdict", 0, cells(rows, |it| it.verdict.to_owned())),
    ]
}

/// What all did at once, a schedule a row. Rates are of a message's way.
pub(super) fn together(rows: &[Together]) -> Vec<Column> {
    let interval = |it: &Together| match it.interval_mbps {
        Some([low, high]) => format!("{} to {}", digits(low), digits(high)),
        None => "-".to_owned(),
    };
    vec![
        Column::of_words("all at once", 0, cells(rows, |it| at_once(it.schedule).to_owned())),
        Column::new("size", 1, cells(rows, |it| Size(it.size).to_string())),
        Column::new("rounds", 2, cells(rows, |it| it.rounds.to_string())),
        Column::new("mean Mb/s", 0, cells(rows, |it| digits(it.mean_mbps))),
        Column::new("95 %", 1, cells(rows, interval)),
        Column::new("worst round", 1, cells(rows, |it| digits(it.worst_round_mbps))),
        Column::new("slowest way", 0, cells(rows, |it| digits(it.slowest_mbps))),
    ]
}

/// A collective by one algorithm at one size a row. Times are in us.
pub(super) fn collectives(rows: &[&CollectiveRow]) -> Vec<Column> {
    let name = |text: &str| shortened(&plain(text), LONGEST_NAME);
    let whole = |number: Option<u64>| number.map_or_else(|| "-".to_owned(), |it| it.to_string());
    let bytes = |it: Option<u64>| it.map_or_else(|| "-".to_owned(), |it| crate::text::about(it as f64));
    vec![
        Column::of_words("collective", 0, cells(rows, |it| name(&it.collective))),
        Column::of_words("algorithm", 0, cells(rows, |it| name(&it.algorithm))),
        Column::new("size", 0, cells(rows, |it| Size(it.bytes).to_string())),
        Column::new("all done us", 0, cells(rows, |it| known(it.slowest_mean_us))),
        Column::new("p99 us", 2, cells(rows, |it| known(it.slowest_p99_us))),
        Column::new("mean rank us", 3, cells(rows, |it| known(it.mean_us))),
        Column::new("fastest us", 4, cells(rows, |it| known(it.min_us))),
        Column::new("slowest us", 4, cells(rows, |it| known(it.max_us))),
        Column::new("bus Mb/s", 1, cells(rows, |it| known(it.bus_mbps))),
        Column::new("calls", 6, cells(rows, |it| it.calls.to_string())),
        Column::new("messages", 5, cells(rows, |it| whole(it.sent_messages))),
        Column::new("sent", 5, cells(rows, |it| bytes(it.sent_bytes))),
    ]
}

/// Pairs of a view, a pair a row.
pub(super) fn pairs(mesh: &MeshResult, view: &MeshView, pairs: &[PairValue]) -> Vec<Column> {
    let unit = match view.unit {
        MeshUnit::Microseconds => "latency us",
        MeshUnit::Mbps => "throughput Mb/s",
    };
    vec![
        Column::of_words("from", 0, cells(pairs, |it| rank(mesh, it.from))),
        Column::of_words("to", 0, cells(pairs, |it| rank(mesh, it.to))),
        Column::new(unit, 0, cells(pairs, |it| digits(it.value))),
        Column::new("times worse than the median", 0, cells(pairs, |it| times(view, *it))),
    ]
}
