//! One client and several servers: bulk from one to many, from many to one, and both.

use std::ops::ControlFlow;

use linerate_core::traffic::{Class, Direction, FlowAccount, Load, StreamPlan, Transfer};
use linerate_core::units::{Rate, Size, Span};
use linerate_net::control::Key;
use linerate_net::observe::HostClock;
use linerate_net::pair::{Loads, PairError, Peers, Target};
use linerate_net::serve::{Limits, Server};
use rstest::rstest;

use crate::support::{self, TestServer};

const SERVERS: usize = 3;
const STALL: Span = Span::from_ms(60_000);

/// This many servers with one key.
fn servers(count: usize) -> Vec<TestServer> {
    let key = Key::fresh().expect("random numbers");
    let server = |_| {
        let address = (std::net::Ipv4Addr::LOCALHOST, 0).into();
        let server = Server::bind(address, Some(key.clone()), Limits::default()).expect("a free port");
        TestServer::of(server, key.clone())
    };
    (0..count).map(server).collect()
}

fn open(servers: &[TestServer], stream: &StreamPlan) -> Result<Loads, PairError> {
    let plan = support::plan_for(&load(stream.clone(), Span::from_ms(1_000)));
    let targets = servers.iter().map(|server| Target::parse(&server.address.to_string()));
    let targets: Vec<_> = targets.collect::<Result<_, _>>().expect("addresses");
    let peers = Peers { targets: &targets, key: Some(&servers[0].key), first: None };
    Loads::open(peers, &plan, HostClock::start(), |_| ControlFlow::Continue(()))
}

fn load(stream: StreamPlan, time: Span) -> Load {
    Load { stream: Some(stream), time, ..Load::default() }
}

/// The flows of a direction that went to or came from each server.
fn by_server(transfer: &Transfer, direction: Direction) -> Vec<Vec<&FlowAccount>> {
    let of = |peer| {
        let flows = transfer.flows.iter();
        flows.filter(|flow| flow.direction == direction && flow.peer as usize == peer).collect()
    };
    (0..SERVERS).map(of).collect()
}

#[rstest]
fn every_server_has_its_flows_to_the_byte(
    #[values(Direction::Send, Direction::Receive, Direction::Both)] direction: Direction,
    #[values(None, Some(2))] threads: Option<u32>,
) {
    let servers = servers(SERVERS);
    let stream =
        StreamPlan { bytes: Some(Size(1_000_003)), flows: 2, direction, threads, ..StreamPlan::default() };
    let mut loads = open(&servers, &stream).expect("three servers");
    let (transfer, broken) =
        support::run(&mut loads, &load(stream, Span::from_ms(1_000)), || ControlFlow::Continue(()))
            .expect("a load");
    assert!(broken.is_none(), "{broken:?}");
    loads.finish().expect("observations");
    assert_eq!(transfer.hosts.len(), 1 + SERVERS);
    assert!(transfer.hosts.iter().all(|samples| !samples.is_empty()), "every host says what it did");
    for part in direction.parts() {
        let mut numbers = Vec::new();
        for flows in by_server(&transfer, *part) {
            assert_eq!(flows.len(), 2);
            for flow in flows {
                assert_eq!(flow.class(STALL), Class::Complete, "{flow:?}");
                assert_eq!((flow.sender.bytes, flow.receiver.bytes), (1_000_003, 1_000_003));
                numbers.push(flow.flow);
            }
        }
        assert_eq!(numbers, (0..6).collect::<Vec<_>>());
    }
    // A look at the flows has them in this order too.
    let told: Vec<_> = transfer.flows.iter().map(|flow| (flow.direction, flow.flow)).collect();
    assert!(told.is_sorted(), "{told:?}");
    let (_, answering) = loads.ends();
    let addresses: Vec<_> = answering.iter().map(|other| other.path.to_address.clone()).collect();
    assert_eq!(addresses, servers.iter().map(|server| server.address.to_string()).collect::<Vec<_>>());
    for (peer, other) in (0..).zip(&answering) {
        let tally = &other.end.observation.tally;
        let passed = |direction| {
            let flows = transfer.flows.iter().filter(|flow| flow.peer == peer && flow.direction == direction);
            flows.map(|flow| flow.receiver.bytes).sum::<u64>()
        };
        let counted = (tally.received_bytes, tally.sent_bytes);
        assert_eq!(counted, (passed(Direction::Send), passed(Direction::Receive)), "peer {peer}");
    }
}

#[rstest]
fn servers_share_a_pace(#[values(Direction::Send, Direction::Receive)] direction: Direction) {
    let servers = servers(SERVERS);
    let rate = Some(Rate::from_mbps(90.0));
    let stream = StreamPlan { rate, message: Some(Size(5_000)), direction, ..StreamPlan::default() };
    let mut loads = open(&servers, &stream).expect("three servers");
    let (transfer, _) =
        support::run(&mut loads, &load(stream, Span::from_ms(600)), || ControlFlow::Continue(()))
            .expect("a load");
    // A pace is kept from below; a busy machine may miss it, but gives nobody the share of another.
    let most = Rate::from_mbps(90.0 / 3.0 * 1.05).bits_per_second();
    for flow in &transfer.flows {
        assert_eq!(flow.class(STALL), Class::Complete, "{flow:?}");
        let got = flow.rate().expect("it was timed").bits_per_second();
        assert!(got < most && got > most / 4.0, "{got} bit/s");
    }
}

#[test]
fn a_server_that_breaks_off_takes_only_its_own_flows_along() {
    let mut servers = servers(SERVERS);
    let stream = StreamPlan { direction: Direction::Both, ..StreamPlan::default() };
    let mut loads = open(&servers, &stream).expect("three servers");
    let gone = servers[1].address.to_string();
    let mut asked = 0;
    let (transfer, broken) = support::run(&mut loads, &load(stream, Span::from_ms(1_500)), || {
        asked += 1;
        if asked == 5 {
            servers[1].stop();
        }
        ControlFlow::Continue(())
    })
    .expect("a load");
    let broken = broken.expect("one has no account").to_string();
    assert!(broken.contains(&gone), "{broken}");
    for flow in &transfer.flows {
        let whole = flow.class(STALL) == Class::Complete;
        assert_eq!(whole, flow.peer != 1, "{flow:?}");
    }
    let error = loads.finish().expect_err("one has gone").to_string();
    assert!(error.contains(&gone), "{error}");
    let (_, answering) = loads.ends();
    let heard = |other: &linerate_core::run::Answering| other.end.observation.noise.known().is_some();
    assert_eq!(answering.iter().map(heard).collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn a_server_with_another_key_is_named() {
    let ours = servers(2);
    let outsider = TestServer::start(Limits::default());
    let address = outsider.address.to_string();
    let all: Vec<_> = ours.into_iter().chain([outsider]).collect();
    let error = open(&all, &StreamPlan::default()).expect_err("the key is not its own").to_string();
    assert!(error.contains(&address), "{error}");
}
