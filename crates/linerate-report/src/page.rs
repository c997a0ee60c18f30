//! What every page has: its frame, its style, its script, and what the tooltip shows.

use serde::Serialize;

use super::plot::{HEIGHT, WIDTH};
use super::text::Key;
use crate::error::RenderError;

/// What every page has, for its template.
pub(crate) struct Frame {
    pub(crate) style: &'static str,
    pub(crate) script: &'static str,
    /// Which linerate made the page.
    pub(crate) generator: &'static str,
    /// Of a graph, in its own units.
    pub(crate) width: u32,
    /// See `width`.
    pub(crate) height: u32,
    /// Points for the tooltip, safe inside a script element.
    pub(crate) hover: String,
}

/// A line of a list: what is said, and of what.
pub(crate) struct Entry {
    pub(crate) label: String,
    /// With its unit.
    pub(crate) value: String,
}

impl<L: Into<String>> From<(L, String)> for Entry {
    fn from((label, value): (L, String)) -> Self {
        Self { label: label.into(), value }
    }
}

impl From<[String; 2]> for Entry {
    fn from([label, value]: [String; 2]) -> Self {
        Self { label, value }
    }
}

impl From<Key> for Entry {
    fn from(Key { label, value }: Key) -> Self {
        Self::from((label, value))
    }
}

/// The entries of what comes as labels and values.
pub(crate) fn entries(list: impl IntoIterator<Item = impl Into<Entry>>) -> Vec<Entry> {
    list.into_iter().map(Into::into).collect()
}

/// The key numbers of a curve or a load.
pub(crate) struct Card {
    /// Empty where there is only one, which the page's title says.
    pub(crate) title: String,
    /// Which colour of the palette its curve has, where it has one in all charts.
    pub(crate) colour: Option<usize>,
    pub(crate) keys: Vec<Entry>,
    /// How to read them; may be empty.
    pub(crate) note: String,
}

/// What the tooltip shows.
#[derive(Default, Serialize)]
pub(crate) struct Hover {
    /// Each has one button in a legend.
    pub(crate) curves: Vec<HoverCurve>,
    /// By graph, in the order of the page.
    pub(crate) graphs: Vec<Vec<HoverLayer>>,
}

/// A curve, wherever it is drawn.
#[derive(Serialize)]
pub(crate) struct HoverCurve {
    pub(crate) name: String,
    /// Lines of the tooltip for each point.
    pub(crate) points: Vec<Vec<String>>,
}

/// A curve in a graph.
#[derive(Serialize)]
pub(crate) struct HoverLayer {
    /// Which curve.
    pub(crate) curve: usize,
    /// Where its points lie, in units of the graph.
    pub(crate) places: Vec<[i32; 2]>,
}

impl Frame {
    /// The frame of a page with these tooltips.
    ///
    /// # Errors
    ///
    /// [`RenderError::Json`] when a tooltip has no JSON form.
    pub(crate) fn new(hover: &Hover) -> Result<Self, RenderError> {
        Ok(Self {
            style: include_str!("../templates/page.css"),
            script: include_str!("../templates/page.js"),
            generator: concat!("linerate ", env!("CARGO_PKG_VERSION")),
            width: WIDTH,
            height: HEIGHT,
            // It cannot end the script element that it stands in.
            hover: serde_json::to_string(hover)?.replace('<', "\\u003c"),
        })
    }
}
