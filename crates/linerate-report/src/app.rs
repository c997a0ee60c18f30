//! Applications on ranks: speed-up, merit and communication as text, charts and a page.

mod axes;
mod charts;
mod columns;
mod courses;
mod matrix;
mod page;
mod svg;
mod timeline;
mod words;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

pub(crate) use page::{asked, cards, sections};
pub(crate) use svg::svg;
pub(crate) use words::{answer, headline};
