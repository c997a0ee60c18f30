//! Bulk streams and requests as text, CSV and a page.

mod text;

pub(crate) use text::text;
