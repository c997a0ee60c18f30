//! I/O engines: that they carry every byte, what they say of themselves, and how they give up.

use std::ops::ControlFlow;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use linerate_core::endpoint::LinkError;
use linerate_core::options::{Io, MemoryOptions, SocketOptions};
use linerate_core::traffic::{Bound, Ended, IoReport, Load, StreamPlan};
use linerate_core::transport::Transport;
use linerate_core::units::{Size, Span, Time};
use linerate_net::flow::{Counter, Incoming, Outgoing, Progress, SendProgress};
use linerate_net::io::Engine;
use linerate_net::line::Line;
use linerate_net::memory::Ring;
use linerate_net::observe::HostClock;
use linerate_net::serve::Limits;
use linerate_net::transport::Setup;
use linerate_net::wait::Wait;
use rstest::rstest;
use socket2::Socket;

use crate::support::rendezvous::{Ends, lines};
use crate::support::{TestServer, engines, plan_for};

/// Shorter than any test runs, longer than any thread waits for its turn.
const SHORT: Span = Span::from_ms(300);
const FLOW: u64 = 20_000_003;
/// Odd, so that no two bytes near each other are alike (2^64 over the golden ratio).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

fn connected(change: impl Fn(&mut Setup)) -> Ends {
    lines(Transport::Tcp, change).expect("two ends")
}

fn asking(io: Io) -> Ends {
    connected(|setup| setup.socket.io = io)
}

/// Nobody promised that they stay as they are, so that every engine keeps what it was given.
#[rstest]
fn loose_bytes_may_change_as_soon_as_they_are_pushed(
    #[values(
        Io::Sendfile,
        Io::Splice,
        Io::Zerocopy,
        Io::Uring,
        Io::UringFixed,
        Io::UringMultishot,
        Io::UringZerocopy
    )]
    io: Io,
    #[values(Wait::Patiently, Wait::Never)] wait: Wait,
) {
    if engines::are_missing(io) {
        return;
    }
    let [mut here, mut there] = connected(|setup| setup.socket = engines::asked(io));
    let mut message = vec![0_u8; 5_000];
    for value in 1..=12 {
        message.fill(value);
        assert_eq!(here.channel_mut().push(&message, wait).expect("there is room"), 5_000);
    }
    message.fill(0);
    for value in 1..=12 {
        let mut arrived = 0;
        while arrived < 5_000 {
            arrived +=
                there.channel_mut().pull(&mut message[arrived..], Wait::Patiently).expect("it was sent");
        }
        assert!(message.iter().all(|byte| *byte == value), "message {value}");
    }
}

/// Sends [`FLOW`] bytes through `lines`, and returns what both engines say of themselves.
fn flow([mut here, mut there]: Ends, memory: &MemoryOptions) -> [Option<IoReport>; 2] {
    let clock = HostClock::start();
    let counters = [Counter::default(), Counter::default()];
    let mut rings = [0; 2].map(|_| Ring::new(100_000, memory).expect("memory"));
    let [out, into] = &mut rings;
    out.fill(&[7; 100_000]);
    let progress = Progress::new(Time::ZERO, Span::ZERO);
    let sent = SendProgress::new(progress, Bound::Bytes(FLOW), None);
    let mut outgoing = Outgoing::new(clock, sent, &[], &counters[0]).through(out);
    let mut incoming =
        Incoming::new(clock, progress, &mut [], &counters[1]).through(into).touched(memory.touch);
    std::thread::scope(|scope| {
        scope.spawn(|| here.send_flow(&mut outgoing).expect("it is sent"));
        there.receive_flow(&mut incoming).expect("it is received");
    });
    assert_eq!([counters[0].load(), counters[1].load()], [FLOW; 2]);
    assert_eq!(outgoing.messages(), FLOW.div_ceil(100_000));
    assert!(outgoing.account().last.is_some(), "the receiver has said that it has all");
    [here.channel().io_report(), there.channel().io_report()]
}

