//! What the kernel says of real connections, and what follows from it: flows whose fault is known
//! because the test made it.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream, UdpSocket};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;

use linerate_core::ceiling::Framing;
use linerate_core::kernel::TcpSample;
use linerate_core::kernel::limit::{Holder, Known, Verdict, holders};
use linerate_core::traffic::{Cadence, Interval};
use linerate_core::transport::Transport;
use linerate_core::units::{Rate, Size, Span, Time};
use linerate_net::channel::{Channel, ChannelHandle};
use linerate_net::flow::Counter;
use linerate_net::lab::{THERE, TwoHosts, shape};
use linerate_net::observe::{HostClock, LinkWatch, UdpCounters};
use linerate_net::traffic::{Looks, OnLook, Sampler, Watched};
use linerate_net::transport::{Setup, tcp_channel};
use socket2::{SockRef, Socket};

use crate::support::{lab, missing};

/// Longer than anything here takes on a busy host.
const PATIENCE: Span = Span::from_ms(20_000);

/// A TCP connection: the end that sends, and the one that receives.
struct Connection {
    sender: TcpStream,
    receiver: TcpStream,
}

impl Connection {
    /// Over the loopback, with the receive buffer as asked.
    fn local(rcvbuf: Option<usize>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        if let Some(bytes) = rcvbuf {
            SockRef::from(&listener).set_recv_buffer_size(bytes).expect("a receive buffer");
        }
        let sender = TcpStream::connect(listener.local_addr().expect("it listens")).expect("connected");
        let (receiver, _) = listener.accept().expect("accepted");
        Self { sender, receiver }
    }
}

/// The connection as the sampler sees it.
fn remote(stream: &TcpStream) -> Box<dyn ChannelHandle> {
    let peer = stream.peer_addr().expect("connected");
    let setup = Setup::plain(Transport::Tcp, HostClock::start(), peer.ip(), peer);
    let socket = Socket::from(stream.try_clone().expect("a descriptor"));
    tcp_channel(socket, &setup).expect("a channel").handle().expect("a descriptor")
}

/// What became of a flow.
struct Flow {
    looks: Looks,
    span: Span,
    received: u64,
}

/// Sends as `send` does, telling it the counter, and receives as `pause` says before each read of
/// at most `piece` bytes.
fn flow(
    connection: Connection,
    send: impl FnOnce(&mut TcpStream, &Counter),
    piece: usize,
    pause: impl Fn(&TcpStream) + Send,
) -> Flow {
    let Connection { mut sender, mut receiver } = connection;
    let clock = HostClock::start();
    let origin = clock.now();
    let counters: Arc<[Counter]> = vec![Counter::default()].into();
    let watched = Watched {
        counters: Arc::clone(&counters),
        remotes: [remote(&sender)].into(),
        link: LinkWatch::default(),
    };
    let sampler =
        Sampler::start(clock, origin, Cadence::every(Span::from_ms(20)), watched, None).expect("a thread");
    let received = std::thread::scope(|scope| {
        let reading = scope.spawn(move || drain(&mut receiver, piece, pause));
        send(&mut sender, &counters[0]);
        sender.shutdown(Shutdown::Write).expect("the end");
        reading.join().expect("it reads to the end")
    });
    let span = clock.now().since(origin);
    Flow { looks: sampler.finish(false), span, received }
}

fn drain(receiver: &mut TcpStream, piece: usize, pause: impl Fn(&TcpStream)) -> u64 {
    let (mut buffer, mut total) = (vec![0; piece], 0);
    loop {
        pause(receiver);
        match receiver.read(&mut buffer).expect("received") {
            0 => return total,
            bytes => total += bytes as u64,
        }
    }
}

/// Sends `count` messages of `size` bytes, and counts them.
fn messages(count: usize, size: usize) -> impl Fn(&mut TcpStream, &Counter) {
    move |stream, counter| {
        let message = vec![7; size];
        for number in 1..=count {
            stream.write_all(&message).expect("sent");
            counter.store((number * size) as u64);
        }
    }
}

impl Flow {
    fn samples(&self) -> &[TcpSample] {
        &self.looks.flows[0].tcp
    }

