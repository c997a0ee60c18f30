//! Bulk streams and requests: their parts of a text and a page.

mod charts;
mod columns;
mod interval;
mod latency;
mod page;
mod sums;
mod words;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

pub use interval::interval;
pub(crate) use page::{asked, cards, sections};
pub use words::called;
pub(crate) use words::headline;
