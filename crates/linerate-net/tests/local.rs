//! What is particular to the transports between two processes of one host, to Multipath TCP and
//! to VM sockets.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::{Command, Stdio};
use std::time::Duration;

use linerate_core::endpoint::LinkError;
use linerate_core::options::{Io, SocketOptions};
use linerate_core::transport::Transport;
use linerate_core::units::{Size, Span};
use linerate_net::control::{ChannelAddress, Deadline, Rendezvous};
use linerate_net::line::Line;
use linerate_net::observe::HostClock;
use linerate_net::transport::{Listener, Setup, TransportError, join, listen};
use linerate_net::wait::{Interest, Wait};
use nix::sched::{CloneFlags, unshare};
use rstest::rstest;

use crate::support::guard;
use crate::support::rendezvous::{TOKEN, lines, there_is};

const HERE: std::net::IpAddr = std::net::IpAddr::V4(Ipv4Addr::LOCALHOST);

fn setup(transport: Transport) -> Setup {
    Setup::plain(transport, HostClock::start(), HERE, SocketAddr::new(HERE, 1))
}

fn pair(transport: Transport, change: impl Fn(&mut Setup)) -> [Box<dyn Line>; 2] {
    lines(transport, change).expect("two ends")
}

fn refusal(result: Result<impl Sized, TransportError>) -> String {
    match result {
        Ok(_) => panic!("it was to be refused"),
        Err(error) => error.to_string(),
    }
}

/// Fills a channel until nothing more goes in.
fn fill(line: &mut dyn Line) {
    while line.channel_mut().push(&[1; 60_000], Wait::Never).expect("the peer is there") > 0 {}
}

#[rstest]
fn a_peer_that_does_nothing_stalls_the_call_after_the_patience(
    #[values(Transport::Mptcp, Transport::Unix, Transport::Pipe, Transport::SharedMemory)]
    transport: Transport,
) {
    if !there_is(transport) {
        return;
    }
    let patience = Span::from_ms(150);
    let [mut here, _there] = pair(transport, |setup| setup.patience = patience);
    let pulled = here.channel_mut().pull(&mut [0], Wait::Patiently);
    assert!(matches!(pulled, Err(LinkError::Stalled(span)) if span == patience), "{pulled:?}");
    assert!(!here.channel_mut().ready(Interest::Receive, Span::from_ms(1)).expect("it is open"));
    assert!(here.channel_mut().ready(Interest::Either, Span::from_ms(1)).expect("there is room"));
    fill(here.as_mut());
    // TCP's buffer grows while its peer's kernel still takes.
    let pushed = loop {
        match here.channel_mut().push(&[1; 60_000], Wait::Patiently) {
            Ok(_) => {}
            stalled => break stalled,
        }
    };
    assert!(matches!(pushed, Err(LinkError::Stalled(_))), "{pushed:?}");
}

#[rstest]
fn a_channel_that_another_thread_cuts_gives_up_at_once(
    #[values(Transport::Mptcp, Transport::Unix, Transport::Pipe, Transport::SharedMemory)]
    transport: Transport,
) {
    if !there_is(transport) {
        return;
    }
    let [mut here, mut there] = pair(transport, |setup| setup.patience = Span::from_ms(60_000));
    let remote = here.channel().handle().expect("a descriptor");
    let (mine, theirs) = std::thread::scope(|scope| {
        let mine = scope.spawn(move || {
            let pulled = here.channel_mut().pull(&mut [0], Wait::Patiently);
            drop(here);
            pulled
        });
        let theirs = scope.spawn(move || there.channel_mut().pull(&mut [0], Wait::Patiently));
        remote.cut();
        (mine.join().expect("no panic"), theirs.join().expect("no panic"))
    });
    for pulled in [mine, theirs] {
        assert!(matches!(pulled, Err(LinkError::Closed | LinkError::Reset)), "{transport}: {pulled:?}");
    }
}

#[rstest]
fn what_was_sent_before_the_end_arrives_and_the_other_direction_stays_open(
    #[values(Transport::Mptcp, Transport::Unix, Transport::Pipe, Transport::SharedMemory)]
    transport: Transport,
) {
    if !there_is(transport) {
        return;
    }
    let [mut here, mut there] = pair(transport, |setup| setup.patience = Span::from_ms(500));
    assert_eq!(here.channel_mut().push(b"last", Wait::Patiently).expect("it fits"), 4);
    here.channel_mut().finish_sending().expect("it may end");
    let mut word = [0; 9];
    let mut heard = Vec::new();
    while let Ok(moved) = there.channel_mut().pull(&mut word, Wait::Patiently) {
        heard.extend_from_slice(&word[..moved]);
    }
    assert_eq!(heard, b"last");
    assert!(matches!(there.channel_mut().pull(&mut word, Wait::Patiently), Err(LinkError::Closed)));
    assert_eq!(there.channel_mut().push(b"answer", Wait::Patiently).expect("it is open"), 6);
    assert_eq!(here.channel_mut().pull(&mut word, Wait::Patiently).expect("it is open"), 6);
    drop(here);
    // However much the channel would still take.
    let refused = std::iter::repeat_with(|| there.channel_mut().push(&[0; 60_000], Wait::Patiently))
        .find_map(Result::err);
    match refused {
        Some(LinkError::Closed | LinkError::Reset) => {}
        // Linux says nothing for a minute.
        Some(LinkError::Stalled(_)) if transport == Transport::Mptcp => {}
        other => panic!("{other:?}"),
    }
}

