//! Loads as a terminal shows them.

use linerate_analysis::report::LoadResult;
use linerate_core::plan::Rows;

use super::fixture::{broken, flow, load, requests, sum};
use crate::section::MOST_ROWS;
use crate::text;

fn text_of(loads: Vec<LoadResult>, width: u16, rows: Rows) -> String {
    let mut report = crate::fixture::loads(Vec::new());
    report.runs[0].run.plan.task = linerate_core::plan::Task::Stream(Default::default());
    report.runs[0].run.transfers = vec![linerate_core::traffic::Transfer::default()];
    report.runs[0].run.cautions.clear();
    report.loads = loads;
    text(&report, width, rows)
}

#[test]
fn a_load_reads_well() {
    let flows =
        vec![flow(1, 300.0), flow(2, 100.0), broken(3, linerate_analysis::report::FlowClass::Failed, "no")];
    let one = LoadResult { flows, sums: vec![sum()], ..load() };
    insta::assert_snapshot!(text_of(vec![one], 80, Rows::Short), @"
    1 of 3 flows has STALLED or FAILED
    Not known what limits it: the run has no TCP statistics of it.

    stream over tcp, one flow from here
      from here   400 Mb/s in all, 50.0 MB, Jain's index 0.988, fair from the start
      processor   sender 0.250 s, receiver unknown for 10^9 B, in the flows' threads

    Every flow:
      flow  state     received MB  rate Mb/s  share %  sent in ms  received in ms
         1  complete         12.5     300        25.0         999            1000
         2  complete         12.5     100        25.0         999            1000
         3  FAILED           12.5       0.00     25.0         999            1000
      flow #3: FAILED: no
      Rates are of payload, in 10^6 or 10^9 bit/s, as the receiver counts it after
       the warm-up. Jain's index is 1 when all flows have the same rate and 1/n when
       one of n has all. A flow that stalled counts with what it moved.

    How it was measured:
      path        10.0.0.1:40000 -> 10.0.0.2:5003
      bulk        20 s
      calls       send-recv; what arrives is copied to the application
    alpha to <script>alert(1)</script>\"'&�[31m over tcp, measured between two ends.
      This host was grade B (0.2 % of the time lost), the peer grade C (3.0 % of the
      time lost).
    Recorded by linerate 0.1.0, begun 2026-01-02T03:04:05+01:00.
    ");
}

#[test]
fn several_loads_are_told_apart_by_their_names() {
    let named = |what: &str, mbps| LoadResult {
        what: what.to_owned(),
        flows: vec![flow(1, mbps)],
        sums: vec![sum()],
        ..load()
    };
    let text = text_of(vec![named("idle", 1.0), named("bulk both ways", 2.0)], 80, Rows::Short);
    assert!(text.lines().any(|line| line.starts_with("  idle ")), "{text}");
    assert!(text.lines().any(|line| line.starts_with("  bulk both ways ")), "{text}");
    let text = text_of(vec![named("idle", 1.0)], 80, Rows::Short);
    assert!(!text.contains("idle"), "{text}");
}

#[test]
fn of_many_flows_the_fastest_and_the_slowest_are_shown() {
    let flows = |count: u32| (1..=count).map(|number| flow(number, f64::from(number))).collect();
    let many = |count| LoadResult { flows: flows(count), ..load() };
    let numbers = |count, rows| {
        let text = text_of(vec![many(count)], 120, rows);
        let rows = text.lines().skip_while(|line| !line.trim_start().starts_with("flow ")).skip(1);
        let first = |line: &str| line.split_whitespace().next()?.parse::<usize>().ok();
        rows.map_while(first).collect::<Vec<_>>()
    };
    let most = MOST_ROWS as u32;
    assert_eq!(numbers(most, Rows::Short), (1..=MOST_ROWS).collect::<Vec<_>>());
    assert_eq!(numbers(most + 4, Rows::All), (1..=MOST_ROWS + 4).collect::<Vec<_>>());
    let half = MOST_ROWS / 2;
    let (first, last) = (MOST_ROWS + 4 - half + 1..=MOST_ROWS + 4, 1..=half);
    assert_eq!(numbers(most + 4, Rows::Short), first.rev().chain(last.rev()).collect::<Vec<_>>());
    let text = text_of(vec![many(most + 4)], 120, Rows::Short);
    assert!(
        text.contains(&format!("the {half} fastest and the {half} slowest of {} flows", most + 4)),
        "{text}"
    );
    assert!(!text_of(vec![many(most + 4)], 120, Rows::All).contains("fastest"));
}

#[test]
fn what_has_no_room_is_named() {
    let narrow = LoadResult { latencies: vec![requests(None, "")], ..load() };
    let text = text_of(vec![narrow], 60, Rows::Short);
    assert!(text.contains("(no room for p99.999, p99.99, p99.9"), "{text}");
    assert!(text.contains("p50") && text.contains("p99"), "{text}");
}
