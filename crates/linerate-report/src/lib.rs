//! Runs, studies, claims, predictions and experiments as text, table, chart, JSON, CSV, NetPIPE file, SVG and HTML.
//!
//! Data flows one way: a renderer turns its input into text, and computes only coordinates and
//! words. It does not print, open a file, read a clock or ask what the terminal can do: the width
//! of a table is an argument. Runs, of curves or of loads, are at the root, as renderers of a
//! [`linerate_analysis::report::Report`]; every other subject has its module.

mod app;
pub mod catalogue;
mod chart;
pub mod claims;
mod columns;
pub mod compare;
mod csv;
mod curves;
mod document;
mod error;
pub mod experiment;
pub mod explain;
mod figure;
mod form;
pub mod history;
mod host;
pub mod host_limits;
mod json;
pub mod lab;
pub mod load;
mod markdown;
mod mesh;
mod np;
mod numbers;
mod opening;
mod openmetrics;
mod page;
mod plot;
pub mod predict;
mod rows;
mod runs;
mod screen;
mod section;
pub mod settings;
mod stages;
mod svg;
mod terminal;
mod text;
mod tidy;
pub mod trace;
pub mod traffic;

#[cfg(test)]
mod everywhere;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod golden;

pub use csv::csv;
pub use error::RenderError;
pub use form::{FORMS, Form, Holds, Shown};
pub use host::host;
pub use json::{json, run_schema, schema};
pub use np::np;
pub use openmetrics::{metric_names, openmetrics};
pub use runs::{Beside, html, html_beside, markdown};
pub use screen::text;
pub use section::Document;
pub use svg::svg;
pub use text::{percent, wrap};
