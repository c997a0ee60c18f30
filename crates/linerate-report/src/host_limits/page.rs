//! The limits of a host as one page that needs nothing else.

use linerate_core::host_limits::HostLimitsFile;

use super::charts::figures;
use super::sections::{Rows, Section as Measured, all};
use super::words::{cautions, facts, state};
use crate::error::RenderError;
use crate::page::html as page;
use crate::section::{self, Document, Item, Part, Section, TableView, Warning, entries};
use crate::text::plain;

/// How the tables are read.
const READ: &str = "GB/s is 10^9 bytes a second, KiB is 1024 B. Intervals are 95 % intervals of the median, within this measurement.";

/// The limits as one HTML page: the host, cautions, charts, every number, and how busy the host was.
///
/// # Errors
///
/// [`RenderError::Json`] or [`RenderError::Page`] when the page cannot
/// be filled.
pub fn html(file: &HostLimitsFile) -> Result<String, RenderError> {
    let numbers = section::tables(all(&file.limits, Rows::All).into_iter().map(view));
    let cautions: Vec<Warning> =
        cautions(&file.limits).into_iter().map(|[finding, advice]| Warning::new(finding, advice)).collect();
    let cautions = (!cautions.is_empty()).then_some(Item::Cautions(cautions));
    let state = vec![Item::Facts(entries(state(&file.environment, &file.limits)))];
    let sections = vec![
        Section::new(Part::Result, "host", "", vec![Item::Facts(entries(facts(file)))]),
        Section::new(Part::Charts, "charts", "Charts", section::charts(figures(&file.limits)).collect()),
        Section::new(Part::Doubts, "cautions", "Cautions", cautions.into_iter().collect()),
        Section::new(
            Part::Tables,
            "numbers",
            "Numbers",
            numbers.chain([Item::Note(READ.to_owned())]).collect(),
        ),
        Section::new(Part::Environment, "state", "State of the host", state),
    ];
    let host = plain(&file.environment.hostname.to_string());
    page(Document::new(format!("{host}: what this host could reach"), sections), None)
}

fn view(measured: Measured) -> TableView {
    let Measured { title, columns, notes } = measured;
    TableView::new(title, columns).noted(notes)
}
