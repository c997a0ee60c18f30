//! The heat maps of meshes under each other in one file.

use askama::Template;
use linerate_analysis::report::{MeshResult, Report};

use super::draw::{Drawing, Ink, LEGEND, legend, map};
use super::scale::Scale;
use super::words::{headline, meanwhile, view_name};
use crate::error::RenderError;
use crate::text::{plain, shortened};

/// Over the first map, and over each map. Unit: pixels.
const TITLE: f64 = 40.0;
const HEAD: f64 = 84.0;
/// The longest line, and what a character of it takes: bold, 16 pixels, in the widest of the usual fonts.
const LONGEST: usize = 110;
const CHARACTER: f64 = 10.0;
const AIR: f64 = 24.0;

#[derive(Template)]
#[template(path = "meshes.svg")]
struct File {
    width: f64,
    height: f64,
    maps: Vec<Map>,
}

struct Map {
    y: f64,
    /// Of the first map of a mesh what it is of; empty for the others.
    head: String,
    title: String,
    caption: String,
    legend: String,
    svg: String,
}

/// The heat maps of all meshes of `report` under each other on white, each with its legend: one SVG document that needs
/// nothing else.
///
/// # Errors
///
/// [`RenderError::Page`] when the document cannot be filled.
pub(crate) fn svg(report: &Report) -> Result<String, RenderError> {
    let mut maps = Vec::new();
    let (mut y, mut width) = (0.0, LEGEND[0] + 2.0 * AIR);
    for mesh in &report.meshes {
        let head = head(report, mesh);
        width = (head.chars().count() as f64).mul_add(CHARACTER, 2.0 * AIR).max(width);
        for (nth, view) in mesh.views.iter().enumerate() {
            let drawing = map(mesh, view, Ink::File);
            let Drawing { width: wide, height, svg, note } = drawing;
            width = width.max(wide + 2.0 * AIR);
            let caption = [Some(meanwhile(view.schedule).to_owned()), note].into_iter().flatten();
            let head = if nth == 0 { head.clone() } else { String::new() };
            let above = if nth == 0 { TITLE } else { 0.0 };
            maps.push(Map {
                y: y + above,
                head,
                title: format!(
                    "{}: median {} {}",
                    view_name(view),
                    crate::text::digits(view.median),
                    view.unit.name()
                ),
                caption: caption.collect::<Vec<_>>().join("; "),
                legend: legend(&Scale::of(view), Ink::File),
                svg,
            });
            y += above + HEAD + height + LEGEND[1] / 2.0;
        }
        if mesh.views.is_empty() {
            let map = Map {
                y: y + TITLE,
                head,
                title: String::new(),
                caption: String::new(),
                legend: String::new(),
                svg: String::new(),
            };
            maps.push(map);
            y += TITLE + AIR;
        }
    }
    Ok(File { width, height: y.max(AIR), maps }.render()?)
}

fn head(report: &Report, mesh: &MeshResult) -> String {
    let named = &report.runs[mesh.run];
    shortened(&format!("{}: {}", plain(&named.name), headline(mesh, &named.run)), LONGEST)
}
