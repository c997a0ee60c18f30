//! Bulk streams and requests: their parts of a text and a page.

mod charts;
mod columns;
mod interval;
mod latency;
mod page;
mod sums;
mod text;
mod words;

#[cfg(test)]
mod fixture;

pub use interval::interval;
pub(crate) use page::{asked, cards, sections};
pub(crate) use text::text;
pub use words::called;
pub(crate) use words::headline;
