//! The whole of an application in every form.

mod odd;

use linerate_analysis::report::Report;
use linerate_core::plan::{Level, Rows};
use serde_json::Value;

use super::fixture;
use crate::{RenderError, csv, golden, html, json, np, svg, text};

/// For looking at: `LINERATE_PAGES=/tmp/x cargo test -p linerate-report app::tests::to_look_at -- --ignored`.
#[test]
#[ignore = "writes files for a person to look at"]
fn to_look_at() {
    let folder = std::path::PathBuf::from(std::env::var_os("LINERATE_PAGES").expect("it names a folder"));
    for (name, report) in [
        ("one", fixture::one()),
        ("two", fixture::two()),
        ("wrong", fixture::wrong()),
        ("measured", fixture::measured()),
        ("wide", fixture::wide()),
        ("both", Report::new([fixture::one().runs, crate::fixture::one().runs].concat())),
    ] {
        let write = |form: &str, text: String| {
            std::fs::write(folder.join(name).with_extension(form), text).expect("the folder is there");
        };
        write("html", html(&report).expect("it has a page"));
        write("svg", svg(&report).expect("it can be drawn"));
        write("txt", text(&report, 80, Rows::Short));
    }
}

#[test]
fn the_texts_read_well() {
    for (name, report) in
        [("two", fixture::two()), ("wrong", fixture::wrong()), ("measured", fixture::measured())]
    {
        insta::assert_snapshot!(format!("the_text_of_{name}"), text(&report, 80, Rows::Short));
    }
    insta::assert_snapshot!("the_text_of_wrong_with_all_rows", text(&fixture::wrong(), 140, Rows::All));
}

#[test]
fn a_text_keeps_its_width() {
    for width in [60, 80, 120] {
        for report in [fixture::two(), fixture::wrong(), fixture::measured(), fixture::wide()] {
            for line in text(&report, width, Rows::All).lines() {
                assert!(crate::text::columns(line) <= usize::from(width), "{width}: {line}");
            }
        }
    }
}

#[test]
fn the_page_of_two_networks_reads_well() {
    insta::assert_snapshot!(golden::page(&html(&fixture::two()).expect("it has a page")));
}

#[test]
fn the_rows_read_well() {
    insta::assert_snapshot!(csv(&fixture::two(), Level::Point).expect("it has rows"));
    insta::assert_snapshot!(
        "the_rows_of_pairs_read_well",
        csv(&fixture::one(), Level::Pair).expect("it has rows")
    );
}

/// What a table of CSV says, by the names of its columns.
fn records(table: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let mut reader = ::csv::Reader::from_reader(table.as_bytes());
    reader.deserialize().map(|line| line.expect("a line")).collect()
}

#[test]
fn the_pairs_of_a_case_add_up_to_its_row() {
    let report = fixture::two();
    let cases = records(&csv(&report, Level::Point).expect("it has rows"));
    let pairs = records(&csv(&report, Level::Pair).expect("it has rows"));
    assert!(pairs.iter().all(|pair| pair["kind"] == "traffic" && pair["from"] != pair["to"]));
    for case in &cases {
        let same = |pair: &&std::collections::BTreeMap<String, String>| {
            ["run", "network", "app", "ranks", "repetition"].iter().all(|name| pair[*name] == case[*name])
        };
        for column in ["sent_messages", "sent_bytes"] {
            let number = |text: &str| text.parse::<u64>().expect("a whole number");
            let sum: u64 = pairs.iter().filter(same).map(|pair| number(&pair[column])).sum();
            assert_eq!(sum, number(&case[column]), "{column} of {case:?}");
        }
    }
}

/// Both repetitions on one rank count.
#[test]
fn the_speed_up_of_a_case_is_over_the_median_on_one_rank() {
    let report = fixture::one();
    let cases = records(&csv(&report, Level::Point).expect("it has rows"));
    let number = |case: usize, column: &str| cases[case][column].parse::<f64>().expect("a number");
    let alone = f64::midpoint(number(0, "merit"), number(1, "merit"));
    for case in 0..cases.len() {
        let speed_up = number(case, "merit") / alone;
        assert!((number(case, "speed_up") / speed_up - 1.0).abs() < 1e-12, "case {case}");
        let efficiency = speed_up / number(case, "ranks");
        assert!((number(case, "efficiency") / efficiency - 1.0).abs() < 1e-12, "case {case}");
    }
    // Nothing to compare with.
    let report = fixture::changed(|app| app.cases.retain(|case| case.ranks > 1));
    let cases = records(&csv(&report, Level::Point).expect("it has rows"));
    assert!(cases.iter().all(|case| case["speed_up"].is_empty() && case["efficiency"].is_empty()));
}

/// The data of a page's tooltips.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"data\">").expect("it has data");
    serde_json::from_str(rest.split_once("</script>").expect("they end").0).expect("they are JSON")
}

/// What is said of the points of the curves of the figure with this id, by the names of the curves.
fn said(page: &str, id: &str) -> Vec<(String, Vec<String>)> {
    let (_, rest) = page.split_once(&format!("id=\"{id}\"")).expect("the figure is there");
    let (_, rest) = rest.split_once("data-graph=\"").expect("it has a graph");
    let graph: usize = rest.split_once('"').expect("a number").0.parse().expect("a number");
    let data = data(page);
    let layers = data["graphs"][graph]["layers"].as_array().expect("layers").clone();
    let of = |layer: &Value| {
        let lines = |lines: &Value| {
            lines.as_array().expect("lines").iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
        };
        let points = layer["points"].as_array().expect("points").iter().map(lines).collect::<Vec<_>>();
        assert_eq!(layer["values"].as_array().map(Vec::len), Some(points.len()));
        (layer["name"].as_str().expect("a name").to_owned(), points)
    };
    layers.iter().map(of).collect()
}

