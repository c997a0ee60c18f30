//! The ratio of every key figure, side by side.

use crate::plot::Sign;
use linerate_analysis::compare::{Comparison, FigureChange, Scale, Verdict};
use linerate_analysis::figures::Figure as KeyFigure;
use linerate_core::units::Size;

use super::super::figure::curve::{Curve, Point, Style, each, theory};
use super::super::figure::{Figure, Title, axis};
use super::super::text::plain;
use super::{chart, words};

/// What a chart shows of a figure, by its verdict.
const KINDS: [&str; 3] = ["neither better nor worse", "worse", "better"];

/// A chart for each curve or load: its figures that are compared by a ratio.
pub(super) fn figures(comparison: &Comparison) -> Vec<Figure> {
    let all = || comparison.figures.iter().filter(|figure| figure.change.scale == Scale::Ratio);
    let mut groups: Vec<(Group<'_>, Vec<&FigureChange>)> = Vec::new();
    for figure in all() {
        let group = group(figure);
        match groups.iter_mut().find(|(known, _)| *known == group) {
            Some((_, members)) => members.push(figure),
            None => groups.push((group, vec![figure])),
        }
    }
    let draw = |(nth, (group, members)): (usize, (Group<'_>, Vec<&FigureChange>))| {
        one(nth, group, &members, comparison.threshold)
    };
    groups.into_iter().enumerate().map(draw).collect()
}

/// A curve or a load, and which way its bytes went, if they went both ways.
type Group<'a> = (&'a str, Option<&'static str>);

fn group(figure: &FigureChange) -> Group<'_> {
    (&figure.key.subject, figure.key.figure.direction().map(linerate_core::plan::Direction::name))
}

fn one(nth: usize, (subject, way): Group<'_>, members: &[&FigureChange], threshold: f64) -> Figure {
    let way = way.map(|way| format!(", {way}")).unwrap_or_default();
    let title = Title {
        id: format!("figures-{nth}"),
        title: format!("{}{way}: key figures of the candidate over those of the base", plain(subject)),
        caption: "The ratio of each figure. A size stands for the band of sizes that begins there: the mean of its one-way times.".to_owned(),
    };
    let reach = chart::reach(members.iter().map(|figure| figure.change.estimate));
    let points: Vec<(usize, Point)> = (0_u32..)
        .zip(members)
        .map(|(place, figure)| {
            let change = &figure.change;
            let kind = match change.verdict {
                Verdict::Worse => 1,
                Verdict::Better => 2,
                _ => 0,
            };
            let point = Point {
                x: f64::from(place),
                y: change.estimate.clamp(reach[0], reach[1]),
                interval: change.interval.map(|ends| ends.map(|end| end.clamp(reach[0], reach[1]))),
                lines: vec![
                    format!("{}: {}", words::name(figure), words::estimate(change, figure.unit)),
                    format!("95 %: {}", words::interval(change, figure.unit)),
                    words::verdict(change, figure.unit, threshold),
                ],
            };
            (kind, point)
        })
        .collect();
    let values: Vec<f64> = points
        .iter()
        .flat_map(|(_, point)| [point.y].into_iter().chain(point.interval.into_iter().flatten()))
        .collect();
    let labels: Vec<String> = members.iter().map(|figure| label(figure.key.figure)).collect();
    let axes = [&axis::words("Figure", &labels), &axis::ratios("Ratio", values.into_iter())];
    let mut curves = KINDS.map(|name| Curve { name: name.to_owned(), points: Vec::new() });
    for (kind, point) in points {
        curves[kind].points.push(point);
    }
    let end = |x: f64| Point { x, y: 1.0, interval: None, lines: Vec::new() };
    let one =
        Curve { name: "no change".to_owned(), points: vec![end(-0.5), end(members.len() as f64 - 0.5)] };
    let mut layers = each(axes, &curves, Style::Points);
    layers.retain(|layer| !layer.marks.is_empty());
    layers.push(theory(axes, (KINDS.len(), &one), Style::Line));

    Figure::new(title, axes, layers).explained(&[(Sign::Bar, "Bars: 95 % intervals.")])
}

/// The figure in a word or two.
fn label(figure: KeyFigure) -> String {
    match figure.band() {
        Some(band) => Size(band.extent()[0]).to_string(),
        None => figure.title().split(',').next().unwrap_or_default().to_owned(),
    }
}