#[rstest]
fn a_peer_on_another_host_is_told_from_other_failures(
    #[values(Transport::Unix, Transport::Pipe, Transport::SharedMemory)] transport: Transport,
) {
    let nowhere = ChannelAddress::Local("linerate-00000000000000000000000000000000".to_owned()).into();
    let error = refusal(join(&setup(transport), &nowhere, &TOKEN, 0));
    assert!(error.contains("both ends must be on one host") && error.contains(transport.name()), "{error}");
}

#[rstest]
fn a_place_of_another_kind_or_of_another_program_is_refused(
    #[values(Transport::Mptcp, Transport::Unix, Transport::Vsock, Transport::Pipe, Transport::SharedMemory)]
    transport: Transport,
) {
    for place in [ChannelAddress::Conversation, ChannelAddress::Local("/tmp/.X11-unix/X0".to_owned())] {
        let error = refusal(join(&setup(transport), &place.into(), &TOKEN, 0));
        assert!(error.contains("an address of another kind"), "{error}");
    }
}

#[rstest]
fn an_unknown_peer_is_turned_away_without_an_answer(
    #[values(Transport::Mptcp, Transport::Unix, Transport::Pipe, Transport::SharedMemory)]
    transport: Transport,
) {
    if !there_is(transport) {
        return;
    }
    let setup = setup(transport);
    let Ok(Listener::Separate(mut host)) = listen(&setup, &TOKEN) else {
        panic!("it has a place of its own")
    };
    let rendezvous = host.rendezvous();
    std::thread::scope(|scope| {
        let outsider = scope.spawn(|| match join(&setup, &rendezvous, &[6; 16], 0) {
            // Whoever awaits descriptors learns at once that there are none.
            Err(error) => assert!(error.to_string().contains("descriptors"), "{error}"),
            Ok(mut line) => {
                let heard = line.channel_mut().pull(&mut [0], Wait::Patiently);
                assert!(matches!(heard, Err(LinkError::Closed | LinkError::Reset)), "{heard:?}");
            }
        });
        let admitted = std::iter::repeat_with(|| host.accept(Deadline::after(Duration::from_millis(50))))
            .take_while(|_| !outsider.is_finished())
            .find(Result::is_ok);
        assert!(admitted.is_none());
    });
}

#[test]
fn the_size_of_a_pipe_and_of_a_ring_is_what_was_asked_and_granted_says_it() {
    for (transport, asked, granted) in [
        (Transport::Pipe, None, 65_536),
        (Transport::Pipe, Some(100_000), 131_072),
        (Transport::SharedMemory, None, 1 << 20),
        (Transport::SharedMemory, Some(100_000), 131_072),
        (Transport::SharedMemory, Some(1), 4096),
    ] {
        for line in pair(transport, |setup| setup.socket.sndbuf = asked.map(Size)) {
            let sizes = line.channel().granted();
            assert_eq!(sizes.sndbuf.known(), Some(&granted), "{transport}, {asked:?}");
            assert_eq!(sizes.rcvbuf.known(), Some(&granted), "{transport}, {asked:?}");
            assert_eq!(sizes.mss.known(), None);
        }
    }
}

#[rstest]
#[case(Transport::Pipe, SocketOptions { rcvbuf: Some(Size(4096)), ..SocketOptions::default() }, "rcvbuf")]
#[case(Transport::Pipe, SocketOptions { sndbuf: Some(Size(1 << 30)), ..SocketOptions::default() }, "16777216 B")]
#[case(Transport::Pipe, SocketOptions { io: Io::Sendfile, ..SocketOptions::default() }, "sendfile")]
#[case(Transport::Pipe, SocketOptions { receive_io: Some(Io::Truncate), ..SocketOptions::default() }, "truncate")]
#[case(Transport::SharedMemory, SocketOptions { sndbuf: Some(Size(1 << 40)), ..SocketOptions::default() }, "16777216 B")]
#[case(Transport::SharedMemory, SocketOptions { io: Io::Zerocopy, ..SocketOptions::default() }, "zerocopy")]
#[case(Transport::Unix, SocketOptions { mss: Some(1000), ..SocketOptions::default() }, "mss")]
#[case(Transport::Vsock, SocketOptions { congestion: Some("reno".to_owned()), ..SocketOptions::default() }, "congestion")]
fn an_option_that_has_no_meaning_is_refused_by_name(
    #[case] transport: Transport,
    #[case] socket: SocketOptions,
    #[case] named: &str,
) {
    let error = refusal(listen(&Setup { socket, ..setup(transport) }, &TOKEN));
    assert!(error.contains(named), "{error}");
}

#[test]
fn copies_in_memory_have_no_peer() {
    let error = refusal(listen(&setup(Transport::Memory), &TOKEN));
    assert!(error.contains("without a host"), "{error}");
}