    /// Who held it back, by the kernel's account alone: the tests' own processors are anybody's.
    /// None, with a word, where the kernel does not count.
    fn verdict(&self, link: Option<Rate>) -> Option<Verdict> {
        let rate = Rate::of(self.received, self.span);
        let known = Known { sender: self.samples(), link, rate, span: self.span, ..Known::default() };
        let verdict = holders(&known);
        if verdict.is_none() {
            missing("a kernel that counts what limits a connection (Linux 4.10)");
        }
        verdict
    }
}

#[test]
fn both_ends_know_every_byte_and_the_same_window() {
    let Connection { mut sender, mut receiver } = Connection::local(None);
    let (here, there) = (remote(&sender), remote(&receiver));
    let mut buffer = vec![0; 300_000];
    sender.write_all(&buffer).expect("it fits the buffers");
    receiver.read_exact(&mut buffer).expect("received");
    let look = || (here.tcp().expect("TCP"), there.tcp().expect("TCP"));
    let clock = HostClock::start();
    // The last acknowledgement may still be under way.
    let (one, other) = loop {
        let (one, other) = look();
        let settled = one.acknowledged >= 300_000 && (other.rcv_wnd == 0 || one.snd_wnd == other.rcv_wnd);
        if settled {
            break (one, other);
        }
        assert!(clock.now().since(Time::ZERO) < PATIENCE, "{one:?} {other:?}");
        std::thread::yield_now();
    };
    assert!((300_000..=300_001).contains(&one.acknowledged), "the opening may count: {one:?}");
    assert_eq!((other.received, one.received, one.notsent, one.unacked), (300_000, 0, 0, 0));
    assert!(one.rtt > Span::ZERO && one.min_rtt <= one.rtt + one.rttvar, "{one:?}");
    assert!(one.mss > 0 && one.mss < one.pmtu && one.cwnd > 0, "{one:?}");
    assert!(one.delivery_rate.is_some_and(|rate| rate.bits_per_second() > 0.0), "{one:?}");
    assert!(one.sndbuf > 0 && other.rcvbuf > 0 && one.snd_wnd > 0, "{one:?}");
    assert!(one.rwnd_limited + one.sndbuf_limited <= one.busy.unwrap_or(Span::MAX), "{one:?}");
}

#[test]
fn a_reader_that_takes_its_time_is_the_receiver_window() {
    let slowly = |_: &TcpStream| sleep(Duration::from_millis(5));
    let flow = flow(Connection::local(Some(4_096)), messages(1, 100_000), 1_024, slowly);
    assert_eq!(flow.received, 100_000);
    let Some(verdict) = flow.verdict(None) else { return };
    assert_eq!(verdict.winner, Holder::ReceiverWindow, "{verdict}: {:?}", flow.samples().last());
}

#[test]
fn a_sender_with_little_to_send_is_the_application() {
    let little = |stream: &mut TcpStream, counter: &Counter| {
        for number in 1..=20 {
            messages(1, 500)(stream, &Counter::default());
            counter.store(500 * number);
            sleep(Duration::from_millis(20));
        }
    };
    let flow = flow(Connection::local(None), little, 1 << 16, |_| ());
    let Some(verdict) = flow.verdict(None) else { return };
    assert_eq!(verdict.winner, Holder::Application, "{verdict}: {:?}", flow.samples().last());
}

/// Lets this thread's end of the wire send no faster than `mbps` after `burst` at once.
fn narrow(mbps: f64, burst: Size) {
    shape(Rate::from_mbps(mbps), burst, Size(1 << 20)).expect("there is a wire");
}

/// A connection across the wire, with the send buffer as asked.
fn across(lab: &TwoHosts, sndbuf: Option<usize>) -> Connection {
    let listener = lab.there(|| TcpListener::bind((THERE, 0))).expect("entered").expect("a port");
    let address = listener.local_addr().expect("it listens");
    let sender = lab.here(|| TcpStream::connect(address)).expect("entered").expect("connected");
    if let Some(bytes) = sndbuf {
        SockRef::from(&sender).set_send_buffer_size(bytes).expect("a send buffer");
    }
    let (receiver, _) = listener.accept().expect("accepted");
    Connection { sender, receiver }
}

