use linerate_core::plan::Level;
use linerate_core::stats::Histogram;
use linerate_core::traffic::{Latency, Transfer};
use linerate_core::units::Span;

use super::*;
use crate::fixture;

fn transfer(count: u64) -> Transfer {
    let mut service = Histogram::default();
    for us in 1..=count {
        service.record(Span::from_us(us));
    }
    let latency = Latency { transactions: count, service, ..Latency::default() };
    Transfer { latencies: vec![latency], ..Transfer::default() }
}

#[test]
fn a_percentile_of_too_few_transactions_is_not_shown_and_what_it_needs_is_said() {
    let report = fixture::loads(vec![transfer(999), transfer(1_000)]);
    let rows = rows(&report.loads);
    assert_eq!(rows[0].row.percentile("p99.9"), None);
    assert!(rows[0].row.percentile("p99").is_some_and(|us| us >= 990.0));
    assert!(rows[1].row.percentile("p99.9").is_some());
    let columns = columns(&rows, false);
    let column = |heading: &str| {
        let found = columns.iter().find(|column| column.heading == heading);
        found.expect("there is one").cells.clone()
    };
    assert_eq!(column("p99.9")[0], "-");
    assert_eq!(column("p99.99"), ["-", "-"]);
    assert_ne!(column("longest")[0], "-");
    assert_eq!(
        unknown(&rows).expect("not all are known"),
        "not known with only 999 transactions: p99.9 (1,000 needed), p99.99 (10,000), p99.999 (100,000)"
    );
    let few = fixture::loads(vec![transfer(1)]);
    assert!(unknown(&super::rows(&few.loads)).is_some_and(|text| text.contains("p50 (2 needed), p90 (10)")));
    assert_eq!(unknown(&[]), None);
}

#[test]
fn no_form_of_the_result_has_a_percentile_of_too_few() {
    let report = fixture::loads(vec![transfer(999)]);
    let text = crate::text(&report, 200, linerate_core::plan::Rows::Short);
    assert!(text.contains("not known with only 999 transactions: p99.9 (1,000 needed)"), "{text}");
    let json = crate::json(&report, Level::Point).expect("JSON");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let rows = json["rows"].as_array().expect("rows");
    let known: Vec<_> = rows.iter().map(|row| (row["quantile"].as_f64(), row["us"].is_f64())).collect();
    let expected =
        [(0.5, true), (0.9, true), (0.99, true), (0.999, false), (0.9999, false), (0.99999, false)];
    let expected = expected.into_iter().chain([(1.0, true)]).map(|(share, known)| (Some(share), known));
    assert_eq!(known, expected.collect::<Vec<_>>());
    assert!(rows.iter().all(|row| row["transactions"] == 999), "{rows:?}");
    let page = crate::html(&report).expect("a page");
    assert!(page.contains("not known with only 999 transactions"), "{page}");
    assert!(page.contains(", p99 ") && !page.contains("p99.9 -"), "{page}");
}

#[test]
fn enough_transactions_leave_nothing_to_say() {
    let report = fixture::loads(vec![transfer(100_000)]);
    assert_eq!(unknown(&rows(&report.loads)), None);
}

#[test]
fn counts_have_a_comma_at_each_third_digit() {
    assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
}

#[test]
fn a_row_is_named_by_its_load_its_flow_and_what_is_timed() {
    use super::super::fixture::{load, requests};
    let of = |flow, kind| LoadResult { latencies: vec![requests(flow, kind)], ..load() };
    let names = |load: &LoadResult| {
        let row = rows([load])[0];
        [row.own_name(), row.name(), row.kind()]
    };
    assert_eq!(names(&of(None, "")), ["bulk", "a load", "latency"]);
    assert_eq!(names(&of(Some(2), "")), ["bulk #2", "a load #2", "latency #2"]);
    assert_eq!(
        names(&of(Some(2), "to connect")),
        ["bulk #2, to connect", "a load #2, to connect", "to connect #2"]
    );
}

#[test]
fn columns_have_every_percentile_and_keep_the_median_and_the_99th() {
    use super::super::fixture::{load, requests};
    let load = LoadResult { latencies: vec![requests(None, "")], ..load() };
    let columns = columns(&rows([&load]), false);
    let shown: Vec<_> =
        columns.iter().map(|it| (it.heading.as_str(), it.cells[0].as_str(), it.expendable)).collect();
    let expected = [
        ("latency", "bulk", 0),
        ("a second", "12346", 1),
        ("p50", "10.0 us", 0),
        ("p90", "20.0 us", 3),
        ("p99", "30.0 us", 0),
        ("p99.9", "40.0 us", 5),
        ("p99.99", "50.0 us", 6),
        ("p99.999", "60.0 us", 7),
        ("longest", "1.50 ms", 1),
        ("lost", "4", 2),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn a_flow_of_requests_that_went_wrong_says_how() {
    use super::super::fixture::load;
    use linerate_analysis::report::Trouble;
    let trouble = |flow, ended| Trouble { flow, ended };
    let troubles = vec![
        trouble(1, Ended::Never),
        trouble(2, Ended::Stalled(Span::from_ms(5_000))),
        trouble(3, Ended::Failed("no\u{1b}".to_owned())),
        trouble(4, Ended::Complete),
    ];
    let expected = ["flow #1: it never began", "flow #2: STALLED 5.00 s", "flow #3: FAILED: no\u{fffd}"];
    assert_eq!(super::troubles(&LoadResult { troubles, ..load() }), expected);
}
