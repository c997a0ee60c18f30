//! How applications scale, as charts under each other in one file.

use askama::Template;
use linerate_analysis::report::{AppResult, Report};

use super::charts::{groups, merits, speed_up};
use super::words::{answer, headline, name};
use crate::error::RenderError;
use crate::figure::{Figure, Layer};
use crate::plot::{HEIGHT, WIDTH};
use crate::text::shortened;

/// Heights in the units of a picture.
const LINE: u32 = 90;
const AIR: u32 = 140;
/// The longest line. Unit: characters.
const LONGEST: usize = 120;

#[derive(Template)]
#[template(path = "apps.svg")]
struct File {
    width: u32,
    height: u32,
    lines: Vec<Line>,
    charts: Vec<Chart>,
}

/// What came of a run.
struct Line {
    y: u32,
    name: String,
}

/// A chart and where it is.
struct Chart {
    y: u32,
    legend: Vec<Entry>,
    /// Where the axes begin, below the legend.
    below: u32,
    figure: Figure,
}

/// A curve's line in the legend.
struct Entry {
    y: u32,
    name: String,
    colour: &'static str,
    dashes: &'static str,
}

/// Speed-up and merit of each application of `report` under each other on white: one SVG document that needs nothing
/// else. Where an application was run on one number of ranks only, it says what came of it.
///
/// # Errors
///
/// [`RenderError::Page`] when the document cannot be filled.
pub(crate) fn svg(report: &Report) -> Result<String, RenderError> {
    let line = |(nth, app): (u32, &AppResult)| Line { y: AIR + LINE * nth, name: said(report, app) };
    let lines: Vec<Line> = (0..).zip(&report.apps).map(line).collect();
    let mut y = AIR + LINE * lines.len() as u32 + LINE;
    let mut charts = Vec::new();
    for (id, group) in groups(report).iter().enumerate() {
        for figure in [speed_up(group, id), merits(group, id)].into_iter().flatten() {
            let legend: Vec<Entry> =
                (1..).zip(&figure.layers).map(|(nth, layer)| entry(nth, layer)).collect();
            let below = LINE * legend.len() as u32 + LINE / 2;
            charts.push(Chart { y, legend, below, figure });
            y += below + HEIGHT + AIR;
        }
    }
    Ok(File { width: WIDTH, height: y, lines, charts }.render()?)
}

fn said(report: &Report, app: &AppResult) -> String {
    let of = match report.runs.len() {
        1 => headline(app, &report.runs[app.run]),
        _ => name(&app.name),
    };
    shortened(&format!("{of}: {}", answer(app)), LONGEST)
}

fn entry(nth: u32, layer: &Layer) -> Entry {
    let (colour, dashes) = (layer.colour(), layer.look.dashes);
    Entry { y: LINE * nth, name: layer.name.clone(), colour, dashes }
}
