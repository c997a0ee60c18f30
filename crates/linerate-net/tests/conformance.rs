//! What every transport promises, run over real channels: the same body as the modelled one.

#[path = "../../linerate-core/tests/support/conformance.rs"]
mod conformance;
#[path = "support/lines.rs"]
mod lines;
mod support;

use std::net::{Ipv6Addr, TcpListener};

use linerate_core::options::{Io, MemoryOptions};
use linerate_core::transport::Transport;
use linerate_core::units::Size;
use linerate_net::observe::HostClock;
use linerate_net::serve::Limits;
use linerate_net::transport::memory::MemoryBench;
use lines::Lines;
use rstest::rstest;
use support::{TestServer, plan};

#[rstest]
fn tcp_keeps_every_promise_of_an_endpoint(#[values(Io::ReadWrite, Io::SendRecv, Io::Sendmsg)] io: Io) {
    conformance::endpoints(|| {
        Lines::connect(Transport::Tcp, |setup| setup.socket.io = io).expect("two ends")
    });
}

#[rstest]
fn secured_streams_keep_every_promise_of_an_endpoint(
    #[values(Transport::Tls, Transport::Quic)] transport: Transport,
) {
    conformance::endpoints(|| Lines::connect(transport, |_| {}).expect("two ends"));
}

#[rstest]
fn streams_over_ipv6_keep_every_promise_of_an_endpoint(
    #[values(Transport::Tcp, Transport::Tls, Transport::Quic)] transport: Transport,
) {
    let Ok(listener) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)) else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs an IPv6 loopback");
        eprintln!("skipped: an IPv6 loopback is missing");
        return;
    };
    drop(listener);
    conformance::endpoints(|| lines::over(Ipv6Addr::LOCALHOST.into(), transport, |_| {}).expect("two ends"));
}

#[rstest]
#[case(Transport::Mptcp)]
#[case(Transport::Unix)]
#[case(Transport::Vsock)]
#[case(Transport::Pipe)]
#[case(Transport::SharedMemory)]
fn a_byte_channel_keeps_every_promise_of_an_endpoint(#[case] transport: Transport) {
    if lines::there_is(transport) {
        conformance::endpoints(|| Lines::connect(transport, |_| {}).expect("two ends"));
    }
}

#[rstest]
fn a_pair_of_hosts_keeps_every_promise_of_a_bench(
    #[values(
        Transport::Tcp,
        Transport::Mptcp,
        Transport::Tls,
        Transport::Quic,
        Transport::Unix,
        Transport::Vsock,
        Transport::Pipe,
        Transport::SharedMemory
    )]
    transport: Transport,
) {
    if !lines::there_is(transport) {
        return;
    }
    let server = TestServer::start(Limits::default());
    let plan = plan(&format!("schedule = 'list:8MiB'\ntransport = '{transport}'"));
    let mut pair = server.pair(&plan).expect("the server admits");
    conformance::bench(&mut pair);
}

#[test]
fn copies_in_memory_keep_every_promise_of_a_bench() {
    for memory in [
        MemoryOptions::default(),
        MemoryOptions { working_set: Some(Size(100_000)), touch: true, offset: 3, huge_pages: true },
    ] {
        let mut bench = MemoryBench::new(HostClock::start(), 8 << 20, &memory).expect("memory");
        conformance::bench(&mut bench);
    }
}
