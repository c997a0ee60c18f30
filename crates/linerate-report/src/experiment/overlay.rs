//! The curves of the cells over each other.

use linerate_analysis::report::{Curve, Report, Timed};

use crate::error::RenderError;
use crate::figure::{Aim, Figure, Layer};
use crate::plot::{Graph, Picture, Pixel, pictures};
use crate::text::{curve_name, digits};

/// The throughput and the signature graph of `report`, whose runs are named after their cells. None if it has no curve.
///
/// # Errors
///
/// [`RenderError::Draw`] when the graph library refuses.
pub(super) fn figures(report: &Report) -> Result<Vec<Figure>, RenderError> {
    if report.curves.is_empty() {
        return Ok(Vec::new());
    }
    let shown = |picture: &Picture| picture.graph != Graph::Saturation;
    Ok(pictures(report)?.into_iter().filter(shown).map(|picture| figure(report, picture)).collect())
}

fn figure(report: &Report, picture: Picture) -> Figure {
    let (ceilings, labels) = (&picture.ceilings, &picture.labels);
    let layer = |(nth, layer): (usize, crate::plot::Layer)| Layer {
        number: nth,
        svg: layer.svg,
        look: layer.look,
        name: curve_name(report, nth),
        aims: aims(&report.curves[nth], &layer.pixels),
    };
    Figure {
        id: format!("curves-{}", picture.graph.name()),
        title: format!("{} of every cell", picture.graph.title()),
        caption: format!("{} One run of each cell.", picture.graph.caption()),
        axes: format!(
            "{}<g class=\"ceilings\" stroke-dasharray=\"24 16\">{ceilings}</g><g class=\"ceilings\">{labels}</g>",
            picture.axes
        ),
        layers: picture.curves.into_iter().enumerate().map(layer).collect(),
    }
}

/// The points of a curve with their tooltips.
fn aims(curve: &Curve, pixels: &[Pixel]) -> Vec<Aim> {
    let aim = |((size, timed), pixel): ((u64, Timed), &Pixel)| Aim {
        x: pixel.x,
        y: pixel.y,
        lines: vec![format!("{size} B: {} us, {} Mb/s", digits(timed.median_us), digits(timed.mbps))],
    };
    curve.timed().zip(pixels).map(aim).collect()
}
