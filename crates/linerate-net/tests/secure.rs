//! Channels that are encrypted: whom they believe, and what they make of somebody in between.

use std::io::{ErrorKind, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream, UdpSocket};

use linerate_core::endpoint::LinkError;
use linerate_core::options::Io;
use linerate_core::traffic::Bound;
use linerate_core::transport::Transport;
use linerate_core::units::{Size, Span};
use linerate_net::control::{ChannelAddress, Deadline, GREETING_LEN, Rendezvous};
use linerate_net::flow::{Counter, Incoming, Outgoing, Progress, SendProgress};
use linerate_net::line::Line;
use linerate_net::observe::HostClock;
use linerate_net::transport::{Listener, Setup, TransportError, join, listen};
use linerate_net::wait::{Interest, Wait};
use rstest::rstest;

use crate::support::relay::Relay;
use crate::support::rendezvous::{Answering, Ends, LOOK, PATIENCE, TOKEN};

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn answering(transport: Transport, change: impl Fn(&mut Setup)) -> Answering {
    Answering::at(HERE, transport, change).expect("a place")
}

/// Where clients arrive.
fn port(place: &Answering) -> SocketAddr {
    let mut address = place.setup.peer;
    if let ChannelAddress::Port(port) = place.rendezvous().address {
        address.set_port(port);
    }
    address
}

fn pair(transport: Transport, change: impl Fn(&mut Setup)) -> Ends {
    answering(transport, change).ends().expect("two ends")
}

/// Two ends of TLS with somebody in between.
fn relayed() -> (Relay, Ends) {
    let mut place = answering(Transport::Tls, |_| {});
    let relay = Relay::to(place.setup.peer);
    let (setup, rendezvous) = (Setup { peer: relay.address, ..place.setup.clone() }, place.rendezvous());
    let ends = place.meet(&setup, &rendezvous).map(|end| end.expect("an end"));
    (relay, ends)
}

fn send(line: &mut dyn Line, mut data: &[u8]) {
    while !data.is_empty() {
        let sent = line.channel_mut().push(data, Wait::Patiently).expect("it goes");
        data = &data[sent..];
    }
}

fn receive(line: &mut dyn Line, len: usize) -> Vec<u8> {
    let mut data = vec![0; len];
    let mut filled = 0;
    while filled < len {
        filled += line.channel_mut().pull(&mut data[filled..], Wait::Patiently).expect("it comes");
    }
    data
}

#[rstest]
fn another_certificate_than_the_conversation_named_is_refused(
    #[values(Transport::Tls, Transport::Quic)] transport: Transport,
) {
    let other = answering(transport, |_| {}).rendezvous();
    let mut place = answering(transport, |_| {});
    let (setup, rendezvous) = (place.setup.clone(), place.rendezvous());
    let wrong = Rendezvous { certificate: other.certificate, ..rendezvous.clone() };
    let error = match transport {
        Transport::Tls => {
            let [begun, answered] = place.meet(&setup, &wrong);
            let refused = answered.expect_err("the client has left");
            assert!(matches!(refused, TransportError::Secure(_)), "{refused}");
            begun.expect_err("it is another certificate")
        }
        _ => join(&setup, &wrong, &TOKEN, 0).expect_err("it is another certificate"),
    };
    assert_eq!(
        error.to_string(),
        "secure the channel: the peer shows another certificate than the conversation named; \
         something between the two ends may pretend to be the server"
    );
    let [begun, answered] = place.meet(&setup, &rendezvous);
    begun.and(answered).expect("the place goes on");
}

#[rstest]
fn a_meeting_without_a_certificate_is_refused(
    #[values(Transport::Tls, Transport::Quic)] transport: Transport,
) {
    let place = answering(transport, |_| {});
    let bare = Rendezvous { certificate: None, ..place.rendezvous() };
    let error = join(&place.setup, &bare, &TOKEN, 0).expect_err("nothing to believe");
    assert_eq!(error.to_string(), "secure the channel: the peer names no certificate");
}

