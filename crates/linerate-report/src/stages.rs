//! The stages of messages: a bar a size, and the numbers.

mod bars;
mod words;

use linerate_analysis::report::{NamedRun, Report};

use crate::section::{Item, Part, Section, charts};
use crate::text::plain;

pub(crate) use bars::{Piece, Shape, drawn, places};
pub(crate) use words::{clocks, us};

/// How the pieces are read.
const READ: &str = "From the application's call to the queue: copy, TCP or UDP, IP. To the driver: the queueing discipline. To the peer's kernel: driver, adaptor, wire, interrupt. To its application: its kernel's stack, wake-up, copy. The acknowledgement is the peer's kernel's own; in a ping-pong it comes with the answer. Ranges are 95 % intervals of the median.";

/// The stages of the messages of every run of `report` that has them.
pub(crate) fn sections(report: &Report) -> Vec<Section> {
    let staged = |named: &NamedRun| !named.run.stages.is_empty();
    let all: Vec<(usize, &NamedRun)> =
        report.runs.iter().enumerate().filter(|(_, named)| staged(named)).collect();
    let of = |named: &NamedRun| {
        if report.runs.len() > 1 { format!(": {}", plain(&named.name)) } else { String::new() }
    };
    let mut drawn = Vec::new();
    for (index, named) in &all {
        drawn.extend(bars::figure(&named.run, *index, &of(named)));
    }
    if drawn.is_empty() {
        return Vec::new();
    }
    let runs = || all.iter().map(|(index, _)| *index);
    let tables = all.iter().map(|(_, named)| Item::Table(words::table(&named.run, &of(named)))).collect();
    let items = charts(drawn).chain([Item::Note(READ.to_owned())]).collect();
    vec![
        Section::new(Part::Charts, "stages", "Where the time of a message goes", items).of(runs()),
        Section::new(Part::Tables, "stage-times", "Stages of a message", tables).of(runs()),
    ]
}
