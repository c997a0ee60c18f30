//! Stamped datagrams that get lost, come twice, or come late.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use linerate_core::stages::{Clocks, Stages};
use rstest::rstest;

use super::*;

const LOCAL: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn sockets(address: IpAddr) -> [UdpSocket; 2] {
    let sockets = [(); 2].map(|()| UdpSocket::bind((address, 0)).expect("a free port"));
    for (one, other) in [(0, 1), (1, 0)] {
        let peer = sockets[other].local_addr().expect("it is bound");
        sockets[one].connect(peer).expect("the loopback");
    }
    sockets
}

/// Answers each message that came, as `answers` says by its number.
fn peer(socket: &UdpSocket, answers: &[&[u8]]) {
    for answer in answers {
        let mut message = [0; 9];
        assert_eq!(socket.recv(&mut message).expect("a message"), 9);
        for number in *answer {
            message[0] = *number;
            socket.send(&message).expect("the loopback takes it");
        }
    }
}

#[test]
fn a_datagram_that_is_lost_ends_its_size_and_the_next_begins_anew() {
    let [ours, theirs] = sockets(LOCAL);
    ours.set_read_timeout(Some(Duration::from_millis(200))).expect("a timeout");
    let mut stamped = Stamped::new(ours.as_fd(), Transport::Udp).expect("the kernel stamps");
    std::thread::scope(|scope| {
        // Two answers come twice; the fourth never, but the next size finds it late.
        scope.spawn(|| peer(&theirs, &[&[0], &[1, 1], &[2, 2, 2], &[9, 9]]));
        stamped.begin(9).expect("nothing is there");
        let marks = stamped.ask(10).expect("losses are no error");
        assert_eq!(marks.len(), 3, "{marks:?}");
        for marks in &marks {
            // The kernel may not stamp what arrives yet.
            let way = [Some(marks.sent), marks.queued, marks.driven, marks.arrived, Some(marks.taken)];
            assert!(marks.queued.is_some() && marks.driven.is_some(), "{marks:?}");
            assert!(way.into_iter().flatten().is_sorted(), "{marks:?}");
            assert_eq!(marks.acked, None);
        }
        theirs.send(&[3; 9]).expect("the loopback takes it");
    });
    std::thread::scope(|scope| {
        stamped.begin(9).expect("what is late is thrown away");
        scope.spawn(|| peer(&theirs, &[&[0], &[1]]));
        assert_eq!(stamped.ask(2).expect("the peer answers").len(), 2);
    });
}

#[test]
fn a_socket_that_is_broken_off_is_closed_and_not_lost_for_ever() {
    let [ours, theirs] = sockets(LOCAL);
    let mut stamped = Stamped::new(ours.as_fd(), Transport::Udp).expect("the kernel stamps");
    stamped.begin(1).expect("nothing is there");
    socket2::SockRef::from(&ours).shutdown(std::net::Shutdown::Both).unwrap_or(());
    assert!(matches!(stamped.answer(1), Err(LinkError::Closed)));
    drop(theirs);
}

/// Two connected sockets of `transport` on `address`.
fn ends(transport: Transport, address: IpAddr) -> [OwnedFd; 2] {
    if transport.is_datagram() {
        return sockets(address).map(OwnedFd::from);
    }
    let accepting = TcpListener::bind((address, 0)).expect("a free port");
    let ours = TcpStream::connect(accepting.local_addr().expect("it listens")).expect("the loopback");
    let (theirs, _) = accepting.accept().expect("it came");
    for end in [&ours, &theirs] {
        end.set_nodelay(true).expect("an option of TCP");
    }
    [ours, theirs].map(OwnedFd::from)
}

/// Both ends read one clock, so what is known of two must hold of it.
#[rstest]
fn the_distance_of_two_clocks_that_are_one_is_nothing_within_the_uncertainty(
    #[values(Transport::Tcp, Transport::Udp)] transport: Transport,
    #[values(LOCAL, IpAddr::V6(Ipv6Addr::LOCALHOST))] address: IpAddr,
) {
    if address.is_ipv6() && UdpSocket::bind((address, 0)).is_err() {
        assert!(std::env::var_os("CI").is_none(), "there is no IPv6");
        eprintln!("skipped: there is no IPv6");
        return;
    }
    let [ours, theirs] = ends(transport, address);
    let [mut ours, mut theirs] =
        [&ours, &theirs].map(|end| Stamped::new(end.as_fd(), transport).expect("the kernel stamps"));
    for end in [&mut ours, &mut theirs] {
        end.begin(3_000).expect("nothing is there");
    }
    let count = 100 + WARM_UP;
    let [ours, theirs] = std::thread::scope(|scope| {
        let theirs = scope.spawn(|| theirs.answer(count).expect("messages come"));
        let ours = ours.ask(count).expect("the peer answers");
        [ours, theirs.join().expect("it answered")]
    });
    assert_eq!((ours.len(), theirs.len()), (count as usize, count as usize));
    let stages = |same_host| Stages::of(3_000, count, same_host, [&ours[..], &theirs[..]]);
    let (one, two) = (stages(true), stages(false));
    let Clocks::Two { offset_ns, uncertainty_ns } = two.clocks else { panic!("{:?}", two.clocks) };
    assert!(offset_ns.unsigned_abs() <= uncertainty_ns, "{offset_ns} +-{uncertainty_ns}");
    assert_eq!(one.messages(), two.messages());
    for (one, two) in one.whole.each_ns.iter().zip(&two.whole.each_ns) {
        assert!(one.abs_diff(*two) <= uncertainty_ns, "{one} and {two} +-{uncertainty_ns}");
    }
}
