//! What a document is shown as.

use linerate_core::plan::Rows;

use crate::error::RenderError;
use crate::section::Document;
use crate::terminal::Terminal;
use crate::text::wrap;
use crate::{markdown, page};

impl Document {
    /// As plain text of about `width` columns under its title, without charts. No colours, no control codes.
    pub fn text(&self, width: u16, rows: Rows) -> String {
        let title = wrap(&self.title, usize::from(width), 2);
        format!("{title}\n\n{}", Terminal::new(self, width, rows, &|_, _| None).text())
    }

    /// As one page that needs nothing else: no network, no other file, and no script needed to read it.
    ///
    /// # Errors
    ///
    /// [`RenderError::Json`] or [`RenderError::Page`] when the page cannot be filled.
    pub fn html(self) -> Result<String, RenderError> {
        page::html(self, None)
    }

    /// As GitHub's Markdown, without charts.
    pub fn markdown(&self) -> String {
        markdown::markdown(self)
    }
}
