//! Loads as plain text for people.

use linerate_core::caution::Caution;
use linerate_core::plan::Rows;
use linerate_core::report::{LoadResult, NamedRun, Report, describe};
use linerate_core::run::Run;

use super::super::columns::{Column, fit};
use super::super::table::item;
use super::super::text::{plain, unfinished, wrap};
use super::columns::{Flow, flow_columns, table_columns};
use super::latency;
use super::sums::sums;
use super::words::{facts, headline, own_name, reasons};

/// The narrowest table: the numbers alone need this.
const NARROWEST: usize = 40;
/// More flows than this are shown by the slowest and the fastest of them.
const MOST_ROWS: usize = 16;

/// The runs of loads in `report` as text of about `width` columns: a block for each, under its name
/// if there are several runs. No colours, no control codes.
pub(crate) fn text(report: &Report, width: u16, rows: Rows) -> String {
    let width = usize::from(width).max(NARROWEST);
    let runs = report.runs.iter().enumerate().filter(|(_, named)| named.has_loads());
    runs.map(|(index, named)| of_run(report, (index, named), width, rows)).collect::<Vec<_>>().join("\n\n")
        + "\n"
}

fn of_run(report: &Report, (index, named): (usize, &NamedRun), width: usize, rows: Rows) -> String {
    let run = &named.run;
    let of = if report.runs.len() > 1 { format!("{}: ", plain(&named.name)) } else { String::new() };
    let loads: Vec<&LoadResult> = report.loads_of(index).collect();
    let mut head: Vec<String> =
        unfinished(report, index).map(|state| wrap(&format!("{of}{state}"), width, 2)).into_iter().collect();
    head.push(wrap(&format!("{of}{}", headline(run)), width, 2));
    if run.model.is_some() {
        head.push(item("how", &plain(&describe(&run.source)), width));
    }
    head.extend(facts(run).into_iter().map(|[label, value]| item(&label, &value, width)));
    let mut blocks = vec![head.join("\n")];
    let latencies = latency::rows(loads.iter().copied());
    if !latencies.is_empty() {
        let table = fitted(latency::columns(&latencies), width);
        let unknown = latency::unknown(&latencies).map(|text| wrap(&format!("  ({text})"), width, 2));
        blocks.push([Some(table), unknown].into_iter().flatten().collect::<Vec<_>>().join("\n"));
    }
    let wrapped =
        |lines: Vec<String>| lines.iter().map(|line| wrap(line, width, 2)).collect::<Vec<_>>().join("\n");
    blocks.extend(loads.iter().map(|load| wrapped(latency::troubles(load))));
    if loads.iter().any(|load| load.labelled) {
        blocks.push(fitted(table_columns(&loads), width));
        blocks.extend(loads.iter().map(|load| wrapped(reasons(load))));
    } else {
        for load in loads.iter().filter(|load| !load.flows.is_empty()) {
            blocks.push(bulk(run, load, (loads.len() > 1, rows), width));
        }
    }
    let caution =
        |caution: &Caution| wrap(&format!("! {}; {}", plain(&caution.finding()), caution.advice()), width, 2);
    blocks.push(run.cautions.iter().map(caution).collect::<Vec<_>>().join("\n"));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n")
}

/// The bulk flows of a load: each, their sum, and what held them back.
fn bulk(run: &Run, load: &LoadResult, (several, rows): (bool, Rows), width: usize) -> String {
    let mut blocks = Vec::new();
    if several {
        blocks.push(format!("{}:", own_name(load)));
    }
    blocks.push(flows(load, width, rows));
    let reasons: Vec<String> =
        reasons(load).iter().map(|line| wrap(&format!("  {line}"), width, 4)).collect();
    blocks.extend((!reasons.is_empty()).then(|| reasons.join("\n")));
    let mut lines = sums(run, load);
    lines.extend(load.held_back.iter().map(|held| ["held back".to_owned(), held.to_string()]));
    let lines = lines.iter().map(|[label, value]| item(label, value, width));
    blocks.push(lines.collect::<Vec<_>>().join("\n"));
    blocks.join("\n\n")
}

/// A row for each flow, or for the fastest and the slowest.
fn flows(load: &LoadResult, width: usize, rows: Rows) -> String {
    let mut chosen: Vec<Flow<'_>> = load.flows.iter().map(|flow| (load, flow)).collect();
    let all = chosen.len();
    if all > MOST_ROWS && rows == Rows::Short {
        let speed = |(_, flow): &Flow<'_>| flow.mbps.unwrap_or(0.0);
        chosen.sort_by(|one, other| speed(other).total_cmp(&speed(one)));
        chosen.drain(MOST_ROWS / 2..all - MOST_ROWS / 2);
    }
    let text = fitted(flow_columns(&chosen), width);
    if chosen.len() == all {
        return text;
    }
    let note =
        format!("  the {0} fastest and the {0} slowest of {all} flows; --rows all has all", MOST_ROWS / 2);
    format!("{text}\n{note}")
}

/// As many columns as there is room for.
fn fitted(columns: Vec<Column>, width: usize) -> String {
    let (text, left_out) = fit(columns, width);
    if left_out.is_empty() {
        return text;
    }
    let note = format!("  (no room for {}; --format json has all)", left_out.join(", "));
    format!("{text}\n{}", wrap(&note, width, 2))
}
