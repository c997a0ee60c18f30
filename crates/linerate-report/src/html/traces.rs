//! The page of a report of traced messages.

use askama::Template;
use linerate_analysis::report::Report;

use super::{RunView, cautions, runs, title};
use crate::error::RenderError;
use crate::figure::hover_after;
use crate::page::{Frame, Hover};
use crate::trace::{Traces, traces};

#[derive(Template)]
#[template(path = "trace.html")]
struct Page {
    title: String,
    frame: Frame,
    runs: Vec<RunView>,
    cards: Vec<crate::page::Card>,
    traces: Traces,
    cautions: Vec<[String; 2]>,
}

/// `report` as one HTML page: key numbers, cautions, charts and tables of the traces, the hosts and the plan.
///
/// # Errors
///
/// [`RenderError::Draw`] when a graph cannot be drawn, [`RenderError::Json`] or [`RenderError::Page`] when the page
/// cannot be filled.
pub(super) fn html(report: &Report) -> Result<String, RenderError> {
    let mut traces = traces(report)?;
    let hover = hover_after(Hover::default(), &mut traces.figures);
    let page = Page {
        title: title(report),
        frame: Frame::new(&hover)?,
        runs: runs(report),
        cards: std::mem::take(&mut traces.cards),
        traces,
        cautions: cautions(report),
    };
    Ok(page.render()?)
}
