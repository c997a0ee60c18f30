//! UDP and Unix datagrams: flows and their accounts, the proof of addresses, and who lies about them.

mod unknown_peers;

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use linerate_core::endpoint::LinkError;
use linerate_core::options::Io;
use linerate_core::traffic::{Bound, Datagrams};
use linerate_core::transport::Transport;
use linerate_core::units::{Rate, Size, Span};
use linerate_net::lab::{HERE, THERE, WIRE, shape};
use linerate_net::transport::{CONTROL_LEN, HEADER_LEN, Listener, Setup, join, listen};
use linerate_net::wait::{Interest, Wait};
use rstest::rstest;

use crate::support;
use crate::support::flows::{self, Flow, flow, lines, setup};
use crate::support::rendezvous::{Answering, TOKEN, accept};

/// A change of what is asked.
type Ask = fn(&mut Setup);

const LOCAL: Ipv4Addr = Ipv4Addr::LOCALHOST;
/// More than any flow here holds under way.
const ROOM: Size = Size(4 << 20);

/// A set-up with room for everything that is under way.
fn roomy(transport: Transport) -> Setup {
    let mut setup = setup(transport, LOCAL.into());
    (setup.socket.rcvbuf, setup.socket.sndbuf) = (Some(ROOM), Some(ROOM));
    setup
}

fn said(datagrams: Option<Datagrams>) -> Datagrams {
    datagrams.expect("a datagram transport counts them")
}

#[rstest]
fn every_bound_is_exact(
    #[values(Transport::Udp, Transport::UnixDatagram)] transport: Transport,
    #[values((false, false), (true, false), (true, true), (false, true))] offloads: (bool, bool),
    #[values(
        Bound::Count(1000),
        Bound::Bytes(700_000),
        Bound::Bytes(700_007),
        Bound::Bytes(700_100),
        Bound::Bytes(5)
    )]
    bound: Bound,
) {
    let mut setup = roomy(transport);
    (setup.socket.gso, setup.socket.gro) = offloads;
    let Flow { sender, receiver } = flow(lines(&setup), 1000, bound);
    let (bytes, messages) = match bound {
        Bound::Bytes(bytes) => (bytes, bytes.div_ceil(1000)),
        _ => (1_000_000, 1000),
    };
    sender.1.expect("it is sent");
    receiver.1.expect("it arrives");
    assert_eq!((sender.0.bytes, sender.0.messages), (bytes, messages));
    assert_eq!((receiver.0.bytes, receiver.0.messages), (bytes, messages));
    let datagrams = said(receiver.0.datagrams);
    let expected = Datagrams {
        sent: messages,
        received: messages,
        jitter: datagrams.jitter,
        host_buffer_errors: datagrams.host_buffer_errors,
        ..Datagrams::default()
    };
    assert_eq!(datagrams, expected);
    assert_eq!(datagrams.host_buffer_errors.is_some(), transport == Transport::Udp);
}

#[rstest]
fn segments_and_large_messages_pass_over_ipv6(
    #[values((true, true), (true, false), (false, false))] offloads: (bool, bool),
    #[values(24, 1452, 30_000, 65_488)] size: usize,
) {
    if !support::has_ipv6() {
        return;
    }
    let mut setup = setup(Transport::Udp, Ipv6Addr::LOCALHOST.into());
    (setup.socket.rcvbuf, setup.socket.sndbuf) = (Some(ROOM), Some(ROOM));
    (setup.socket.gso, setup.socket.gro) = offloads;
    let Flow { sender, receiver } = flow(lines(&setup), size, Bound::Count(50));
    sender.1.expect("it is sent");
    receiver.1.expect("it arrives");
    assert_eq!((receiver.0.messages, receiver.0.bytes), (50, 50 * size as u64));
}

#[test]
fn a_flow_bounded_in_time_ends_and_adds_up() {
    let Flow { sender, receiver } =
        flow(lines(&setup(Transport::Udp, LOCAL.into())), 1472, Bound::Time(Span::from_ms(100)));
    sender.1.expect("it is sent");
    receiver.1.expect("it arrives");
    let datagrams = said(receiver.0.datagrams);
    assert_eq!(datagrams.sent, sender.0.messages);
    assert_eq!(datagrams.sent, datagrams.received + datagrams.dropped_by_socket + datagrams.lost);
    assert_eq!(datagrams.lost, 0, "the loopback loses nothing: {datagrams:?}");
    assert_eq!(receiver.0.bytes, datagrams.received * 1472);
}

