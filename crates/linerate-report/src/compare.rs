//! Two sides held against each other, as text, JSON and HTML.

mod chart;
mod forest;
mod json;
mod page;
mod table;
mod words;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

pub use json::json;
pub use page::{html, markdown};
pub(crate) use page::{sections, title};
pub use table::table;
