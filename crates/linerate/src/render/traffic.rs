//! Bulk streams and requests as text, CSV and a page.

mod charts;
mod csv;
mod interval;
mod json;
mod latency;
mod page;
mod sums;
mod text;
mod words;

pub(crate) use csv::csv;
pub(crate) use interval::interval;
pub(crate) use json::json;
pub(crate) use page::html;
pub(crate) use text::text;
pub(crate) use words::called;
