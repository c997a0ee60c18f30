//! Flows and loads as columns of a table.

use linerate_core::environment::Fact;
use linerate_core::report::{DirectionSum, FlowClass, FlowResult, LoadResult, TcpPoint};
use linerate_core::traffic::Datagrams;

use super::words::{amount, speed, time};
use crate::columns::Column;
use crate::text::{percent, plain};

/// A row of the table of flows: a flow and the load that it is of.
pub(super) type Flow<'a> = (&'a LoadResult, &'a FlowResult);

/// A row for each of `flows`.
pub(super) fn flow_columns(flows: &[Flow<'_>]) -> Vec<Column> {
    let cells = |cell: &dyn Fn(&FlowResult) -> String| flows.iter().map(|(_, flow)| cell(flow)).collect();
    let several = flows.iter().any(|(load, _)| load.flows.iter().any(|flow| flow.peer > 1));
    let peer = |flow: &FlowResult| if several { flow.peer.to_string() } else { "-".to_owned() };
    let share = |flow: &FlowResult| flow.share.map_or_else(|| "-".to_owned(), percent);
    let last = |flow: &FlowResult| flow.tcp.last().copied();
    let again = |sample: TcpPoint| sample.retransmits.to_string();
    let fate = |flow: &FlowResult, count: fn(&Datagrams) -> u64| {
        flow.datagrams.as_ref().map_or_else(|| "-".to_owned(), |fate| count(fate).to_string())
    };
    let mut columns = vec![
        Column::new("flow", 0, cells(&|flow| format!("#{}", flow.flow))),
        Column::new("peer", 2, cells(&peer)),
        Column::new("received", 2, cells(&|flow| amount(flow.bytes))),
        Column::new("sent in", 4, cells(&|flow| time(flow.sent_in_us))),
        Column::new("received in", 1, cells(&|flow| time(flow.received_in_us))),
        Column::new("rate", 0, cells(&speed)),
        Column::new("share", 5, cells(&share)),
        Column::new("rtt", 6, cells(&|flow| time(last(flow).map(|sample| sample.rtt_us)))),
        Column::new("sent again", 6, cells(&|flow| last(flow).map_or_else(|| "-".to_owned(), again))),
        Column::new("lost", 1, cells(&|flow| fate(flow, |fate| fate.lost))),
        Column::new("host dropped", 1, cells(&|flow| fate(flow, |fate| fate.dropped_by_socket))),
        Column::new("reordered", 5, cells(&|flow| fate(flow, |fate| fate.reordered))),
        Column::new("duplicated", 6, cells(&|flow| fate(flow, |fate| fate.duplicated))),
        Column::new(
            "jitter",
            5,
            cells(&|flow| time(flow.datagrams.as_ref().map(|fate| fate.jitter.as_us()))),
        ),
    ];
    let marked = |sample: TcpPoint| sample.marked.to_string();
    if flows.iter().any(|(_, flow)| last(flow).is_some_and(|sample| sample.marked > 0)) {
        let cells = cells(&|flow| last(flow).map_or_else(|| "-".to_owned(), marked));
        columns.push(Column::new("marked", 6, cells));
    }
    if flows.iter().any(|(load, _)| load.sums.len() > 1) {
        // Each direction has a flow of every number.
        columns.insert(1, Column::new("way", 0, cells(&|flow| flow.direction.to_string())));
    }
    columns
}

/// A row of netperf's table: a load, its first flow, and the sum of its flows.
type Row<'a> = (&'a LoadResult, &'a FlowResult, Option<&'a DirectionSum>);

/// netperf's table: a row for each load that has flows.
pub(super) fn table_columns(loads: &[&LoadResult]) -> Vec<Column> {
    let rows: Vec<Row<'_>> =
        loads.iter().filter_map(|load| Some((*load, load.flows.first()?, load.sums.first()))).collect();
    let cells = |cell: &dyn Fn(&Row<'_>) -> String| rows.iter().map(cell).collect();
    let buffer = |fact: &Fact<u64>| fact.known().map_or_else(|| "-".to_owned(), u64::to_string);
    let elapsed = |us: Option<f64>| us.map_or_else(|| "-".to_owned(), |us| format!("{:.3}", us / 1e6));
    let megabits = |(_, flow, sum): &Row<'_>| match flow.class {
        FlowClass::Complete => {
            sum.and_then(|sum| sum.mbps).map_or_else(|| "-".to_owned(), |mbps| format!("{mbps:.2}"))
        }
        FlowClass::Stalled | FlowClass::Failed => speed(flow),
    };
    vec![
        Column::new(
            "asked",
            1,
            cells(&|(load, ..)| if load.labelled { plain(&load.what) } else { String::new() }),
        ),
        Column::new("rcvbuf B", 0, cells(&|(_, flow, _)| buffer(&flow.rcvbuf))),
        Column::new("sndbuf B", 0, cells(&|(_, flow, _)| buffer(&flow.sndbuf))),
        Column::new("message B", 0, cells(&|(_, flow, _)| flow.message_bytes.to_string())),
        Column::new("elapsed s", 2, cells(&|(_, flow, _)| elapsed(flow.received_in_us))),
        Column::new("10^6 bit/s", 0, cells(&megabits)),
    ]
}
