//! Runs, studies, claims and predictions as text, table, chart, JSON, CSV, NetPIPE file, SVG and HTML.
//!
//! Data flows one way: a renderer turns what it is given into text and computes nothing but
//! coordinates and words. It does not print, open a file, read a clock or ask what the terminal can
//! do: the width of a table is an argument. Runs of curves are at the root, as renderers of a
//! [`linerate_core::report::Report`]; every other subject has its module.

pub mod catalogue;
mod chart;
pub mod claims;
mod columns;
mod csv;
mod figure;
mod host;
mod html;
mod json;
pub mod load;
mod np;
mod page;
mod plot;
pub mod predict;
pub mod stages;
mod svg;
mod table;
mod text;
pub mod traffic;

#[cfg(test)]
mod fixture;

pub use chart::chart;
pub use csv::csv;
pub use host::host;
pub use html::html;
pub use json::json;
pub use np::np;
pub use svg::svg;
pub use table::table;
pub use text::percent;

/// Why a report cannot be rendered. The texts fit "failed to ...".
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
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
