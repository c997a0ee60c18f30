//! What a model showed under load: as text, JSON, CSV and a page with charts.

pub(super) mod axis;
mod bars;
pub(super) mod chart;
mod curves;
mod files;
pub(super) mod page;
mod points;
mod stations;
mod table;
mod words;

#[cfg(test)]
mod fixture;

pub(crate) use files::{csv, json};
pub(crate) use page::html;
pub(crate) use table::table;
