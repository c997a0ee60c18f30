//! Drawing curves with intervals, layer by layer.

use super::{Aim, Figure, Layer, Title};
use crate::plot::{Axis, Mark, Place, UNIT};

/// Half the length of a level, as a share of the distance of two words.
const LEVEL: f64 = 0.3;

/// How dark a band is, from 0 to 1.
const SHADE: f64 = 0.2;

/// A curve to draw.
pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) points: Vec<Point>,
}

/// A point of a curve, in the units of its axes.
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Both ends of its interval, if it has one.
    pub(crate) interval: Option<[f64; 2]>,
    /// Its tooltip.
    pub(crate) lines: Vec<String>,
}

/// A chart of `curves`; `marked` draws their points too.
pub(crate) fn figure(title: Title, axes: [&Axis; 2], curves: &[Curve], marked: bool) -> Figure {
    Figure::new(title, axes, layers(axes, curves, marked))
}

/// What of a curve is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// The line through its points.
    Line,
    /// Its points with their intervals, on an axis of words.
    Points,
    /// A level at each of its points, on an axis of words.
    Levels,
    /// The line, and its intervals as a band around it.
    Band,
    /// Both.
    Both,
}

/// A layer for a bound of curves that `mark` draws; its index chooses colour and dashes.
pub(crate) fn theory(axes: [&Axis; 2], curve: (usize, &Curve), mark: Style) -> Layer {
    let mark = if mark == Style::Points { Style::Levels } else { Style::Line };
    one(axes, curve, mark)
}

/// A layer for each of `curves`; `marked` draws their points too.
pub(crate) fn layers(axes: [&Axis; 2], curves: &[Curve], marked: bool) -> Vec<Layer> {
    each(axes, curves, if marked { Style::Both } else { Style::Line })
}

/// A layer for each of `curves`, with what `mark` says of it.
pub(crate) fn each(axes: [&Axis; 2], curves: &[Curve], mark: Style) -> Vec<Layer> {
    curves.iter().enumerate().map(|curve| one(axes, curve, mark)).collect()
}

fn one(axes: [&Axis; 2], (index, curve): (usize, &Curve), style: Style) -> Layer {
    let aim = |point: &Point| Aim::at(axes, (point.x, point.y), point.lines.clone());
    Layer::new((index, curve.name.clone()), axes, marks(curve, style), curve.points.iter().map(aim).collect())
}

fn marks(curve: &Curve, style: Style) -> Vec<Mark> {
    let line: Vec<Place> = curve.points.iter().map(|point| (point.x, point.y)).collect();
    if style == Style::Levels {
        let level = |(x, y): Place| Mark::line([(x - LEVEL, y), (x + LEVEL, y)], 2 * UNIT);
        return line.into_iter().map(level).collect();
    }
    let mut marks = Vec::new();
    if style == Style::Band {
        let ends = |nth: usize| move |point: &Point| Some((point.x, point.interval?[nth]));
        let back = curve.points.iter().rev().filter_map(ends(1));
        let outline = curve.points.iter().filter_map(ends(0)).chain(back).collect();
        marks.push(Mark::Area { outline, dark: SHADE });
    }
    if style != Style::Points {
        marks.push(Mark::line(line.clone(), 2 * UNIT));
    }
    if matches!(style, Style::Line | Style::Band) {
        return marks;
    }
    let radius = (if style == Style::Points { 8 * UNIT } else { 5 * UNIT }) / 2;
    marks.extend(line.into_iter().map(|place| Mark::point(place, radius)));
    let interval = |point: &Point| Some(Mark::Interval { x: point.x, ends: point.interval?, dark: 0.8 });
    marks.extend(curve.points.iter().filter_map(interval));
    marks
}

#[cfg(test)]
mod tests;
