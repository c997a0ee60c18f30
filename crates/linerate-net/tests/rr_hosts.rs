//! What both hosts did is told of every load of requests, once.

use linerate_core::traffic::{Load, RrPlan, StreamPlan, Transfer};
use linerate_core::units::Span;
use linerate_net::serve::Limits;
use rstest::rstest;

use crate::support::TestServer;
use crate::support::conversation::{run, run_at};

/// Each interval follows the one before, and together they are the load's whole time. The server
/// samples from when it begins to answer, which is as late as its thread gets a processor.
fn without_gaps(transfer: &Transfer, least: Span) {
    for (host, least) in transfer.hosts.iter().zip([least, least / 2]) {
        let mut since = Span::ZERO;
        for sample in host {
            assert!(sample.until > since && sample.processors > 0, "{sample:?}");
            since = sample.until;
        }
        let together: Span = host.iter().map(|sample| sample.span).sum();
        // Two sets would be twice as long.
        assert!(together < since * 3 / 2, "{together} of {since}");
        assert!(since >= least, "{since}");
    }
}

#[rstest]
fn requests_alone_have_samples_of_both_hosts(#[values(false, true)] connect: bool) {
    let transfer = run(RrPlan { connect, ..RrPlan::default() }, Some(Span::from_ms(1_500)));
    without_gaps(&transfer, Span::from_ms(1_500));
    for host in &transfer.hosts {
        assert!(host.len() >= 2, "one a second and one at the end: {host:?}");
        let switches = host.iter().map(|sample| sample.voluntary_switches).sum::<u64>();
        assert!(switches > 0, "an end that waits for the other lets go of its processor: {host:?}");
    }
}

#[test]
fn beside_bulk_there_is_one_set_of_them() {
    let server = TestServer::start(Limits::default());
    let time = Span::from_ms(300);
    let stream = StreamPlan { interval: Span::from_ms(50), ..StreamPlan::default() };
    let load = Load { stream: Some(stream), rr: Some(RrPlan::default()), time, ..Load::default() };
    let transfer = run_at(&server, &load).expect("a transfer");
    without_gaps(&transfer, time);
    assert!(transfer.hosts.iter().all(|host| host.len() >= 2), "{:?}", transfer.hosts);
}
