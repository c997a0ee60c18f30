//! The heat maps of meshes under each other in one file.

use askama::Template;
use linerate_analysis::report::{MeshResult, Report};

use super::map::{colours, map};
use super::words::{headline, shown, view_name};
use crate::error::RenderError;
use crate::figure::Figure;
use crate::plot::palette::{STEPS, on_white};
use crate::plot::{UNIT, WIDTH};
use crate::text::{plain, shortened};

/// Over the first map, and over each map. Unit: pixels.
const TITLE: f64 = 40.0;
const HEAD: f64 = 70.0;
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
    /// From the best to the worst, and both in words.
    colours: Vec<String>,
    ends: [String; 2],
    chart: Option<Figure>,
}

/// The heat maps of all meshes of `report` under each other on white, each with its legend: one SVG document that needs
/// nothing else.
///
/// # Errors
///
/// [`RenderError::Page`] when the document cannot be filled.
pub(crate) fn svg(report: &Report) -> Result<String, RenderError> {
    let mut maps = Vec::new();
    let (mut y, mut width) = (0.0, f64::from(WIDTH / UNIT) + 2.0 * AIR);
    for mesh in &report.meshes {
        let head = head(report, mesh);
        width = (head.chars().count() as f64).mul_add(CHARACTER, 2.0 * AIR).max(width);
        y += TITLE;
        let bare = |head| Map {
            y,
            head,
            title: String::new(),
            colours: Vec::new(),
            ends: <_>::default(),
            chart: None,
        };
        maps.push(bare(head));
        for view in &mesh.views {
            let chart = map(mesh, view, 0);
            let tall = f64::from(chart.height() / UNIT);
            let median = shown(view).with_unit(view.median);
            maps.push(Map {
                y,
                head: String::new(),
                title: format!("{}: median {median}", view_name(view)),
                colours: (0..STEPS).map(on_white).collect(),
                ends: colours(view).ends,
                chart: Some(chart),
            });
            y += HEAD + tall;
        }
        y += AIR;
    }
    Ok(File { width, height: y.max(AIR), maps }.render()?)
}

fn head(report: &Report, mesh: &MeshResult) -> String {
    let named = &report.runs[mesh.run];
    shortened(&format!("{}: {}", plain(&named.name), headline(mesh, &named.run)), LONGEST)
}
