//! Bulk streams and requests as text, CSV and a page.

mod interval;
mod text;

pub(crate) use interval::interval;
pub(crate) use text::text;
