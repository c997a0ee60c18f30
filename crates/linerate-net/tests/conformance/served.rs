//! Every transport through a whole server: a curve, a load and requests, or a refusal by its name.

use std::ops::ControlFlow;

use linerate_core::traffic::{Direction, Ended, FlowAccount, Load, RrPlan, StreamPlan, Transfer};
use linerate_core::transport::Transport;
use linerate_core::units::{Size, Span};
use linerate_net::pair::PairError;
use linerate_net::serve::Limits;

use crate::support::rendezvous::is_refused;
use crate::support::{TestServer, conformance, lab, plan, plan_for};

/// Longer than anything here takes on a busy host.
const LONG: Span = Span::from_ms(60_000);
const FLOWS: u32 = 2;

/// Does `work` over a transport; none where the host lacks it, says so, and serves on.
fn over<T>(
    server: &TestServer,
    transport: Transport,
    work: impl FnOnce() -> Result<T, PairError>,
) -> Option<T> {
    eprintln!("{transport}");
    // What carries frames needs root, as a laboratory does.
    if matches!(transport, Transport::Ethernet | Transport::Xdp) && lab(1_500).is_none() {
        return None;
    }
    match work() {
        // AF_XDP has no frames as long as the loopback's.
        Ok(_) if matches!(transport, Transport::Memory | Transport::Mpi | Transport::Xdp) => {
            panic!("{transport} has no peer")
        }
        Ok(done) => Some(done),
        Err(error) => {
            is_refused(transport, &error);
            server.still_serves();
            None
        }
    }
}

fn carry(server: &TestServer, transport: Transport, load: &Load) -> Option<Transfer> {
    let mut plan = plan_for(load);
    plan.common.transport = transport;
    over(server, transport, || server.carry(&plan, load, || ControlFlow::Continue(())))
}

#[test]
fn every_transport_runs_every_pattern_of_a_curve() {
    let server = TestServer::start(Limits::default());
    for transport in Transport::ALL {
        let largest = if transport.is_datagram() { "1448" } else { "8MiB" };
        let plan = plan(&format!("schedule = 'list:{largest}'\ntransport = '{transport}'"));
        over(&server, transport, || {
            let mut pair = server.pair(&plan)?;
            if transport.is_datagram() {
                conformance::bench_of(&mut pair, &[(1, 5, 1), (3, 2, 10), (1448, 4, 2)]);
            } else {
                conformance::bench(&mut pair);
            }
            pair.finish().map(drop)
        });
    }
}

#[test]
fn every_transport_carries_flows_in_both_directions() {
    let server = TestServer::start(Limits::default());
    for transport in Transport::ALL {
        let mut stream = StreamPlan { direction: Direction::Both, flows: FLOWS, ..StreamPlan::default() };
        if transport.is_datagram() {
            (stream.count, stream.message) = (Some(500), Some(Size(1_000)));
        } else {
            stream.bytes = Some(Size(3_000_001));
        }
        let load = Load { stream: Some(stream), time: LONG, ..Load::default() };
        let Some(transfer) = carry(&server, transport, &load) else { continue };
        assert_eq!(transfer.flows.len(), 2 * FLOWS as usize);
        for flow in &transfer.flows {
            assert_eq!([&flow.sender.ended, &flow.receiver.ended], [&Ended::Complete; 2], "{transport}");
            is_accounted_for(flow, transport.is_datagram());
        }
    }
}

fn is_accounted_for(flow: &FlowAccount, datagrams: bool) {
    let FlowAccount { sender, receiver, .. } = flow;
    let Some(account) = &receiver.datagrams else {
        assert!(!datagrams, "datagrams are counted");
        assert_eq!([sender.bytes, receiver.bytes], [3_000_001; 2]);
        return;
    };
    assert_eq!((sender.messages, sender.bytes, account.sent), (500, 500_000, 500));
    assert_eq!(account.received + account.dropped_by_socket + account.lost, 500, "{account:?}");
    assert_eq!(account.duplicated + account.foreign, 0, "{account:?}");
    assert_eq!((receiver.messages, receiver.bytes), (account.received, 1_000 * account.received));
}

/// A host under pressure may drop datagrams even on its loopback; none is unaccounted for.
#[test]
fn every_transport_answers_requests() {
    let server = TestServer::start(Limits::default());
    for transport in Transport::ALL {
        let rr = RrPlan {
            request: Size(16),
            response: Size(1_000),
            depth: 4,
            count: Some(100),
            flows: FLOWS,
            ..RrPlan::default()
        };
        let load = Load { rr: Some(rr), time: LONG, ..Load::default() };
        let Some(transfer) = carry(&server, transport, &load) else { continue };
        assert_eq!(transfer.latencies.len(), FLOWS as usize);
        for latency in &transfer.latencies {
            assert_eq!(latency.ended, Ended::Complete, "{transport}: {latency:?}");
            assert_eq!(latency.transactions + latency.lost, 100, "{transport}: {latency:?}");
            assert!(latency.transactions > 0, "{transport}: {latency:?}");
            assert!(transport.is_datagram() || latency.lost == 0, "{transport}: {latency:?}");
        }
    }
}