#[test]
fn what_passes_cannot_be_read_on_the_way() {
    let (relay, [mut here, mut there]) = relayed();
    let secret = b"line rate is nobody's business".repeat(1000);
    send(here.as_mut(), &secret);
    assert!(receive(there.as_mut(), secret.len()) == secret);
    let seen = relay.seen();
    assert!(seen.len() > secret.len(), "the bytes passed the relay");
    assert!(!seen.windows(16).any(|piece| piece == &secret[..16]), "the bytes passed in the open");
}

#[test]
fn a_bit_that_is_turned_on_the_way_is_an_error_and_no_byte() {
    let (relay, [mut here, mut there]) = relayed();
    send(here.as_mut(), b"whole");
    assert_eq!(receive(there.as_mut(), 5), b"whole");
    relay.spoil();
    send(here.as_mut(), b"spoilt");
    let error = there.channel_mut().pull(&mut [0; 64], Wait::Patiently).expect_err("the record is broken");
    let LinkError::System { operation: "decrypt a record", source } = error else { panic!("{error}") };
    assert_eq!(source.kind(), ErrorKind::InvalidData);
}

#[test]
fn an_end_without_close_notify_is_no_end() {
    let (relay, [mut here, mut there]) = relayed();
    send(here.as_mut(), b"part");
    assert_eq!(receive(there.as_mut(), 4), b"part");
    relay.end();
    for end in [&mut here, &mut there] {
        let error = end.channel_mut().pull(&mut [0; 64], Wait::Patiently).expect_err("something is missing");
        assert!(error.to_string().contains("without close_notify"), "{error}");
    }
}

#[test]
fn an_end_with_close_notify_is_one_and_the_other_direction_goes_on() {
    let [mut here, mut there] = pair(Transport::Tls, |_| {});
    send(here.as_mut(), b"all");
    here.channel_mut().finish_sending().expect("it is said");
    assert_eq!(receive(there.as_mut(), 3), b"all");
    for _ in 0..2 {
        assert!(matches!(there.channel_mut().pull(&mut [0], Wait::Patiently), Err(LinkError::Closed)));
    }
    send(there.as_mut(), b"answer");
    assert_eq!(receive(here.as_mut(), 6), b"answer");
}

#[test]
fn plaintext_where_tls_is_due_is_refused() {
    let mut place = answering(Transport::Tls, |_| {});
    let mut plain = TcpStream::connect(place.setup.peer).expect("it listens");
    plain.write_all(&[0; GREETING_LEN + TOKEN.len() + 4]).expect("a preface");
    plain.write_all(&[b'x'; 4096]).expect("what a TCP flow would send");
    let error = place.accept().expect_err("that is no TLS");
    assert!(matches!(&error, TransportError::Secure(_)), "{error}");
}

#[test]
fn a_client_that_leaves_in_the_handshake_is_an_error() {
    let mut place = answering(Transport::Tls, |_| {});
    let mut gone = TcpStream::connect(place.setup.peer).expect("it listens");
    gone.write_all(&[0; GREETING_LEN + TOKEN.len() + 4]).expect("a preface");
    drop(gone);
    let error = place.accept().expect_err("it has left");
    assert!(error.to_string().starts_with("agree on keys with the peer: "), "{error}");
}

#[rstest]
fn silence_is_a_stall(#[values(Transport::Tls, Transport::Quic)] transport: Transport) {
    let patience = Span::from_ms(30);
    let [mut here, there] = pair(transport, |setup| setup.patience = patience);
    let error = here.channel_mut().pull(&mut [0], Wait::Patiently).expect_err("nothing comes");
    assert!(matches!(error, LinkError::Stalled(span) if span == patience), "{error}");
    assert!(!here.channel_mut().ready(Interest::Receive, Span::from_ms(1)).expect("it stands"));
    assert!(here.channel_mut().ready(Interest::Send, Span::from_ms(1)).expect("it stands"));
    drop(there);
}

