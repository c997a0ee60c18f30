//! Results of models under load, as sections, JSON and CSV.

mod bars;
mod curves;
mod files;
mod page;
mod points;
mod stations;
mod words;

#[cfg(test)]
mod fixture;

pub use files::{csv, json};
pub use page::document;
