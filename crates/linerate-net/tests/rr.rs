//! Requests and responses: over single channels with a responder by hand, and between two
//! processes' worth of threads over the loopback.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use linerate_core::endpoint::LinkError;
use linerate_core::options::SocketOptions;
use linerate_core::stats::Histogram;
use linerate_core::traffic::{Ended, Latency, Load, RrPlan, StreamPlan, Transfer};
use linerate_core::transport::Transport;
use linerate_core::units::{Size, Span};
use linerate_net::flow::{Asking, Schedule};
use linerate_net::line::Line;
use linerate_net::observe::HostClock;
use linerate_net::serve::Limits;
use linerate_net::wait::{Interest, Wait};
use rstest::rstest;

use crate::support::conversation::{self, run, run_at, run_over, run_watched};
use crate::support::{self, TestServer};

const SHORT: Span = Span::from_ms(300);

fn complete(transfer: &Transfer, flows: usize) {
    assert_eq!(transfer.latencies.len(), flows);
    for (flow, latency) in (0..).zip(&transfer.latencies) {
        assert_eq!((latency.flow, &latency.ended), (flow, &Ended::Complete));
        assert_eq!((latency.lost, latency.late, latency.unsent), (0, 0, 0));
        assert_eq!(latency.service.count(), latency.transactions - latency.warm_up);
    }
}

/// Asks over one channel while `answer` does what it likes at the other end.
fn against(plan: &RrPlan, time: Option<Span>, answer: impl FnOnce(Box<dyn Line>) + Send) -> Latency {
    over(conversation::lines(&SocketOptions::default()), plan, time, answer)
}

fn over(
    [mut begins, answers]: [Box<dyn Line>; 2],
    plan: &RrPlan,
    time: Option<Span>,
    answer: impl FnOnce(Box<dyn Line>) + Send,
) -> Latency {
    let clock = HostClock::start();
    std::thread::scope(|scope| {
        scope.spawn(|| answer(answers));
        let mut asking = Asking::new(clock, plan, Schedule::new(plan, clock.now(), time, 0));
        let ended = begins.ask(&mut asking);
        drop(begins);
        asking.account(ended)
    })
}

/// Reads until `into` is full; false at the end.
fn fill(line: &mut dyn Line, into: &mut [u8]) -> bool {
    let mut got = 0;
    while got < into.len() {
        match line.channel_mut().pull(&mut into[got..], Wait::Patiently) {
            Ok(moved) => got += moved,
            Err(LinkError::Closed | LinkError::Reset) => return false,
            Err(error) => panic!("{error}"),
        }
    }
    true
}

#[rstest]
fn a_count_is_kept_exactly_whatever_the_sizes(
    #[values((1, 1), (1, 1448), (1448, 1), (1, 1 << 20), (1 << 20, 1), (1 << 20, 1448), (1448, 1 << 20))]
    sizes: (u64, u64),
    #[values(1, 8)] depth: u32,
) {
    let (request, response) = (Size(sizes.0), Size(sizes.1));
    let plan = RrPlan { request, response, depth, flows: 2, count: Some(40), ..RrPlan::default() };
    let transfer = run(plan, None);
    complete(&transfer, 2);
    for latency in &transfer.latencies {
        assert_eq!((latency.transactions, latency.warm_up), (40, 0));
        assert_eq!(latency.response.count(), 0, "a closed loop has no other time");
    }
}

/// Puts requests on a transport; none if this kernel has it not, and says what to do.
fn over_transport(transport: Transport, rr: RrPlan) -> Option<Transfer> {
    let server = TestServer::start(Limits::default());
    let load = Load { rr: Some(rr), time: Span::from_ms(60_000), ..Load::default() };
    let transfer = match run_over(&server, transport, &load, || ControlFlow::Continue(())) {
        Ok(transfer) => Some(transfer),
        Err(error) => {
            support::rendezvous::is_refused(transport, &error);
            None
        }
    };
    server.still_serves();
    transfer
}

#[rstest]
fn every_stream_of_bytes_answers_every_request(
    #[values(
        Transport::Mptcp,
        Transport::Tls,
        Transport::Quic,
        Transport::Unix,
        Transport::Vsock,
        Transport::Pipe,
        Transport::SharedMemory
    )]
    transport: Transport,
    #[values(
        RrPlan { request: Size(1 << 20), response: Size(3), depth: 4, ..RrPlan::default() },
        RrPlan { request: Size(100), response: Size(100_000), rate: Some(500.0), ..RrPlan::default() },
        RrPlan { connect: true, ..RrPlan::default() }
    )]
    plan: RrPlan,
) {
    let rr = RrPlan { count: Some(30), flows: 2, ..plan };
    let Some(transfer) = over_transport(transport, rr) else { return };
    complete(&transfer, 2);
    assert!(transfer.latencies.iter().all(|latency| latency.transactions == 30), "{transfer:?}");
}

