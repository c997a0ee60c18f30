//! The sections of traces: key numbers, bars by size, single messages, tables.

use linerate_analysis::facts::{OfStage, Stages};
use linerate_analysis::report::{Report, TraceResult};
use linerate_core::trace::Way;
use linerate_core::units::Size;

use super::words::{clocks, means, overhead, remarks, stamped, us};
use super::{bars, single};
use crate::columns::of_kind;
use crate::figure::Title;
use crate::section::{self, Card, Item, Kind, Part, Section, TableView, entries, said_once};
use crate::text::{capital, percent, plain};

/// Most sizes of which single messages are shown.
const MOST_SINGLES: usize = 8;

/// The sections of the traces of `report`.
pub(crate) fn sections(report: &Report) -> Vec<Section> {
    if report.traces.is_empty() {
        return Vec::new();
    }
    let of = |trace: &TraceResult| {
        if report.traces.len() > 1 { format!(": {}", plain(&trace.name)) } else { String::new() }
    };
    let mut figures = Vec::new();
    let title = Title {
        id: "trace-sizes".to_owned(),
        title: "Where messages are, by size".to_owned(),
        caption: caption(report),
    };
    figures.extend(bars::figure(&report.traces, title));
    let mut tables = Vec::new();
    let mut notes = Vec::new();
    for (index, trace) in report.traces.iter().enumerate() {
        let run = &report.runs[trace.run].run;
        let sizes = run.trace.as_ref().map_or(&[][..], |trace| &trace.sizes);
        for (nth, size) in sizes.iter().take(MOST_SINGLES).enumerate() {
            let row = trace.rows.iter().filter(|row| row.way == Way::There).nth(nth);
            let Some(row) = row else { continue };
            let title = Title {
                id: format!("trace-{index}-{nth}"),
                title: format!("Single messages of {}{}", Size(size.size), of(trace)),
                caption: "The message that took the least time, the one in the middle, and the one that only a hundredth exceeds."
                    .to_owned(),
            };
            figures.extend(single::figure(row, &size.there, title));
        }
        for (way, name) in [(Way::There, "there"), (Way::Back, "back")] {
            let stages: Vec<_> = OfStage::of(trace.rows.iter().filter(|row| row.way == way)).collect();
            let title = format!("Stages of messages {name}{}", of(trace));
            let table = TableView::new(title, of_kind::<Stages>(&stages));
            tables.push(if way == Way::Back { table.at_length() } else { table });
        }
        let said = [format!("{}; {}", means(run), clocks(trace))].into_iter();
        let said = said.chain(overhead(trace)).chain(stamped(trace)).chain(remarks(run, trace));
        notes.extend(said.map(|line| (trace.name.as_str(), capital(&line) + ".")));
    }
    let runs = || report.traces.iter().map(|trace| trace.run);
    let numbers = section::tables(tables)
        .chain(said_once(notes).into_iter().map(|note| Item::Note(plain(&note))))
        .collect();
    vec![
        Section::new(Part::Charts, "trace", "Where messages are", section::charts(figures).collect())
            .of(runs()),
        Section::new(Part::Tables, "trace-stages", "Stages of traced messages", numbers).of(runs()),
    ]
}

/// The key numbers of each trace.
pub(crate) fn cards(report: &Report) -> Vec<Card> {
    report.traces.iter().map(|trace| card(report, trace)).collect()
}

/// Which bar is whose, where there are several runs.
fn caption(report: &Report) -> String {
    let of_bars = "Each piece is a stage's share of the mean time of the messages that the initiator sent, so the pieces add up to the whole; the quickest and the slowest tenth are left out.";
    if report.traces.len() < 2 {
        return of_bars.to_owned();
    }
    let names: Vec<String> = report
        .traces
        .iter()
        .enumerate()
        .map(|(nth, trace)| format!("({}) {}", nth + 1, plain(&trace.name)))
        .collect();
    format!("{of_bars} Stages are between the points that all runs have: {}.", names.join(", "))
}

fn card(report: &Report, trace: &TraceResult) -> Card {
    let title = match report.runs.len() {
        1 => "Where messages are".to_owned(),
        _ => format!("Where messages are: {}", plain(&trace.name)),
    };
    let mut keys = Vec::new();
    for row in trace.rows.iter().filter(|row| row.way == Way::There) {
        let Some(whole) = &row.whole else { continue };
        let longest = row.stages.iter().max_by(|one, other| one.share.total_cmp(&other.share));
        let most = longest
            .map(|stage| format!("; most of it, {}: {}", percent(stage.share), stage.work()))
            .unwrap_or_default();
        keys.push([Size(row.size).to_string(), format!("{} us one way{most}", us(whole.median_ns))]);
    }
    let note = "Medians from the call that sends a message to the call that has it.".to_owned();
    Card { kind: Kind::Trace, title, colour: None, keys: entries(keys), note }
}
