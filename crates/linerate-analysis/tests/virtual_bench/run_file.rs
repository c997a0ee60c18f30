//! The run file, made from a measurement in virtual time.

use std::path::PathBuf;

use linerate_analysis::assessment::assess;
use linerate_core::app::{Account, AppCase, AppFigure, AppRun, Axis, Check, Cost, Course, Phase};
use linerate_core::environment::Fact;
use linerate_core::grid::Grid;
use linerate_core::kernel::{HostSample, TcpSample};
use linerate_core::measure::{Ended, Method, Outcome};
use linerate_core::mesh::Rank;
use linerate_core::options::Granted;
use linerate_core::pattern::Pattern;
use linerate_core::plan::{
    AppOptions, AppPlan, Common, CurvePlan, Load, Plan, RrPlan, StreamPlan, StreamTask, Task,
};
use linerate_core::run::{Answering, EndState, FORMAT, Path, Run, RunFileError, Source, State};
use linerate_core::schedule::Schedule;
use linerate_core::stats::Histogram;
use linerate_core::traffic::{
    Datagrams, Direction, Ended as Traffic, FlowAccount, HalfAccount, Interval, IoReport, Latency, Transfer,
};
use linerate_core::transport::Transport;
use linerate_core::units::{Size, Span};

use crate::support::link::Link;
use crate::support::virtual_bench::VirtualBench;
use crate::support::watch::{method, watched};

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
    let schedule = Schedule::List(sizes);
    let task = Task::Curve(CurvePlan { schedule, ci: method.target, ..CurvePlan::default() });
    let plan = Plan { common: Common { time: method.time, seed: method.seed, ..Common::default() }, task };
    let mut run = Run {
        generator: "linerate 0.1.0".to_owned(),
        started: "2025-01-01T00:00:00Z".to_owned(),
        state,
        series: vec![outcome.series],
        ..Run::new(Source::Modelled("exact link".to_owned()), plan)
    };
    run.paths[0].transport = "model".to_owned();
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
    let text = run(1).to_json().replacen("\"format\": 3", "\"format\": 4", 1);
    assert!(matches!(Run::from_json(&text), Err(RunFileError::Later { found: 4 })));
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
    assert_eq!((run.format, run.state.clone()), (FORMAT, State::Complete));
    assert_eq!(run.plan.common.time, Span::from_ms(40));
    let [series] = &run.series[..] else { panic!("one series, not {}", run.series.len()) };
    let sizes: Vec<u64> = series.points.iter().map(|point| point.size).collect();
    assert_eq!(sizes, [1, 64, 1024]);
    assert_eq!((&run.generator[..], &run.started[..]), ("linerate 0.1.0", "2025-01-01T00:00:00Z"));
    for point in &series.points {
        let time = point.time().expect("it was timed");
        assert!(time.interval.is_some_and(|[low, high]| low <= time.median && time.median <= high));
        assert_eq!(
            point.histogram.count(),
            point.rounds.iter().map(|round| u64::from(round.samples)).sum::<u64>()
        );
    }
}

#[test]
fn the_older_name_of_a_pattern_is_read_for_ever() {
    let text = std::fs::read_to_string(sample(1)).expect("it is committed");
    let run = Run::from_json(&text.replace("ping-pong", "stream")).expect("a file of format 1");
    assert_eq!(run.series[0].pattern, Pattern::OneWay);
    assert_eq!(run.plan.curve().map(|curve| curve.pattern), Some(Pattern::OneWay));
    let again = run.to_json();
    assert_eq!(again.matches("\"pattern\": \"one-way\"").count(), 2, "{again}");
}

#[test]
fn format_2_is_read_for_ever() {
    let run = Run::from_json(&std::fs::read_to_string(sample(2)).expect("it is committed"))
        .expect("a file of format 2");
    assert_eq!((run.format, run.state.clone()), (FORMAT, State::Complete));
    let stream = run.plan.stream().expect("it was asked for");
    assert_eq!((stream.bulk.flows, run.plan.common.transport), (2, Transport::Udp));
    let [transfer] = &run.transfers[..] else { panic!("one load, not {}", run.transfers.len()) };
    assert_eq!(transfer.load.stream.as_ref(), Some(&stream.bulk), "the plan says what was asked");
    let [summary] = transfer.summaries().try_into().expect("one direction");
    assert_eq!((summary.complete, summary.stalled, summary.failed), (1, 1, 0));
    let first = &transfer.flows[0].receiver;
    assert_eq!(first.datagrams.as_ref().map(|fate| fate.lost), Some(3));
    assert_eq!(first.tcp[0].cwnd, 10);
    assert_eq!(first.departures.as_ref().map(Histogram::count), Some(1));
    assert_eq!(transfer.latencies[0].service.count(), 1);
}

