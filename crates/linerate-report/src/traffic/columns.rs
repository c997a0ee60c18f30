//! Flows and loads as columns of a table.

use linerate_analysis::report::{DirectionSum, FlowClass, FlowResult, LoadResult};
use linerate_core::environment::Fact;

use super::words::speed;
use crate::columns::Column;

/// A row of netperf's table: a load, its first flow, and the sum of its flows.
type Row<'a> = (&'a LoadResult, &'a FlowResult, Option<&'a DirectionSum>);

/// netperf's table: a row for each load that has flows, under its `name`.
pub(super) fn table_columns(loads: &[&LoadResult], name: &dyn Fn(&LoadResult) -> String) -> Vec<Column> {
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
        Column::new("asked", 1, cells(&|(load, ..)| if load.labelled { name(load) } else { String::new() })),
        Column::new("rcvbuf B", 0, cells(&|(_, flow, _)| buffer(&flow.rcvbuf))),
        Column::new("sndbuf B", 0, cells(&|(_, flow, _)| buffer(&flow.sndbuf))),
        Column::new("message B", 0, cells(&|(_, flow, _)| flow.message_bytes.to_string())),
        Column::new("elapsed s", 2, cells(&|(_, flow, _)| elapsed(flow.received_in_us))),
        Column::new("10^6 bit/s", 0, cells(&megabits)),
    ]
}

#[cfg(test)]
mod tests {
    use linerate_analysis::facts::{Flow, Flows};
    use linerate_analysis::report::TcpPoint;
    use linerate_core::traffic::Direction;

    use super::super::fixture::{broken, datagrams, flow, load, sum};
    use super::*;
    use crate::columns::of_kind;

    fn flows(load: &LoadResult) -> Vec<Column> {
        of_kind::<Flows>(&load.flows.iter().map(|flow| Flow { load, flow }).collect::<Vec<_>>())
    }

    fn cells(columns: &[Column], heading: &str) -> Vec<String> {
        let found = columns.iter().find(|column| column.heading == heading);
        found.unwrap_or_else(|| panic!("there is a column {heading}")).cells.clone()
    }

    #[test]
    fn every_flow_is_a_row_with_what_is_known_of_it() {
        let tcp = TcpPoint { at_s: 1.0, rtt_us: 250.0, cwnd: 10, retransmits: 3, marked: 0 };
        let known = FlowResult {
            datagrams: Some(datagrams()),
            retransmits: Some(3),
            tcp: vec![TcpPoint { retransmits: 1, ..tcp }, tcp],
            ..flow(1, 100.0)
        };
        let broken = FlowResult { share: None, ..broken(2, FlowClass::Failed, "no") };
        let load = LoadResult { flows: vec![known, broken], sums: vec![sum()], ..load() };
        let columns = flows(&load);
        for (heading, expected) in [
            ("flow", ["1", "2"]),
            ("state", ["complete", "FAILED"]),
            ("received MB", ["12.5", "12.5"]),
            ("sent in ms", ["999", "999"]),
            ("rate Mb/s", ["100", "0.00"]),
            ("share %", ["25.0", "-"]),
            ("rtt ms", ["0.250", "-"]),
            ("retransmitted", ["3", "-"]),
            ("lost", ["10", "-"]),
            ("host dropped", ["20", "-"]),
            ("reordered", ["7", "-"]),
            ("duplicated", ["3", "-"]),
            ("jitter us", ["12.0", "-"]),
        ] {
            assert_eq!(cells(&columns, heading), expected, "{heading}");
        }
        assert!(columns.iter().all(|column| !["way", "peer"].contains(&column.heading.as_str())));
    }

    #[test]
    fn a_peer_and_a_way_are_told_where_there_are_two() {
        let far = FlowResult { peer: 2, direction: Direction::Receive, ..flow(1, 1.0) };
        let load = LoadResult { flows: vec![flow(1, 1.0), far], sums: vec![sum(), sum()], ..load() };
        let columns = flows(&load);
        assert_eq!(cells(&columns, "way"), ["send", "receive"]);
        assert_eq!(cells(&columns, "peer"), ["1", "2"]);
        assert!(columns.iter().all(|column| column.heading != "state"), "all are complete");
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
        let columns = table_columns(&[&named, &load(), &failed, &unsummed], &|load| load.what.clone());
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
