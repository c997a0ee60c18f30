//! Where channels arrive: at link-local addresses of IPv6, which mean nothing without their link, and at ports that a
//! firewall lets pass.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddrV6, TcpListener, UdpSocket};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use linerate_core::options::SocketOptions;
use linerate_core::traffic::{Class, Load, StreamPlan};
use linerate_core::transport::Transport;
use linerate_core::units::{Size, Span};
use linerate_net::control::Key;
use linerate_net::lab::WIRE;
use linerate_net::serve::{Limits, Server};
use rstest::rstest;

use crate::support::conversation::run_over;
use crate::support::{self, TestServer};

/// How long the kernel may take to find that no other host has the address (RFC 4862, section 5.4).
const PATIENCE: Duration = Duration::from_secs(20);
/// `IFA_F_TENTATIVE` of linux/if_addr.h.
const TENTATIVE: u32 = 0x40;

/// The link-local address of the wire in this namespace, once it may be used, and the index of the wire. None on a
/// host without IPv6.
fn link_local() -> Option<(Ipv6Addr, u32)> {
    let begun = Instant::now();
    loop {
        let all = std::fs::read_to_string("/proc/thread-self/net/if_inet6").ok()?;
        for line in all.lines().filter(|line| line.ends_with(&format!(" {WIRE}"))) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |place: usize| u32::from_str_radix(words[place], 16).expect("a number");
            let address = Ipv6Addr::from_bits(u128::from_str_radix(words[0], 16).expect("an address"));
            if address.is_unicast_link_local() && number(4) & TENTATIVE == 0 {
                return Some((address, number(1)));
            }
        }
        assert!(begun.elapsed() < PATIENCE, "the wire has no address of its own: {all}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[rstest]
#[case::tcp(Transport::Tcp, None)]
#[case::tcp_at_a_port_of_its_own(Transport::Tcp, Some(Size(64 << 10)))]
#[case::udp(Transport::Udp, None)]
#[case::tls(Transport::Tls, None)]
#[case::quic(Transport::Quic, None)]
fn an_address_of_one_link_is_reached(#[case] transport: Transport, #[case] sndbuf: Option<Size>) {
    let Some(lab) = support::lab(1500) else { return };
    if !support::has_ipv6() {
        return;
    }
    let Some((there, _)) = lab.there(link_local).expect("entered") else { return };
    let Some((_, link)) = lab.here(link_local).expect("entered") else { return };
    let serve = || {
        let key = Key::fresh().expect("random numbers");
        let server = Server::bind((Ipv6Addr::UNSPECIFIED, 0).into(), Some(key.clone()), Limits::default());
        TestServer::of(server.expect("it listens"), key)
    };
    let mut server = lab.there(serve).expect("entered");
    server.address = SocketAddrV6::new(there, server.address.port(), 0, link).into();
    let load = Load {
        stream: Some(StreamPlan { bytes: Some(Size(1 << 20)), ..StreamPlan::default() }),
        socket: SocketOptions { sndbuf, ..SocketOptions::default() },
        time: Span::from_ms(5_000),
        ..Load::default()
    };
    let carry = || run_over(&server, transport, &load, || ControlFlow::Continue(()));
    let transfer = lab.here(carry).expect("entered").expect("a transfer");
    assert_eq!(transfer.class(&transfer.flows[0]), Class::Complete, "{:?}", transfer.flows[0].sender.ended);
    assert_eq!(transfer.flows[0].sender.bytes, 1 << 20);
}

/// So many ports in a row that are free over TCP and UDP just now.
fn free_ports(count: u16) -> (u16, u16) {
    let free = |port: u16| {
        let all = (Ipv4Addr::LOCALHOST, port);
        UdpSocket::bind(all).is_ok() && TcpListener::bind(all).is_ok()
    };
    let first = (20_000..30_000).step_by(7).find(|first| (*first..first + count).all(free));
    let first = first.expect("not all of ten thousand are in use");
    (first, first + count - 1)
}

#[rstest]
#[case::udp(Transport::Udp, None)]
#[case::quic(Transport::Quic, None)]
#[case::tcp_with_a_buffer(Transport::Tcp, Some(Size(64 << 10)))]
fn data_arrives_at_the_ports_that_a_firewall_lets_pass(
    #[case] transport: Transport,
    #[case] sndbuf: Option<Size>,
) {
    let load = |flows| Load {
        stream: Some(StreamPlan { bytes: Some(Size(100_000)), flows, ..StreamPlan::default() }),
        socket: SocketOptions { sndbuf, ..SocketOptions::default() },
        time: Span::from_ms(5_000),
        ..Load::default()
    };
    let server = TestServer::start(Limits { data_ports: Some(free_ports(8)), ..Limits::default() });
    let carry =
        |server: &TestServer, flows| run_over(server, transport, &load(flows), || ControlFlow::Continue(()));
    let transfer = carry(&server, 2).expect("there are enough");
    assert!(transfer.flows.iter().all(|flow| flow.sender.bytes == 100_000), "{transfer:?}");

    // UDP has a socket for each flow.
    if transport == Transport::Udp {
        let (port, _) = free_ports(1);
        let server = TestServer::start(Limits { data_ports: Some((port, port)), ..Limits::default() });
        let error = carry(&server, 2).expect_err("there is one port").to_string();
        assert!(error.contains(&format!("no port from {port} to {port} is free")), "{error}");
    }
}
