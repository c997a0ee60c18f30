//! The page of a report that has applications, and no curves.

use askama::Template;
use linerate_analysis::report::{NamedRun, Report};

use super::{RunView, cautions, runs, title, titled};
use crate::app::{self, Apps};
use crate::error::RenderError;
use crate::figure::hover_after;
use crate::mesh::{self, Meshes};
use crate::page::{Card, Frame, Hover};
use crate::text::plain;
use crate::traffic;

#[derive(Template)]
#[template(path = "app.html")]
struct Page {
    title: String,
    frame: Frame,
    runs: Vec<RunView>,
    cards: Vec<Card>,
    apps: Apps,
    /// The pairs of many ranks, if a run has them.
    meshes: Option<Meshes>,
    /// The results of loads, if there are some.
    loads: Option<traffic::Part>,
    /// The number of their first chart among those of the page.
    loads_first: usize,
    cautions: Vec<[String; 2]>,
}

/// `report` as one HTML page: key numbers, cautions, what did not hold, charts and tables of each application, then
/// meshes and loads if there are some.
///
/// # Errors
///
/// [`RenderError::Draw`] when a graph cannot be drawn, [`RenderError::Json`] or [`RenderError::Page`] when the page
/// cannot be filled.
pub(super) fn html(report: &Report) -> Result<String, RenderError> {
    let mut hover = Hover::default();
    let mut apps = app::apps(report, 0)?;
    for part in &mut apps.parts {
        hover = hover_after(hover, &mut part.figures);
    }
    let mut cards = std::mem::take(&mut apps.cards);
    let has = |has: fn(&NamedRun) -> bool| report.runs.iter().any(has);
    let mut meshes =
        if report.meshes.is_empty() { None } else { Some(mesh::meshes(report, hover.graphs.len())?) };
    if let Some(meshes) = &mut meshes {
        for part in &mut meshes.parts {
            hover = hover_after(hover, &mut part.figures);
        }
        cards.append(&mut meshes.cards);
    }
    let loads_first = hover.graphs.len();
    let mut loads = if has(NamedRun::has_loads) { Some(traffic::part(report)?) } else { None };
    if let Some(loads) = &mut loads {
        hover = hover_after(hover, &mut loads.figures);
        cards.append(&mut loads.cards);
    }
    let page = Page {
        title: name(report),
        frame: Frame::new(&hover)?,
        runs: runs(report),
        cards,
        apps,
        meshes,
        loads,
        loads_first,
        cautions: cautions(report),
    };
    Ok(page.render()?)
}

/// `Lennard-Jones MD on 1 to 8 ranks, modelled: cluster-fast`, with the name of its file.
fn name(report: &Report) -> String {
    match (&report.runs[..], &report.apps[..]) {
        ([named], [app]) => titled(report, plain(&format!("{}: {}", named.name, app::headline(app, named)))),
        (runs, [first, others @ ..])
            if runs.len() == others.len() + 1 && others.iter().all(|app| app.title == first.title) =>
        {
            titled(report, plain(&format!("{}: {} runs compared", first.title, runs.len())))
        }
        _ => title(report),
    }
}
