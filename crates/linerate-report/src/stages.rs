//! The stages of messages: a bar a size, and the numbers.

mod bars;
mod words;

pub(super) use bars::figure;
pub(super) use words::table;
pub use words::text;
