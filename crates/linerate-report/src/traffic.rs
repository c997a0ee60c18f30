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

pub use csv::csv;
pub use interval::interval;
pub use json::json;
pub use page::html;
pub use text::text;
pub use words::called;
