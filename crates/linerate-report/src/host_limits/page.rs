//! The limits of a host as one page that needs nothing else.

use askama::Template;
use linerate_core::host_limits::HostLimitsFile;

use super::charts::figures;
use super::sections::{Rows, Section, all};
use super::words::{cautions, facts, state};
use crate::columns::TableView;
use crate::error::RenderError;
use crate::figure::{Figure, hover};
use crate::page::{Entry, Frame, entries};
use crate::text::plain;

#[derive(Template)]
#[template(path = "host_limits.html")]
struct Page {
    title: String,
    frame: Frame,
    facts: Vec<Entry>,
    state: Vec<Entry>,
    figures: Vec<Figure>,
    tables: Vec<TableView>,
    cautions: Vec<[String; 2]>,
}

/// The limits as one HTML page: the host, cautions, charts, every number, and how busy the host was.
///
/// # Errors
///
/// [`RenderError::Draw`] when a chart cannot be drawn, [`RenderError::Json`] or [`RenderError::Page`] when the page cannot
/// be filled.
pub fn html(file: &HostLimitsFile) -> Result<String, RenderError> {
    let mut figures = figures(&file.limits)?;
    let page = Page {
        title: format!("{}: what this host could reach", plain(&file.environment.hostname.to_string())),
        frame: Frame::new(&hover(&mut figures))?,
        facts: entries(facts(file)),
        state: entries(state(&file.environment, &file.limits)),
        figures,
        tables: all(&file.limits, Rows::All).into_iter().map(view).collect(),
        cautions: cautions(&file.limits),
    };
    Ok(page.render()?)
}

fn view(section: Section) -> TableView {
    let Section { title, columns, notes } = section;
    TableView::new(title, columns).noted(notes)
}
