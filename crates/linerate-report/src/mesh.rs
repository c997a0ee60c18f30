//! Meshes: every pair of many ranks as text, heat maps and a page.

mod charts;
mod columns;
mod heat;
mod map;
mod page;
mod scale;
mod svg;
mod tiles;
mod words;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

pub(crate) use heat::in_characters;
pub(crate) use page::{asked, cards, script, sections};
pub(crate) use svg::svg;
pub(crate) use words::{headline, short_title};
