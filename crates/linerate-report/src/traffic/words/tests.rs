use linerate_core::traffic::{Ended, FlowAccount, HalfAccount, Transfer};

use super::*;
use crate::fixture;

const REASON: &str = "the peer at 10.0.0.2:5003 closed the connection before it had read what was under way";

fn failed(flows: u32) -> linerate_analysis::report::Report {
    let half = HalfAccount { ended: Ended::Failed(REASON.to_owned()), ..HalfAccount::default() };
    let flow = |flow| FlowAccount {
        flow,
        peer: 0,
        direction: Direction::Send,
        sender: half.clone(),
        receiver: HalfAccount::default(),
    };
    fixture::loads(vec![Transfer { flows: (0..flows).map(flow).collect(), ..Transfer::default() }])
}

#[test]
fn a_long_reason_is_below_the_table_and_pushes_no_column_out() {
    let report = failed(10);
    assert_eq!(
        reasons(&report.loads[0]),
        [format!("flows #1, #2, #3, #4, #5, #6, #7, #8 and 2 more: FAILED: {REASON}")]
    );
    let text = crate::text(&report, 80, linerate_core::plan::Rows::Short);
    assert!(text.starts_with("10 of 10 flows have STALLED or FAILED\n"), "{text}");
    let heading = text.lines().find(|line| line.contains("flow  ")).expect("a table");
    assert!(heading.contains("rate"), "{text}");
    assert!(!text.contains("no room"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let unbroken = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(unbroken.contains(&format!("FAILED: {REASON}")), "{text}");
    let page = crate::html(&report).expect("a page");
    assert!(page.contains(">FAILED</td>") && page.contains(REASON), "{page}");
}

use super::super::fixture::{broken, flow, load, sum};
use linerate_core::plan::{Common, Plan, RrPlan};

#[test]
fn amounts_are_in_powers_of_a_thousand() {
    for (bytes, text) in [
        (0, "0 B"),
        (999, "999 B"),
        (10_000, "10.0 kB"),
        (999_999, "1000 kB"),
        (1_000_000, "1.00 MB"),
        (999_000_000, "999 MB"),
        (1_000_000_000, "1.00 GB"),
        (2_500_000_000_000, "2500 GB"),
    ] {
        assert_eq!(amount(bytes), text);
    }
}

#[test]
fn rates_times_and_moments_have_the_unit_that_fits() {
    assert_eq!([None, Some(0.5), Some(2_500.0)].map(rate), ["-", "500 kb/s", "2.50 Gb/s"]);
    assert_eq!([None, Some(0.25), Some(1_500.0)].map(time), ["-", "250 ns", "1.50 ms"]);
    assert_eq!([0.031_25, 2.0].map(since), ["31.2 ms", "2.00 s"]);
}

#[test]
fn a_flow_has_a_rate_or_the_class_that_it_has_instead() {
    assert_eq!(speed(&flow(1, 941.5)), "942 Mb/s");
    assert_eq!(speed(&broken(1, FlowClass::Stalled, "5 s")), "STALLED");
    assert_eq!(speed(&broken(1, FlowClass::Failed, "no")), "FAILED");
}

#[test]
fn flows_that_did_not_complete_are_named_by_their_reason() {
    let flows = vec![
        flow(1, 10.0),
        broken(2, FlowClass::Stalled, "5.000 s"),
        broken(3, FlowClass::Failed, "no"),
        broken(4, FlowClass::Stalled, "5.000 s"),
    ];
    let one_way = LoadResult { flows, sums: vec![sum()], ..load() };
    let expected = ["flows #2, #4: STALLED: no byte moved for 5.000 s", "flow #3: FAILED: no"];
    assert_eq!(reasons(&one_way), expected);
    let mut both = LoadResult { sums: vec![sum(), sum()], labelled: true, ..one_way };
    both.flows.truncate(2);
    assert_eq!(reasons(&both), ["bulk: flow #2 (send): STALLED: no byte moved for 5.000 s"]);
    let exactly = |count| {
        let flows = (1..=count).map(|number| broken(number, FlowClass::Failed, "no")).collect();
        reasons(&LoadResult { flows, ..load() }).remove(0)
    };
    assert!(exactly(8).ends_with("#7, #8: FAILED: no"), "{}", exactly(8));
    assert!(exactly(9).ends_with("#7, #8 and 1 more: FAILED: no"), "{}", exactly(9));
}

/// A run of this task over its one path.
fn run(task: Task) -> Run {
    let mut report = fixture::loads(Vec::new());
    let mut run = report.runs.swap_remove(0).run;
    run.plan = Plan { task, common: Common { time: Span::from_ms(3_000), ..run.plan.common } };
    run
}

fn stream(bulk: StreamPlan) -> Run {
    run(Task::Stream(StreamTask { bulk, ..StreamTask::default() }))
}

fn fact(run: &Run, label: &str) -> Option<String> {
    facts(run).into_iter().find(|[name, _]| name == label).map(|[_, value]| value)
}

#[test]
fn a_headline_says_what_goes_where() {
    let flows = |flows, direction| StreamPlan { flows, direction, ..StreamPlan::default() };
    for (plan, text) in [
        (flows(1, Direction::Send), "stream over tcp, one flow from here"),
        (flows(4, Direction::Receive), "stream over tcp, 4 flows to here"),
        (flows(2, Direction::Both), "stream over tcp, 2 flows each way"),
    ] {
        assert_eq!(headline(&stream(plan)), text);
    }
    for (direction, text) in [
        (Direction::Send, "from here to each"),
        (Direction::Receive, "to here from each"),
        (Direction::Both, "each way with each"),
    ] {
        let mut several = stream(flows(2, direction));
        several.paths.push(several.paths[0].clone());
        assert_eq!(headline(&several), format!("stream over tcp, 2 hosts: 2 flows {text}"));
    }
    let rr = Task::Requests(RrPlan { flows: 3, ..RrPlan::default() });
    assert_eq!(headline(&run(rr)), "rr over tcp, 3 flows");
    assert_eq!(headline(&fixture::loads(Vec::new()).runs[0].run), "loads over tcp");
}

#[test]
fn what_bounds_a_bulk_is_said() {
    let said = |bulk: StreamPlan| fact(&stream(bulk), "bulk").expect("it is a stream");
    let plan = StreamPlan::default;
    assert_eq!(said(plan()), "3 s");
    assert_eq!(said(StreamPlan { warm_up: Span::from_ms(500), ..plan() }), "3 s after 500 ms of warm-up");
    assert_eq!(said(StreamPlan { count: Some(1), ..plan() }), "one message a flow");
    assert_eq!(said(StreamPlan { count: Some(7), ..plan() }), "7 messages a flow");
    let bytes = StreamPlan { bytes: Some(linerate_core::units::Size(1 << 20)), count: Some(7), ..plan() };
    assert_eq!(said(bytes), "1 MiB a flow");
    let paced = StreamPlan { rate: Some(Rate::from_mbps(100.0)), ..plan() };
    assert_eq!(said(paced), "3 s, paced to 100 Mb/s a direction");
}

#[test]
fn requests_say_their_sizes_and_their_loop() {
    let said = |rr: RrPlan| fact(&run(Task::Requests(rr)), "requests").expect("it asks");
    let size = linerate_core::units::Size;
    let plan = || RrPlan { request: size(64), response: size(1024), depth: 1, flows: 2, ..RrPlan::default() };
    let sizes = "requests of 64 B and responses of 1 KiB";
    assert_eq!(said(plan()), format!("{sizes}, a closed loop, 1 under way, 2 flows"));
    let open = RrPlan { rate: Some(500.0), ..plan() };
    assert_eq!(said(open), format!("{sizes}, an open loop of 500 a second, 2 flows"));
    let connect = RrPlan { connect: true, flows: 1, ..plan() };
    assert_eq!(said(connect), format!("{sizes}, a connection for each, one flow"));
}

#[test]
fn calls_say_whether_the_application_gets_the_bytes() {
    let mut run = stream(StreamPlan::default());
    assert_eq!(fact(&run, "path").as_deref(), Some("10.0.0.1:40000 -> 10.0.0.2:5003"));
    let plain = fact(&run, "calls").expect("hosts call");
    assert!(plain.ends_with("; what arrives is copied to the application"), "{plain}");
    run.plan.common.memory.touch = true;
    assert!(fact(&run, "calls").expect("hosts call").ends_with("copied to the application and read by it"));
    run.model = Some(crate::fixture::model());
    assert_eq!(fact(&run, "calls"), None, "a model calls nothing");
}
