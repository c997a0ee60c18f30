//! Flows and loads as columns of a table.

use linerate_analysis::report::{DirectionSum, FlowClass, FlowResult, LoadResult, TcpPoint};
use linerate_core::environment::Fact;
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

#[cfg(test)]
mod tests {
    use super::super::fixture::{broken, datagrams, flow, load, sum};
    use super::*;

    fn cells(columns: &[Column], heading: &str) -> Vec<String> {
        let found = columns.iter().find(|column| column.heading == heading);
        found.unwrap_or_else(|| panic!("there is a column {heading}")).cells.clone()
    }

    #[test]
    fn every_flow_is_a_row_with_what_is_known_of_it() {
        let tcp = TcpPoint { at_s: 1.0, rtt_us: 250.0, cwnd: 10, retransmits: 3, marked: 0 };
        let known = FlowResult {
            datagrams: Some(datagrams()),
            tcp: vec![TcpPoint { retransmits: 1, ..tcp }, tcp],
            ..flow(1, 100.0)
        };
        let broken = FlowResult { share: None, ..broken(2, FlowClass::Failed, "no") };
        let load = LoadResult { flows: vec![known, broken], sums: vec![sum()], ..load() };
        let rows: Vec<Flow<'_>> = load.flows.iter().map(|flow| (&load, flow)).collect();
        let columns = flow_columns(&rows);
        for (heading, expected) in [
            ("flow", ["#1", "#2"]),
            ("peer", ["-", "-"]),
            ("received", ["12.50 MB", "12.50 MB"]),
            ("sent in", ["999.0 ms", "999.0 ms"]),
            ("received in", ["1.000 s", "1.000 s"]),
            ("rate", ["100.0 Mb/s", "FAILED"]),
            ("share", ["25.0 %", "-"]),
            ("rtt", ["250.0 us", "-"]),
            ("sent again", ["3", "-"]),
            ("lost", ["10", "-"]),
            ("host dropped", ["20", "-"]),
            ("reordered", ["7", "-"]),
            ("duplicated", ["3", "-"]),
            ("jitter", ["12.00 us", "-"]),
        ] {
            assert_eq!(cells(&columns, heading), expected, "{heading}");
        }
        assert!(columns.iter().all(|column| column.heading != "way"));
    }

    #[test]
    fn a_peer_and_a_way_are_told_where_there_are_two() {
        let far =
            FlowResult { peer: 2, direction: linerate_core::traffic::Direction::Receive, ..flow(1, 1.0) };
        let load = LoadResult { flows: vec![flow(1, 1.0), far], sums: vec![sum(), sum()], ..load() };
        let rows: Vec<Flow<'_>> = load.flows.iter().map(|flow| (&load, flow)).collect();
        let columns = flow_columns(&rows);
        assert_eq!((columns[0].heading.as_str(), columns[1].heading.as_str()), ("flow", "way"));
        assert_eq!(cells(&columns, "way"), ["send", "receive"]);
        assert_eq!(cells(&columns, "peer"), ["1", "2"]);
    }

    #[test]
    fn every_load_with_flows_is_a_row_of_netperfs_table() {
        let named = LoadResult {
            labelled: true,
            what: "buffers=64 KiB".to_owned(),
            flows: vec![flow(1, 100.0)],
            sums: vec![sum()],
            ..load()
        };
        let failed = LoadResult { flows: vec![broken(1, FlowClass::Failed, "no")], ..load() };
        let unsummed =
            LoadResult { flows: vec![FlowResult { received_in_us: None, ..flow(1, 1.0) }], ..load() };
        let columns = table_columns(&[&named, &load(), &failed, &unsummed]);
        for (heading, expected) in [
            ("asked", ["buffers=64 KiB", "", ""]),
            ("rcvbuf B", ["-"; 3]),
            ("sndbuf B", ["131072"; 3]),
            ("message B", ["65536"; 3]),
            ("elapsed s", ["1.000", "1.000", "-"]),
            ("10^6 bit/s", ["400.00", "FAILED", "-"]),
        ] {
            assert_eq!(cells(&columns, heading), expected, "{heading}");
        }
    }
}