#[test]
fn a_send_buffer_below_what_waits_for_its_acknowledgement_is_the_send_buffer() {
    let Some(lab) = lab(1_500) else { return };
    // An acknowledgement takes the way back for some 8 ms.
    lab.there(|| narrow(0.064, Size(1_600))).expect("entered");
    let connection = across(&lab, Some(10_000));
    // BBR's window follows the rate of the acknowledgements, and may be the smaller of the two; Reno's grows past the buffer.
    SockRef::from(&connection.sender).set_tcp_congestion(b"reno").expect("every kernel has it");
    let flow = flow(connection, messages(3, 100_000), 1 << 16, |_| ());
    let Some(verdict) = flow.verdict(None) else { return };
    assert_eq!(verdict.winner, Holder::SendBuffer, "{verdict}: {:?}", flow.samples().last());
}

#[test]
fn a_full_wire_is_the_link_and_unknown_it_is_the_path() {
    let Some(lab) = lab(1_500) else { return };
    lab.here(|| narrow(5.0, Size(5 << 10))).expect("entered");
    let flow = flow(across(&lab, None), messages(100, 10_000), 1 << 16, |_| ());
    assert_eq!(flow.received, 1_000_000);
    // tbf counts 14 bytes besides the IP packet, and `Framing` 24 more.
    let framing = Framing { mtu: 1_500, ipv6: false, timestamps: true };
    let link = framing.ceiling(Rate::from_mbps(5.0 * 1_538.0 / 1_514.0));
    let Some(verdict) = flow.verdict(Some(link)) else { return };
    assert_eq!(verdict.winner, Holder::Link, "{verdict}: {:?}", flow.samples().last());
    let verdict = flow.verdict(None).expect("the kernel counts");
    assert_eq!(verdict.winner, Holder::CongestionWindow, "{verdict}: {:?}", flow.samples().last());
}

#[test]
fn a_sampler_sees_every_byte_once_and_every_look_is_told() {
    let counters: Arc<[Counter]> = (0..3).map(|_| Counter::default()).collect();
    let connection = Connection::local(None);
    let watched = Watched {
        counters: Arc::clone(&counters),
        remotes: [remote(&connection.sender)].into(),
        link: LinkWatch::default(),
    };
    let clock = HostClock::start();
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    let on_look: OnLook = Box::new(move |look| {
        let mut told = tell.lock().expect("nobody panics");
        told.push((look.until, look.bytes.to_vec()));
    });
    let origin = clock.now();
    let cadence = Cadence::every(Span::from_ms(1));
    let sampler = Sampler::start(clock, origin, cadence, watched, Some(on_look)).expect("a thread");
    let looks = || told.lock().expect("nobody panics").len();
    // Each flow moves on until it was looked at often enough.
    let mut total = 0;
    while looks() < 5 {
        total += 1_000;
        counters.iter().zip(1..).for_each(|(counter, times)| counter.store(total * times));
        assert!(clock.now().since(origin) < PATIENCE, "{} looks", looks());
        std::thread::yield_now();
    }
    let kept = sampler.finish(false);
    let told = told.lock().expect("nobody panics");
    for (number, flow) in kept.flows.iter().enumerate() {
        let whole = total * (number as u64 + 1);
        assert_eq!(flow.intervals.iter().map(|entry| entry.bytes).sum::<u64>(), whole);
        assert_eq!(told.iter().map(|(_, bytes)| bytes[number]).sum::<u64>(), whole);
        let ends: Vec<Span> = flow.intervals.iter().map(|entry| entry.until).collect();
        assert_eq!(ends, told.iter().map(|(until, _)| *until).collect::<Vec<_>>());
        assert!(ends.is_sorted() && ends.len() >= 6, "and a last one: {ends:?}");
    }
    assert_eq!(kept.flows[0].tcp.len(), told.len());
    assert!(kept.flows[1].tcp.is_empty(), "it has no connection");
    assert!(kept.flows[0].tcp.iter().all(|sample| sample.at > Span::ZERO && sample.mss > 0));
    assert_eq!(kept.host.len(), told.len());
}

