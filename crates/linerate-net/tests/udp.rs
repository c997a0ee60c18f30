//! UDP and Unix datagrams: flows and their accounts, the proof of addresses, and who lies about them.

#[path = "support/flows.rs"]
mod flows;

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use flows::{Flow, PASS, channel, flow, lines, meet, setup};
use linerate_core::endpoint::LinkError;
use linerate_core::options::Io;
use linerate_core::traffic::{Bound, Datagrams};
use linerate_core::transport::Transport;
use linerate_core::units::{Rate, Size, Span};
use linerate_net::channel::{Interest, Wait};
use linerate_net::control::Deadline;
use linerate_net::lab::{HERE, Lab, LabError, THERE};
use linerate_net::transport::{
    CONTROL_LEN, Greeting, HEADER_LEN, Header, Hosting, Kind, Meeting, Place, REPLY_LEN, REQUEST_LEN, Reply,
    Request, Setup, Token, host, join,
};
use rstest::rstest;

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
    if UdpSocket::bind((Ipv6Addr::LOCALHOST, 0)).is_err() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs an IPv6 loopback");
        eprintln!("skipped: an IPv6 loopback is missing");
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
    let lab = match Lab::new(1500) {
        Ok(lab) => lab,
        Err(error @ (LabError::Privilege | LabError::Program { .. })) => {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "failed to {error}");
            eprintln!("skipped: failed to {error}");
            return;
        }
        Err(error) => panic!("failed to {error}"),
    };
    lab.here(|| tc("qdisc add dev wire root tbf rate 50mbit burst 16kb limit 30kb")).expect("entered");
    let mut there = setup(Transport::Udp, THERE.into());
    (there.socket.rcvbuf, there.local, there.peer) = (Some(ROOM), THERE.into(), SocketAddr::from((HERE, 0)));
    let mut here = setup(Transport::Udp, HERE.into());
    (here.peer, here.socket.gso) = (SocketAddr::from((THERE, 0)), gso);
    let (tell, told) = std::sync::mpsc::channel();
    let (begun, answered) = std::thread::scope(|scope| {
        let (lab, here) = (&lab, &here);
        let begun = scope.spawn(move || {
            let meeting = told.recv().expect("the other end waits");
            lab.here(|| join(here, &meeting, &PASS, 0)).expect("entered")
        });
        let answered = lab.there(|| {
            let mut hosting = host(&there, &PASS).expect("it waits");
            tell.send(meet(&hosting)).expect("the other end listens");
            channel(&mut hosting)
        });
        (begun.join().expect("it does not panic"), answered.expect("entered"))
    });
    let line = begun.expect("the other end answers");
    assert_eq!(line.granted().path_mtu.known(), Some(&1500));
    assert_eq!(line.granted().mss.known(), Some(&1472));
    let before = lab.here(|| dropped(&tc("-s qdisc show dev wire"))).expect("entered");
    let Flow { sender, receiver } = flow([line, answered], 1472, Bound::Count(4000));
    sender.1.expect("it is sent");
    receiver.1.expect("it arrives");
    let after = lab.here(|| dropped(&tc("-s qdisc show dev wire"))).expect("entered");
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

fn tc(arguments: &str) -> String {
    let output = Command::new("tc").args(arguments.split(' ')).output().expect("tc runs");
    assert!(output.status.success(), "tc {arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// How many packets the queue says it dropped.
fn dropped(said: &str) -> u64 {
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
    here.push(&[7; 100], Wait::Patiently).expect("it is sent");
    here.push(&[0; CONTROL_LEN], Wait::Patiently).expect("it is sent");
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
    here.push(&[7; 100], Wait::Patiently).expect("it is sent");
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
        let begun = there.ready(Interest::Receive, Span::from_ms(10_000));
        assert!(begun.expect("a socket"), "the flow begins");
        drop(there);
        sending.join().expect("it does not panic")
    });
    assert!(matches!(said, Err(LinkError::Closed)), "{said:?}");
}

#[rstest]
fn a_cut_breaks_off_who_waits(#[values(Transport::Udp, Transport::UnixDatagram)] transport: Transport) {
    let [_here, there] = lines(&roomy(transport));
    let remote = there.remote().expect("a descriptor more");
    let waiting = std::thread::spawn(move || flows::receive(there, 1000).1);
    remote.cut();
    let said = waiting.join().expect("it does not panic");
    assert!(matches!(said, Err(LinkError::Reset)), "{said:?}");
}

#[rstest]
fn a_cut_breaks_off_a_message(#[values(Transport::Udp, Transport::UnixDatagram)] transport: Transport) {
    let [_here, mut there] = lines(&roomy(transport));
    there.remote().expect("a descriptor more").cut();
    let said = there.pull(&mut [0; 100], Wait::Patiently);
    assert!(matches!(said, Err(LinkError::Reset)), "{said:?}");
}

