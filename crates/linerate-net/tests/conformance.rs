//! What every transport promises, run over real channels: the same body as the modelled one.

#[path = "../../linerate-core/tests/support/conformance.rs"]
mod conformance;
#[path = "../../linerate-core/tests/support/datagrams.rs"]
mod datagrams;
#[path = "support/engines.rs"]
mod engines;
#[path = "support/lines.rs"]
mod lines;
mod support;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpListener};

use linerate_core::options::{Io, MemoryOptions};
use linerate_core::transport::Transport;
use linerate_core::units::{Size, Span};
use linerate_net::observe::HostClock;
use linerate_net::serve::Limits;
use linerate_net::transport::memory::MemoryBench;
use lines::Lines;
use rstest::rstest;
use support::{TestServer, plan};

#[rstest]
fn tcp_keeps_every_promise_of_an_endpoint(
    #[values(
        Io::ReadWrite,
        Io::SendRecv,
        Io::Sendmsg,
        Io::Sendfile,
        Io::Splice,
        Io::Zerocopy,
        Io::ZerocopyReceive,
        Io::Uring,
        Io::UringFixed,
        Io::UringMultishot,
        Io::UringZerocopy
    )]
    io: Io,
) {
    if engines::are_missing(io) {
        return;
    }
    conformance::endpoints(|| {
        Lines::connect(Transport::Tcp, |setup| setup.socket = engines::asked(io)).expect("two ends")
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
    if !has_ipv6() {
        return;
    }
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

/// UDP's largest message is the largest payload of an IP packet less its header of 8 bytes.
#[rstest]
#[case(Ipv4Addr::LOCALHOST.into(), 65_535 - 20 - 8)]
#[case(Ipv6Addr::LOCALHOST.into(), 65_535 - 8)]
fn udp_keeps_every_promise_of_a_datagram_endpoint(#[case] address: IpAddr, #[case] largest: usize) {
    if address.is_ipv6() && !has_ipv6() {
        return;
    }
    datagrams::datagrams(largest, || {
        lines::over(address, Transport::Udp, |setup| setup.patience = Span::from_ms(300)).expect("two ends")
    });
}

/// A Unix datagram is as long as the send buffer, which Linux doubles, less 32 bytes.
#[test]
fn unix_datagrams_keep_every_promise_of_a_datagram_endpoint() {
    datagrams::datagrams(2 * 100_000 - 32, || {
        let change = |setup: &mut linerate_net::transport::Setup| {
            setup.patience = Span::from_ms(300);
            setup.socket.sndbuf = Some(Size(100_000));
        };
        Lines::connect(Transport::UnixDatagram, change).expect("two ends")
    });
}

/// Whether the host has an IPv6 loopback; in CI it must.
fn has_ipv6() -> bool {
    let has = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok();
    assert!(has || std::env::var("CI").as_deref() != Ok("true"), "CI needs an IPv6 loopback");
    if !has {
        eprintln!("skipped: an IPv6 loopback is missing");
    }
    has
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
