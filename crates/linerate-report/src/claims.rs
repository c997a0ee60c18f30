//! Results of checks of published claims: as text, as JSON and as a page with charts.

mod details;
mod figures;
mod files;
mod page;
mod table;
mod words;

#[cfg(test)]
mod fixture;

use linerate_study::claims::{Claims, Judged, Results};

pub use files::json;
pub use page::html;
pub use table::table;

/// Claims that were checked.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a> {
    /// All claims.
    pub claims: &'a Claims,
    /// The requested claims, with the results of their checks.
    pub judged: &'a [Judged<'a>],
    /// The runs for them.
    pub results: &'a Results,
    /// Whether each is shown in full.
    pub in_full: bool,
}
