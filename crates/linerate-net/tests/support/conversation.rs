//! One load against a server, and a channel without any.

#![allow(dead_code, reason = "each test file uses its part")]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::ops::ControlFlow;

use linerate_core::options::SocketOptions;
use linerate_core::plan::Plan;
use linerate_core::traffic::{Load, RrPlan, Transfer};
use linerate_core::transport::Transport;
use linerate_core::units::Span;
use linerate_net::channel::Line;
use linerate_net::control::GREETING_LEN;
use linerate_net::observe::HostClock;
use linerate_net::pair::{Loads, PairError, Target};
use linerate_net::serve::Limits;
use linerate_net::transport::{Hosting, Setup, host, join};

use super::support::TestServer;

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
    let plan = Plan { transport, rr: load.rr.clone(), time: load.time, ..Plan::default() };
    let target = Target::parse(&server.address.to_string())?;
    let mut loads =
        Loads::open(std::slice::from_ref(&target), Some(&server.key), &plan, HostClock::start(), |_| {
            ControlFlow::Continue(())
        })?;
    let (transfer, broken) = loads.run(load, None, watch)?;
    assert!(broken.is_none(), "{broken:?}");
    loads.finish()?;
    Ok(transfer)
}

/// Both ends of a TCP channel: the beginning one and the answering one.
pub(crate) fn lines(socket: SocketOptions) -> [Box<dyn Line>; 2] {
    const PASS: [u8; 16] = [7; 16];
    let door = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let address = door.local_addr().expect("it listens");
    let plain = Setup::plain(Transport::Tcp, HostClock::start(), address.ip(), address);
    let setup = Setup { socket, ..plain };
    let Ok(Hosting::AtTheDoor(adopt)) = host(&setup, &PASS) else { panic!("TCP comes through the door") };
    let meeting = adopt.meeting();
    std::thread::scope(|scope| {
        let begun = scope.spawn(|| join(&setup, &meeting, &PASS, 0));
        let (mut stream, _) = door.accept().expect("the other end connects");
        let mut opening = [0; GREETING_LEN + PASS.len() + 4];
        stream.read_exact(&mut opening).expect("a greeting, a pass and a number");
        stream.write_all(&[6]).expect("the other end listens");
        let answers = adopt.adopt(stream).expect("a channel");
        [begun.join().expect("it does not panic").expect("a channel"), answers]
    })
}