#[rstest]
fn a_flow_is_exact_to_the_byte_by_every_engine(
    #[values(
        Io::ReadWrite,
        Io::SendRecv,
        Io::Sendmsg,
        Io::Sendfile,
        Io::Splice,
        Io::Zerocopy,
        Io::Truncate,
        Io::ZerocopyReceive,
        Io::Uring,
        Io::UringFixed,
        Io::UringMultishot,
        Io::UringZerocopy
    )]
    io: Io,
    #[values(None, Some(Size(3 << 20)))] working_set: Option<Size>,
) {
    if engines::are_missing(io) {
        return;
    }
    let memory = MemoryOptions { working_set, touch: true, offset: 100, huge_pages: false };
    let [sent, received] = flow(asking(io), &memory);
    let (sent, received) = (sent.unwrap_or_default(), received.unwrap_or_default());
    let discarded = if io.delivers() { 0 } else { FLOW };
    assert_eq!(received.discarded_bytes, discarded);
    assert_eq!(received.zero_copy_asked, 0, "the receiver sent nothing");
    assert!(received.mapped_bytes <= FLOW && (io == Io::ZerocopyReceive || received.mapped_bytes == 0));
    if matches!(io, Io::Zerocopy | Io::UringZerocopy) {
        assert!(sent.zero_copy_asked >= FLOW.div_ceil(100_000), "{sent:?}");
        // The loopback hands no page of an application's to a receiver.
        assert_eq!(sent.zero_copy_copied, sent.zero_copy_asked, "{sent:?}");
    } else {
        assert_eq!((sent.zero_copy_asked, sent.zero_copy_copied), (0, 0));
    }
}

/// Two ends between which pages are mapped: the loopback hands on what it is given, and the kernel
/// maps pages of its own that nobody else refers to. `write` to a pipe copies into such, and
/// segments of a whole page keep them whole.
fn ends_that_map() -> Ends {
    connected(|setup| {
        setup.socket.io = Io::Splice;
        setup.socket.receive_io = Some(Io::ZerocopyReceive);
        // A page of payload, and 12 bytes of timestamps.
        setup.socket.mss = Some(4096 + 12);
    })
}

fn push_all(line: &mut dyn Line, mut data: &[u8]) {
    while !data.is_empty() {
        data = &data[line.channel_mut().push(data, Wait::Patiently).expect("there is room")..];
    }
}

#[test]
fn pages_that_are_mapped_have_the_right_bytes() {
    if engines::are_missing(Io::ZerocopyReceive) {
        return;
    }
    let [mut here, mut there] = ends_that_map();
    let sent: Vec<u8> = (0..1 << 19_u64).map(|place: u64| (place.wrapping_mul(SPREAD) >> 56) as u8).collect();
    let mut into = vec![0; 1 << 16];
    for message in sent.chunks(1 << 16) {
        push_all(here.as_mut(), message);
        let mut arrived = 0;
        while arrived < into.len() {
            arrived +=
                there.channel_mut().pull(&mut into[arrived..], Wait::Patiently).expect("bytes are there");
        }
        assert!(into == message, "bytes were lost, changed or out of order");
    }
    let mapped = there.channel().io_report().expect("it says").mapped_bytes;
    assert!(mapped > 0 && mapped.is_multiple_of(4096) && mapped <= 1 << 19, "{mapped} B");
}

#[rstest]
fn pages_that_are_mapped_count_in_a_flow(#[values(false, true)] touch: bool) {
    if engines::are_missing(Io::ZerocopyReceive) {
        return;
    }
    let [mut here, mut there] = ends_that_map();
    let (counter, mut memory) = (Counter::default(), vec![0; 1 << 16]);
    let progress = Progress::new(Time::ZERO, Span::ZERO);
    let mut incoming = Incoming::new(HostClock::start(), progress, &mut memory, &counter).touched(touch);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            push_all(here.as_mut(), &[7; 1_000_003]);
            here.channel_mut().finish_sending().expect("the socket is there");
        });
        there.receive_flow(&mut incoming).expect("it is received");
    });
    assert_eq!(incoming.account(true).bytes, 1_000_003);
    let mapped = there.channel().io_report().expect("it says").mapped_bytes;
    assert!(mapped > 0 && mapped.is_multiple_of(4096) && mapped < 1_000_003, "{mapped} B");
    assert!(memory.iter().all(|byte| matches!(byte, 0 | 7)));
}