/// The host drops what a receiver that pauses has no room for; the network drops nothing.
#[rstest]
fn what_the_receiving_host_drops_is_told_apart_from_loss(
    #[values((false, false), (true, false), (true, true))] offloads: (bool, bool),
) {
    let mut setup = setup(Transport::Udp, LOCAL.into());
    setup.socket.rcvbuf = Some(Size(20_000));
    (setup.socket.gso, setup.socket.gro) = offloads;
    let count = 5000;
    let Flow { sender, receiver } = flows::paused(lines(&setup), 1000, Bound::Count(count));
    sender.1.expect("it is sent");
    receiver.1.expect("it arrives");
    let datagrams = said(receiver.0.datagrams);
    assert_eq!(datagrams.sent, count);
    assert!(datagrams.dropped_by_socket > 0, "{datagrams:?}");
    assert_eq!(datagrams.received + datagrams.dropped_by_socket, count, "{datagrams:?}");
    assert_eq!(datagrams.lost, 0, "the loopback loses nothing: {datagrams:?}");
    if !offloads.1 {
        // The host counts what other sockets drop as well, and the ends that met a full socket.
        assert!(datagrams.host_buffer_errors >= Some(datagrams.dropped_by_socket), "{datagrams:?}");
    }
}

/// Over a bucket that is too small for the flow, what did not arrive is what the bucket dropped.
#[rstest]
fn loss_is_what_the_interfaces_say_to_the_packet(#[values(false, true)] gso: bool) {
    let Some(lab) = support::lab(1500) else { return };
    let shaped = lab.here(|| shape(Rate::from_mbps(50.0), Size(16 << 10), Size(30 << 10)));
    shaped.expect("entered").expect("there is a wire");
    let mut there = setup(Transport::Udp, THERE.into());
    (there.socket.rcvbuf, there.local, there.peer) = (Some(ROOM), THERE.into(), SocketAddr::from((HERE, 0)));
    let mut here = setup(Transport::Udp, HERE.into());
    (here.peer, here.socket.gso) = (SocketAddr::from((THERE, 0)), gso);
    let (tell, told) = std::sync::mpsc::channel();
    let (begun, answered) = std::thread::scope(|scope| {
        let (lab, here) = (&lab, &here);
        let begun = scope.spawn(move || {
            let rendezvous = told.recv().expect("the other end waits");
            lab.here(|| join(here, &rendezvous, &TOKEN, 0)).expect("entered")
        });
        let answered = lab.there(|| {
            let mut answering = Answering::of(there).expect("it waits");
            tell.send(answering.rendezvous()).expect("the other end listens");
            answering.accept().expect("it comes").1
        });
        (begun.join().expect("it does not panic"), answered.expect("entered"))
    });
    let line = begun.expect("the other end answers");
    assert_eq!(line.channel().granted().path_mtu.known(), Some(&1500));
    assert_eq!(line.channel().granted().mss.known(), Some(&1472));
    let before = lab.here(dropped).expect("entered");
    let Flow { sender, receiver } = flow([line, answered], 1472, Bound::Count(4000));
    sender.1.expect("it is sent");
    receiver.1.expect("it arrives");
    let after = lab.here(dropped).expect("entered");
    let datagrams = said(receiver.0.datagrams);
    assert_eq!(
        (datagrams.sent, datagrams.dropped_by_socket, datagrams.foreign),
        (4000, 0, 0),
        "{datagrams:?}"
    );
    assert!(datagrams.lost > 0, "the bucket is too small: {datagrams:?}");
    assert_eq!(datagrams.sent, datagrams.received + datagrams.lost);
    assert_eq!(datagrams.lost, after - before, "to the packet: {datagrams:?}");
}

/// How many packets the queue of this thread's end says it dropped.
fn dropped() -> u64 {
    let said = support::output_of("tc", &["-s", "qdisc", "show", "dev", WIRE]);
    let (_, rest) = said.split_once("dropped ").unwrap_or_else(|| panic!("no count in {said}"));
    rest.split([',', ' ']).next().and_then(|count| count.parse().ok()).expect("a count")
}

#[test]
fn a_paced_flow_keeps_its_rate_and_its_departures() {
    let paced = flows::paced(
        lines(&roomy(Transport::Udp)),
        1000,
        Bound::Count(200),
        Rate::from_bits_per_second(80e6),
    );
    paced.sender.1.expect("it is sent");
    paced.receiver.1.expect("it arrives");
    let took = paced.sender.0.last.expect("it ended").saturating_sub(paced.sender.0.first.expect("it began"));
    // 200 messages of 100 us each: the last departs 19.9 ms after the first, and never earlier.
    assert!(took >= Span::from_us(19_900), "{took}");
    assert_eq!(paced.sender.0.departures.expect("a paced flow has them").count(), 199);
    assert_eq!(said(paced.receiver.0.datagrams).received, 200);
}

