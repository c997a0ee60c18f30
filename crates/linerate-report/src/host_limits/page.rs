//! The limits of a host as one page that needs nothing else.

use linerate_core::host_limits::HostLimitsFile;
use linerate_core::plan::Rows;

use super::charts::figures;
use super::sections::all;
use super::words::{cautions, facts, state};
use crate::error::RenderError;
use crate::page::html as page;
use crate::section::{self, Document, Item, Part, Section, Warning, entries};
use crate::terminal::Terminal;
use crate::text::plain;

/// How the tables are read.
const READ: &str = "GB/s is 10^9 bytes a second, KiB is 1024 B. Intervals are 95 % intervals of the median, within this measurement.";

/// No line is longer, on however wide a terminal.
const WIDEST: u16 = 100;

/// The limits as one HTML page: the host, cautions, charts, every number, and how busy the host was.
///
/// # Errors
///
/// [`RenderError::Json`] or [`RenderError::Page`] when the page cannot
/// be filled.
pub fn html(file: &HostLimitsFile) -> Result<String, RenderError> {
    page(Document::new(format!("{}: what this host could reach", host(file)), sections(file, "")), None)
}

/// The same as text of at most `width` columns and at most 100.
#[must_use]
pub fn text(file: &HostLimitsFile, width: u16) -> String {
    let document = Document::new(String::new(), sections(file, ""));
    Terminal::new(width.min(WIDEST), Rows::Short, &|_, _| None).text(&document)
}

fn host(file: &HostLimitsFile) -> String {
    plain(&file.environment.hostname.to_string())
}

/// The sections of the limits of a host beside others, which name it.
pub(crate) fn sections_of(file: &HostLimitsFile) -> Vec<Section> {
    sections(file, &format!("{}: ", host(file)))
}

fn sections(file: &HostLimitsFile, of: &str) -> Vec<Section> {
    let numbers = section::tables(all(&file.limits));
    let cautions: Vec<Warning> =
        cautions(&file.limits).into_iter().map(|[finding, advice]| Warning::new(finding, advice)).collect();
    let cautions = (!cautions.is_empty()).then_some(Item::Cautions(cautions));
    let state = vec![Item::Facts(entries(state(&file.environment, &file.limits)))];
    let numbers = numbers.chain([Item::Note(READ.to_owned())]).collect();
    let heading = |text: &str| format!("{of}{text}");
    let first = if of.is_empty() { String::new() } else { heading("what this host could reach") };
    vec![
        Section::new(Part::Result, "host", first, vec![Item::Facts(entries(facts(file)))]),
        Section::new(
            Part::Charts,
            "host-charts",
            heading("Charts"),
            section::charts(figures(&file.limits)).collect(),
        ),
        Section::new(Part::Doubts, "host-cautions", heading("Cautions"), cautions.into_iter().collect()),
        Section::new(Part::Tables, "host-numbers", heading("Numbers"), numbers),
        Section::new(Part::Method, "host-state", heading("State of the host"), state),
    ]
}