/// Through server and client, on threads of their own and on a shared one.
#[rstest]
fn a_load_says_what_its_engines_did(#[values(None, Some(1))] threads: Option<u32>) {
    if engines::are_missing(Io::Zerocopy) || engines::are_missing(Io::Truncate) {
        return;
    }
    let server = TestServer::start(Limits::default());
    let stream = StreamPlan { bytes: Some(Size(FLOW)), flows: 3, threads, ..StreamPlan::default() };
    let socket =
        SocketOptions { io: Io::Zerocopy, receive_io: Some(Io::Truncate), ..SocketOptions::default() };
    let load = Load { stream: Some(stream), socket, time: SHORT, ..Load::default() };
    let plan = plan_for(&load);
    plan.check().expect("it can be carried out");
    let transfer = server.carry(&plan, &load, || ControlFlow::Continue(())).expect("a transfer");
    assert_eq!(transfer.flows.len(), 3);
    for flow in &transfer.flows {
        assert_eq!([&flow.sender.ended, &flow.receiver.ended], [&Ended::Complete; 2]);
        let [sender, receiver] =
            [&flow.sender, &flow.receiver].map(|half| half.io.as_ref().expect("it says"));
        assert!(sender.zero_copy_asked >= FLOW.div_ceil(128 << 10), "{sender:?}");
        assert_eq!(sender.zero_copy_copied, sender.zero_copy_asked, "the loopback copies");
        assert_eq!(receiver.discarded_bytes, FLOW);
    }
}

#[test]
fn truncate_leaves_the_buffer_alone() {
    let [mut here, mut there] = connected(|setup| setup.socket.receive_io = Some(Io::Truncate));
    let message = [7; 1000];
    assert_eq!(here.channel_mut().push(&message, Wait::Patiently).expect("it fits"), 1000);
    let mut into = [1; 400];
    let mut gone = 0;
    while gone < 1000 {
        gone += there.channel_mut().pull(&mut into, Wait::Patiently).expect("bytes are there");
    }
    assert_eq!((gone, into), (1000, [1; 400]));
    assert_eq!(there.channel().io_report().expect("it says").discarded_bytes, 1000);
}

#[rstest]
fn a_peer_that_does_nothing_is_a_stall(
    #[values(
        Io::SendRecv,
        Io::Sendfile,
        Io::Splice,
        Io::Zerocopy,
        Io::Truncate,
        Io::ZerocopyReceive,
        Io::Uring,
        Io::UringFixed,
        Io::UringMultishot,
        Io::UringZerocopy
    )]
    io: Io,
    #[values(false, true)] held: bool,
) {
    if engines::are_missing(io) {
        return;
    }
    let [mut here, _there] = connected(|setup| {
        setup.socket.io = io;
        setup.patience = SHORT;
    });
    let (message, mut into) = (vec![7; 1 << 20], vec![0; 1 << 20]);
    if held {
        here.channel_mut().hold(&message, &mut into).expect("memory to lend");
    }
    let error = here.channel_mut().pull(&mut into, Wait::Patiently).expect_err("nothing comes");
    assert!(matches!(error, LinkError::Stalled(SHORT)), "{error:?}");
    assert_eq!(here.channel_mut().pull(&mut into, Wait::Never).expect("not an error"), 0);
    let error = loop {
        match here.channel_mut().push(&message, Wait::Patiently) {
            Ok(moved) => assert!(moved > 0),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, LinkError::Stalled(SHORT)), "{error:?}");
}

#[rstest]
fn a_cut_ends_a_call_that_waits(
    #[values(Io::Splice, Io::ZerocopyReceive, Io::Uring, Io::UringFixed, Io::UringMultishot)] io: Io,
) {
    if engines::are_missing(io) {
        return;
    }
    let [mut here, _there] = asking(io);
    let remote = here.channel().handle().expect("a descriptor");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| here.channel_mut().pull(&mut [0; 64], Wait::Patiently));
        remote.cut();
        let ended = waiting.join().expect("it does not panic");
        assert!(matches!(ended, Err(LinkError::Closed | LinkError::Reset)), "{ended:?}");
    });
}