#[test]
fn format_3_is_read_for_ever() {
    let run = Run::from_json(&std::fs::read_to_string(sample(3)).expect("it is committed"))
        .expect("a file of format 3");
    assert_eq!((run.format, run.state.clone()), (FORMAT, State::Complete));
    assert_eq!(run.id, "0199aa00-0000-7000-8000-000000000001");
    assert_eq!(run.labels.get("kernel").map(String::as_str), Some("6.18"));
    let ends: Vec<_> = run.paths.iter().map(|path| (path.from, path.to, &path.to_address[..])).collect();
    assert_eq!((run.nodes.len(), ends), (3, vec![(0, 1, "10.0.0.2:5470"), (0, 2, "10.0.0.3:5470")]));
    let second = &run.paths[1].to_granted.huge_pages;
    assert_eq!(second.as_ref().and_then(Fact::known), Some(&(4 << 20)));
    let [transfer] = &run.transfers[..] else { panic!("one load, not {}", run.transfers.len()) };
    let asked = transfer.load.stream.as_ref().expect("bulk");
    assert_eq!((asked.flows, asked.message), (2, Some(Size(1_000))), "the load says what was asked of it");
    let half = &transfer.flows[0].receiver;
    assert_eq!((half.last, half.warm), (Some(Span::from_ms(5)), Some((Span::ZERO, 0))));
    assert_eq!(half.departures.as_ref().map(Histogram::count), Some(1));
    assert_eq!(transfer.flows[1].receiver.silence, Span::from_ms(9_000));
    let round = &run.series[0].points[0].rounds[0];
    assert!(round.min <= round.median && round.median <= round.max);
}

#[test]
fn the_paths_of_earlier_formats_are_read_whole() {
    for format in [1, 2] {
        let text = std::fs::read_to_string(sample(format)).expect("it is committed");
        let path = r#"{"transport": "udp", "local": "[::1]:7", "remote": "[::2]:9", "ipv6": true}"#;
        let (before, after) = text.split_once("\n \"path\": {").expect("a path");
        let (_, after) = after.split_once("\n },").expect("its end");
        let run = Run::from_json(&format!("{before}\n \"path\": {path},{after}")).expect("a run");
        let Path { from, to, transport, from_address, to_address, ipv6, .. } = run.path();
        let read = (*from, *to, &transport[..], &from_address[..], &to_address[..], *ipv6);
        assert_eq!(read, (0, 1, "udp", "[::1]:7", "[::2]:9", true));
    }
}

/// Writes the sample, once for each format: `cargo test -p linerate-core --test it -- --ignored
/// write_the_sample`.
#[test]
#[ignore = "writes tests/runs; only when FORMAT changes"]
fn write_the_sample_of_this_format() {
    let file = sample(FORMAT);
    assert!(!file.exists(), "{} exists; a format is written once", file.display());
    std::fs::write(file, a_run_of_everything().to_json()).expect("the source tree is ours to write");
}

