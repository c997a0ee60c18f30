//! What checks of published claims say: as text, as JSON and as a page with charts.

use linerate_study::claims::{Claims, Judged, Results};

mod details;
mod figures;
mod files;
mod page;
mod table;
mod words;

#[cfg(test)]
mod fixture;

pub(crate) use files::json;
pub(crate) use page::html;
pub(crate) use table::table;

/// Claims that were checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checked<'a> {
    /// All that there are.
    pub(crate) claims: &'a Claims,
    /// Those that were asked for, with what their checks say.
    pub(crate) judged: &'a [Judged<'a>],
    /// What was run for them.
    pub(crate) results: &'a Results,
    /// Whether each is shown in full.
    pub(crate) in_full: bool,
}