#[test]
fn each_network_is_a_curve_whose_points_are_the_rows_of_its_report() {
    let report = fixture::two();
    let page = html(&report).expect("it has a page");
    for (id, curves) in [("speed-up-0", 3), ("merit-0", 2), ("communication-0", 2)] {
        let said = said(&page, id);
        assert_eq!(said.len(), curves, "{id}");
        for (app, (name, points)) in report.apps.iter().zip(&said) {
            assert_eq!((name, points.len()), (&app.name, app.rows.len()), "{id}");
            for (row, point) in app.rows.iter().zip(points) {
                let merit = super::words::merit(&app.merit, row.merit);
                assert!(point.contains(&merit), "{point}: {merit}");
                let speed_up = format!("speed-up x{:.2}", row.speed_up.expect("one rank is there"));
                assert!(point.contains(&speed_up), "{point}: {speed_up}");
                assert!(point.contains(&format!("{} messages", row.messages)) || row.messages == 1);
            }
        }
    }
    let ideal = said(&page, "speed-up-0").swap_remove(2);
    assert_eq!(
        ideal,
        ("ideal".to_owned(), vec!["ideal: x1 on 1 ranks".into(), "ideal: x4 on 4 ranks".into()])
    );
}

/// 4 ranks with two phases each, which leave a gap between them and one at the end.
#[test]
fn a_step_has_a_bar_for_each_phase_and_a_line_for_each_gap() {
    let report = fixture::two();
    let page = html(&report).expect("it has a page");
    let layers = said(&page, "step-0-1");
    let names: Vec<(&str, usize)> =
        layers.iter().map(|(name, points)| (name.as_str(), points.len())).collect();
    assert_eq!(names, [("neighbours", 4), ("forces", 4), ("communication or waiting", 8)]);
    let account = &report.runs[1].run.app.as_ref().expect("it has one").cases[4].accounts[0];
    let took = account.phases[1].end_ps - account.phases[1].begin_ps;
    let lasted = crate::text::time_text(took as f64);
    assert!(layers[1].1[0].starts_with(&format!("rank 0: forces; {lasted}, ")), "{:?}", layers[1].1[0]);
}

#[test]
fn every_case_is_a_row_and_the_json_has_the_applications() {
    let report = fixture::wrong();
    let rows = csv(&report, Level::Point).expect("it has rows");
    let mut reader = ::csv::Reader::from_reader(rows.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let at = |name: &str| header.iter().position(|heading| heading == name).expect(name);
    let lines: Vec<_> = reader.records().map(|line| line.expect("a line")).collect();
    let cases = &report.runs[0].run.app.as_ref().expect("it has one").cases;
    assert_eq!(lines.len(), cases.len());
    for (line, case) in lines.iter().zip(cases) {
        assert_eq!(line[at("ranks")].parse(), Ok(case.ranks));
        assert_eq!(line[at("merit")].parse(), Ok(case.merit));
        assert_eq!(line[at("elapsed_s")].parse(), Ok(case.seconds()));
        assert_eq!(line[at("communication_share")].parse(), Ok(case.communication_share()));
        assert_eq!(line[at("sent_bytes")].parse(), Ok(case.bytes()));
        assert_eq!(line[at("failed_checks")].parse(), Ok(case.failed_checks().count()));
    }
    assert_eq!(&lines[5][at("failed_checks")], "1");
    let json: Value =
        serde_json::from_str(&json(&report, Level::Point).expect("it has a form")).expect("JSON");
    let row = &json["apps"][0]["rows"][2];
    assert_eq!((row["ranks"].as_u64(), row["merit"].as_f64()), (Some(4), Some(report.apps[0].rows[2].merit)));
    assert_eq!(json["rows"].as_array().map(Vec::len), Some(lines.len()));
    for level in [Level::Round, Level::Interval] {
        let refused = csv(&report, level).expect_err("an application has none").to_string();
        assert!(refused.ends_with("ask for the level run, point or pair"), "{refused}");
    }
    let refused = np(&report).expect_err("it has no curve");
    assert!(matches!(refused, RenderError::NoCurve { .. }) && refused.to_string().contains("applications"));
}

#[test]
fn a_check_that_did_not_hold_is_said_first_with_its_numbers() {
    let report = fixture::wrong();
    let failure = "energy is conserved: 2.500e-1, at most 1.000e-3";
    let page = html(&report).expect("it has a page");
    let (before, _) = page.split_once("<section id=\"scaling\"").expect("it has charts");
    assert!(before.contains(failure) && before.contains("one check FAILED"));
    let words = text(&report, 80, Rows::Short);
    assert!(words.contains(failure) && words.contains("11 of 12 checks held"), "{words}");
    assert!(!text(&fixture::one(), 80, Rows::Short).contains("FAILED"));
    assert!(text(&fixture::one(), 80, Rows::Short).contains("12 of 12 checks held"));
}

#[test]
fn the_file_has_speed_up_and_merit_of_each_application() {
    let file = svg(&fixture::two()).expect("it can be drawn");
    assert_eq!(file.matches("class=\"axes\"").count(), 2);
    assert_eq!(file.matches("class=\"curve\"").count(), 3 + 2);
    assert!(file.contains("Lennard-Jones MD: speed-up"));
    assert!(file.contains("Lennard-Jones MD: atom-steps/s against ranks"));
}
