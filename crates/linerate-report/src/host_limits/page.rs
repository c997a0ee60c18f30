//! The limits of a host as sections.

use linerate_core::host_limits::HostLimitsFile;

use super::charts::figures;
use super::sections::all;
use super::words::{cautions, facts, opening, state};
use crate::section::{self, Document, Item, Part, Section, Warning, entries};
use crate::text::plain;

/// How the tables are read.
const READ: &str = "GB/s is 10^9 bytes a second, KiB is 1024 B. Each figure is the median over passes spread over the time, and its interval reaches from the lowest to the highest end of their 95 % intervals.";

/// The limits in every form: the host, cautions, charts, every number, and how busy the host was.
pub fn document(file: &HostLimitsFile) -> Document {
    Document::new(format!("{}: what this host could reach", host(file)), sections(file, ""))
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
    let lead = opening(&file.limits).map(Item::Lead);
    let result = lead.into_iter().chain([Item::Facts(entries(facts(file)))]).collect();
    vec![
        Section::new(Part::Result, "host", first, result),
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
