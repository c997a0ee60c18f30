//! The levels that a search tried, and whether each fits.

use linerate_analysis::experiment::{SearchFound, TriedLevel};

use super::axes::around;
use super::draw::{Kind, Row, rows};
use super::words;
use crate::figure::{Figure, Title};
use crate::plot::{Shape, Sign};

/// The chart of a search. Absent if nothing was tried.
pub(super) fn figure(found: &SearchFound) -> Option<Figure> {
    if found.tried.iter().all(|tried| tried.values.is_empty()) {
        return None;
    }
    let values = found
        .tried
        .iter()
        .flat_map(|tried| tried.values.iter().copied().chain(tried.interval.into_iter().flatten()));
    let axis = around(&found.figure, &found.unit, &values.collect::<Vec<f64>>());
    let title = Title {
        id: "search".to_owned(),
        title: format!("{} at every {} that was tried", found.figure, found.factor),
        caption: String::new(),
    };
    let tried: Vec<Row> = found.tried.iter().rev().map(|tried| row(found, tried)).collect();
    Some(rows(title, &axis, None, &tried).explained(&[
        (Sign::Shape(Shape::Up), "Triangles on a shaded field: runs of the answer."),
        (Sign::Shape(Shape::Disc), "Dots: runs that fit."),
        (Sign::Shape(Shape::Cross), "Crosses: runs of a level that does not."),
        (Sign::Shape(Shape::Ring), "Hollow: inconclusive."),
    ]))
}

fn row(found: &SearchFound, tried: &TriedLevel) -> Row {
    let answer = tried.passes == Some(true) && found.answer.as_ref() == Some(&tried.level);
    let (kind, what) = match tried.passes {
        Some(true) if answer => (Kind::Better, "the answer"),
        Some(true) => (Kind::Plain, "fits"),
        Some(false) => (Kind::Fails, "does not fit"),
        None => (Kind::Pale, "inconclusive"),
    };
    let middle = mean(&tried.values).map(|it| words::estimate(it, tried.interval, &found.unit));
    Row {
        name: format!("{} = {}", found.factor, tried.level),
        values: tried.values.clone(),
        interval: tried.interval,
        kind,
        what,
        words: middle.map_or_else(|| what.to_owned(), |middle| format!("{middle}: {what}")),
        stands_out: answer,
    }
}

/// The middle of the runs, for the words beside them.
fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
