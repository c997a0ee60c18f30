//! Rate against latency.

use linerate_analysis::experiment::{CellValue, FigureFound, Findings, Trade};

use super::axes::around;
use super::draw::Kind;
use super::scatter::{self, Spot};
use super::words;
use crate::columns::Column;
use crate::figure::{Figure, Title};
use crate::plot::{Shape, Sign};

/// The figures of a trade by their titles, if both are there: the rate, then the latency.
pub(super) fn figures<'a>(findings: &'a Findings, trade: &Trade) -> Option<[&'a FigureFound; 2]> {
    let find = |title: &String| findings.figures.iter().find(|figure| figure.figure.title == *title);
    let [rate, latency] = &trade.figures;
    Some([find(rate)?, find(latency)?])
}

/// The value of a figure in a cell.
pub(super) fn value(figure: &FigureFound, cell: usize) -> Option<&CellValue> {
    figure.cells.get(cell).and_then(Option::as_ref)
}

/// The cells that nothing beats, with both figures.
pub(super) fn columns(findings: &Findings, trade: &Trade) -> Vec<Column> {
    let names = trade.cells.iter().map(|cell| words::cell(findings, *cell)).collect();
    let mut columns = vec![Column::of_words("cell", 0, names)];
    for figure in figures(findings, trade).into_iter().flatten() {
        let unit = &figure.figure.unit;
        let text = |cell: &usize| {
            value(figure, *cell)
                .map_or_else(|| "-".to_owned(), |it| words::value(it.value, it.interval, unit))
        };
        columns.push(Column::new(words::heading(unit), 0, trade.cells.iter().map(text).collect()));
    }
    columns
}

/// The chart: rate upwards, latency to the right, and the cells that nothing beats joined. Absent without both.
pub(super) fn figure(findings: &Findings, found: &Trade) -> Option<Figure> {
    let [rate, latency] = figures(findings, found)?;
    let spot = |cell: usize| {
        let (up, across) = value(rate, cell).zip(value(latency, cell))?;
        let [more, less] = [(rate, up), (latency, across)]
            .map(|(figure, it)| words::estimate(it.value, it.interval, &figure.figure.unit));
        Some(Spot {
            name: words::brief(findings, cell),
            at: (across.value, up.value),
            interval: up.interval,
            kind: if found.cells.contains(&cell) { Kind::Plain } else { Kind::Pale },
            lines: vec![words::cell(findings, cell), more, less],
        })
    };
    let spots: Vec<Spot> = (0..findings.cells.len()).filter_map(spot).collect();
    if spots.is_empty() {
        return None;
    }
    let across: Vec<f64> = spots.iter().map(|it| it.at.0).collect();
    let up: Vec<f64> =
        spots.iter().flat_map(|it| [it.at.1].into_iter().chain(it.interval.into_iter().flatten())).collect();
    let axis =
        |figure: &FigureFound, values: &[f64]| around(&figure.figure.title, &figure.figure.unit, values);
    let title = Title {
        id: "trade".to_owned(),
        title: format!("{} against {}", rate.figure.title, latency.figure.title),
        caption: "Better is up and to the left. Joined: cells that no other beats in both.".to_owned(),
    };
    let axes = [&axis(latency, &across), &axis(rate, &up)];
    Some(
        scatter::figure(title, axes, &spots)
            .explained(&[(Sign::Shape(Shape::Ring), "Hollow: beaten by another.")]),
    )
}
