//! The page of a report whose runs are all of loads.

use askama::Template;
use linerate_analysis::report::Report;

use super::{RunView, cautions, runs, title, titled};
use crate::columns::TableView;
use crate::error::RenderError;
use crate::figure::{Figure, hover};
use crate::page::{Card, Frame};
use crate::text::plain;
use crate::traffic::{self, Part};

#[derive(Template)]
#[template(path = "traffic.html")]
struct Page {
    title: String,
    frame: Frame,
    runs: Vec<RunView>,
    cards: Vec<Card>,
    figures: Vec<Figure>,
    tables: Vec<TableView>,
    /// What the tables do not show, and why.
    unknown: Option<String>,
    cautions: Vec<[String; 2]>,
}

/// `report`, whose runs are all of loads, as one HTML page: what was asked, key numbers, cautions,
/// charts, tables, hosts and plans.
///
/// # Errors
///
/// [`RenderError::Draw`] when a chart cannot be drawn, [`RenderError::Json`] or
/// [`RenderError::Page`] when the page cannot be filled.
pub(super) fn html(report: &Report) -> Result<String, RenderError> {
    let Part { cards, mut figures, tables, unknown } = traffic::part(report)?;
    let page = Page {
        title: match &report.runs[..] {
            [named] => titled(report, plain(&format!("{}: {}", named.name, traffic::headline(&named.run)))),
            _ => title(report),
        },
        frame: Frame::new(&hover(&mut figures))?,
        runs: runs(report),
        cards,
        figures,
        tables,
        unknown,
        cautions: cautions(report),
    };
    Ok(page.render()?)
}
