//! What every transport promises, run over real channels: the same body as the modelled one.

mod served;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use linerate_core::options::{Io, MemoryOptions};
use linerate_core::transport::Transport;
use linerate_core::units::{Size, Span};
use linerate_net::observe::HostClock;
use linerate_net::serve::Limits;
use linerate_net::transport::memory::MemoryBench;
use linerate_net::transport::{Setup, TransportError};
use rstest::rstest;

use crate::support::lines::Lines;
use crate::support::rendezvous::{Ends, lines, lines_at, there_is};
use crate::support::stations::{HEADER, Stations};
use crate::support::{TestServer, conformance, datagrams, engines, has_ipv6, plan};

/// A message of a curve that does not come is lost after this long.
const LOST: Span = Span::from_ms(300);

fn ends(ends: Result<Ends, TransportError>) -> Lines {
    Lines::of(ends.expect("two ends"))
}

fn plain(transport: Transport) -> Lines {
    ends(lines(transport, |_| {}))
}

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
    conformance::endpoints(|| ends(lines(Transport::Tcp, |setup| setup.socket = engines::asked(io))));
}

#[rstest]
fn secured_streams_keep_every_promise_of_an_endpoint(
    #[values(Transport::Tls, Transport::Quic)] transport: Transport,
) {
    conformance::endpoints(|| plain(transport));
}

#[rstest]
fn streams_over_ipv6_keep_every_promise_of_an_endpoint(
    #[values(Transport::Tcp, Transport::Tls, Transport::Quic)] transport: Transport,
) {
    if !has_ipv6() {
        return;
    }
    conformance::endpoints(|| ends(lines_at(Ipv6Addr::LOCALHOST.into(), transport, |_| {})));
}

#[rstest]
#[case(Transport::Mptcp)]
#[case(Transport::Unix)]
#[case(Transport::Vsock)]
#[case(Transport::Pipe)]
#[case(Transport::SharedMemory)]
fn a_byte_channel_keeps_every_promise_of_an_endpoint(#[case] transport: Transport) {
    if there_is(transport) {
        conformance::endpoints(|| plain(transport));
    }
}

/// Two hosts, of which both use this engine.
fn a_pair_keeps_every_promise(transport: Transport, io: Io) {
    let server = TestServer::start(Limits::default());
    let mut plan = plan(&format!("schedule = 'list:8MiB'\ntransport = '{transport}'"));
    plan.common.socket = engines::asked(io);
    let mut pair = server.pair(&plan).expect("the server admits");
    conformance::bench(&mut pair);
}

/// The messages of a curve lie still during a trial, which is what engines without a copy ask for.
#[rstest]
fn every_engine_carries_every_byte_of_a_curve(
    #[values(
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
    a_pair_keeps_every_promise(Transport::Tcp, io);
}

/// What TCP's siblings have of the kernel's calls was found by trying: every byte is compared.
#[rstest]
fn other_stream_sockets_carry_every_byte_of_a_curve(
    #[values(Transport::Unix, Transport::Mptcp, Transport::Vsock)] transport: Transport,
    #[values(Io::Sendfile, Io::Splice, Io::Uring, Io::UringFixed, Io::UringMultishot)] io: Io,
) {
    if engines::are_missing(io) || !there_is(transport) {
        return;
    }
    a_pair_keeps_every_promise(transport, io);
}

/// UDP's largest message is the largest payload of an IP packet less its header of 8 bytes.
#[rstest]
#[case(Ipv4Addr::LOCALHOST.into(), 65_535 - 20 - 8)]
#[case(Ipv6Addr::LOCALHOST.into(), 65_535 - 8)]
fn udp_keeps_every_promise_of_a_datagram_endpoint(#[case] address: IpAddr, #[case] largest: usize) {
    if address.is_ipv6() && !has_ipv6() {
        return;
    }
    datagrams::datagrams(largest, || ends(lines_at(address, Transport::Udp, |setup| setup.patience = LOST)));
}

/// A Unix datagram is as long as the send buffer, which Linux doubles, less 32 bytes.
#[test]
fn unix_datagrams_keep_every_promise_of_a_datagram_endpoint() {
    datagrams::datagrams(2 * 100_000 - 32, || {
        let change = |setup: &mut Setup| {
            setup.patience = LOST;
            setup.socket.sndbuf = Some(Size(100_000));
        };
        ends(lines(Transport::UnixDatagram, change))
    });
}

/// Between two hosts of a laboratory. A frame carries linerate's header besides the message.
#[test]
fn ethernet_keeps_every_promise_of_a_datagram_endpoint() {
    let Some(stations) = Stations::new(9_000) else { return };
    datagrams::datagrams(9_000 - HEADER, || Lines::of(stations.ends(|setup| setup.patience = LOST)));
}

/// Frames of the longest MTU that AF_XDP has room for.
#[cfg(feature = "xdp")]
#[test]
fn af_xdp_keeps_every_promise_of_a_datagram_endpoint() {
    let Some(stations) = Stations::with_xdp(3_826) else { return };
    datagrams::datagrams(3_826 - HEADER, || {
        Lines::of(stations.ends(|setup| (setup.transport, setup.patience) = (Transport::Xdp, LOST)))
    });
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
