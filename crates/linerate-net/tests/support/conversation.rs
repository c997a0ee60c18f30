//! One load against a server, and a channel without any.

use std::ops::ControlFlow;

use linerate_core::options::SocketOptions;
use linerate_core::traffic::{Load, RrPlan, Transfer};
use linerate_core::transport::Transport;
use linerate_core::units::Span;
use linerate_net::line::Line;
use linerate_net::pair::PairError;
use linerate_net::serve::Limits;

use super::{TestServer, plan_for, rendezvous};

/// Longer than any test's requests take.
const LONG: Span = Span::from_ms(60_000);

/// Runs requests against a server of their own, for a time or for their count.
pub(crate) fn run(rr: RrPlan, time: Option<Span>) -> Transfer {
    let server = TestServer::start(Limits::default());
    let load = Load { rr: Some(rr), time: time.unwrap_or(LONG), ..Load::default() };
    run_at(&server, &load).expect("a transfer")
}

pub(crate) fn run_at(server: &TestServer, load: &Load) -> Result<Transfer, PairError> {
    run_watched(server, load, || ControlFlow::Continue(()))
}

pub(crate) fn run_watched(
    server: &TestServer,
    load: &Load,
    watch: impl FnMut() -> ControlFlow<()>,
) -> Result<Transfer, PairError> {
    run_over(server, Transport::Tcp, load, watch)
}

pub(crate) fn run_over(
    server: &TestServer,
    transport: Transport,
    load: &Load,
    watch: impl FnMut() -> ControlFlow<()>,
) -> Result<Transfer, PairError> {
    let mut plan = plan_for(load);
    plan.common.transport = transport;
    server.carry(&plan, load, watch)
}

/// Both ends of a TCP channel: the initiator and the responder.
pub(crate) fn lines(socket: &SocketOptions) -> [Box<dyn Line>; 2] {
    rendezvous::lines(Transport::Tcp, |setup| setup.socket = socket.clone()).expect("two ends")
}
