//! Who may get a flow over UDP, and what those get who may not.

use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use linerate_core::traffic::Datagrams;
use linerate_core::transport::Transport;
use linerate_net::control::{ChannelAddress, Deadline};
use linerate_net::transport::{
    CONTROL_LEN, Cookie, Greeting, Header, Kind, Listener, REPLY_LEN, REQUEST_LEN, Reply, Request, join,
};

use super::{LOCAL, counts, roomy};
use crate::support::flows;
use crate::support::rendezvous::{Answering, TOKEN};

/// An unknown peer with a socket of his own, and the port of a host that is being asked.
struct RawPeer {
    socket: UdpSocket,
    sent: usize,
    received: usize,
}

impl RawPeer {
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
    let mut answering = Answering::of(roomy(Transport::Udp)).expect("it waits");
    let ChannelAddress::Port(port) = answering.rendezvous().address else { panic!("a port") };
    let Listener::Separate(host) = &mut answering.listener else { panic!("a place of its own") };
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

const CLIENT: Cookie = Cookie([0xC1; 16]);

fn hello(flow: u32) -> Request {
    Request { token: TOKEN, flow, client: CLIENT, proof: None }
}

/// After everything that must not be answered an honest request is, and its answer comes first.
#[test]
fn an_unknown_peer_gets_no_answer_and_no_flow() {
    let accepted = beside_a_host(|port| {
        let mut outsider = RawPeer::at(port);
        outsider.ask(&Request { token: [0; 16], ..hello(1) });
        outsider.ask(&Request { token: [0; 16], proof: Some(Cookie([5; 16])), ..hello(2) });
        outsider.ask(&Request { proof: Some(Cookie([5; 16])), ..hello(3) });
        outsider.ask(&Request { proof: Some(Cookie([0; 16])), ..hello(4) });
        for noise in [&b""[..], b"x", &[0; REQUEST_LEN], &[0xFF; 1500], &hello(5).encode()[1..]] {
            outsider.say(noise);
        }
        outsider.ask(&hello(6));
        let echo = outsider.hear();
        assert_eq!((echo.flow, echo.client, echo.port), (6, CLIENT, None), "no answer came before");
        // A cookie is good for one flow and one client cookie only.
        outsider.ask(&Request { proof: Some(echo.server), ..hello(7) });
        outsider.ask(&Request { proof: Some(echo.server), client: Cookie([1; 16]), ..hello(6) });
        outsider.ask(&hello(8));
        assert_eq!(outsider.hear().flow, 8, "no answer came before");
    });
    assert!(accepted.is_empty(), "{accepted:?}");
}

#[test]
fn a_token_is_worth_nothing_from_another_address() {
    let accepted = beside_a_host(|port| {
        let (mut honest, mut thief) = (RawPeer::at(port), RawPeer::at(port));
        honest.ask(&hello(1));
        let proof = Request { proof: Some(honest.hear().server), ..hello(1) };
        thief.ask(&proof);
        thief.ask(&hello(2));
        assert_eq!(thief.hear().flow, 2, "the stolen cookie was not answered");
        honest.ask(&proof);
        let accept = honest.hear();
        assert!(accept.port.is_some_and(|theirs| theirs != port), "a port of the flow's own: {accept:?}");
        // Nor is it once the flow has begun.
        thief.ask(&proof);
        thief.ask(&hello(3));
        assert_eq!(thief.hear().flow, 3, "the stolen cookie was not answered");
    });
    assert!(accepted.len() <= 1 && accepted.iter().all(|flow| *flow == 1), "{accepted:?}");
}

/// A peer that writes its datagrams by hand, and a thief who knows the cookie but not the address.
#[test]
fn a_peer_that_lies_about_numbers_and_a_thief_change_nothing_but_what_is_foreign() {
    let mut answering = Answering::of(roomy(Transport::Udp)).expect("it waits");
    let ChannelAddress::Port(port) = answering.rendezvous().address else { panic!("a port") };
    let (cookie, peer, answered) = std::thread::scope(|scope| {
        let greeting = scope.spawn(move || {
            let mut peer = RawPeer::at(port);
            peer.ask(&hello(0));
            let echo = peer.hear();
            peer.ask(&Request { proof: Some(echo.server), ..hello(0) });
            let port = peer.hear().port.expect("a port of the flow's own");
            peer.socket.connect((LOCAL, port)).expect("a UDP socket connects");
            peer.socket.send(&control(Kind::Ready, 0, &echo.server)).expect("it is sent");
            (echo.server, peer, RawPeer::at(port))
        });
        let (_, answered) = answering.accept().expect("it comes");
        let (cookie, peer, thief) = greeting.join().expect("it does not panic");
        // The kernel may tell him that nobody takes it.
        for stolen in [control(Kind::End, 2, &cookie).to_vec(), data(0, &cookie)] {
            thief.socket.send(&stolen).map(drop).unwrap_or(());
        }
        (cookie, peer, answered)
    });
    // 2 is lost, 1 comes twice, 3 comes late, two were never sent; then what has no meaning.
    for number in [0, 1, 1, 4, 3, 1 << 40, 7] {
        peer.socket.send(&data(number, &cookie)).expect("it is sent");
    }
    for nonsense in
        [&[][..], b"x", &data(5, &Cookie([0; 16])), &control(Kind::End, 9, &cookie)[..CONTROL_LEN - 1]]
    {
        peer.socket.send(nonsense).expect("it is sent");
    }
    peer.socket.send(&control(Kind::End, 5, &cookie)).expect("it is sent");
    let receiving = std::thread::spawn(move || flows::receive(answered, 100));
    let mut heard = [0; 100];
    let len = peer.socket.recv(&mut heard).expect("the end is heard");
    let header = Header::open(&heard[..len], &cookie).expect("a datagram of the channel");
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

fn control(kind: Kind, number: u64, cookie: &Cookie) -> [u8; CONTROL_LEN] {
    Header { kind, number, sent_ns: 0 }.seal(cookie)
}

fn data(number: u64, cookie: &Cookie) -> Vec<u8> {
    [&Header { kind: Kind::Data, number, sent_ns: 0 }.encode(cookie)[..], &[0; 76]].concat()
}

#[test]
fn before_the_proof_no_reply_is_longer_than_its_request_and_each_has_one() {
    const { assert!(REPLY_LEN <= REQUEST_LEN) };
    beside_a_host(|port| {
        let mut outsider = RawPeer::at(port);
        for round in 0..100 {
            outsider.ask(&hello(round));
            assert_eq!(outsider.hear().flow, round);
        }
        assert_eq!((outsider.sent, outsider.received), (100 * REQUEST_LEN, 100 * REPLY_LEN));
        // Nothing else is on its way.
        outsider.ask(&hello(1000));
        assert_eq!(outsider.hear().flow, 1000);
    });
}

/// The first of every greeting is lost on the way, and READY never arrives, because the server
/// sees the relay's address: both ends come to an end of the greetings all the same.
#[test]
fn lost_greetings_are_sent_again() {
    let setup = roomy(Transport::Udp);
    let mut answering = Answering::of(setup.clone()).expect("it waits");
    let ChannelAddress::Port(port) = answering.rendezvous().address else { panic!("a port") };
    let relay = UdpSocket::bind((LOCAL, 0)).expect("a free port");
    relay.set_read_timeout(Some(Duration::from_millis(20))).expect("a bound");
    let rendezvous = ChannelAddress::Port(relay.local_addr().expect("bound").port()).into();
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
        let begun = scope.spawn(|| join(&setup, &rendezvous, &TOKEN, 0).map(drop));
        let (_, answered) = answering.accept().expect("it comes");
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
    let rendezvous = ChannelAddress::Port(silent.local_addr().expect("bound").port()).into();
    let error = join(&roomy(Transport::Udp), &rendezvous, &TOKEN, 0).expect_err("nobody answers").to_string();
    assert_eq!(error, "hear the peer over UDP: no answer in 5.00 s; does a firewall keep UDP out?");
    drop(silent);
    let error =
        join(&roomy(Transport::Udp), &rendezvous, &TOKEN, 0).expect_err("nobody is there").to_string();
    assert!(error.starts_with("hear the peer over UDP: Connection refused"), "{error}");
    let error =
        join(&roomy(Transport::Udp), &ChannelAddress::Conversation.into(), &TOKEN, 0).expect_err("no port");
    assert!(error.to_string().contains("named an address of another kind"), "{error}");
}