#[test]
fn a_message_shorter_than_the_header_or_longer_than_a_datagram_is_refused_with_a_word() {
    let short = flow(lines(&roomy(Transport::Udp)), HEADER_LEN - 1, Bound::Count(1));
    let error = short.sender.1.expect_err("too short").to_string();
    assert_eq!(error, "send: a datagram of a flow begins with 24 B of its own; 23 B are too short");
    let long = flow(lines(&roomy(Transport::Udp)), 65_508, Bound::Count(1));
    let error = long.sender.1.expect_err("too long");
    assert!(matches!(error, LinkError::TooLong { size: 65_508, largest: 65_507 }), "{error}");
    assert_eq!(flow(lines(&roomy(Transport::Udp)), HEADER_LEN, Bound::Count(9)).receiver.0.messages, 9);
}

#[test]
fn what_is_not_of_the_flow_is_foreign() {
    let [mut here, there] = lines(&roomy(Transport::Udp));
    here.channel_mut().push(&[7; 100], Wait::Patiently).expect("it is sent");
    here.channel_mut().push(&[0; CONTROL_LEN], Wait::Patiently).expect("it is sent");
    let Flow { sender, receiver } = flow([here, there], 1000, Bound::Count(10));
    sender.1.expect("it is sent");
    receiver.1.expect("it arrives");
    let datagrams = said(receiver.0.datagrams);
    assert_eq!((datagrams.received, datagrams.foreign, datagrams.lost), (10, 2, 0), "{datagrams:?}");
    assert_eq!(receiver.0.bytes, 10_000);
}

#[rstest]
fn a_flow_that_nobody_sends_has_stalled(
    #[values(Transport::Udp, Transport::UnixDatagram)] transport: Transport,
) {
    let mut setup = roomy(transport);
    setup.patience = Span::from_ms(120);
    let [_here, there] = lines(&setup);
    let (account, said) = flows::receive(there, 1000);
    assert!(matches!(said, Err(LinkError::Stalled(span)) if span == setup.patience), "{said:?}");
    assert_eq!(
        account.datagrams,
        Some(Datagrams {
            host_buffer_errors: account.datagrams.clone().and_then(|said| said.host_buffer_errors),
            ..Datagrams::default()
        })
    );
}

#[rstest]
fn a_receiver_that_goes_away_ends_the_flow_with_a_word(
    #[values(Transport::Udp, Transport::UnixDatagram)] transport: Transport,
) {
    let [here, there] = lines(&roomy(transport));
    drop(there);
    let (_, said) = flows::send(here, 1000, Bound::Count(1_000_000));
    assert!(matches!(said, Err(LinkError::Closed | LinkError::Reset)), "{said:?}");
}

#[rstest]
fn a_sender_that_goes_away_in_the_middle_is_no_end_of_the_flow(
    #[values(Transport::Udp, Transport::UnixDatagram)] transport: Transport,
) {
    let [mut here, there] = lines(&roomy(transport));
    here.channel_mut().push(&[7; 100], Wait::Patiently).expect("it is sent");
    drop(here);
    let (account, said) = flows::receive(there, 1000);
    assert!(matches!(said, Err(LinkError::Closed)), "{said:?}");
    let expected = Datagrams { foreign: 1, ..Datagrams::default() };
    assert_eq!(counts(account.datagrams), expected);
}

/// It has sent everything, waits to be told that it was heard, and the receiver goes away instead.
#[rstest]
fn a_receiver_that_goes_away_without_its_account_is_no_acknowledgement(
    #[values(Transport::Udp, Transport::UnixDatagram)] transport: Transport,
) {
    let [here, mut there] = lines(&roomy(transport));
    let said = std::thread::scope(|scope| {
        let sending = scope.spawn(|| flows::send(here, 1000, Bound::Count(3)).1);
        // The first of the flow, or what the greetings left; the rest is never read.
        let begun = there.channel_mut().ready(Interest::Receive, Span::from_ms(10_000));
        assert!(begun.expect("a socket"), "the flow begins");
        drop(there);
        sending.join().expect("it does not panic")
    });
    assert!(matches!(said, Err(LinkError::Closed)), "{said:?}");
}