#[rstest]
fn a_peer_that_reads_nothing_is_a_stall_and_no_byte_is_lost(
    #[values(Transport::Tls, Transport::Quic)] transport: Transport,
) {
    let small = |setup: &mut Setup| {
        setup.socket.sndbuf = Some(Size(64 << 10));
        setup.socket.rcvbuf = Some(Size(64 << 10));
    };
    let mut place = answering(transport, small);
    let (mut setup, rendezvous) = (place.setup.clone(), place.rendezvous());
    setup.patience = Span::from_ms(200);
    let [mut here, mut there] = place.meet(&setup, &rendezvous).map(|end| end.expect("an end"));
    let data: Vec<u8> = (0..4_u32 << 18).flat_map(u32::to_be_bytes).collect();
    let mut sent = 0;
    // What does not wait stops at some time, for the peer reads nothing.
    while here.channel_mut().ready(Interest::Send, Span::from_ms(100)).expect("it stands") {
        sent += here.channel_mut().push(&data[sent..], Wait::Never).expect("it goes");
        assert!(sent < data.len(), "the windows hold everything");
    }
    // And what waits, a little later, for the kernel moves what it has.
    let error = loop {
        match here.channel_mut().push(&data[sent..], Wait::Patiently) {
            Ok(more) => sent += more,
            Err(error) => break error,
        }
        assert!(sent < data.len(), "the windows hold everything");
    };
    assert!(matches!(error, LinkError::Stalled(_)), "{error}");
    std::thread::scope(|scope| {
        let reader = scope.spawn(move || {
            let received = receive(there.as_mut(), data.len());
            (there, received, data)
        });
        let all: Vec<u8> = (0..4_u32 << 18).flat_map(u32::to_be_bytes).collect();
        while sent < all.len() {
            match here.channel_mut().push(&all[sent..], Wait::Patiently) {
                Ok(more) => sent += more,
                // A stall is not the end: the reader may be slow to come.
                Err(error) => assert!(matches!(error, LinkError::Stalled(_)), "{error}"),
            }
        }
        here.channel_mut().finish_sending().expect("it is said");
        let (mut there, received, data) = reader.join().expect("all comes");
        assert!(received == data, "bytes were lost, changed or out of order");
        assert!(matches!(there.channel_mut().pull(&mut [0], Wait::Patiently), Err(LinkError::Closed)));
    });
}

#[rstest]
fn what_is_ready_is_there(#[values(Transport::Tls, Transport::Quic)] transport: Transport) {
    let [mut here, mut there] = pair(transport, |_| {});
    send(here.as_mut(), b"three pieces");
    // The last leaves bytes that are decrypted and not taken.
    for piece in ["three", " ", "pieces"] {
        assert!(there.channel_mut().ready(Interest::Receive, Span::from_ms(10_000)).expect("it stands"));
        assert_eq!(receive(there.as_mut(), piece.len()), piece.as_bytes());
    }
    assert!(!there.channel_mut().ready(Interest::Receive, Span::from_ms(1)).expect("it stands"));
    assert_eq!(there.channel_mut().pull(&mut [0; 9], Wait::Never).expect("it stands"), 0);
    here.channel_mut().finish_sending().expect("it is said");
    assert!(
        there.channel_mut().ready(Interest::Receive, Span::from_ms(10_000)).expect("the end is readiness")
    );
    assert!(matches!(there.channel_mut().pull(&mut [0], Wait::Never), Err(LinkError::Closed)));
}

#[rstest]
fn a_channel_that_is_cut_wakes_both_ends(#[values(Transport::Tls, Transport::Quic)] transport: Transport) {
    let [mut here, mut there] = pair(transport, |_| {});
    let remote = here.channel().handle().expect("a descriptor");
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| here.channel_mut().pull(&mut [0], Wait::Patiently));
        let also = scope.spawn(|| there.channel_mut().pull(&mut [0], Wait::Patiently));
        remote.cut();
        for end in [waits, also] {
            let error = end.join().expect("it does not panic").expect_err("it is cut");
            let cut =
                matches!(&error, LinkError::Reset) || error.to_string().contains("without close_notify");
            assert!(cut, "{error}");
        }
    });
}

