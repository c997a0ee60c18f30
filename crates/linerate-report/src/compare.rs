//! Two sides held against each other, as sections and as JSON.

mod chart;
mod forest;
mod json;
mod page;
mod verdict;
mod words;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

pub use json::json;
pub use page::document;
pub(crate) use page::{sections, title};
