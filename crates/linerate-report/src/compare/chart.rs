//! Both sides over each other, and the ratio against size.

use linerate_analysis::compare::{CurveChange, SizeChange};
use linerate_analysis::figures::Unit;

use super::super::figure::curve::{Curve, Point, Style, each, theory};
use super::super::figure::{Figure, Title, axis};
use super::super::plot::{Axis, Sign};
use super::super::text::digits;
use super::words;

/// A ratio is drawn up to this many times from the others.
const FAR: f64 = 2.0;

/// Both charts of a curve.
pub(super) fn figures(curve: &CurveChange, threshold: f64) -> [Figure; 2] {
    [overlay(curve), ratio(curve, threshold)]
}

/// Payload throughput of a message of `size` bytes in `us`. Unit: Mb/s.
fn mbps(size: u64, us: f64) -> f64 {
    size as f64 * 8.0 / us
}

fn overlay(curve: &CurveChange) -> Figure {
    let title = Title {
        id: format!("overlay-{}", curve.pattern.name()),
        title: format!("{}: throughput against size", curve.pattern),
        caption: "Lines: the middle of the runs of a side.".to_owned(),
    };
    let point = |side: usize, size: &SizeChange| {
        let us = size.change.middle[side];
        let [least, most] = size.change.ranges[side];
        Point {
            x: size.size as f64,
            y: mbps(size.size, us),
            interval: Some([mbps(size.size, most), mbps(size.size, least)]),
            lines: vec![
                format!("{} B: {} us, {} Mb/s", size.size, digits(us), digits(mbps(size.size, us))),
                format!("runs: {} to {} us", digits(least), digits(most)),
            ],
        }
    };
    let curves = [(0, "base"), (1, "candidate")].map(|(side, name)| Curve {
        name: name.to_owned(),
        points: curve.sizes.iter().map(|size| point(side, size)).collect(),
    });
    let highest = curves.iter().flat_map(|curve| &curve.points).filter_map(|point| Some(point.interval?[1]));
    let axes = [&sizes(curve), &axis::rates("Throughput", highest.fold(0.0, f64::max))];
    Figure::new(title, axes, each(axes, &curves, Style::Band))
        .explained(&[(Sign::Pale, "Shaded: from its slowest run to its fastest.")])
}

fn ratio(curve: &CurveChange, threshold: f64) -> Figure {
    let title = Title {
        id: format!("ratio-{}", curve.pattern.name()),
        title: format!("{}: time of the candidate over that of the base", curve.pattern),
        caption: "The ratio of one-way times; above 1 the candidate is slower.".to_owned(),
    };
    let reach = reach(curve.sizes.iter().map(|size| size.change.estimate));
    let drawn = |end: f64| end.clamp(reach[0], reach[1]);
    let point = |size: &SizeChange| Point {
        x: size.size as f64,
        y: size.change.estimate,
        interval: size.change.interval.map(|ends| ends.map(drawn)),
        lines: vec![
            format!("{} B: {}", size.size, words::estimate(&size.change, Unit::Microseconds)),
            format!("95 %: {}", words::interval(&size.change, Unit::Microseconds)),
            words::verdict(&size.change, Unit::Microseconds, threshold),
        ],
    };
    let ratio = Curve { name: "ratio".to_owned(), points: curve.sizes.iter().map(point).collect() };
    let ends = [curve.sizes.first(), curve.sizes.last()].into_iter().flatten();
    let end = |size: &SizeChange| Point { x: size.size as f64, y: 1.0, interval: None, lines: Vec::new() };
    let one = Curve { name: "no change".to_owned(), points: ends.map(end).collect() };
    let values = ratio.points.iter().flat_map(|point| {
        point.interval.unwrap_or([point.y; 2]).into_iter().chain([point.y]).collect::<Vec<f64>>()
    });
    let axes = [&sizes(curve), &axis::ratios("Ratio", values)];
    let mut layers = each(axes, &[ratio], Style::Both);
    layers.push(theory(axes, (1, &one), Style::Line));

    Figure::new(title, axes, layers).explained(&[(Sign::Bar, "Bars: 95 % intervals.")])
}

/// How far intervals are drawn. A few runs may have intervals of a hundred times: they leave the picture.
pub(super) fn reach(estimates: impl Iterator<Item = f64>) -> [f64; 2] {
    let [low, high] = axis::apart(estimates);
    [low / FAR, high * FAR]
}

fn sizes(curve: &CurveChange) -> Axis {
    axis::sizes(curve.sizes.iter().map(|size| size.size as f64))
}
