//! Raw Ethernet through a whole server, over the loopback.

use std::ops::ControlFlow;

use linerate_core::bench::Bench as _;
use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::traffic::{Direction, Ended, Load, StreamPlan};
use linerate_core::trial::Trial;
use linerate_core::units::{Size, Span};
use linerate_net::serve::Limits;

use crate::stations::datagrams;
use crate::support::{TestServer, lab, plan};

#[test]
fn a_pair_of_hosts_runs_a_trial_over_it() {
    if lab(1_500).is_none() {
        return;
    }
    let server = TestServer::start(Limits::default());
    let mut pair = server.pair(&plan("transport = 'ethernet'\nschedule = 'list:1000'")).expect("admitted");
    for pattern in Pattern::ALL {
        let trial = Trial { pattern, size: 1_000, samples: 5, batch: 3, seed: 1, check: Check::Full };
        let sample = pair.run(&trial).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        assert_eq!(sample.times.len(), 5, "{pattern}");
    }
    pair.finish().expect("observations");
}

#[test]
fn flows_in_both_directions_are_accounted_for_at_both_ends() {
    if lab(1_500).is_none() {
        return;
    }
    let server = TestServer::start(Limits::default());
    let stream = StreamPlan {
        count: Some(500),
        message: Some(Size(1_000)),
        direction: Direction::Both,
        flows: 2,
        ..StreamPlan::default()
    };
    let time = Span::from_ms(1_000);
    let mut plan = plan("transport = 'ethernet'");
    (plan.stream, plan.time) = (Some(stream.clone()), time);
    let load = Load { stream: Some(stream), time, ..Load::default() };
    let transfer = server.carry(&plan, &load, || ControlFlow::Continue(())).expect("a transfer");
    assert_eq!(transfer.flows.len(), 4);
    for flow in &transfer.flows {
        assert_eq!((&flow.sender.ended, &flow.receiver.ended), (&Ended::Complete, &Ended::Complete));
        let account = datagrams(&flow.receiver);
        assert_eq!((flow.sender.messages, account.sent), (500, 500));
        assert_eq!(account.received + account.dropped_by_socket + account.lost, 500, "{account:?}");
        assert_eq!(flow.receiver.messages, account.received);
    }
}
