//! The page of a report that has meshes, and no curves.

use askama::Template;
use linerate_analysis::report::Report;

use super::{RunView, cautions, runs, title, titled};
use crate::error::RenderError;
use crate::figure::hover_after;
use crate::mesh::{self, Meshes};
use crate::page::{Card, Frame, Hover};
use crate::text::plain;
use crate::traffic;

#[derive(Template)]
#[template(path = "mesh.html")]
struct Page {
    title: String,
    frame: Frame,
    runs: Vec<RunView>,
    cards: Vec<Card>,
    meshes: Meshes,
    /// The results of loads, if there are some.
    loads: Option<traffic::Part>,
    cautions: Vec<[String; 2]>,
}

/// `report` as one HTML page: key numbers, cautions, what is slow, heat maps, charts and tables of each mesh, then the
/// loads if there are some.
///
/// # Errors
///
/// [`RenderError::Draw`] when a graph cannot be drawn, [`RenderError::Json`] or [`RenderError::Page`] when the page
/// cannot be filled.
pub(super) fn html(report: &Report) -> Result<String, RenderError> {
    let has_loads = report.runs.iter().any(linerate_analysis::report::NamedRun::has_loads);
    let mut loads = if has_loads { Some(traffic::part(report)?) } else { None };
    let mut hover = Hover::default();
    if let Some(loads) = &mut loads {
        hover = hover_after(hover, &mut loads.figures);
    }
    let mut meshes = mesh::meshes(report, hover.graphs.len())?;
    for part in &mut meshes.parts {
        hover = hover_after(hover, &mut part.figures);
    }
    let mut cards = std::mem::take(&mut meshes.cards);
    cards.extend(loads.iter_mut().flat_map(|loads| std::mem::take(&mut loads.cards)));
    let page = Page {
        title: name(report),
        frame: Frame::new(&hover)?,
        runs: runs(report),
        cards,
        meshes,
        loads,
        cautions: cautions(report),
    };
    Ok(page.render()?)
}

/// `mesh of 8 ranks`, with the name of its file.
fn name(report: &Report) -> String {
    match (&report.runs[..], &report.meshes[..]) {
        ([named], [mesh]) => {
            let ranks = crate::text::count(mesh.ranks.len() as u64, "rank");
            titled(report, plain(&format!("{}: mesh of {ranks}", named.name)))
        }
        _ => title(report),
    }
}