#[rstest]
fn both_ends_may_end_at_once(#[values(Transport::Udp, Transport::UnixDatagram)] transport: Transport) {
    let [mut here, mut there] = lines(&roomy(transport));
    there.push(&[1; 10], Wait::Patiently).expect("it is sent");
    let other = std::thread::spawn(move || {
        there.finish_sending().expect("it ends");
        (there.pull(&mut [0], Wait::Patiently), there)
    });
    here.finish_sending().expect("it ends");
    let mut into = [0; 10];
    here.pull(&mut into, Wait::Patiently).expect("what came before the end is kept");
    assert_eq!(into, [1; 10]);
    assert!(matches!(here.pull(&mut [0], Wait::Patiently), Err(LinkError::Closed)));
    let (said, _there) = other.join().expect("it does not panic");
    assert!(matches!(said, Err(LinkError::Closed)), "{said:?}");
}

#[test]
fn without_fragments_the_path_is_the_limit() {
    let mut setup = roomy(Transport::Udp);
    setup.socket.dont_fragment = true;
    let [mut here, _there] = lines(&setup);
    let mtu = *here.granted().path_mtu.known().expect("the kernel knows it");
    let largest = (mtu - 28).min(65_507);
    let error = here.push(&vec![0; 65_508], Wait::Patiently).expect_err("too long");
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
        let error = host(&setup, &PASS).expect_err(word).to_string();
        assert!(error.starts_with(&format!("use the transport {transport}: ")), "{error}");
        assert!(error.contains(word), "{error}");
    }
}

#[rstest]
fn many_flows_meet_at_one_host(#[values(Transport::Udp, Transport::UnixDatagram)] transport: Transport) {
    let setup = roomy(transport);
    let mut hosting = host(&setup, &PASS).expect("it waits");
    let meeting = meet(&hosting);
    let Hosting::Apart(host) = &mut hosting else { panic!("a place of its own") };
    std::thread::scope(|scope| {
        let (setup, meeting) = (&setup, &meeting);
        let begun: Vec<_> =
            (0..64).map(|number| scope.spawn(move || join(setup, meeting, &PASS, number))).collect();
        let mut answered: Vec<_> =
            (0..64).map(|_| flows::accept(host.as_mut()).expect("each comes")).collect();
        answered.sort_by_key(|(number, _)| *number);
        for ((number, mut there), begun) in answered.into_iter().zip(begun) {
            let mut here = begun.join().expect("it does not panic").expect("it is accepted");
            here.push(&number.to_be_bytes(), Wait::Patiently).expect("it is sent");
            let mut into = [0; 4];
            there.pull(&mut into, Wait::Patiently).expect("it arrives");
            assert_eq!(u32::from_be_bytes(into), number, "each flow has its own channel");
        }
    });
}

/// A stranger with a socket of his own, and the port of a host that is being asked.
struct Stranger {
    socket: UdpSocket,
    sent: usize,
    received: usize,
}

impl Stranger {
    fn at(port: u16) -> Self {
        let socket = UdpSocket::bind((LOCAL, 0)).expect("a free port");
        socket.connect((LOCAL, port)).expect("a UDP socket connects");
        socket.set_read_timeout(Some(Duration::from_secs(20))).expect("a bound");
        Self { socket, sent: 0, received: 0 }
    }

    fn say(&mut self, bytes: &[u8]) {
        self.sent += self.socket.send(bytes).expect("it is sent");
    }

    fn ask(&mut self, request: &Request) {
        self.say(&request.encode());
    }

    fn hear(&mut self) -> Reply {
        let mut bytes = [0; 2000];
        let len = self.socket.recv(&mut bytes).expect("an answer");
        self.received += len;
        assert!(self.received <= self.sent, "{} B for {} B", self.received, self.sent);
        match Greeting::decode(&bytes[..len]) {
            Some(Greeting::Reply(reply)) => reply,
            other => panic!("{other:?}"),
        }
    }
}

/// Runs `program` beside a host that accepts; what it accepted.
fn beside_a_host(program: impl FnOnce(u16)) -> Vec<u32> {
    let mut hosting = host(&roomy(Transport::Udp), &PASS).expect("it waits");
    let Meeting { place: Place::Port(port), .. } = meet(&hosting) else { panic!("a port") };
    let Hosting::Apart(host) = &mut hosting else { panic!("a place of its own") };
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let accepting = scope.spawn(|| {
            let mut accepted = Vec::new();
            while !over.load(Ordering::Relaxed) {
                if let Ok((flow, _)) = host.accept(Deadline::after(Duration::from_millis(20))) {
                    accepted.push(flow);
                }
            }
            accepted
        });
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| program(port)));
        over.store(true, Ordering::Relaxed);
        let accepted = accepting.join().expect("it does not panic");
        done.map_or_else(|panic| std::panic::resume_unwind(panic), |()| accepted)
    })
}

