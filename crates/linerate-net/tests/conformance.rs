//! What every transport promises, run over real sockets: the same body as the modelled one.

#[path = "../../linerate-core/tests/support/conformance.rs"]
mod conformance;
mod support;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};

use conformance::Pair;
use linerate_core::endpoint::run_ready;
use linerate_core::options::Io;
use linerate_net::observe::HostClock;
use linerate_net::serve::Limits;
use linerate_net::tcp::TcpEndpoint;
use rstest::rstest;
use support::{TestServer, plan};

/// Two connected TCP endpoints; each program runs on a thread of its own.
struct TcpPair([TcpEndpoint; 2]);

impl TcpPair {
    fn connect(address: IpAddr, io: Io) -> Self {
        let listener = TcpListener::bind((address, 0)).expect("a free port");
        let one = TcpStream::connect(listener.local_addr().expect("it listens")).expect("it accepts");
        let (other, _) = listener.accept().expect("one connects");
        let clock = HostClock::start();
        Self([one, other].map(|stream| TcpEndpoint::new(stream.into(), clock, io).expect("an endpoint")))
    }
}

impl Pair for TcpPair {
    type End = TcpEndpoint;

    fn run<A: Send, B: Send>(
        self,
        one: impl AsyncFnOnce(TcpEndpoint) -> A + Send,
        other: impl AsyncFnOnce(TcpEndpoint) -> B + Send,
    ) -> (A, B) {
        let [here, there] = self.0;
        std::thread::scope(|scope| {
            let other = scope.spawn(move || run_ready(other(there)));
            let one = run_ready(one(here));
            (one, other.join().expect("the other program ends"))
        })
    }
}

#[rstest]
fn tcp_keeps_every_promise_of_an_endpoint(#[values(Io::ReadWrite, Io::SendRecv, Io::Sendmsg)] io: Io) {
    conformance::endpoints(|| TcpPair::connect(Ipv4Addr::LOCALHOST.into(), io));
}

#[test]
fn tcp_over_ipv6_keeps_every_promise_of_an_endpoint() {
    if TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_err() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs an IPv6 loopback");
        eprintln!("skipped: an IPv6 loopback is missing");
        return;
    }
    conformance::endpoints(|| TcpPair::connect(Ipv6Addr::LOCALHOST.into(), Io::SendRecv));
}

#[test]
fn a_pair_of_hosts_keeps_every_promise_of_a_bench() {
    let server = TestServer::start(Limits::default());
    let mut pair = server.pair(&plan("schedule = 'list:8MiB'")).expect("the server admits");
    conformance::bench(&mut pair);
}
