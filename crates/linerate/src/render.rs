//! Reports as text, table, chart, JSON, CSV, NetPIPE file, SVG and HTML.
//!
//! Data flows one way: a renderer turns a [`linerate_core::report::Report`] into text and computes
//! nothing but coordinates and words. None prints, opens a file or asks what the terminal can do.

pub(crate) mod catalogue;
mod chart;
pub(crate) mod claims;
pub(crate) mod columns;
mod csv;
mod figure;
mod host;
mod html;
mod json;
pub(crate) mod load;
mod np;
mod page;
mod plot;
pub(crate) mod predict;
pub(crate) mod stages;
mod svg;
mod table;
mod text;
pub(crate) mod traffic;

#[cfg(test)]
mod fixture;

pub(crate) use chart::chart;
pub(crate) use csv::csv;
pub(crate) use host::host;
pub(crate) use html::html;
pub(crate) use json::json;
pub(crate) use np::np;
pub(crate) use svg::svg;
pub(crate) use table::table;
pub(crate) use text::percent;

/// Why a report cannot be rendered. The texts fit "failed to ...".
#[derive(Debug, thiserror::Error)]
pub(crate) enum RenderError {
    /// NetPIPE's file has no place for a second curve, nor for none.
    #[error("write NetPIPE's np.out: np holds one curve and there are {curves}; report the runs one by one")]
    OneCurve {
        /// Curves in the report.
        curves: usize,
    },
    /// A CSV line could not be written.
    #[error("write CSV: {0}")]
    Csv(#[from] ::csv::Error),
    /// The report has no JSON form.
    #[error("write JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The graph library refused.
    #[error("draw the {graph} graph: {reason}")]
    Draw {
        /// Which graph.
        graph: String,
        /// Why, in the library's words.
        reason: String,
    },
    /// The page's template could not be filled.
    #[error("fill the page: {0}")]
    Page(#[from] askama::Error),
}