/// A socket with a time-out is never restarted by the kernel, so that its caller sees every signal.
#[rstest]
fn a_signal_is_not_seen_outside(
    #[values(Io::ReadWrite, Io::Splice, Io::Truncate, Io::ZerocopyReceive, Io::Uring, Io::UringMultishot)]
    io: Io,
) {
    use nix::sys::pthread::{pthread_kill, pthread_self};
    use nix::sys::signal::Signal;

    if engines::are_missing(io) {
        return;
    }
    let seen = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGUSR1, Arc::clone(&seen)).expect("a handler");
    let [mut here, mut there] = asking(io);
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(move || {
            tell.send(pthread_self()).expect("somebody listens");
            there.channel_mut().pull(&mut [0; 64], Wait::Patiently)
        });
        let thread = told.recv().expect("it says");
        // Whether it waits already or not yet: one of many signals finds it waiting.
        for _ in 0..200 {
            pthread_kill(thread, Signal::SIGUSR1).expect("it lives until it gets its bytes");
            std::thread::yield_now();
        }
        here.channel_mut().push(&[7; 64], Wait::Patiently).expect("it fits");
        assert_eq!(waiting.join().expect("it does not panic").expect("64 bytes came"), 64);
    });
    assert!(seen.load(Ordering::SeqCst));
}

#[test]
fn engines_that_a_unix_socket_has_not_are_refused_by_name() {
    let (here, _there) = UnixStream::pair().expect("a pair");
    let socket = Socket::from(here);
    for io in [Io::Zerocopy, Io::Truncate, Io::ZerocopyReceive, Io::UringZerocopy] {
        let error = Engine::open(&socket, io, io, 1 << 20).expect_err("only TCP has it").to_string();
        assert!(error.starts_with(&format!("use the I/O engine {io}: only TCP")), "{error}");
        assert!(error.ends_with("take send-recv here"), "{error}");
    }
}

#[rstest]
fn a_unix_socket_carries_what_it_can(
    #[values(
        Io::ReadWrite,
        Io::Sendmsg,
        Io::Sendfile,
        Io::Splice,
        Io::Uring,
        Io::UringFixed,
        Io::UringMultishot
    )]
    io: Io,
) {
    use std::os::fd::AsFd as _;

    if engines::are_missing(io) {
        return;
    }
    let (here, there) = UnixStream::pair().expect("a pair");
    let (here, there) = (Socket::from(here), Socket::from(there));
    let receive = if io.delivers() { io } else { Io::SendRecv };
    let mut out = Engine::open(&here, io, receive, 1 << 16).expect("a Unix socket has it");
    let mut into = Engine::open(&there, io, receive, 1 << 16).expect("a Unix socket has it");
    let message: Vec<u8> = (0..50_000_u32).map(|place| ((place * 7) >> 2) as u8).collect();
    for held in [false, true] {
        if held {
            out.hold(&message, &mut []).expect("memory to lend");
        }
        let (mut sent, mut arrived) = (0, Vec::new());
        while arrived.len() < message.len() {
            if sent < message.len() {
                sent += out.push(here.as_fd(), &message[sent..], Wait::Patiently).expect("there is room");
            }
            let mut piece = [0; 30_000];
            let bytes = into.pull(there.as_fd(), &mut piece, Wait::Patiently).expect("bytes are there");
            arrived.extend_from_slice(&piece[..bytes]);
        }
        assert!(arrived == message, "held: {held}");
    }
}

#[test]
fn busy_polling_is_applied_and_said() {
    let asked = SocketOptions { busy_poll: Some(50), ..SocketOptions::default() };
    let [here, _there] = connected(|setup| setup.socket = asked.clone());
    assert_eq!(here.channel().granted().busy_poll.known(), Some(&50));
    let [here, _there] = asking(Io::default());
    assert_eq!(here.channel().granted().busy_poll.known(), Some(&0));
}
