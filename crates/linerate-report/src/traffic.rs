//! Bulk streams and requests: their parts of a text, a page, a CSV and a JSON.

mod charts;
mod columns;
mod csv;
mod interval;
mod json;
mod latency;
mod page;
mod sums;
mod text;
mod words;

pub(crate) use csv::{INTERVALS, LATENCIES, Lines};
pub use interval::interval;
pub(crate) use json::{json, latencies, loads};
pub(crate) use page::{Part, asked, part};
pub(crate) use text::text;
pub use words::called;
pub(crate) use words::headline;
