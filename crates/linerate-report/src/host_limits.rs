//! What a host could reach, as sections. A calibrated host for models is in `host`.

mod charts;
mod page;
mod sections;
mod words;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

pub use page::document;
pub(crate) use page::sections_of;
