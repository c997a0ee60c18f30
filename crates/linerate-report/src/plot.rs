//! The three graphs as pieces of SVG with one geometry, so that they can be stacked in a file or
//! shown and hidden one by one on a page.

mod axis;
mod draw;
mod graph;
mod labels;

use linerate_analysis::report::Report;

use crate::error::RenderError;

pub(crate) use axis::{Axis, Scale, decimal, evenly, step, time_label};
pub(crate) use draw::{Chart, HEIGHT, INK, Pixel, Refusal, UNIT, WIDTH, axes, layer};
pub(crate) use graph::Graph;

/// Colours that people with any colour vision can tell apart on white.
/// Source: Okabe and Ito, Color Universal Design (2008); yellow is too pale for a line.
pub(crate) const PALETTE: [&str; 6] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];
/// Dashes, in user units of a picture, once the colours are used up.
const DASHES: [&str; 3] = ["none", "36 20", "10 16"];

/// How a curve looks wherever it is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    /// Which colour of the palette.
    pub(crate) colour: usize,
    /// `stroke-dasharray`.
    pub(crate) dashes: &'static str,
}

impl Look {
    /// The dashes in a legend, which is drawn a third of the size.
    pub(crate) fn legend_dashes(self) -> &'static str {
        match self.dashes {
            "none" => "none",
            long if long == DASHES[1] => "6 3",
            _ => "2 4",
        }
    }
}

/// The look of curve `index` of one of several `kinds`, which differ by their dashes.
pub(crate) const fn look_of(index: usize, kind: usize) -> Look {
    Look { colour: index % PALETTE.len(), dashes: DASHES[kind % DASHES.len()] }
}

/// The look of curve `index`.
pub(crate) const fn look(index: usize) -> Look {
    Look { colour: index % PALETTE.len(), dashes: DASHES[index / PALETTE.len() % DASHES.len()] }
}

/// One graph in layers. Each is the inside of an SVG document of [`WIDTH`] x [`HEIGHT`] units.
pub(crate) struct Picture {
    /// Which graph it is.
    pub(crate) graph: Graph,
    /// Grid, ticks and titles.
    pub(crate) axes: String,
    /// Lines that no curve can exceed.
    pub(crate) ceilings: String,
    /// Their labels, which lie over the curves.
    pub(crate) labels: String,
    /// One for each curve of the report.
    pub(crate) curves: Vec<Layer>,
}

/// One curve in one graph.
pub(crate) struct Layer {
    /// Lines, points and intervals, in `currentColor`.
    pub(crate) svg: String,
    /// Colour of the palette and dashes.
    pub(crate) look: Look,
    /// Where its timed points lie, in the order of the schedule.
    pub(crate) pixels: Vec<Pixel>,
}

impl Layer {
    /// The fallback colour where no style sheet sets another.
    pub(crate) const fn colour(&self) -> &'static str {
        PALETTE[self.look.colour]
    }
}

/// The three graphs of `report`.
///
/// # Errors
///
/// [`RenderError::Draw`] when the graph library refuses.
pub(crate) fn pictures(report: &Report) -> Result<Vec<Picture>, RenderError> {
    Graph::ALL.into_iter().map(|graph| draw::picture(report, graph)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eighteen_curves_look_different_and_then_they_begin_again() {
        let of = |look: Look| (look.colour, look.dashes, look.legend_dashes());
        assert_eq!(of(look(0)), (0, "none", "none"));
        assert_eq!(of(look(5)), (5, "none", "none"));
        assert_eq!(of(look(6)), (0, "36 20", "6 3"));
        assert_eq!(of(look(13)), (1, "10 16", "2 4"));
        assert_eq!(of(look(18)), of(look(0)));
        let all: std::collections::BTreeSet<_> = (0..18).map(|index| of(look(index))).collect();
        assert_eq!(all.len(), 18);
    }

    #[test]
    fn kinds_of_curves_differ_by_their_dashes() {
        let of = |look: Look| (look.colour, look.dashes);
        assert_eq!(of(look_of(7, 0)), (1, "none"));
        assert_eq!(of(look_of(7, 1)), (1, "36 20"));
        assert_eq!(of(look_of(2, 2)), (2, "10 16"));
        assert_eq!(of(look_of(2, 3)), (2, "none"));
    }

    #[test]
    fn every_curve_has_a_layer_in_its_colour_in_every_graph() {
        let pictures = pictures(&crate::fixture::two()).expect("they can be drawn");
        let colours = pictures.iter().map(|it| it.curves.iter().map(Layer::colour).collect::<Vec<_>>());
        assert_eq!(colours.collect::<Vec<_>>(), vec![vec!["#0072B2", "#D55E00"]; 3]);
    }
}
