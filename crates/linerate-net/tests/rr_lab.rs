//! Requests over a wire between two network namespaces: latency under load, and a host that has no
//! port left.

use std::net::TcpStream;
use std::ops::ControlFlow;

use linerate_core::plan::Common;
use linerate_core::traffic::{Ended, Latency, Load, Phase, RrPlan, Transfer};
use linerate_core::units::{Rate, Size, Span};
use linerate_net::control::Key;
use linerate_net::lab::{THERE, TwoHosts, shape};
use linerate_net::serve::{Limits, Server};

use crate::support::conversation::{run_at, run_watched};
use crate::support::{self, TestServer};

/// A lab with a server at its other end, or none where there can be none; in CI that is a failure.
fn lab() -> Option<(TwoHosts, TestServer)> {
    let lab = support::lab(1500)?;
    let key = Key::fresh().expect("random numbers");
    let served = Some(key.clone());
    let server = lab.there(|| Server::bind((THERE, 0).into(), served, Limits::default()));
    let server = server.expect("entered").expect("it listens");
    Some((lab, TestServer::of(server, key)))
}

/// A link of 100 Mbit/s with a queue of a tenth of a second before it.
fn narrow() {
    shape(Rate::from_mbps(100.0), Size(32 << 10), Size(1_250 << 10)).expect("there is a wire");
}

fn median(transfer: &Transfer) -> Span {
    let whole = Latency::together(&transfer.latencies);
    assert_eq!(whole.ended, Ended::Complete);
    whole.response.quantile(0.5).expect("there are responses")
}

/// Bufferbloat: in the direction of the bulk a request waits in the queue before the link, and in
/// the other its response does. An open loop, because a closed one asks hundreds of times in the
/// moments in which the queue is empty, and once while it is full.
#[test]
fn beside_bulk_requests_wait_in_the_queue_of_the_link() {
    let Some((lab, server)) = lab() else { return };
    lab.here(narrow).expect("entered");
    lab.there(narrow).expect("entered");
    let rr = RrPlan { under_load: 1, rate: Some(200.0), ..RrPlan::default() };
    let loads = rr.loads(&Common { time: Span::from_ms(700), ..Common::default() });
    let transfers: Vec<_> = loads
        .iter()
        .map(|load| lab.here(|| run_at(&server, load)).expect("entered").expect("a transfer"))
        .collect();
    let idle = median(&transfers[0]);
    assert_eq!(transfers[0].load.phase(), Phase::Idle);
    for transfer in &transfers[1..] {
        assert!(matches!(transfer.load.phase(), Phase::Loaded(_)));
        let loaded = median(transfer);
        assert!(loaded > idle * 3, "{}: {loaded}, idle {idle}", transfer.load.phase());
        for flow in &transfer.flows {
            // The bulk lasted as long as the requests and longer.
            let latency = &transfer.latencies[0];
            let lasted =
                flow.sender.last.expect("it moved").saturating_sub(flow.sender.first.expect("it moved"));
            assert!(lasted > latency.span + loads[1].head_start, "{lasted}");
        }
    }
}

/// One port is the conversation's and the other that of a transaction, until somebody takes it.
#[test]
fn a_host_without_a_free_port_says_so_and_keeps_the_account() {
    let Some((lab, server)) = lab() else { return };
    let range = "/proc/sys/net/ipv4/ip_local_port_range";
    lab.here(|| std::fs::write(range, "50001 50002")).expect("entered").expect("a namespace has its own");
    let rr = RrPlan { connect: true, ..RrPlan::default() };
    let load = Load { rr: Some(rr), time: Span::from_ms(60_000), ..Load::default() };
    let address = server.address;
    let mut taken = None;
    let transfer = lab.here(|| {
        run_watched(&server, &load, || {
            while taken.is_none() {
                taken = TcpStream::connect(address).ok();
            }
            ControlFlow::Continue(())
        })
    });
    let transfer = transfer.expect("entered").expect("a transfer");
    let [latency] = transfer.latencies.try_into().expect("one flow");
    let Ended::Failed(reason) = &latency.ended else { panic!("{latency:?}") };
    assert!(reason.contains("no local port is left") && reason.contains("ip_local_port_range"), "{reason}");
    assert!(latency.transactions > 0, "{latency:?}");
    assert_eq!(latency.service.count(), latency.transactions);
    drop(taken);
    lab.here(|| std::fs::write(range, "50000 60000")).expect("entered").expect("it did before");
    lab.here(|| server.still_serves()).expect("entered");
}
