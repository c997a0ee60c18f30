//! Results of models under load: as text, JSON, CSV and a page with charts.

mod bars;
mod curves;
mod files;
mod page;
mod points;
mod stations;
mod table;
mod words;

#[cfg(test)]
mod fixture;

pub use files::{csv, json};
pub use page::html;
pub use table::table;
