//! What a page shows of loads: cards, charts and tables.

use linerate_analysis::facts::{Flow, Flows};
use linerate_analysis::report::{LoadResult, Report};

use super::charts;
use super::columns::table_columns;
use super::latency;
use super::sums::sums;
use super::words::{facts, headline, reasons, time};
use crate::columns::{Column, of_kind};
use crate::section::{self, Card, Entry, Item, Kind, Part, Section, TableView, entries};
use crate::text::plain;

/// How the tables are read.
const READ: &str = "Rates are of payload, in 10^6 or 10^9 bit/s, as the receiver counts it after the warm-up. Jain's index is 1 when all flows have the same rate and 1/n when one of n has all. A flow that stalled is averaged into nothing.";

/// The sections of the loads of `report`.
pub(crate) fn sections(report: &Report) -> Vec<Section> {
    if report.loads.is_empty() {
        return Vec::new();
    }
    let runs = || report.loads.iter().map(|load| load.run);
    let unknown = latency::unknown(&latency::rows(&report.loads)).map(|text| format!("Percentiles {text}."));
    let found = if report.loads.iter().map(|load| load.run).all(|run| run == report.loads[0].run) {
        tables(report)
    } else {
        compared(report)
    };
    let notes = unknown.into_iter().chain([READ.to_owned()]).map(Item::Note);
    let drawn = section::charts(charts::figures(report)).collect();
    let latencies = section::charts(charts::latencies(report)).collect();
    vec![
        Section::new(Part::Charts, "latencies", "Latency", latencies).of(runs()),
        Section::new(Part::Charts, "loads", "Over time", drawn).of(runs()),
        Section::new(Part::Tables, "load-numbers", "Loads", section::tables(found).chain(notes).collect())
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
        let [median, p99, p999] = ["p50", "p99", "p99.9"].map(|label| time(row.row.percentile(label)));
        keys.push([row.kind(), format!("median {median}, p99 {p99}, p99.9 {p999}")]);
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

/// The tables of a run.
fn tables(report: &Report) -> Vec<TableView> {
    let mut tables = Vec::new();
    let latencies = latency::rows(&report.loads);
    if !latencies.is_empty() {
        let troubles = report.loads.iter().flat_map(latency::troubles).collect();
        tables.push(TableView::new("Latencies", latency::columns(&latencies)).noted(troubles));
    }
    if report.loads.iter().any(|load| load.labelled) {
        tables.push(TableView::new("Every load", table_columns(&report.loads.iter().collect::<Vec<_>>())));
    }
    for load in report.loads.iter().filter(|load| !load.flows.is_empty()) {
        let flows: Vec<Flow<'_>> = load.flows.iter().map(|flow| Flow { load, flow }).collect();
        tables.push(TableView::new("Every flow", of_kind::<Flows>(&flows)).noted(reasons(load)));
    }
    tables
}

/// The tables of several runs: each has the rows of all, and says which run a row is of.
fn compared(report: &Report) -> Vec<TableView> {
    let run = |load: &LoadResult| plain(&report.runs[load.run].name);
    let mut tables = Vec::new();
    let mut table = |title: &str, columns: Vec<Column>, runs: Vec<String>| {
        if !runs.is_empty() {
            let columns = std::iter::once(Column::new("run", 0, runs)).chain(columns).collect();
            tables.push(TableView::new(title, columns));
        }
    };
    let why = |load: &LoadResult| {
        let named = |line: String| format!("{}, {line}", plain(&load.name));
        reasons(load).into_iter().map(named).collect::<Vec<_>>()
    };
    let latencies = latency::rows(&report.loads);
    table("Latencies", latency::columns(&latencies), latencies.iter().map(|row| run(row.load)).collect());
    let labelled = report.loads.iter().filter(|load| load.labelled && !load.flows.is_empty());
    let labelled: Vec<&LoadResult> = labelled.collect();
    table("Every load", table_columns(&labelled), labelled.iter().map(|load| run(load)).collect());
    let flows = report.loads.iter().flat_map(|load| load.flows.iter().map(move |flow| Flow { load, flow }));
    let flows: Vec<Flow<'_>> = flows.collect();
    table("Every flow", of_kind::<Flows>(&flows), flows.iter().map(|row| run(row.load)).collect());
    if let Some(last) = tables.last_mut() {
        last.notes = report.loads.iter().flat_map(why).collect();
    }
    tables
}
