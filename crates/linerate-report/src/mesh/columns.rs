//! The tables of a mesh, in a terminal and on a page.

use linerate_analysis::report::{MeshResult, MeshUnit, MeshView, PairValue, SuspectRow};

use super::words::{lost_share, pair, rank, shown, significant, times_worse};
use crate::columns::Column;
use crate::text::{plain, shortened};

/// The longest place of a suspect. Unit: characters.
pub(super) const LONGEST_PLACE: usize = 120;

fn cells<T>(rows: &[T], cell: impl Fn(&T) -> String) -> Vec<String> {
    rows.iter().map(cell).collect()
}

/// A view a row.
pub(super) fn views(mesh: &MeshResult) -> Vec<Column> {
    let views = &mesh.views;
    vec![
        Column::of_words("measured", 0, cells(views, |it| it.title.clone())),
        Column::of_words("schedule", 0, cells(views, |it| it.schedule.to_string())),
        Column::new("pairs", 1, cells(views, |it| it.sorted.len().to_string())),
        Column::new("median", 0, cells(views, |it| shown(it).with_unit(it.median))),
        Column::new("best", 4, cells(views, |it| shown(it).number(it.best.value))),
        Column::new("worst", 0, cells(views, |it| shown(it).number(it.worst.value))),
        Column::new("times worse", 2, cells(views, |it| times(it, it.worst))),
        Column::of_words("between", 3, cells(views, |it| pair(mesh, it.worst))),
    ]
}

fn times(view: &MeshView, pair: PairValue) -> String {
    significant(times_worse(view.unit, pair.value, view.median))
}

/// A place a row.
pub(super) fn suspects(rows: &[SuspectRow]) -> Vec<Column> {
    vec![
        Column::of_words("suspect", 0, cells(rows, |it| shortened(&plain(&it.place), LONGEST_PLACE))),
        Column::of_words("verdict", 0, cells(rows, |it| it.verdict.clone())),
        Column::new("slower", 0, cells(rows, |it| times_text(it.times_slower))),
        Column::new("alone", 0, cells(rows, |it| times_text(it.alone))),
        Column::new("lost", 0, cells(rows, |it| lost_share(it.lost_share))),
        Column::new("others lose", 2, cells(rows, |it| lost_share(it.usual_lost_share))),
        Column::of_words("found at", 1, cells(rows, |it| it.probe.clone())),
    ]
}

fn times_text(times: Option<f64>) -> String {
    times.map_or_else(|| "-".to_owned(), |times| format!("{} x", significant(times)))
}

/// Pairs of a view, a pair a row.
pub(super) fn pairs(mesh: &MeshResult, view: &MeshView, pairs: &[PairValue]) -> Vec<Column> {
    let shown = shown(view);
    let what = match view.unit {
        MeshUnit::Microseconds => "latency",
        MeshUnit::Mbps => "throughput",
    };
    let time = |us: Option<f64>| us.map_or_else(|| "-".to_owned(), significant);
    vec![
        Column::of_words("from", 0, cells(pairs, |it| rank(mesh, it.from))),
        Column::of_words("to", 0, cells(pairs, |it| rank(mesh, it.to))),
        Column::new(format!("{what} {}", shown.name()), 0, cells(pairs, |it| shown.number(it.value))),
        Column::new("times worse than the median", 0, cells(pairs, |it| times(view, *it))),
        Column::new("p99 us", 1, cells(pairs, |it| time(it.stats.p99_us))),
        Column::new("longest us", 2, cells(pairs, |it| time(it.stats.longest_us))),
        Column::new("lost", 1, cells(pairs, |it| lost_share(it.stats.lost_share()))),
    ]
}
