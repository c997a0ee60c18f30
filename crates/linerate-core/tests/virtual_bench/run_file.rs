//! The run file, made from a measurement in virtual time.

use std::path::PathBuf;

use linerate_core::caution::assess;
use linerate_core::measure::{Ended, Method, Outcome};
use linerate_core::plan::Plan;
use linerate_core::run::{End, FORMAT, Path, Run, RunFileError, Source, State};
use linerate_core::schedule::Schedule;
use linerate_core::units::{Size, Span};

use crate::link::Link;
use crate::virtual_bench::VirtualBench;
use crate::watch::{method, watched};

/// The committed run of a format. It is never made again: later versions must read it as it is.
fn sample(format: u32) -> PathBuf {
    PathBuf::from(format!("{}/tests/runs/format-{format}.run.json", env!("CARGO_MANIFEST_DIR")))
}

/// A run as a binary would store it.
pub(crate) fn run_of(outcome: Outcome, method: &Method) -> Run {
    let state = match outcome.ended {
        Ended::Complete => State::Complete,
        Ended::Interrupted => State::Interrupted,
        Ended::Failed(error) => State::Failed(error.to_string()),
    };
    let sizes = method.sizes.iter().copied().map(Size).collect();
    let plan = Plan {
        schedule: Schedule::List(sizes),
        time: method.time,
        ci: method.target,
        seed: method.seed,
        ..Plan::default()
    };
    let mut run = Run {
        format: FORMAT,
        generator: "linerate 0.1.0".to_owned(),
        started: "2025-01-01T00:00:00Z".to_owned(),
        source: Source::Modelled("exact link".to_owned()),
        state,
        plan,
        local: End::default(),
        remote: End::default(),
        path: Path { transport: "model".to_owned(), ..Path::default() },
        model: None,
        series: vec![outcome.series],
        cautions: Vec::new(),
    };
    run.cautions = assess(&run);
    run
}

pub(crate) fn run(seed: u64) -> Run {
    let noisy = Link { jitter: |_| Span::from_us(5), ..Link::default() };
    let method = method(&[1, 64, 1024], 40, 0.02, seed);
    run_of(watched(&mut VirtualBench::new(noisy, seed), &method).0, &method)
}

#[test]
fn a_run_survives_its_file() {
    let run = run(1);
    assert_eq!(Run::from_json(&run.to_json()).expect("its own form"), run);
}

#[test]
fn one_seed_gives_one_file_to_the_byte_and_another_seed_another() {
    assert_eq!(run(1).to_json(), run(1).to_json());
    assert_ne!(run(1).series, run(2).series);
}

#[test]
fn a_file_that_was_cut_anywhere_is_never_read() {
    let text = run(1).to_json();
    // All but the last line end, after which nothing is missing.
    for end in (0..text.trim_end().len()).filter(|end| text.is_char_boundary(*end)) {
        match Run::from_json(&text[..end]) {
            // Within a number serde_json sees bad syntax rather than an end.
            Err(RunFileError::Cut | RunFileError::Foreign(_)) => {}
            other => panic!("cut at {end}: {other:?}"),
        }
    }
}

#[test]
fn a_later_format_is_refused_by_its_number_whatever_else_it_holds() {
    let later = r#"{"format": 7, "all": {"that": ["is", "new"]}}"#;
    assert!(matches!(Run::from_json(later), Err(RunFileError::Later { found: 7 })));
    let text = run(1).to_json().replacen("\"format\": 1", "\"format\": 2", 1);
    assert!(matches!(Run::from_json(&text), Err(RunFileError::Later { found: 2 })));
}

#[test]
fn what_is_no_run_is_foreign_and_what_is_no_right_run_says_where() {
    for text in
        ["[]", "1", "null", "{}", "hello", r#"{"format": "1"}"#, r#"{"format": 0}"#, r#"{"format": -1}"#]
    {
        assert!(matches!(Run::from_json(text), Err(RunFileError::Foreign(_))), "{text}");
    }
    let error = Run::from_json(r#"{"format": 1}"#).expect_err("everything else is missing");
    assert!(matches!(error, RunFileError::Content { format: 1, .. }), "{error}");
}

#[test]
fn format_1_is_read_for_ever() {
    let run = Run::from_json(&std::fs::read_to_string(sample(1)).expect("it is committed"))
        .expect("a file of format 1");
    assert_eq!((run.format, run.state.clone()), (1, State::Complete));
    assert_eq!(run.plan.time, Span::from_ms(40));
    let [series] = &run.series[..] else { panic!("one series, not {}", run.series.len()) };
    let sizes: Vec<u64> = series.points.iter().map(|point| point.size).collect();
    assert_eq!(sizes, [1, 64, 1024]);
    for point in &series.points {
        let time = point.time().expect("it was timed");
        assert!(time.interval.is_some_and(|[low, high]| low <= time.median && time.median <= high));
        assert_eq!(
            point.histogram.count(),
            point.rounds.iter().map(|round| u64::from(round.samples)).sum::<u64>()
        );
    }
}

/// Writes the sample, once for each format: `cargo test -p linerate-core --test virtual_bench --
/// --ignored write_the_sample`.
#[test]
#[ignore = "writes tests/runs; only when FORMAT changes"]
fn write_the_sample_of_this_format() {
    let file = sample(FORMAT);
    assert!(!file.exists(), "{} exists; a format is written once", file.display());
    std::fs::write(file, run(1).to_json()).expect("the source tree is ours to write");
}
