//! Meshes: every pair of many ranks as text, heat maps and a page.

mod charts;
mod columns;
mod map;
mod page;
mod scale;
mod svg;
mod text;
mod tiles;
mod words;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

pub(crate) use page::{asked, cards, script, sections};
pub(crate) use svg::svg;
pub(crate) use text::text;
pub(crate) use words::{headline, short_title};
