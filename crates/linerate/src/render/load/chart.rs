//! Drawing curves with intervals, layer by layer.

use plotters::prelude::*;

use super::super::RenderError;
use super::super::plot::{Axis, Chart, INK, Look, Refusal, UNIT, axes, layer, look};

/// Half the width of an interval's end. Unit: quarter pixels.
const CAP: i32 = 5 * UNIT as i32;

/// A chart in layers; each is the inside of an SVG document of the usual size.
pub(in crate::render) struct Figure {
    /// Its name in the page.
    pub(in crate::render) id: String,
    pub(in crate::render) title: String,
    pub(in crate::render) caption: String,
    /// Grid, ticks and titles.
    pub(in crate::render) axes: String,
    pub(in crate::render) layers: Vec<Layer>,
}

/// A curve, or bars, in a chart.
pub(in crate::render) struct Layer {
    /// Which curve of the page; set when all its charts are known.
    pub(in crate::render) number: usize,
    /// In `currentColor`.
    pub(in crate::render) svg: String,
    pub(in crate::render) look: Look,
    /// Its line in the legend.
    pub(in crate::render) name: String,
    pub(in crate::render) aims: Vec<Aim>,
}

impl Layer {
    /// Its dashes in the legend, which is drawn a third of the size.
    pub(in crate::render) fn legend_dashes(&self) -> &'static str {
        if self.look.dashes.starts_with("10") { "2 4" } else { "6 3" }
    }
}

/// A place in a chart that says something when it is pointed at.
pub(in crate::render) struct Aim {
    pub(in crate::render) x: i32,
    pub(in crate::render) y: i32,
    pub(in crate::render) lines: Vec<String>,
}

/// A curve to draw.
pub(in crate::render) struct Curve {
    pub(in crate::render) name: String,
    pub(in crate::render) points: Vec<Point>,
}

/// A point of a curve, in the units of its axes.
pub(in crate::render) struct Point {
    pub(in crate::render) x: f64,
    pub(in crate::render) y: f64,
    /// Both ends of its interval, if it has one.
    pub(in crate::render) interval: Option<[f64; 2]>,
    /// What it says when it is pointed at.
    pub(in crate::render) lines: Vec<String>,
}

/// What a chart is called.
pub(in crate::render) struct Title {
    pub(in crate::render) id: String,
    pub(in crate::render) title: String,
    pub(in crate::render) caption: String,
}

/// A chart of `curves`; `marked` draws their points too.
///
/// # Errors
///
/// [`RenderError::Draw`] when the graph library refuses.
pub(in crate::render) fn curves(
    title: Title,
    [x, y]: [&Axis; 2],
    curves: &[Curve],
    marked: bool,
) -> Result<Figure, RenderError> {
    let layers = curves.iter().enumerate().map(|(index, curve)| {
        let mut aims = Vec::new();
        let svg = layer(x, y, |chart| {
            aims = curve.points.iter().map(|point| aim(chart, point)).collect();
            draw(chart, curve, marked)
        })?;
        Ok(Layer { number: index, svg, look: look(index), name: curve.name.clone(), aims })
    });
    let layers = layers.collect::<Result<Vec<_>, Refusal>>();
    finish(title, [x, y], layers)
}

/// A chart of `layers` that were drawn over the same axes.
pub(in crate::render) fn finish(
    title: Title,
    [x, y]: [&Axis; 2],
    layers: Result<Vec<Layer>, Refusal>,
) -> Result<Figure, RenderError> {
    let refused = |refusal: Refusal| RenderError::Draw { graph: "load", reason: refusal.to_string() };
    let Title { id, title, caption } = title;
    Ok(Figure { id, title, caption, axes: axes(x, y).map_err(refused)?, layers: layers.map_err(refused)? })
}

fn aim(chart: &Chart<'_, '_>, point: &Point) -> Aim {
    let (x, y) = chart.plotting_area().map_coordinate(&(point.x, point.y));
    Aim { x, y, lines: point.lines.clone() }
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
