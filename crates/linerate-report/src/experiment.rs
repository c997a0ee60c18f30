//! What an experiment found, as sections, JSON and CSV.

mod axes;
mod clean;
mod costs;
mod draw;
mod forest;
mod heat;
mod json;
mod overlay;
mod page;
mod scatter;
mod search;
mod stairs;
mod tidy;
mod trade;
mod views;
mod words;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

pub use json::json;
pub use page::document;
pub use tidy::csv;

use crate::text::plain;

/// The plans of experiments that there are: name and description of each, a line for each.
#[must_use]
pub fn plans(plans: &[(&str, String)]) -> String {
    let widest = plans.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    plans.iter().map(|(name, about)| format!("  {:widest$}  {}\n", plain(name), plain(about))).collect()
}