#[rstest]
fn what_was_granted_names_the_cipher(#[values(Transport::Tls, Transport::Quic)] transport: Transport) {
    let [mut here, mut there] = pair(transport, |setup| setup.socket.congestion = Some("reno".to_owned()));
    send(here.as_mut(), &[1; 1000]);
    receive(there.as_mut(), 1000);
    for end in [&here, &there] {
        let granted = end.channel().granted();
        assert_eq!(granted.cipher.as_deref(), Some("TLS13_AES_128_GCM_SHA256"));
        assert_eq!(granted.congestion.known().map(String::as_str), Some("reno"));
        assert!(granted.mss.known() < granted.path_mtu.known(), "{granted:?}");
        let tcp = end.channel().handle().expect("a descriptor").tcp().expect("a sample");
        assert!(tcp.rtt > Span::ZERO && tcp.cwnd > 0, "{tcp:?}");
        assert!(end.channel().connection().known().is_some_and(|seen| seen.segments_out > 0));
    }
}

#[rstest]
#[case::engine(Transport::Tls, |setup: &mut Setup| setup.socket.io = Io::Zerocopy, "`--io zerocopy` changes nothing")]
#[case::engine(Transport::Quic, |setup: &mut Setup| setup.socket.receive_io = Some(Io::Uring), "`--io uring` changes nothing")]
#[case::dscp(Transport::Quic, |setup: &mut Setup| setup.socket.dscp = Some(10), "no way to set `--dscp`")]
#[case::mss(Transport::Quic, |setup: &mut Setup| setup.socket.mss = Some(536), "no way to set `--mss`")]
#[case::control(
    Transport::Quic,
    |setup: &mut Setup| setup.socket.congestion = Some("vegas".to_owned()),
    "cubic, reno and bbr, not `vegas`"
)]
fn what_it_cannot_do_is_refused_by_name(
    #[case] transport: Transport,
    #[case] change: fn(&mut Setup),
    #[case] words: &str,
) {
    let place = answering(transport, |_| {});
    let mut setup = place.setup.clone();
    change(&mut setup);
    let refusals = [
        listen(&setup, &TOKEN).map(|_| ()).expect_err("it cannot"),
        join(&setup, &place.rendezvous(), &TOKEN, 0).map(|_| ()).expect_err("it cannot"),
    ];
    for refusal in refusals {
        let said = refusal.to_string();
        assert!(
            said.starts_with(&format!("use the transport {transport}: ")) && said.contains(words),
            "{said}"
        );
    }
}

#[rstest]
fn a_flow_is_counted_to_the_byte(#[values(Transport::Tls, Transport::Quic)] transport: Transport) {
    const BYTES: u64 = 10_000_003;
    let [mut here, mut there] = pair(transport, |_| {});
    let (clock, counters) = (HostClock::start(), [Counter::default(), Counter::default()]);
    let (message, mut buffer) = (vec![7; 100_000], vec![0; 30_000]);
    let progress = Progress::new(clock.now(), Span::ZERO);
    let sent = SendProgress::new(progress, Bound::Bytes(BYTES), None);
    let mut out = Outgoing::new(clock, sent, &message, &counters[0]);
    let mut into = Incoming::new(clock, progress, &mut buffer, &counters[1]);
    std::thread::scope(|scope| {
        let sender = scope.spawn(|| here.send_flow(&mut out));
        there.receive_flow(&mut into).expect("all comes");
        sender.join().expect("it does not panic").expect("all goes");
    });
    let (out, into) = (out.account(), into.account(true));
    assert_eq!([out.bytes, into.bytes, counters[0].load(), counters[1].load()], [BYTES; 4]);
    assert_eq!(out.messages, BYTES.div_ceil(100_000));
}