const CLIENT: Token = Token([0xC1; 16]);

fn hello(flow: u32) -> Request {
    Request { pass: PASS, flow, client: CLIENT, proof: None }
}

/// After everything that must not be answered an honest request is, and its answer comes first.
#[test]
fn a_stranger_gets_no_answer_and_no_flow() {
    let accepted = beside_a_host(|port| {
        let mut stranger = Stranger::at(port);
        stranger.ask(&Request { pass: [0; 16], ..hello(1) });
        stranger.ask(&Request { pass: [0; 16], proof: Some(Token([5; 16])), ..hello(2) });
        stranger.ask(&Request { proof: Some(Token([5; 16])), ..hello(3) });
        stranger.ask(&Request { proof: Some(Token([0; 16])), ..hello(4) });
        for noise in [&b""[..], b"x", &[0; REQUEST_LEN], &[0xFF; 1500], &hello(5).encode()[1..]] {
            stranger.say(noise);
        }
        stranger.ask(&hello(6));
        let echo = stranger.hear();
        assert_eq!((echo.flow, echo.client, echo.port), (6, CLIENT, None), "no answer came before");
        // A token is good for one flow and one client token only.
        stranger.ask(&Request { proof: Some(echo.server), ..hello(7) });
        stranger.ask(&Request { proof: Some(echo.server), client: Token([1; 16]), ..hello(6) });
        stranger.ask(&hello(8));
        assert_eq!(stranger.hear().flow, 8, "no answer came before");
    });
    assert!(accepted.is_empty(), "{accepted:?}");
}

#[test]
fn a_token_is_worth_nothing_from_another_address() {
    let accepted = beside_a_host(|port| {
        let (mut honest, mut thief) = (Stranger::at(port), Stranger::at(port));
        honest.ask(&hello(1));
        let proof = Request { proof: Some(honest.hear().server), ..hello(1) };
        thief.ask(&proof);
        thief.ask(&hello(2));
        assert_eq!(thief.hear().flow, 2, "the stolen token was not answered");
        honest.ask(&proof);
        let accept = honest.hear();
        assert!(accept.port.is_some_and(|theirs| theirs != port), "a port of the flow's own: {accept:?}");
        // Nor is it once the flow has begun.
        thief.ask(&proof);
        thief.ask(&hello(3));
        assert_eq!(thief.hear().flow, 3, "the stolen token was not answered");
    });
    assert!(accepted.len() <= 1 && accepted.iter().all(|flow| *flow == 1), "{accepted:?}");
}

/// A peer that writes its datagrams by hand, and a thief who knows the token but not the address.
#[test]
fn a_peer_that_lies_about_numbers_and_a_thief_change_nothing_but_what_is_foreign() {
    let mut hosting = host(&roomy(Transport::Udp), &PASS).expect("it waits");
    let Meeting { place: Place::Port(port), .. } = meet(&hosting) else { panic!("a port") };
    let (token, peer, answered) = std::thread::scope(|scope| {
        let greeting = scope.spawn(move || {
            let mut peer = Stranger::at(port);
            peer.ask(&hello(0));
            let echo = peer.hear();
            peer.ask(&Request { proof: Some(echo.server), ..hello(0) });
            let port = peer.hear().port.expect("a port of the flow's own");
            peer.socket.connect((LOCAL, port)).expect("a UDP socket connects");
            peer.socket.send(&control(Kind::Ready, 0, &echo.server)).expect("it is sent");
            (echo.server, peer, Stranger::at(port))
        });
        let answered = channel(&mut hosting);
        let (token, peer, thief) = greeting.join().expect("it does not panic");
        // The kernel may tell him that nobody takes it.
        for stolen in [control(Kind::End, 2, &token).to_vec(), data(0, &token)] {
            thief.socket.send(&stolen).map(drop).unwrap_or(());
        }
        (token, peer, answered)
    });
    // 2 is lost, 1 comes twice, 3 comes late, two were never sent; then what has no meaning.
    for number in [0, 1, 1, 4, 3, 1 << 40, 7] {
        peer.socket.send(&data(number, &token)).expect("it is sent");
    }
    for nonsense in
        [&[][..], b"x", &data(5, &Token([0; 16])), &control(Kind::End, 9, &token)[..CONTROL_LEN - 1]]
    {
        peer.socket.send(nonsense).expect("it is sent");
    }
    peer.socket.send(&control(Kind::End, 5, &token)).expect("it is sent");
    let receiving = std::thread::spawn(move || flows::receive(answered, 100));
    let mut heard = [0; 100];
    let len = peer.socket.recv(&mut heard).expect("the end is heard");
    let header = Header::open(&heard[..len], &token).expect("a datagram of the channel");
    assert_eq!((header.kind, header.number), (Kind::EndHeard, 4), "four of the flow arrived");
    drop(peer);
    let (account, said) = receiving.join().expect("it does not panic");
    said.expect("the flow came to its end");
    let datagrams = counts(account.datagrams);
    let expected = Datagrams {
        sent: 5,
        received: 4,
        duplicated: 1,
        reordered: 1,
        lost: 1,
        foreign: 6,
        ..Datagrams::default()
    };
    assert_eq!(datagrams, expected);
}

