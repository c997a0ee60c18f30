//! What every carrier of loads promises, over real sockets: the same body as over models.

use std::net::Ipv4Addr;
use std::ops::ControlFlow;

use linerate_core::traffic::{Direction, Load, RrPlan, StreamPlan};
use linerate_core::units::{Size, Span};
use linerate_net::control::Key;
use linerate_net::observe::HostClock;
use linerate_net::pair::{Loads, Peers, Target};
use linerate_net::serve::{Limits, Server};
use rstest::rstest;

use crate::support::{self, TestServer, carrier_conformance};

#[rstest]
fn real_hosts_keep_every_promise(#[values(1, 3)] peers: u32) {
    let key = Key::fresh().expect("random numbers");
    let start = |_| {
        let address = (Ipv4Addr::LOCALHOST, 0).into();
        let server = Server::bind(address, Some(key.clone()), Limits::default()).expect("a free port");
        TestServer::of(server, key.clone())
    };
    let servers: Vec<TestServer> = (0..peers).map(start).collect();
    let targets = servers.iter().map(|server| Target::parse(&server.address.to_string()));
    let targets: Vec<Target> = targets.collect::<Result<_, _>>().expect("addresses");
    // As large as any of its loads.
    let rr = RrPlan { response: Size(3_000), ..RrPlan::default() };
    let rr = (peers == 1).then_some(rr);
    let stream = StreamPlan { flows: 4, direction: Direction::Both, ..StreamPlan::default() };
    let load = Load { stream: Some(stream), rr, time: Span::from_ms(1_000), ..Load::default() };
    let plan = support::plan_for(&load);
    let go_on = |_| ControlFlow::Continue(());
    let whom = Peers { targets: &targets, key: Some(&key), first: None };
    let mut loads = Loads::open(whom, &plan, HostClock::start(), go_on).expect("free servers");
    carrier_conformance::carrier(&mut loads, peers);
    loads.finish().expect("observations");
}
