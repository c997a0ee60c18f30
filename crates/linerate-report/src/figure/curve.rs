//! Drawing curves with intervals, layer by layer.

use plotters::prelude::*;

use super::{Aim, Figure, Layer, Title};
use crate::error::RenderError;
use crate::plot::{Axis, Chart, INK, Refusal, UNIT};

/// Half the width of an interval's end. Unit: quarter pixels.
const CAP: i32 = 5 * UNIT as i32;

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
///
/// # Errors
///
/// [`RenderError::Draw`] when the graph library refuses.
pub(crate) fn figure(
    title: Title,
    axes: [&Axis; 2],
    curves: &[Curve],
    marked: bool,
) -> Result<Figure, RenderError> {
    Figure::new(title, axes, layers(axes, curves, marked))
}

/// What of a curve is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
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
///
/// # Errors
///
/// When the graph library refuses.
pub(crate) fn theory(axes: [&Axis; 2], curve: (usize, &Curve), mark: Mark) -> Result<Layer, Refusal> {
    let mark = if mark == Mark::Points { Mark::Levels } else { Mark::Line };
    one(axes, curve, mark)
}

/// A layer for each of `curves`; `marked` draws their points too.
///
/// # Errors
///
/// When the graph library refuses.
pub(crate) fn layers(axes: [&Axis; 2], curves: &[Curve], marked: bool) -> Result<Vec<Layer>, Refusal> {
    each(axes, curves, if marked { Mark::Both } else { Mark::Line })
}

/// A layer for each of `curves`, with what `mark` says of it.
///
/// # Errors
///
/// When the graph library refuses.
pub(crate) fn each(axes: [&Axis; 2], curves: &[Curve], mark: Mark) -> Result<Vec<Layer>, Refusal> {
    curves.iter().enumerate().map(|curve| one(axes, curve, mark)).collect()
}

fn one(axes: [&Axis; 2], (index, curve): (usize, &Curve), mark: Mark) -> Result<Layer, Refusal> {
    Layer::new((index, curve.name.clone()), axes, |chart| {
        draw(chart, curve, mark)?;
        let aim = |point: &Point| Aim::at(chart, (point.x, point.y), point.lines.clone());
        Ok(curve.points.iter().map(aim).collect())
    })
}

fn draw(chart: &mut Chart<'_, '_>, curve: &Curve, mark: Mark) -> Result<(), Refusal> {
    let line: Vec<(f64, f64)> = curve.points.iter().map(|point| (point.x, point.y)).collect();
    if mark == Mark::Levels {
        let level = |(x, y): (f64, f64)| {
            PathElement::new([(x - LEVEL, y), (x + LEVEL, y)], INK.stroke_width(2 * UNIT))
        };
        chart.draw_series(line.into_iter().map(level))?;
        return Ok(());
    }
    if mark == Mark::Band {
        let ends = |nth: usize| move |point: &Point| Some((point.x, point.interval?[nth]));
        let back = curve.points.iter().rev().filter_map(ends(1));
        let outline: Vec<(f64, f64)> = curve.points.iter().filter_map(ends(0)).chain(back).collect();
        chart.draw_series([Polygon::new(outline, INK.mix(SHADE))])?;
    }
    if mark != Mark::Points {
        chart.draw_series([PathElement::new(line.clone(), INK.stroke_width(2 * UNIT))])?;
    }
    if matches!(mark, Mark::Line | Mark::Band) {
        return Ok(());
    }
    let radius = (if mark == Mark::Points { 8 * UNIT } else { 5 * UNIT }) / 2;
    chart.draw_series(line.into_iter().map(|place| Circle::new(place, radius, INK.filled())))?;
    for point in &curve.points {
        let Some(ends) = point.interval else { continue };
        let bar = PathElement::new(ends.map(|y| (point.x, y)), INK.mix(0.8).stroke_width(UNIT));
        chart.draw_series([bar])?;
        let area = chart.plotting_area();
        for end in ends {
            let cap = EmptyElement::at((point.x, end))
                + PathElement::new([(-CAP, 0), (CAP, 0)], INK.mix(0.8).stroke_width(UNIT));
            area.draw(&cap)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
