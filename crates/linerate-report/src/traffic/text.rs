//! Loads as plain text for people.

use linerate_core::environment::Fact;
use linerate_core::run::Run;
use linerate_core::traffic::{Class, FlowAccount, Summary, Transfer};
use linerate_core::units::Rate;

use super::super::columns::{Column, fit};
use super::super::table::item;
use super::super::text::{percent, plain, wrap};
use super::latency;
use super::sums::sums;
use super::words::{amount, facts, headline, held_back, name, speed, time};

/// Below this no table is made: the numbers alone need it.
const NARROWEST: usize = 40;
/// More flows than this are shown by the slowest and the fastest of them.
const MOST_ROWS: usize = 16;

/// The loads of `run` as text of about `width` columns. No colours, no control codes.
pub fn text(run: &Run, width: u16) -> String {
    let width = usize::from(width).max(NARROWEST);
    let facts = facts(run).into_iter().map(|[label, value]| item(&label, &value, width));
    let asked = [vec![wrap(&headline(run), width, 2)], facts.collect()].concat().join("\n");
    let mut blocks = vec![asked];
    let latencies = latency::rows(&run.transfers);
    if !latencies.is_empty() {
        let table = fitted(latency::columns(&latencies), width);
        let unknown = latency::unknown(&latencies).map(|text| wrap(&format!("  ({text})"), width, 2));
        blocks.push([Some(table), unknown].into_iter().flatten().collect::<Vec<_>>().join("\n"));
    }
    blocks.extend(run.transfers.iter().map(|transfer| latency::troubles(transfer).join("\n")));
    if run.transfers.iter().any(|transfer| !transfer.label.is_empty()) {
        blocks.push(fitted(table_columns(run), width));
    } else {
        for transfer in run.transfers.iter().filter(|transfer| !transfer.flows.is_empty()) {
            blocks.push(bulk(run, transfer, width));
        }
    }
    let caution = |caution: &linerate_core::caution::Caution| {
        wrap(&format!("! {}; {}", plain(&caution.finding()), caution.advice()), width, 2)
    };
    blocks.push(run.cautions.iter().map(caution).collect::<Vec<_>>().join("\n"));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

/// The bulk flows of a load: each, their sum, and what held them back.
fn bulk(run: &Run, transfer: &Transfer, width: usize) -> String {
    let mut blocks = Vec::new();
    if run.transfers.len() > 1 {
        blocks.push(format!("{}:", name(transfer)));
    }
    blocks.push(flows(transfer, width));
    let mut lines = sums(transfer);
    lines.extend(held_back(transfer, run).map(|text| ["held back".to_owned(), text]));
    let lines = lines.iter().map(|[label, value]| item(label, value, width));
    blocks.push(lines.collect::<Vec<_>>().join("\n"));
    blocks.join("\n\n")
}

/// A row for each flow, or for the fastest and the slowest.
fn flows(transfer: &Transfer, width: usize) -> String {
    let mut chosen: Vec<&FlowAccount> = transfer.flows.iter().collect();
    let all = chosen.len();
    if all > MOST_ROWS {
        let speed = |flow: &&FlowAccount| flow.rate().map_or(0.0, Rate::bits_per_second);
        chosen.sort_by(|one, other| speed(other).total_cmp(&speed(one)));
        chosen.drain(MOST_ROWS / 2..all - MOST_ROWS / 2);
    }
    let text = fitted(flow_columns(transfer, &chosen), width);
    if chosen.len() == all {
        return text;
    }
    let note = format!("  the {0} fastest and the {0} slowest of {all} flows", MOST_ROWS / 2);
    format!("{text}\n{note}")
}

/// A row for each of `flows`.
pub(super) fn flow_columns(transfer: &Transfer, flows: &[&FlowAccount]) -> Vec<Column> {
    let cells = |cell: &dyn Fn(&FlowAccount) -> String| flows.iter().map(|flow| cell(flow)).collect();
    let summaries = transfer.summaries();
    let sum = |flow: &FlowAccount| {
        let summary = summaries.iter().find(|summary| summary.direction == flow.direction)?;
        summary.rate.map(Rate::bits_per_second)
    };
    let share = |flow: &FlowAccount| match (transfer.class(flow), flow.rate(), sum(flow)) {
        (Class::Complete, Some(rate), Some(sum)) => percent(rate.bits_per_second() / sum),
        _ => "-".to_owned(),
    };
    let several = transfer.flows.iter().any(|flow| flow.peer > 0);
    let peer = |flow: &FlowAccount| if several { (flow.peer + 1).to_string() } else { "-".to_owned() };
    let last = |flow: &FlowAccount| flow.sender.tcp.last().cloned();
    let fate = |flow: &FlowAccount, count: fn(&linerate_core::traffic::Datagrams) -> u64| {
        flow.receiver.datagrams.as_ref().map_or_else(|| "-".to_owned(), |fate| count(fate).to_string())
    };
    let mut columns = vec![
        Column::new("flow", 0, cells(&|flow| format!("#{}", flow.flow + 1))),
        Column::new("peer", 2, cells(&peer)),
        Column::new("received", 2, cells(&|flow| amount(flow.receiver.bytes))),
        Column::new("sent in", 4, cells(&|flow| time(flow.sender.elapsed()))),
        Column::new("received in", 1, cells(&|flow| time(flow.receiver.elapsed()))),
        Column::new("rate", 0, cells(&|flow| speed(transfer, flow))),
        Column::new("share", 5, cells(&share)),
        Column::new("rtt", 6, cells(&|flow| time(last(flow).map(|sample| sample.rtt)))),
        Column::new(
            "sent again",
            6,
            cells(&|flow| last(flow).map_or_else(|| "-".to_owned(), |sample| sample.retransmits.to_string())),
        ),
        Column::new("lost", 1, cells(&|flow| fate(flow, |fate| fate.lost))),
        Column::new("host dropped", 1, cells(&|flow| fate(flow, |fate| fate.dropped_by_socket))),
        Column::new("reordered", 5, cells(&|flow| fate(flow, |fate| fate.reordered))),
        Column::new("duplicated", 6, cells(&|flow| fate(flow, |fate| fate.duplicated))),
        Column::new(
            "jitter",
            5,
            cells(&|flow| time(flow.receiver.datagrams.as_ref().map(|fate| fate.jitter))),
        ),
    ];
    if summaries.len() > 1 {
        // Each direction has a flow of every number.
        columns.insert(1, Column::new("way", 0, cells(&|flow| flow.direction.to_string())));
    }
    columns
}

/// A row of netperf's table: a load, its first flow, and the sum of its flows.
type Row<'a> = (&'a Transfer, &'a FlowAccount, Option<Summary>);

/// netperf's table: a row for each load.
pub(super) fn table_columns<'a>(run: &'a Run) -> Vec<Column> {
    let row = |transfer: &'a Transfer| {
        let first = transfer.flows.first()?;
        Some((transfer, first, transfer.summaries().into_iter().next()))
    };
    let rows: Vec<Row<'_>> = run.transfers.iter().filter_map(row).collect();
    let cells = |cell: &dyn Fn(&Row<'_>) -> String| rows.iter().map(cell).collect();
    let buffer = |fact: &Fact<u64>| fact.known().map_or_else(|| "-".to_owned(), u64::to_string);
    let megabits = |(transfer, flow, summary): &Row<'_>| match transfer.class(flow) {
        Class::Complete => summary
            .as_ref()
            .and_then(|summary| summary.rate)
            .map_or_else(|| "-".to_owned(), |rate| format!("{:.2}", rate.as_mbps())),
        _ => speed(transfer, flow),
    };
    vec![
        Column::new("asked", 1, cells(&|(transfer, ..)| plain(&transfer.label))),
        Column::new("rcvbuf B", 0, cells(&|(_, flow, _)| buffer(&flow.receiver.granted.rcvbuf))),
        Column::new("sndbuf B", 0, cells(&|(_, flow, _)| buffer(&flow.sender.granted.sndbuf))),
        Column::new(
            "message B",
            0,
            cells(&|(_, flow, _)| (flow.sender.bytes / flow.sender.messages.max(1)).to_string()),
        ),
        Column::new(
            "elapsed s",
            2,
            cells(&|(_, flow, _)| {
                flow.receiver
                    .elapsed()
                    .map_or_else(|| "-".to_owned(), |span| format!("{:.3}", span.as_seconds()))
            }),
        ),
        Column::new("10^6 bit/s", 0, cells(&megabits)),
    ]
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