/// A host under pressure may drop datagrams even on its loopback; none is unaccounted for.
#[rstest]
fn datagrams_are_answered_or_lost(
    #[values(Transport::Udp, Transport::UnixDatagram)] transport: Transport,
    #[values(
        RrPlan { request: Size(16), response: Size(16), ..RrPlan::default() },
        RrPlan { request: Size(1_000), response: Size(64), depth: 8, ..RrPlan::default() },
        RrPlan { request: Size(16), response: Size(1_200), rate: Some(500.0), ..RrPlan::default() }
    )]
    plan: RrPlan,
) {
    let rr = RrPlan { count: Some(200), flows: 2, ..plan };
    let Some(transfer) = over_transport(transport, rr) else { return };
    assert_eq!(transfer.latencies.len(), 2);
    for latency in &transfer.latencies {
        assert_eq!(latency.ended, Ended::Complete, "{latency:?}");
        assert_eq!(latency.transactions + latency.lost, 200, "{latency:?}");
        assert!(latency.transactions > 0 && latency.service.count() == latency.transactions, "{latency:?}");
    }
}

#[test]
fn small_messages_on_datagrams_are_refused_with_what_to_do() {
    let server = TestServer::start(Limits::default());
    let load = Load { rr: Some(RrPlan::default()), time: SHORT, ..Load::default() };
    let error = run_over(&server, Transport::Udp, &load, || ControlFlow::Continue(()));
    let error = error.expect_err("a byte has no room for a number").to_string();
    assert!(error.contains("request") && error.contains("at least 16 on datagrams"), "{error}");
    server.still_serves();
}

#[test]
fn large_messages_with_many_under_way_do_not_deadlock() {
    let size = Size(8 << 20);
    let plan = RrPlan { request: size, response: size, depth: 4, count: Some(12), ..RrPlan::default() };
    complete(&run(plan, None), 1);
}

#[test]
fn a_time_is_kept_and_the_warm_up_is_counted_apart() {
    let plan = RrPlan { warm_up: Span::from_ms(100), ..RrPlan::default() };
    let transfer = run(plan, Some(SHORT));
    complete(&transfer, 1);
    let [latency] = transfer.latencies.try_into().expect("one flow");
    assert!(latency.warm_up > 0 && latency.warm_up < latency.transactions, "{latency:?}");
    assert!(latency.span <= SHORT * 2, "{}", latency.span);
}

#[test]
fn a_count_is_of_what_follows_the_warm_up() {
    let plan = RrPlan { warm_up: Span::from_ms(50), count: Some(100), ..RrPlan::default() };
    let transfer = run(plan, None);
    complete(&transfer, 1);
    let latency = &transfer.latencies[0];
    assert_eq!(latency.transactions - latency.warm_up, 100);
}

/// The other end answers only when it has as many requests as may be under way.
#[rstest]
fn as_many_requests_are_under_way_as_were_asked_for(#[values(1, 7, 64)] depth: u32) {
    let count = 5 * u64::from(depth);
    let plan =
        RrPlan { request: Size(100), response: Size(3), depth, count: Some(count), ..RrPlan::default() };
    let latency = against(&plan, None, |mut line| {
        for _ in 0..5 {
            let mut requests = vec![0; 100 * depth as usize];
            assert!(fill(line.as_mut(), &mut requests));
            let more = line.channel_mut().ready(Interest::Receive, Span::from_ms(20)).expect("it stands");
            assert!(!more, "more than {depth} are under way");
            let responses = vec![0; 3 * depth as usize];
            assert_eq!(
                line.channel_mut().push(&responses, Wait::Patiently).expect("it stands"),
                responses.len()
            );
        }
        assert!(!fill(line.as_mut(), &mut [0]));
    });
    assert_eq!((latency.ended, latency.transactions), (Ended::Complete, count));
}

/// Coordinated omission: a pause of the other end is seen by every request that was due in it, even
/// if the full pipe let it depart only afterwards.
#[test]
fn an_open_loop_counts_from_the_moment_at_which_it_meant_to_send() {
    const PAUSE: Duration = Duration::from_millis(200);
    let small = Some(Size(32 << 10));
    let socket = SocketOptions { sndbuf: small, rcvbuf: small, ..SocketOptions::default() };
    let plan = RrPlan { rate: Some(200.0), request: Size(128 << 10), ..RrPlan::default() };
    let latency = over(conversation::lines(&socket), &plan, Some(Span::from_ms(1_000)), |mut line| {
        let mut request = vec![0; 128 << 10];
        for place in 0.. {
            if place == 20 {
                std::thread::sleep(PAUSE);
            }
            if !fill(line.as_mut(), &mut request) {
                return;
            }
            line.channel_mut().push(&[0], Wait::Patiently).expect("it stands");
        }
    });
    assert_eq!((latency.ended, latency.transactions, latency.unsent), (Ended::Complete, 200, 0));
    assert_eq!((latency.service.count(), latency.response.count()), (200, 200));
    let at = |times: &Histogram, share| times.quantile(share).expect("there are some");
    assert!(at(&latency.response, 1.0) >= at(&latency.service, 1.0));
    // Of 40 that were due in the pause, few were under way; the others waited for room.
    let [response, service] = [&latency.response, &latency.service].map(|times| at(times, 0.9));
    assert!(response > service * 2, "response {response}, service {service}");
}