/// A curve, a bulk stream and requests in one file.
pub(crate) fn a_run_of_everything() -> Run {
    let mut some = Histogram::default();
    some.record(Span::from_us(7));
    let half = HalfAccount {
        ended: Traffic::Complete,
        bytes: 1_000,
        messages: 1,
        first: Some(Span::ZERO),
        last: Some(Span::from_ms(5)),
        warm: Some((Span::ZERO, 0)),
        cpu: Some(Span::from_ms(1)),
        intervals: vec![Interval { until: Span::from_ms(5), bytes: 1_000 }],
        tcp: vec![TcpSample { cwnd: 10, ..TcpSample::default() }],
        datagrams: Some(Datagrams { lost: 3, ..Datagrams::default() }),
        departures: Some(some.clone()),
        io: Some(IoReport { zero_copy_asked: 1, ..IoReport::default() }),
        ..HalfAccount::default()
    };
    let silent = HalfAccount { silence: Span::from_ms(9_000), ..half.clone() };
    let flow = |number, receiver: HalfAccount| FlowAccount {
        flow: number,
        peer: number,
        direction: Direction::Send,
        sender: half.clone(),
        receiver,
    };
    let more_hosts = vec!["elsewhere".to_owned()];
    let task = StreamTask {
        bulk: StreamPlan { flows: 2, ..StreamPlan::default() },
        more_hosts,
        table: Grid::new(vec!["messages=1000".parse().expect("an axis")]).expect("a grid"),
    };
    let common = Common { transport: Transport::Udp, ..Common::default() };
    let plan = Plan { common, task: Task::Stream(task) };
    let transfer = Transfer {
        label: "message=1000".to_owned(),
        load: Load { rr: Some(RrPlan::default()), ..plan.loads().expect("no table")[0].load.clone() },
        flows: vec![flow(0, half.clone()), flow(1, silent)],
        latencies: vec![Latency { transactions: 1, service: some, ..Latency::default() }],
        hosts: vec![vec![HostSample { processors: 2, ..HostSample::default() }], Vec::new()],
    };
    let mut run = run(1);
    run.plan = plan;
    run.transfers = vec![transfer];
    run.id = "0199aa00-0000-7000-8000-000000000001".to_owned();
    run.labels.insert("kernel".to_owned(), "6.18".to_owned());
    let granted = Granted { huge_pages: Some(Fact::Known(4 << 20)), ..Granted::default() };
    let answering = |address: &str, granted: Granted| Answering {
        end: EndState { granted, ..EndState::default() },
        path: Path { to_address: address.to_owned(), ..Path::default() },
    };
    let answering = vec![answering("10.0.0.2:5470", Granted::default()), answering("10.0.0.3:5470", granted)];
    run.set_star(EndState::default(), answering);
    run
}

/// An application on two ranks.
pub(crate) fn a_run_of_an_application() -> Run {
    let account = Account {
        total_ps: 9,
        computed_ps: 5,
        communicated_ps: 3,
        units: 2,
        messages: vec![0, 1],
        bytes: vec![0, 8],
        phases: vec![Phase { what: "forces".to_owned(), begin_ps: 1, end_ps: 6 }],
        step_ps: Some(8),
    };
    let points = vec![[1.0, -2.5], [2.0, -2.25]];
    let case = AppCase {
        ranks: 2,
        repetition: 1,
        merit: 0.1,
        interrupted: true,
        figures: vec![AppFigure::new("drift", 1e-7, "eV"), AppFigure::new("atoms", 8.0, "")],
        courses: vec![Course {
            name: "energy".to_owned(),
            x: Axis::log("time", "s"),
            y: Axis::linear("energy", "eV"),
            points,
        }],
        checks: vec![Check::equal("all atoms are there", 8, 8)],
        accounts: vec![account.clone(), Account { step_ps: None, ..account }],
    };
    let mut options = AppOptions::new();
    options.insert("cells".to_owned(), serde_json::json!([6, 6, 6]));
    let asked = AppPlan {
        name: "md".to_owned(),
        ranks: vec![2],
        unit_cost_ps: Some(26.5),
        options,
        ..AppPlan::default()
    };
    let plan = Plan { task: Task::App(asked), ..Plan::default() };
    let mut run = Run::new(Source::Modelled("a".to_owned()), plan);
    run.app = Some(AppRun {
        name: "md".to_owned(),
        title: "Lennard-Jones MD".to_owned(),
        merit: "atom-steps/s".to_owned(),
        unit: "step of an atom".to_owned(),
        cost: Some(Cost { unit_ps: 26.5, measured: false }),
        ranks: ["s0", "s1"].map(|name| Rank { name: name.to_owned(), ..Rank::default() }).into(),
        cases: vec![case],
    });
    run.set_stations(vec![None, None]);
    run
}

#[test]
fn an_application_survives_its_file() {
    let run = a_run_of_an_application();
    assert_eq!(Run::from_json(&run.to_json()).expect("it was written so"), run);
    assert_eq!(Plan::from_toml(&run.plan.to_toml()).expect("it was written so"), run.plan);
    assert_eq!((run.nodes.len(), run.ranks().map(<[_]>::len)), (2, Some(2)));
}

#[test]
fn everything_that_a_run_can_hold_survives_its_file() {
    let run = a_run_of_everything();
    assert_eq!(Run::from_json(&run.to_json()).expect("it was written so"), run);
    let peers: Vec<_> = run.answering().map(|(_, path)| path.to_address.as_str()).collect();
    assert_eq!(peers, ["10.0.0.2:5470", "10.0.0.3:5470"]);
}
