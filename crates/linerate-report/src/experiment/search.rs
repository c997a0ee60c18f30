//! The levels that a search tried, and whether each fits.

use linerate_analysis::experiment::{SearchFound, TriedLevel};

use super::draw::{Head, Kind, Row, Rows, around};
use super::words;
use crate::section::Drawing;

/// The chart of a search. Absent if nothing was tried.
pub(super) fn drawing(found: &SearchFound) -> Option<Drawing> {
    if found.tried.iter().all(|tried| tried.values.is_empty()) {
        return None;
    }
    let values = found
        .tried
        .iter()
        .flat_map(|tried| tried.values.iter().copied().chain(tried.interval.into_iter().flatten()));
    let axis = around(&found.figure, &found.unit, &values.collect::<Vec<f64>>());
    let head = Head {
        id: "search".to_owned(),
        title: format!("{} at every {} that was tried", found.figure, found.factor),
        caption: "Dots: runs that fit. Crosses: runs of a level that does not. Hollow: cannot be told. Shaded: the answer.".to_owned(),
    };
    let rows = found.tried.iter().rev().map(|tried| row(found, tried)).collect();
    Some(Rows { axis: &axis, zero: None, sides: ["", ""], rows }.drawing(head))
}

fn row(found: &SearchFound, tried: &TriedLevel) -> Row {
    let answer = tried.passes == Some(true) && found.answer.as_ref() == Some(&tried.level);
    let (kind, verdict) = match tried.passes {
        Some(true) if answer => (Kind::Plain, "the answer"),
        Some(true) => (Kind::Plain, "fits"),
        Some(false) => (Kind::Fails, "does not fit"),
        None => (Kind::Pale, "cannot be told"),
    };
    let middle = mean(&tried.values).map(|it| words::estimate(it, tried.interval, &found.unit));
    Row {
        name: format!("{} = {}", found.factor, tried.level),
        values: tried.values.clone(),
        interval: tried.interval,
        kind,
        words: middle.map_or_else(|| verdict.to_owned(), |middle| format!("{middle}: {verdict}")),
        stands_out: answer,
    }
}

/// The middle of the runs, for the words beside them.
fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