/// The counts alone.
fn counts(datagrams: Option<Datagrams>) -> Datagrams {
    Datagrams { jitter: Span::ZERO, host_buffer_errors: None, ..said(datagrams) }
}

fn control(kind: Kind, number: u64, token: &Token) -> [u8; CONTROL_LEN] {
    Header { kind, number, sent_ns: 0 }.seal(token)
}

fn data(number: u64, token: &Token) -> Vec<u8> {
    [&Header { kind: Kind::Data, number, sent_ns: 0 }.encode(token)[..], &[0; 76]].concat()
}

#[test]
fn before_the_proof_no_reply_is_longer_than_its_request_and_each_has_one() {
    const { assert!(REPLY_LEN <= REQUEST_LEN) };
    beside_a_host(|port| {
        let mut stranger = Stranger::at(port);
        for round in 0..100 {
            stranger.ask(&hello(round));
            assert_eq!(stranger.hear().flow, round);
        }
        assert_eq!((stranger.sent, stranger.received), (100 * REQUEST_LEN, 100 * REPLY_LEN));
        // Nothing else is on its way.
        stranger.ask(&hello(1000));
        assert_eq!(stranger.hear().flow, 1000);
    });
}

/// The first of every greeting is lost on the way, and READY never arrives, because the server
/// sees the relay's address: both ends come to an end of the greetings all the same.
#[test]
fn lost_greetings_are_sent_again() {
    let setup = roomy(Transport::Udp);
    let mut hosting = host(&setup, &PASS).expect("it waits");
    let Meeting { place: Place::Port(port), .. } = meet(&hosting) else { panic!("a port") };
    let relay = UdpSocket::bind((LOCAL, 0)).expect("a free port");
    relay.set_read_timeout(Some(Duration::from_millis(20))).expect("a bound");
    let meeting = Place::Port(relay.local_addr().expect("bound").port()).into();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let lost = scope.spawn(|| {
            let mut seen = Vec::new();
            let mut client = None;
            while !over.load(Ordering::Relaxed) {
                let mut bytes = [0; 2000];
                let Ok((len, from)) = relay.recv_from(&mut bytes) else { continue };
                assert!(Greeting::decode(&bytes[..len]).is_some(), "nothing but greetings passes here");
                if from.port() != port {
                    client = Some(from);
                }
                let to = if from.port() == port { client.expect("it asked") } else { (LOCAL, port).into() };
                let kind = bytes[8];
                if seen.contains(&kind) {
                    relay.send_to(&bytes[..len], to).expect("it is sent");
                } else {
                    seen.push(kind);
                }
            }
            seen
        });
        let begun = scope.spawn(|| join(&setup, &meeting, &PASS, 0).map(drop));
        let answered = channel(&mut hosting);
        let begun = begun.join().expect("it does not panic");
        over.store(true, Ordering::Relaxed);
        let mut lost = lost.join().expect("it does not panic");
        drop(answered);
        begun.expect("both requests are answered at last");
        lost.sort_unstable();
        assert_eq!(lost, [1, 2, 3, 4], "one of each was lost");
    });
}

#[test]
fn a_server_that_does_not_answer_is_named() {
    let silent = UdpSocket::bind((LOCAL, 0)).expect("a free port");
    let meeting = Place::Port(silent.local_addr().expect("bound").port()).into();
    let error = join(&roomy(Transport::Udp), &meeting, &PASS, 0).expect_err("nobody answers").to_string();
    assert_eq!(error, "hear the peer over UDP: no answer in 5.000 s; does a firewall keep UDP out?");
    drop(silent);
    let error = join(&roomy(Transport::Udp), &meeting, &PASS, 0).expect_err("nobody is there").to_string();
    assert!(error.starts_with("hear the peer over UDP: Connection refused"), "{error}");
    let error = join(&roomy(Transport::Udp), &Place::Conversation.into(), &PASS, 0).expect_err("no port");
    assert!(error.to_string().contains("named a place of another kind"), "{error}");
}
