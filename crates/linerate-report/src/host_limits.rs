//! What a host could reach, as text and as a page. A calibrated host for models is in `host`.

mod charts;
mod page;
mod sections;
mod text;
mod words;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

pub use page::html;
pub use text::text;
