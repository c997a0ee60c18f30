use linerate_core::stats::Histogram;
use linerate_core::traffic::{FlowAccount, HalfAccount, Transfer};
use linerate_core::transport::Transport;
use linerate_core::units::Span;

use super::super::fixture;
use super::*;

fn flow(flow: u32, io: IoReport, apart: Option<Span>) -> FlowAccount {
    let mut departures = Histogram::default();
    apart.iter().for_each(|span| (0..1_000).for_each(|_| departures.record(*span)));
    let departures = apart.map(|_| departures);
    let sender = HalfAccount { departures, io: Some(io), ..HalfAccount::default() };
    FlowAccount { flow, peer: 0, direction: Direction::Send, sender, receiver: HalfAccount::default() }
}

fn said(flows: Vec<FlowAccount>, label: &str) -> Vec<String> {
    let report = crate::fixture::loads(vec![Transfer { flows, ..Transfer::default() }]);
    let lines = sums(&report.runs[0].run, &report.loads[0]);
    lines.into_iter().filter(|[name, _]| name == label).map(|[_, value]| value).collect()
}

#[test]
fn a_pace_shows_how_far_apart_the_messages_of_all_flows_left() {
    let [early, late] = [80, 120].map(|us| Some(Span::from_us(us)));
    let flows = vec![flow(0, IoReport::default(), early), flow(1, IoReport::default(), late)];
    let [line] = &said(flows, "departures")[..] else { panic!("one direction") };
    assert!(line.starts_with("median 80") && line.contains("p99 ") && line.ends_with("at most"), "{line}");
    assert_eq!(said(vec![flow(0, IoReport::default(), None)], "departures"), [""; 0]);
}

#[test]
fn engines_say_what_the_kernel_did_and_plain_copies_nothing() {
    let io = IoReport { zero_copy_asked: 100, zero_copy_copied: 25, ..IoReport::default() };
    let flows = vec![flow(0, io.clone(), None), flow(1, io, None)];
    let expected = "the kernel copied 50 (25.0 %) of 200 zero-copy sends";
    assert_eq!(said(flows, "engines"), [expected]);
    let io = IoReport { mapped_bytes: 2_000_000, discarded_bytes: 5_000_000, ..IoReport::default() };
    let expected = "2.00 MB arrived by mapping pages, 5.00 MB were discarded unread";
    assert_eq!(said(vec![flow(0, io, None)], "engines"), [expected]);
    assert_eq!(said(vec![flow(0, IoReport::default(), None)], "engines"), [""; 0]);
}

/// The labels and values of a sum of a run that was measured.
fn lines(sum: &DirectionSum) -> Vec<[String; 2]> {
    let report = crate::fixture::loads(vec![Transfer::default()]);
    direction(&report.runs[0].run, sum)
}

fn value(sum: &DirectionSum, label: &str) -> String {
    let found = lines(sum).into_iter().find(|[name, _]| name == label);
    found.unwrap_or_else(|| panic!("there is {label}"))[1].clone()
}

#[test]
fn a_direction_says_all_that_is_known_of_it_in_its_order() {
    let labels = |sum: &DirectionSum| lines(sum).into_iter().map(|[label, _]| label).collect::<Vec<_>>();
    assert_eq!(labels(&fixture::sum()), ["from here", "processor"]);
    let full = fixture::full_sum();
    assert_eq!(labels(&full), ["from here", "datagrams", "ECN", "processor", "departures", "engines"]);
    let received = DirectionSum { direction: Direction::Receive, ..fixture::sum() };
    assert_eq!(labels(&received)[0], "to here");
    assert_eq!(
        value(&full, "processor"),
        "sender 0.250 s, receiver unknown for 10^9 B, in the flows' threads"
    );
    assert_eq!(value(&full, "departures"), "median 100 us apart, p99 150 us, 2.00 ms at most");
    assert_eq!(
        value(&full, "datagrams"),
        "of 1000 sent 10 (1.0 %) lost on the path, 20 (2.0 %) dropped by the receiver's socket"
    );
    assert_eq!(value(&full, "ECN"), "sent ECT(0); 60 of 970 (6.2 %) arrived CE, 10 bleached");
    assert_eq!(value(&full, "engines"), "the kernel copied 2 (25.0 %) of 8 zero-copy sends");
}

#[test]
fn what_the_threads_of_a_library_take_is_not_counted_and_said_so() {
    let said = |transport| {
        let mut report = crate::fixture::loads(vec![Transfer::default()]);
        report.runs[0].run.plan.common.transport = transport;
        let lines = direction(&report.runs[0].run, &fixture::sum());
        lines.into_iter().any(|[_, value]| value.contains("the QUIC library"))
    };
    assert_eq!((said(Transport::Quic), said(Transport::Tls)), (true, false));
}

#[test]
fn a_model_has_no_threads_to_tell_of() {
    let mut report = crate::fixture::loads(vec![Transfer::default()]);
    report.runs[0].run.model = Some(crate::fixture::model());
    let lines = direction(&report.runs[0].run, &fixture::sum());
    assert_eq!(lines.len(), 1, "{lines:?}");
}

#[test]
fn fairness_is_of_several_flows_and_from_when_it_lasts() {
    let whole = |sum: DirectionSum| value(&sum, "from here");
    let sum = fixture::sum;
    assert_eq!(whole(sum()), "400 Mb/s in all, 50.0 MB, Jain's index 0.988, fair from the start");
    let later = DirectionSum { fair_after_s: Some(1.5), ..sum() };
    assert!(whole(later).ends_with(", fair after 1.50 s"));
    let one = DirectionSum { complete: 1, fair_after_s: None, ..sum() };
    assert_eq!(whole(one.clone()), "400 Mb/s in all, 50.0 MB");
    let burst = DirectionSum { later_mbps: Some(100.0), ..one.clone() };
    assert_eq!(whole(burst), "400 Mb/s in all, 100 Mb/s in the second half, 50.0 MB");
    let none = DirectionSum { fairness: None, fair_after_s: None, mbps: None, ..sum() };
    assert_eq!(whole(none), "- in all, 50.0 MB");
    let said = |stalled, failed| whole(DirectionSum { stalled, failed, ..sum() });
    assert!(said(1, 0).ends_with(", one flow STALLED"));
    assert!(said(0, 2).ends_with(", 2 flows FAILED"));
}
