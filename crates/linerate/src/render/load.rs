//! What a model showed under load: as text, JSON, CSV and a page with charts.

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

pub(crate) use files::{csv, json};
pub(crate) use page::html;
pub(crate) use table::table;
