//! Results of checks of published claims, as sections and as JSON.

mod figures;
mod files;
mod page;
mod words;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

use linerate_study::claims::{Claims, Judged, Results};

pub use files::json;
pub use page::document;

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