#[test]
fn an_open_loop_sends_every_slot_of_its_rate() {
    let plan = RrPlan { rate: Some(2_000.0), flows: 2, ..RrPlan::default() };
    let transfer = run(plan, Some(SHORT));
    complete(&transfer, 2);
    for latency in &transfer.latencies {
        assert_eq!(latency.transactions, 300);
        assert_eq!(latency.response.count(), 300);
        assert!(latency.response.max() >= latency.service.max(), "never before it is due");
    }
}

#[test]
fn a_connection_for_every_transaction_is_counted_and_timed() {
    let plan =
        RrPlan { connect: true, flows: 3, count: Some(50), response: Size(5_000), ..RrPlan::default() };
    let transfer = run(plan, None);
    complete(&transfer, 3);
    for latency in &transfer.latencies {
        assert_eq!((latency.transactions, latency.connect.count()), (50, 50));
        assert!(latency.connect.quantile(0.5) < latency.service.quantile(0.5), "it is a part of it");
    }
}

#[test]
fn connections_in_an_open_loop_keep_its_moments() {
    let plan = RrPlan { connect: true, rate: Some(100.0), ..RrPlan::default() };
    let transfer = run(plan, Some(SHORT));
    complete(&transfer, 1);
    assert_eq!((transfer.latencies[0].transactions, transfer.latencies[0].response.count()), (30, 30));
}

#[test]
fn a_peer_that_answers_more_than_it_was_asked_is_not_believed() {
    let plan = RrPlan { count: Some(10), ..RrPlan::default() };
    let latency = against(&plan, None, |mut line| {
        for _ in 0..10 {
            assert!(fill(line.as_mut(), &mut [0]));
            line.channel_mut().push(&[0], Wait::Patiently).expect("it stands");
        }
        line.channel_mut().push(&[0], Wait::Patiently).expect("it stands");
        assert!(!fill(line.as_mut(), &mut [0]));
    });
    assert!(
        matches!(&latency.ended, Ended::Failed(why) if why.contains("more responses than requests")),
        "{latency:?}"
    );
}

#[test]
fn a_peer_that_hangs_up_leaves_the_account_so_far() {
    let plan = RrPlan { request: Size(10), response: Size(10), ..RrPlan::default() };
    let latency = against(&plan, None, |mut line| {
        for _ in 0..7 {
            assert!(fill(line.as_mut(), &mut [0; 10]));
            line.channel_mut().push(&[0; 10], Wait::Patiently).expect("it stands");
        }
    });
    assert!(matches!(latency.ended, Ended::Failed(_)), "{latency:?}");
    assert_eq!((latency.transactions, latency.service.count()), (7, 7));
}

#[rstest]
fn the_user_can_end_it_early(
    #[values(None, Some(50.0))] rate: Option<f64>,
    #[values(false, true)] connect: bool,
) {
    let server = TestServer::start(Limits::default());
    let plan = RrPlan { rate, connect, ..RrPlan::default() };
    let load = Load { rr: Some(plan), time: Span::from_ms(120_000), ..Load::default() };
    let ended = AtomicBool::new(false);
    let transfer = run_watched(&server, &load, || {
        ended.store(true, Ordering::Relaxed);
        ControlFlow::Break(())
    });
    assert!(ended.load(Ordering::Relaxed));
    complete(&transfer.expect("what was done counts"), 1);
    server.still_serves();
}

#[test]
fn requests_and_bulk_run_beside_each_other() {
    let server = TestServer::start(Limits::default());
    let load = Load {
        stream: Some(StreamPlan { flows: 2, ..StreamPlan::default() }),
        rr: Some(RrPlan { flows: 2, ..RrPlan::default() }),
        time: SHORT,
        ..Load::default()
    };
    let transfer = run_at(&server, &load).expect("a transfer");
    complete(&transfer, 2);
    assert_eq!(transfer.flows.len(), 2);
    for flow in &transfer.flows {
        assert_eq!((&flow.sender.ended, &flow.receiver.ended), (&Ended::Complete, &Ended::Complete));
        assert_eq!(flow.sender.bytes, flow.receiver.bytes);
    }
    assert_eq!(transfer.load.phase().to_string(), "loaded-send");
}

#[test]
fn more_flows_that_connect_anew_than_the_server_admits_are_refused() {
    let server = TestServer::start(Limits::default());
    let rr = RrPlan { connect: true, flows: 16, ..RrPlan::default() };
    let load = Load { rr: Some(rr), time: SHORT, ..Load::default() };
    let error = run_at(&server, &load).expect_err("too many").to_string();
    assert!(error.contains("limit of 15"), "{error}");
    server.still_serves();
}
