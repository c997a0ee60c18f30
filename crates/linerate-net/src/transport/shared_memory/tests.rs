use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::Ordering;

use linerate_core::endpoint::LinkError;
use linerate_core::units::{Size, Span};
use socket2::{Domain, Type};

use super::channel::{SPIN, Spin};
use super::*;
use crate::channel::Channel as _;
use crate::observe::HostClock;
use crate::wait::Wait;

#[test]
fn a_thread_that_is_tied_to_one_processor_does_not_spin_whoever_made_the_channel() {
    let cpu = crate::observe::usable_cpus().expect("an affinity")[0];
    let mut spin = Spin::ByThread(None);
    let free = spin.of_this_thread();
    let tied = std::thread::scope(|scope| {
        let tied = scope.spawn(|| {
            crate::observe::pin_to(cpu).expect("it may run there");
            spin.of_this_thread()
        });
        tied.join().expect("it ends")
    });
    assert_eq!(tied, Span::ZERO);
    assert_eq!(spin.of_this_thread(), free, "and another thread is asked anew");
}

/// One end, and the socket of its peer.
fn end(ring: SharedRing, seat: usize, socket: Socket, spin: Span) -> RingChannel {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
    let setup = Setup::plain(Transport::SharedMemory, HostClock::start(), address.ip(), address);
    let mut channel = RingChannel::new(&setup, ring, seat, LocalPeer::new(socket).expect("it may wait"));
    channel.spin = Spin::Fixed(spin);
    channel
}

/// Two ends of small rings.
fn ends(capacity: usize, spin: Span) -> [RingChannel; 2] {
    let (file, ring) = SharedRing::create(capacity).expect("memory");
    let other = SharedRing::open(file.as_fd()).expect("the same memory");
    let (one, two) = Socket::pair(Domain::UNIX, Type::STREAM, None).expect("two sockets");
    [end(ring, 0, one, spin), end(other, 1, two, spin)]
}

/// An end whose peer is played by the test: its view of the memory, and its socket.
fn end_and_peer() -> (RingChannel, SharedRing, Socket) {
    let (file, ring) = SharedRing::create(4096).expect("memory");
    let peer = SharedRing::open(file.as_fd()).expect("the same memory");
    let (one, two) = Socket::pair(Domain::UNIX, Type::STREAM, None).expect("two sockets");
    (end(ring, 0, one, SPIN), peer, two)
}

/// A number that depends on the last.
fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

/// Sends `total` bytes whose value is their number, in pieces of changing size.
fn send(end: &mut RingChannel, total: u64) {
    let (mut sent, mut seed) = (0_u64, 1);
    while sent < total {
        let len = (next(&mut seed) % 6000 + 1).min(total - sent);
        let data: Vec<u8> = (sent..sent + len).map(|number| (number % 251) as u8).collect();
        sent += end.push(&data, Wait::Patiently).expect("the peer reads") as u64;
    }
}

/// Reads to the end and looks at every byte; how many there were.
fn receive(end: &mut RingChannel) -> u64 {
    let (mut received, mut seed) = (0_u64, 2);
    loop {
        let mut data = vec![0; (next(&mut seed) % 5000 + 1) as usize];
        match end.pull(&mut data, Wait::Patiently) {
            Ok(moved) => {
                for byte in &data[..moved] {
                    assert_eq!(u64::from(*byte), received % 251, "byte {received}");
                    received += 1;
                }
            }
            Err(LinkError::Closed) => return received,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn no_byte_is_lost_and_no_call_is_missed_whether_the_ends_spin_or_sleep() {
    const TOTAL: u64 = 20_000_000;
    for spin in [Span::ZERO, SPIN] {
        let [mut one, mut other] = ends(4096, spin);
        let received = std::thread::scope(|scope| {
            scope.spawn(move || {
                send(&mut one, TOTAL);
                one.finish_sending().expect("it may end");
            });
            receive(&mut other)
        });
        assert_eq!(received, TOTAL);
    }
}

#[test]
fn ends_that_only_sleep_wake_each_other_at_every_turn() {
    // A call that is missed costs a slice of 50 ms; 20,000 of them would outlast the patience.
    let [mut one, mut other] = ends(4096, Span::ZERO);
    let begin = one.clock.now();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for _ in 0..10_000 {
                assert_eq!(other.pull(&mut [0; 8], Wait::Patiently).expect("a ping"), 8);
                other.push(&[2; 8], Wait::Patiently).expect("a pong");
            }
        });
        for _ in 0..10_000 {
            one.push(&[1; 8], Wait::Patiently).expect("a ping");
            assert_eq!(one.pull(&mut [0; 8], Wait::Patiently).expect("a pong"), 8);
        }
        assert!(one.clock.now().since(begin) > Span::ZERO);
    });
}

#[test]
fn counts_that_cannot_be_end_the_channel() {
    for lie in [4097, 1 << 40, u64::MAX] {
        let (mut end, peer, _socket) = end_and_peer();
        peer.header().ways[1].sender.written.store(lie, Ordering::Release);
        let error = end.pull(&mut [0; 8], Wait::Patiently).expect_err("a lie").to_string();
        assert!(error.contains("out of range"), "{lie}: {error}");
        let (mut end, peer, _socket) = end_and_peer();
        peer.header().ways[0].receiver.read.store(lie, Ordering::Release);
        // What is known already is not asked for again: the lie is seen when the ring is full.
        let error = (0..8).find_map(|_| end.push(&[0; 1024], Wait::Patiently).err()).expect("a lie");
        assert!(error.to_string().contains("out of range"), "{lie}: {error}");
    }
}

#[test]
fn a_count_that_goes_back_is_out_of_range_too() {
    let (mut end, peer, _socket) = end_and_peer();
    let written = &peer.header().ways[1].sender.written;
    written.store(100, Ordering::Release);
    assert_eq!(end.pull(&mut [0; 200], Wait::Patiently).expect("a hundred bytes"), 100);
    written.store(99, Ordering::Release);
    let error = end.pull(&mut [0; 8], Wait::Patiently).expect_err("a lie").to_string();
    assert!(error.contains("out of range"), "{error}");
}

#[test]
fn a_peer_whose_process_ends_without_a_word_is_closed_after_what_it_wrote() {
    let (mut end, mut peer, socket) = end_and_peer();
    peer.write(1, 0, b"last");
    peer.header().ways[1].sender.written.store(4, Ordering::Release);
    drop((peer, socket));
    let mut word = [0; 8];
    assert_eq!(end.pull(&mut word, Wait::Patiently).expect("what it wrote"), 4);
    assert_eq!(&word[..4], b"last");
    assert!(matches!(end.pull(&mut word, Wait::Patiently), Err(LinkError::Closed)));
    let pushed = (0..8).find_map(|_| end.push(&[0; 1024], Wait::Patiently).err());
    assert!(matches!(pushed, Some(LinkError::Closed)), "{pushed:?}");
}

#[test]
fn a_ring_is_the_next_power_of_two_within_its_bounds() {
    let asked = |bytes| SocketOptions { sndbuf: Some(Size(bytes)), ..SocketOptions::default() };
    for (bytes, granted) in [(0, 4096), (4096, 4096), (4097, 8192), (16 << 20, 16 << 20)] {
        assert_eq!(capacity(&asked(bytes)).expect("within bounds"), granted);
    }
    for bytes in [(16 << 20) + 1, u64::MAX] {
        let error = capacity(&asked(bytes)).expect_err("beyond them").to_string();
        assert!(error.contains("4096 to 16777216 B"), "{error}");
    }
}
