//! Traces as people and other tools read them.

use linerate_core::plan::{Level, Rows};
use serde_json::Value;

use super::fixture::{measured, of_model, report};
use super::perfetto::perfetto;
use crate::text::columns;

#[test]
fn the_text_names_every_stage_and_what_is_doubtful() {
    let report = report(vec![measured()]);
    insta::assert_snapshot!(crate::text(&report, 80, Rows::Short));
    for width in [40, 60, 120] {
        let text = crate::text(&report, width, Rows::All);
        assert!(text.lines().all(|line| columns(line) <= usize::from(width)), "{width}:\n{text}");
        assert!(text.contains("there") && text.contains("back"), "{text}");
    }
}

#[test]
fn a_real_and_a_modelled_message_have_the_same_stages_when_they_lie_one_over_the_other() {
    let both = report(vec![measured(), of_model()]);
    let works = |trace: usize| -> Vec<String> {
        both.traces[trace].rows[0].stages.iter().map(linerate_core::trace::Stage::work).collect()
    };
    assert_eq!(works(0), works(1));
    let expected = [
        "system call to copy, TCP and IP",
        "queueing discipline",
        "driver, wire, interrupt",
        "backlog or GRO to TCP",
        "wake-up, copy and return",
    ];
    assert_eq!(works(0), expected);
    // The same messages, so the same times, but for one of which an event was lost.
    for (one, other) in both.traces[0].rows[2].stages.iter().zip(&both.traces[1].rows[2].stages) {
        assert_eq!((one.median_ns, one.max_ns), (other.median_ns, other.max_ns), "{}", one.work());
    }
}

#[test]
fn rows_are_stages_and_messages() {
    let report = report(vec![measured()]);
    let read = |level| {
        let csv = crate::csv(&report, level).expect("it has a CSV form");
        let mut reader = ::csv::Reader::from_reader(csv.as_bytes());
        let header: Vec<String> = reader.headers().expect("a header").iter().map(str::to_owned).collect();
        let rows: Vec<::csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
        (header, rows)
    };
    let (header, rows) = read(Level::Point);
    let column = |name: &str| header.iter().position(|heading| heading == name).expect(name);
    // Ten stages and the whole, of two sizes, both ways.
    assert_eq!(rows.len(), 11 * 4);
    let tcp = rows.iter().find(|row| &row[column("to_point")] == "ready").expect("a row");
    assert_eq!((&tcp[column("from_point")], &tcp[column("median_us")]), ("segment", "0.7"));
    let (header, rows) = read(Level::Round);
    let column = |name: &str| header.iter().position(|heading| heading == name).expect(name);
    assert_eq!(rows.len(), 20 * 4);
    assert_eq!(&rows[3][column("queued_us")], "", "what was lost is unknown");
    assert_eq!(&rows[4][column("running_us")], "4.3");
}

#[test]
fn the_page_has_bars_single_messages_and_tables() {
    let page = crate::html(&report(vec![measured(), of_model()])).expect("a page");
    for text in [
        "Where messages are, by size",
        "Single messages of 64 B: x.run.json",
        "Stages of messages back: gigabit",
        "tcp_sendmsg_locked",
        "(2) gigabit",
    ] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn the_timeline_is_the_trace_event_format() {
    let run = measured().run;
    let timeline: Value = serde_json::from_str(&perfetto(&run)).expect("JSON");
    let events = timeline["traceEvents"].as_array().expect("events");
    let of = |ph: &str| events.iter().filter(|event| event["ph"] == ph).collect::<Vec<_>>();
    // A message has a slice for its call, one for its arrival, and one for each stage: ten, or eight if nobody slept.
    let messages = 20 * 4;
    let stages = messages / 2 * (10 + 8) - 1;
    assert_eq!(of("X").len(), 2 * messages + stages);
    assert_eq!((of("s").len(), of("f").len()), (messages, messages));
    // The slices of a track do not cut each other.
    for pid in 1..=2 {
        for tid in 1..=2 {
            let mut open: Vec<f64> = Vec::new();
            let mut slices: Vec<[f64; 2]> = of("X")
                .iter()
                .filter(|event| event["pid"] == pid && event["tid"] == tid)
                .map(|event| [&event["ts"], &event["dur"]].map(|number| number.as_f64().expect("a number")))
                .map(|[ts, dur]| [ts, ts + dur])
                .collect();
            slices.sort_by(|one, other| one[0].total_cmp(&other[0]).then(other[1].total_cmp(&one[1])));
            for [begin, end] in slices {
                open.retain(|last| *last > begin + 1e-6);
                assert!(
                    open.iter().all(|last| end <= last + 1e-6),
                    "{pid}/{tid}: {begin} to {end} in {open:?}"
                );
                open.push(end);
            }
        }
    }
}
