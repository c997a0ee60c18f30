//! The charts of a page: curves in layers that a reader can hide, and the tooltips of their points.
//!
//! A [`Figure`] consists of [`Layer`]s; the page numbers both.

pub(super) mod axis;
pub(super) mod curve;

use super::plot::{Axis, Chart, Look, PALETTE, Refusal, axes, layer, look};
use crate::error::RenderError;

/// The title of a chart.
pub(super) struct Title {
    /// Its name in the page.
    pub(super) id: String,
    pub(super) title: String,
    pub(super) caption: String,
}

/// A chart in layers; each is the inside of an SVG document of the usual size.
pub(super) struct Figure {
    /// Its name in the page.
    pub(super) id: String,
    pub(super) title: String,
    pub(super) caption: String,
    /// Grid, ticks and titles.
    pub(super) axes: String,
    /// Lines that no curve can exceed; may be empty.
    pub(super) ceilings: String,
    /// Their labels, which lie over the curves.
    pub(super) labels: String,
    /// Which graph of the page: the page sets it.
    pub(super) graph: usize,
    pub(super) layers: Vec<Layer>,
}

impl Figure {
    /// A chart of `layers` that were drawn over these axes.
    ///
    /// # Errors
    ///
    /// [`RenderError::Draw`] when the graph library refuses, or refused a layer.
    pub(super) fn new(
        title: Title,
        [x, y]: [&Axis; 2],
        layers: Result<Vec<Layer>, Refusal>,
    ) -> Result<Self, RenderError> {
        let Title { id, title, caption } = title;
        match axes(x, y).and_then(|axes| Ok((axes, layers?))) {
            Ok((axes, layers)) => {
                let (ceilings, labels) = (String::new(), String::new());
                Ok(Self { id, title, caption, axes, ceilings, labels, graph: 0, layers })
            }
            Err(refusal) => Err(RenderError::Draw { graph: id, reason: refusal.to_string() }),
        }
    }
}

/// A curve, or bars, or marks, in a chart.
pub(super) struct Layer {
    /// Which curve of the page: the page sets it.
    pub(super) number: usize,
    /// In `currentColor`.
    pub(super) svg: String,
    pub(super) look: Look,
    /// Its line in the legend.
    pub(super) name: String,
    pub(super) aims: Vec<Aim>,
}

impl Layer {
    /// The colour where no style sheet sets another.
    pub(super) const fn colour(&self) -> &'static str {
        PALETTE[self.look.colour]
    }

    /// What `draw` draws over these axes, and the points with tooltips; `index` chooses the style.
    ///
    /// # Errors
    ///
    /// When the graph library refuses.
    pub(super) fn new(
        (index, name): (usize, String),
        [x, y]: [&Axis; 2],
        draw: impl FnOnce(&mut Chart<'_, '_>) -> Result<Vec<Aim>, Refusal>,
    ) -> Result<Self, Refusal> {
        let mut aims = Vec::new();
        let svg = layer(x, y, |chart| {
            aims = draw(chart)?;
            Ok(())
        })?;
        Ok(Self { number: index, svg, look: look(index), name, aims })
    }
}

/// A point in a chart with a tooltip.
pub(super) struct Aim {
    /// In units of the graph, from its left.
    pub(super) x: i32,
    /// In units of the graph, from its top.
    pub(super) y: i32,
    pub(super) lines: Vec<String>,
}

impl Aim {
    /// The point at a place in units of the axes.
    pub(super) fn at(chart: &Chart<'_, '_>, place: (f64, f64), lines: Vec<String>) -> Self {
        let (x, y) = chart.plotting_area().map_coordinate(&place);
        Self { x, y, lines }
    }
}
