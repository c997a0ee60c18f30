//! Where messages are on their way: a table of stages, bars, single messages, and a timeline for other tools.

mod bars;
mod page;
mod perfetto;
mod single;
mod words;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

pub(crate) use page::{cards, sections};
pub use perfetto::perfetto;
pub(crate) use words::statement;
