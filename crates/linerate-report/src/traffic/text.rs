//! Loads as plain text for people.

use linerate_analysis::report::{LoadResult, NamedRun, Report, describe};
use linerate_core::plan::Rows;
use linerate_core::run::Run;

use linerate_analysis::facts::{Flow, Flows};

use super::super::columns::{Column, fit, of_kind};
use super::super::text::{item, plain, unfinished, wrap};
use super::columns::table_columns;
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
        head.push(item("how", &plain(&describe(run)), width));
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
    let mut chosen: Vec<Flow<'_>> = load.flows.iter().map(|flow| Flow { load, flow }).collect();
    let all = chosen.len();
    if all > MOST_ROWS && rows == Rows::Short {
        let speed = |row: &Flow<'_>| row.flow.mbps.unwrap_or(0.0);
        chosen.sort_by(|one, other| speed(other).total_cmp(&speed(one)));
        chosen.drain(MOST_ROWS / 2..all - MOST_ROWS / 2);
    }
    let text = fitted(of_kind::<Flows>(&chosen), width);
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

#[cfg(test)]
mod tests {
    use super::super::fixture::{broken, flow, load, requests, sum};
    use super::*;

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
        let flows = vec![
            flow(1, 300.0),
            flow(2, 100.0),
            broken(3, linerate_analysis::report::FlowClass::Failed, "no"),
        ];
        let one = LoadResult { flows, sums: vec![sum()], ..load() };
        insta::assert_snapshot!(text_of(vec![one], 80, Rows::Short), @"
        1 of 3 flows has STALLED or FAILED
        stream over tcp, one flow from here
          path        10.0.0.1:40000 -> 10.0.0.2:5003
          bulk        20 s
          calls       send-recv; what arrives is copied to the application

          flow  state     received MB  rate Mb/s  share %  sent in ms  received in ms
             1  complete         12.5     300        25.0         999            1000
             2  complete         12.5     100        25.0         999            1000
             3  FAILED           12.5       0.00     25.0         999            1000

        flow #3: FAILED: no

          from here   400 Mb/s in all, 50.0 MB, Jain's index 0.988, fair from the start
          processor   sender 0.250 s, receiver unknown for 10^9 B, in the flows' threads
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
        let headings: Vec<&str> = text.lines().filter(|line| line.ends_with(':')).collect();
        assert_eq!(headings, ["idle:", "bulk both ways:"]);
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
}
