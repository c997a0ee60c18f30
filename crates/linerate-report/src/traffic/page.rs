//! What a page shows of loads: cards, charts and tables.

use linerate_analysis::facts::{Flow, Flows};
use linerate_analysis::report::{LoadResult, Report};

use super::charts;
use super::columns::table_columns;
use super::latency;
use super::sums::sums;
use super::words::{facts, headline, own_name, reasons, time};
use crate::columns::{Column, of_kind};
use crate::section::{self, Card, Entry, Kind, MOST_ROWS, Part, Section, TableView, entries};
use crate::text::plain;

/// How the tables are read.
const READ: &str = "Rates are of payload, in 10^6 or 10^9 bit/s, as the receiver counts it after the warm-up. Jain's index is 1 when all flows have the same rate and 1/n when one of n has all. A flow that stalled counts with what it moved.";

/// The sections of the loads of `report`.
pub(crate) fn sections(report: &Report) -> Vec<Section> {
    if report.loads.is_empty() {
        return Vec::new();
    }
    let runs = || report.loads.iter().map(|load| load.run);
    let drawn = section::charts(charts::figures(report)).collect();
    let latencies = section::charts(charts::latencies(report)).collect();
    vec![
        Section::new(Part::Charts, "latencies", "Latency", latencies).of(runs()),
        Section::new(Part::Charts, "loads", "Over time", drawn).of(runs()),
        Section::new(Part::Tables, "load-numbers", "Loads", section::tables(tables(report)).collect())
            .of(runs()),
    ]
}

/// The key numbers of each load.
pub(crate) fn cards(report: &Report) -> Vec<Card> {
    report.loads.iter().map(|load| card(report, load)).collect()
}

/// What run `index` requested.
pub(crate) fn asked(report: &Report, index: usize) -> Vec<Entry> {
    entries(facts(&report.runs[index].run))
}

fn card(report: &Report, load: &LoadResult) -> Card {
    let mut keys = Vec::new();
    for row in latency::rows([load]) {
        let shares = [("median", "p50"), ("p99", "p99"), ("p99.9", "p99.9")];
        let known = shares
            .into_iter()
            .filter_map(|(name, label)| Some(format!("{name} {}", time(Some(row.row.percentile(label)?)))));
        keys.push([row.kind(), known.collect::<Vec<_>>().join(", ")]);
    }
    keys.extend(sums(&report.runs[load.run].run, load));
    keys.extend(load.held_back.iter().map(|held| ["held back".to_owned(), held.to_string()]));
    let alone = report.loads_of(load.run).nth(1).is_none();
    let title = match (report.runs.len(), alone) {
        (1, true) => headline(&report.runs[0].run),
        (_, true) => format!("{}: {}", plain(&load.name), headline(&report.runs[load.run].run)),
        (_, false) => plain(&load.name),
    };
    Card { kind: Kind::Load, title, colour: None, keys: entries(keys), note: String::new() }
}

/// The tables of all runs. Where there are several loads, each row says of which it is.
fn tables(report: &Report) -> Vec<TableView> {
    let loads = &report.loads;
    let several = report.runs.len() > 1;
    let name = |load: &LoadResult| if several { plain(&load.name) } else { own_name(load) };
    let said = |of: &dyn Fn(&LoadResult) -> Vec<String>| {
        let lines = |load: &LoadResult| {
            let named = |line| if loads.len() > 1 { format!("{}: {line}", name(load)) } else { line };
            of(load).into_iter().map(named).collect::<Vec<String>>()
        };
        loads.iter().flat_map(lines).collect::<Vec<String>>()
    };
    let latencies = latency::rows(loads);
    let unknown = latency::unknown(&latencies).map(|text| format!("Percentiles {text}."));
    let troubles = said(&latency::troubles).into_iter().chain(unknown).collect();
    let labelled: Vec<&LoadResult> =
        loads.iter().filter(|load| load.labelled && !load.flows.is_empty()).collect();
    let flows: Vec<Flow<'_>> =
        loads.iter().flat_map(|load| load.flows.iter().map(move |flow| Flow { load, flow })).collect();
    let runs = flows.iter().map(|row| plain(&report.runs[row.load.run].name)).collect();
    let is_of_several = loads.iter().any(|load| load.run != loads[0].run);
    let run = is_of_several.then(|| Column::of_words("run", 0, runs));
    let columns = run.into_iter().chain(of_kind::<Flows>(&flows)).collect();
    let every = ends(TableView::new("Every flow", columns), &flows);
    let every = every.noted(said(&reasons).into_iter().chain([READ.to_owned()]).collect());
    vec![
        TableView::new("Latencies", latency::columns(&latencies, several)).noted(troubles),
        TableView::new("Every load", table_columns(&labelled, &name)),
        every,
    ]
}

/// The same of which a short text has the fastest and the slowest flows.
fn ends(table: TableView, flows: &[Flow<'_>]) -> TableView {
    let all = flows.len();
    if all <= MOST_ROWS {
        return table;
    }
    let speed = |row: &usize| flows[*row].flow.mbps.unwrap_or(0.0);
    let mut rows: Vec<usize> = (0..all).collect();
    rows.sort_by(|one, other| speed(other).total_cmp(&speed(one)));
    rows.drain(MOST_ROWS / 2..all - MOST_ROWS / 2);
    table.brief(rows, format!("the {0} fastest and the {0} slowest of {all} flows", MOST_ROWS / 2))
}