#[test]
fn looks_within_an_interval_are_kept_and_not_told() {
    let counters: Arc<[Counter]> = vec![Counter::default()].into();
    let connection = Connection::local(None);
    let watched = Watched {
        counters: Arc::clone(&counters),
        remotes: [remote(&connection.sender)].into(),
        link: LinkWatch::default(),
    };
    let clock = HostClock::start();
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    let on_look: OnLook = Box::new(move |look| {
        let mut told = tell.lock().expect("nobody panics");
        told.push((look.until, look.bytes[0], look.host.span));
    });
    let (origin, interval) = (clock.now(), Span::from_ms(32));
    let cadence = Cadence::new(interval, Span::from_ms(2), None);
    let sampler = Sampler::start(clock, origin, cadence, watched, Some(on_look)).expect("a thread");
    let mut total = 0;
    while told.lock().expect("nobody panics").len() < 2 {
        total += 1_000;
        counters[0].store(total);
        assert!(clock.now().since(origin) < PATIENCE, "no interval ends");
        std::thread::yield_now();
    }
    let kept = sampler.finish(false);
    let told = told.lock().expect("nobody panics");
    let flow = &kept.flows[0];
    let sum = |list: &[Interval]| list.iter().map(|entry| entry.bytes).sum::<u64>();
    assert_eq!([sum(&flow.intervals), sum(&flow.looks), told.iter().map(|it| it.1).sum()], [total; 3]);
    let ends: Vec<Span> = flow.intervals.iter().map(|entry| entry.until).collect();
    assert_eq!(ends, told.iter().map(|it| it.0).collect::<Vec<_>>());
    assert!(ends.iter().all(|end| flow.looks.iter().any(|look| look.until == *end)), "{flow:?}");
    assert!(flow.looks.len() >= ends.len(), "{} looks in {} intervals", flow.looks.len(), ends.len());
    assert_eq!((flow.tcp.len(), kept.host.len()), (flow.looks.len(), flow.looks.len()));
    let watched = |spans: Vec<Span>| spans.into_iter().sum::<Span>();
    let told_of = watched(told.iter().map(|it| it.2).collect());
    assert_eq!(told_of, watched(kept.host.iter().map(|look| look.span).collect()), "of whole intervals");
}

#[test]
fn a_load_shorter_than_an_interval_is_seen_once() {
    let counters: Arc<[Counter]> = vec![Counter::default()].into();
    let watched = Watched { counters: Arc::clone(&counters), remotes: [].into(), link: LinkWatch::default() };
    let clock = HostClock::start();
    let cadence = Cadence::every(PATIENCE);
    let sampler = Sampler::start(clock, clock.now(), cadence, watched, None).expect("a thread");
    counters[0].store(42);
    let looks = sampler.finish(false);
    assert_eq!(looks.flows[0].intervals.iter().map(|entry| entry.bytes).collect::<Vec<_>>(), [42]);
    assert_eq!(looks.host.len(), 1);
    assert!(looks.flows[0].intervals[0].until < PATIENCE, "it did not wait for its interval");
}

#[test]
fn the_host_counts_the_datagrams_that_a_full_buffer_drops() {
    let receiver = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    SockRef::from(&receiver).set_recv_buffer_size(4_096).expect("a small buffer");
    let sender = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    sender.connect(receiver.local_addr().expect("bound")).expect("connected");
    let before = UdpCounters::read().expect("counters");
    let sent = (0..100).filter(|_| sender.send(&[0; 1_000]).is_ok()).count() as u64;
    receiver.set_nonblocking(true).expect("an option");
    let mut buffer = [0; 2_000];
    let mut received = 0;
    while receiver.recv(&mut buffer).is_ok() {
        received += 1;
    }
    let since = UdpCounters::read().expect("counters").since(&before);
    // The counters are of the whole namespace, so they are at least what this test made.
    assert!(received < sent, "{received} of {sent} fit 4 KiB");
    assert!(since.receive_buffer_errors >= sent - received, "{since:?}, {received} of {sent}");
    assert!(since.in_errors >= sent - received && since.out_datagrams >= sent, "{since:?}");
    assert!(since.in_datagrams >= received, "{since:?}");
}
