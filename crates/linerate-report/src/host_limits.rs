//! What a host could reach, as text and as a page. A calibrated host for models is in `host`.

mod charts;
mod page;
mod sections;
mod words;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

pub(crate) use page::sections_of;
pub use page::{html, text};