#[rstest]
fn a_cut_breaks_off_who_waits(#[values(Transport::Udp, Transport::UnixDatagram)] transport: Transport) {
    let [_here, there] = lines(&roomy(transport));
    let remote = there.channel().handle().expect("a descriptor more");
    let waiting = std::thread::spawn(move || flows::receive(there, 1000).1);
    remote.cut();
    let said = waiting.join().expect("it does not panic");
    assert!(matches!(said, Err(LinkError::Reset)), "{said:?}");
}

#[rstest]
fn a_cut_breaks_off_a_message(#[values(Transport::Udp, Transport::UnixDatagram)] transport: Transport) {
    let [_here, mut there] = lines(&roomy(transport));
    there.channel().handle().expect("a descriptor more").cut();
    let said = there.channel_mut().pull(&mut [0; 100], Wait::Patiently);
    assert!(matches!(said, Err(LinkError::Reset)), "{said:?}");
}

#[rstest]
fn both_ends_may_end_at_once(#[values(Transport::Udp, Transport::UnixDatagram)] transport: Transport) {
    let [mut here, mut there] = lines(&roomy(transport));
    there.channel_mut().push(&[1; 10], Wait::Patiently).expect("it is sent");
    let other = std::thread::spawn(move || {
        there.channel_mut().finish_sending().expect("it ends");
        (there.channel_mut().pull(&mut [0], Wait::Patiently), there)
    });
    here.channel_mut().finish_sending().expect("it ends");
    let mut into = [0; 10];
    here.channel_mut().pull(&mut into, Wait::Patiently).expect("what came before the end is kept");
    assert_eq!(into, [1; 10]);
    assert!(matches!(here.channel_mut().pull(&mut [0], Wait::Patiently), Err(LinkError::Closed)));
    let (said, _there) = other.join().expect("it does not panic");
    assert!(matches!(said, Err(LinkError::Closed)), "{said:?}");
}

#[test]
fn without_fragments_the_path_is_the_limit() {
    let mut setup = roomy(Transport::Udp);
    setup.socket.dont_fragment = true;
    let [mut here, _there] = lines(&setup);
    let mtu = *here.channel().granted().path_mtu.known().expect("the kernel knows it");
    let largest = (mtu - 28).min(65_507);
    let error = here.channel_mut().push(&vec![0; 65_508], Wait::Patiently).expect_err("too long");
    assert!(matches!(error, LinkError::TooLong { largest: said, .. } if said == largest), "{error}");
}

#[rstest]
fn what_datagrams_have_not_is_refused_by_name(
    #[values(Transport::Udp, Transport::UnixDatagram)] transport: Transport,
) {
    let asked: [(Ask, &str); 3] = [
        (|setup| setup.socket.io = Io::Zerocopy, "`zerocopy`"),
        (|setup| setup.socket.congestion = Some("cubic".to_owned()), "a congestion control algorithm"),
        (|setup| setup.socket.mss = Some(1400), "a largest segment"),
    ];
    for (ask, word) in asked {
        let mut setup = roomy(transport);
        ask(&mut setup);
        let error = listen(&setup, &TOKEN).expect_err(word).to_string();
        assert!(error.starts_with(&format!("use the transport {transport}: ")), "{error}");
        assert!(error.contains(word), "{error}");
    }
}

#[rstest]
fn many_flows_meet_at_one_host(#[values(Transport::Udp, Transport::UnixDatagram)] transport: Transport) {
    let setup = roomy(transport);
    let Ok(Listener::Separate(mut host)) = listen(&setup, &TOKEN) else { panic!("a place of its own") };
    let rendezvous = host.rendezvous();
    std::thread::scope(|scope| {
        let (setup, rendezvous) = (&setup, &rendezvous);
        let begun: Vec<_> =
            (0..64).map(|number| scope.spawn(move || join(setup, rendezvous, &TOKEN, number))).collect();
        let mut answered: Vec<_> = (0..64).map(|_| accept(host.as_mut()).expect("each comes")).collect();
        answered.sort_by_key(|(number, _)| *number);
        for ((number, mut there), begun) in answered.into_iter().zip(begun) {
            let mut here = begun.join().expect("it does not panic").expect("it is accepted");
            here.channel_mut().push(&number.to_be_bytes(), Wait::Patiently).expect("it is sent");
            let mut into = [0; 4];
            there.channel_mut().pull(&mut into, Wait::Patiently).expect("it arrives");
            assert_eq!(u32::from_be_bytes(into), number, "each flow has its own channel");
        }
    });
}

/// The counts alone.
fn counts(datagrams: Option<Datagrams>) -> Datagrams {
    Datagrams { jitter: Span::ZERO, host_buffer_errors: None, ..said(datagrams) }
}
