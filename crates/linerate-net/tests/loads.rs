//! Bulk streams between two processes' worth of threads over the loopback.

use std::ops::ControlFlow;

use linerate_core::traffic::{Direction, Ended, Load, StreamPlan, Transfer};
use linerate_core::units::{Rate, Size, Span};
use linerate_net::pair::PairError;
use linerate_net::serve::Limits;
use rstest::rstest;

use crate::support::{TestServer, plan_for};

/// Runs one load of `stream` against a server of its own.
fn run(stream: StreamPlan, time: Span) -> Result<Transfer, PairError> {
    let server = TestServer::start(Limits::default());
    run_at(&server, stream, time)
}

fn run_at(server: &TestServer, stream: StreamPlan, time: Span) -> Result<Transfer, PairError> {
    let load = Load { stream: Some(stream), time, ..Load::default() };
    server.carry(&plan_for(&load), &load, || ControlFlow::Continue(()))
}

fn agree(transfer: &Transfer) {
    assert!(transfer.hosts.iter().all(|host| !host.is_empty()), "both hosts say what they did");
    for flow in &transfer.flows {
        assert_eq!((&flow.sender.ended, &flow.receiver.ended), (&Ended::Complete, &Ended::Complete));
        assert_eq!(flow.sender.bytes, flow.receiver.bytes);
        let (first, last) =
            (flow.receiver.first.expect("a first byte"), flow.receiver.last.expect("a last byte"));
        assert!(first <= last);
        assert!(flow.sender.first.expect("a first byte") <= flow.sender.last.expect("a last byte"));
        for half in [&flow.sender, &flow.receiver] {
            assert_eq!(half.intervals.iter().map(|interval| interval.bytes).sum::<u64>(), half.bytes);
        }
        // TCP is asked about the first flows only.
        if flow.flow >= 20 {
            continue;
        }
        for half in [&flow.sender, &flow.receiver] {
            assert!(half.tcp.last().is_some_and(|sample| sample.mss > 0 && sample.sndbuf > 0), "{half:?}");
        }
        let last = flow.sender.tcp.last().expect("TCP carries it");
        // Everything was acknowledged: the bytes, and the end of the stream.
        assert!(last.acknowledged >= flow.sender.bytes, "{last:?}");
    }
}

#[rstest]
fn a_bound_in_bytes_is_kept_exactly(
    #[values(1, 1_000_003, 33_554_433)] bytes: u64,
    #[values(Direction::Send, Direction::Receive, Direction::Both)] direction: Direction,
    #[values(None, Some(1))] threads: Option<u32>,
) {
    let stream =
        StreamPlan { bytes: Some(Size(bytes)), direction, threads, flows: 2, ..StreamPlan::default() };
    let transfer = run(stream, Span::from_ms(1_000)).expect("a transfer");
    agree(&transfer);
    assert_eq!(transfer.flows.len(), 2 * direction.parts().len());
    for flow in &transfer.flows {
        assert_eq!(flow.receiver.bytes, bytes);
    }
}

#[test]
fn a_bound_in_messages_is_kept_exactly() {
    let stream =
        StreamPlan { count: Some(777), message: Some(Size(1000)), flows: 3, ..StreamPlan::default() };
    let transfer = run(stream, Span::from_ms(1_000)).expect("a transfer");
    agree(&transfer);
    for flow in &transfer.flows {
        assert_eq!((flow.sender.messages, flow.receiver.bytes), (777, 777_000));
    }
}

#[rstest]
fn a_bound_in_time_is_kept_and_a_pace_too(#[values(None, Some(2))] threads: Option<u32>) {
    let rate = Some(Rate::from_mbps(80.0));
    let stream = StreamPlan {
        rate,
        message: Some(Size(10_000)),
        flows: 2,
        threads,
        warm_up: Span::from_ms(100),
        ..StreamPlan::default()
    };
    let transfer = run(stream, Span::from_ms(400)).expect("a transfer");
    agree(&transfer);
    for flow in &transfer.flows {
        let sender = &flow.sender;
        // Each has half the rate: 500 messages a second, for half a second.
        assert!((200..=252).contains(&sender.messages), "{}", sender.messages);
        let departures = sender.departures.as_ref().expect("it was paced");
        assert_eq!(departures.count() + 1, sender.messages);
        let (warm, bytes) = flow.receiver.warm.expect("it was longer than the warm-up");
        assert!(bytes < flow.receiver.bytes && warm < flow.receiver.last.expect("it ended"));
    }
}

#[test]
fn many_flows_run_from_one_process() {
    let stream =
        StreamPlan { bytes: Some(Size(10_000)), flows: 200, threads: Some(2), ..StreamPlan::default() };
    let transfer = run(stream, Span::from_ms(1_000)).expect("a transfer");
    agree(&transfer);
    assert_eq!(transfer.flows.len(), 200);
}

#[test]
fn a_load_beyond_the_limits_is_refused_and_the_server_goes_on() {
    let server = TestServer::start(Limits { flows: 3, ..Limits::default() });
    let stream = StreamPlan { flows: 4, ..StreamPlan::default() };
    let error = run_at(&server, stream, Span::from_ms(100)).expect_err("too many flows");
    assert!(error.to_string().contains("limit of 3"), "{error}");
    server.still_serves();
}
