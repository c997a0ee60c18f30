//! The stages of messages: a bar a size, and the numbers.

mod bars;
mod words;

pub(super) use bars::figure;
pub(crate) use bars::{Piece, Shape, drawn, places};
pub(super) use words::table;
pub use words::text;
pub(crate) use words::{clocks, us};