#[test]
fn multipath_tcp_says_whether_it_is_one() {
    if !there_is(Transport::Mptcp) {
        return;
    }
    for line in pair(Transport::Mptcp, |_| {}) {
        let multipath = line.channel().granted().multipath.expect("it was asked for");
        assert_eq!(multipath.known(), Some(&true), "{multipath:?}");
        assert!(line.channel().connection().known().is_some(), "TCP_INFO of the first subflow");
    }
    // A peer that knows only TCP.
    let plain = TcpListener::bind((HERE, 0)).expect("a free port");
    let rendezvous = Rendezvous::from(ChannelAddress::Port(plain.local_addr().expect("it listens").port()));
    let mut line = join(&setup(Transport::Mptcp), &rendezvous, &TOKEN, 0).expect("plain TCP will do");
    let (mut stream, _) = plain.accept().expect("it came");
    let mut preface = [0; 20];
    stream.read_exact(&mut preface).expect("it introduces itself");
    stream.write_all(b"!").expect("it listens");
    assert_eq!(line.channel_mut().pull(&mut [0], Wait::Patiently).expect("a byte"), 1);
    let multipath = line.channel().granted().multipath.expect("it was asked for");
    assert_eq!(multipath.known(), Some(&false), "{multipath:?}");
}

#[test]
fn multipath_tcp_that_is_switched_off_names_the_switch() {
    let switched = std::thread::spawn(|| {
        // Only in a network namespace of this thread's own.
        unshare(CloneFlags::CLONE_NEWNET).map_err(|errno| format!("a network namespace: {errno}"))?;
        fs::write("/proc/sys/net/mptcp/enabled", "0")
            .map_err(|error| format!("net.mptcp.enabled: {error}"))?;
        Ok::<_, String>([
            refusal(listen(&setup(Transport::Mptcp), &TOKEN)),
            refusal(join(&setup(Transport::Mptcp), &ChannelAddress::Port(1).into(), &TOKEN, 0)),
        ])
    });
    match switched.join().expect("no panic") {
        Ok(errors) => {
            for error in errors {
                assert!(error.contains("sysctl -w net.mptcp.enabled=1"), "{error}");
            }
        }
        Err(missing) => {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs {missing}");
            eprintln!("skipped: {missing}");
        }
    }
}

/// The other process of the test below: it sends back what it gets until the end.
#[test]
#[ignore = "the test below runs it in a process of its own"]
fn an_echo_in_another_process() {
    let transport = std::env::var("ECHO_TRANSPORT").expect("it is told");
    let place = ChannelAddress::Local(std::env::var("ECHO_PLACE").expect("it is told"));
    let setup = setup(transport.parse().expect("a transport"));
    let mut line = join(&setup, &place.into(), &TOKEN, 3).expect("the other process waits");
    let mut data = vec![0; 100_000];
    while let Ok(moved) = line.channel_mut().pull(&mut data, Wait::Patiently) {
        let mut rest = &data[..moved];
        while !rest.is_empty() {
            rest = &rest[line.channel_mut().push(rest, Wait::Patiently).expect("the other process reads")..];
        }
    }
}

#[rstest]
fn another_process_echoes_every_byte_and_when_it_is_killed_the_channel_ends(
    #[values(Transport::Unix, Transport::Pipe, Transport::SharedMemory)] transport: Transport,
) {
    let setup = setup(transport);
    let Ok(Listener::Separate(mut host)) = listen(&setup, &TOKEN) else {
        panic!("it has a place of its own")
    };
    let ChannelAddress::Local(place) = host.rendezvous().address else { panic!("it is on this host") };
    let mut other = Command::new(std::env::current_exe().expect("this program"))
        .args(["--ignored", "--exact", "local::an_echo_in_another_process"])
        .envs([("ECHO_TRANSPORT", transport.name()), ("ECHO_PLACE", &place)])
        .envs([guard::mark()])
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    let (flow, mut line) = host.accept(Deadline::after(Duration::from_secs(30))).expect("it comes");
    assert_eq!(flow, 3);
    let sent: Vec<u8> = (0..3_000_000_u32).map(|number| (number % 251) as u8).collect();
    let (mut rest, mut received) = (&sent[..], Vec::new());
    let mut data = vec![0; 70_000];
    while received.len() < sent.len() {
        let pushed = line.channel_mut().push(rest, Wait::Never).expect("it is there");
        rest = &rest[pushed..];
        let pulled = line.channel_mut().pull(&mut data, Wait::Never).expect("it is there");
        received.extend_from_slice(&data[..pulled]);
        if pushed + pulled == 0 {
            let interest = if rest.is_empty() { Interest::Receive } else { Interest::Either };
            assert!(line.channel_mut().ready(interest, Span::from_ms(10_000)).expect("it is there"));
        }
    }
    assert!(received == sent, "bytes were lost, changed or out of order");
    other.kill().expect("it is there");
    let pulled = line.channel_mut().pull(&mut data, Wait::Patiently);
    assert!(matches!(pulled, Err(LinkError::Closed | LinkError::Reset)), "{pulled:?}");
    other.wait().expect("it has ended");
}
