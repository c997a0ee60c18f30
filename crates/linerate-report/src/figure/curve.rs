//! Drawing curves with intervals, layer by layer.

use plotters::prelude::*;

use super::{Aim, Figure, Layer, Title};
use crate::error::RenderError;
use crate::plot::{Axis, Chart, INK, Refusal, UNIT};

/// Half the width of an interval's end. Unit: quarter pixels.
const CAP: i32 = 5 * UNIT as i32;

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

/// A layer for each of `curves`; `marked` draws their points too.
///
/// # Errors
///
/// When the graph library refuses.
pub(crate) fn layers(axes: [&Axis; 2], curves: &[Curve], marked: bool) -> Result<Vec<Layer>, Refusal> {
    let layer = |(index, curve): (usize, &Curve)| {
        Layer::new((index, curve.name.clone()), axes, |chart| {
            draw(chart, curve, marked)?;
            let aim = |point: &Point| Aim::at(chart, (point.x, point.y), point.lines.clone());
            Ok(curve.points.iter().map(aim).collect())
        })
    };
    curves.iter().enumerate().map(layer).collect()
}

fn draw(chart: &mut Chart<'_, '_>, curve: &Curve, marked: bool) -> Result<(), Refusal> {
    let line: Vec<(f64, f64)> = curve.points.iter().map(|point| (point.x, point.y)).collect();
    chart.draw_series([PathElement::new(line.clone(), INK.stroke_width(2 * UNIT))])?;
    if !marked {
        return Ok(());
    }
    chart.draw_series(line.into_iter().map(|place| Circle::new(place, (5 * UNIT) / 2, INK.filled())))?;
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