#[test]
fn flows_over_quic_arrive_with_their_numbers() {
    let mut place = answering(Transport::Quic, |_| {});
    let (setup, rendezvous) = (place.setup.clone(), place.rendezvous());
    let Listener::Separate(host) = &mut place.listener else { panic!("it has a port of its own") };
    let mut begun: Vec<_> =
        (0..8).map(|flow| join(&setup, &rendezvous, &TOKEN, flow).expect("a flow")).collect();
    for _ in 0..8 {
        let (flow, mut line) = host.accept(Deadline::after(PATIENCE)).expect("it has begun");
        send(line.as_mut(), &[u8::try_from(flow).expect("there are eight")]);
        let began = &mut begun[flow as usize];
        assert_eq!(receive(began.as_mut(), 1), [u8::try_from(flow).expect("there are eight")]);
    }
}

#[test]
fn an_unknown_peer_at_the_quic_port_gets_no_channel() {
    let mut place = answering(Transport::Quic, |_| {});
    let (setup, rendezvous) = (place.setup.clone(), place.rendezvous());
    let mut outsider = join(&setup, &rendezvous, &[1; 16], 0).expect("keys are for everybody");
    let error = outsider.channel_mut().pull(&mut [0], Wait::Patiently).expect_err("it is nobody's");
    assert!(matches!(error, LinkError::Reset), "{error}");
    let Listener::Separate(host) = &mut place.listener else { panic!("it has a port of its own") };
    assert!(matches!(host.accept(Deadline::after(LOOK)), Err(TransportError::Late)));
    let [begun, answered] = place.meet(&setup, &rendezvous);
    begun.and(answered).expect("the port goes on");
}

/// The first datagram that a client of QUIC sends.
fn first_datagram(setup: &Setup, rendezvous: &Rendezvous) -> Vec<u8> {
    let deaf = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    deaf.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    let place = ChannelAddress::Port(deaf.local_addr().expect("it is bound").port());
    let rendezvous = Rendezvous { address: place, ..rendezvous.clone() };
    let mut datagram = [0; 2048];
    std::thread::scope(|scope| {
        let client = scope.spawn(|| join(setup, &rendezvous, &TOKEN, 0));
        let len = deaf.recv(&mut datagram).expect("a client begins");
        let error = client.join().expect("it does not panic").expect_err("nobody answers");
        assert!(matches!(error, TransportError::Late), "{error}");
        datagram[..len].to_vec()
    })
}

#[test]
fn the_quic_port_answers_an_unproven_address_with_a_retry_and_no_more() {
    let mut place = answering(Transport::Quic, |_| {});
    let (setup, rendezvous) = (place.setup.clone(), place.rendezvous());
    let initial = first_datagram(&setup, &rendezvous);
    // A socket that says what a client says, and never shows that it hears.
    let forger = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    forger.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    forger.send_to(b"no QUIC at all", port(&place)).expect("it goes");
    forger.send_to(&initial, port(&place)).expect("it goes");
    let mut answer = [0; 2048];
    let len = forger.recv(&mut answer).expect("an answer");
    // A long header of the type Retry. Source: RFC 9000, section 17.2.5.
    assert_eq!(answer[0] & 0b1111_0000, 0b1111_0000, "the answer is no Retry packet");
    assert!(len < initial.len(), "{len} B for {} B", initial.len());
    // Nobody else is answered at all: this address is not the one of the conversation.
    let elsewhere = UdpSocket::bind((Ipv4Addr::new(127, 0, 0, 2), 0)).expect("the loopback is wide");
    elsewhere.send_to(&initial, port(&place)).expect("it goes");
    // By the end of a whole channel the port has said nothing more.
    let [begun, answered] = place.meet(&setup, &rendezvous);
    begun.and(answered).expect("the port goes on");
    for socket in [forger, elsewhere] {
        socket.set_nonblocking(true).expect("an option");
        assert_eq!(socket.recv(&mut answer).expect_err("no more").kind(), ErrorKind::WouldBlock);
    }
}
