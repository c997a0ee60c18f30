//! A server of iperf3: bulk over TCP and UDP, each load a test of its own.
//!
//! ```text
//! client                                        server
//! cookie                                    ->
//!                                          <-   PARAM_EXCHANGE
//! parameters, in JSON                       ->
//!                                          <-   CREATE_STREAMS
//! a connection a stream, with the cookie    ->  (UDP: a datagram of 4 bytes, which is answered)
//!                                          <-   TEST_START, TEST_RUNNING
//! the streams, one way or both             <->
//! TEST_END                                  ->
//!                                          <-   EXCHANGE_RESULTS
//! results, in JSON                          ->
//!                                          <-   results, DISPLAY_RESULTS
//! IPERF_DONE                                ->
//! ```
//!
//! This end says when the test has ended. It does so when the server's host has acknowledged every byte, so that both
//! count the same. docs/peers.md says what a server reports and what it does not.

mod account;
mod control;
mod flow;
pub mod message;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use linerate_core::carrier::{CarriedLoad, Carrier, LoadWatch, Look};
use linerate_core::environment::{Environment, Fact};
use linerate_core::options::Granted;
use linerate_core::plan::{Plan, Tool};
use linerate_core::run::{Answering, EndState, Path};
use linerate_core::traffic::{Direction, Load, StreamPlan, Transfer};
use linerate_core::transport::Transport;
use linerate_core::units::Span;
use socket2::{Protocol, Socket, Type};

use crate::channel::ChannelHandle;
use crate::control::Side;
use crate::flow::{Counter, PATIENCE};
use crate::line::Line;
use crate::observe::{HostClock, is_free};
use crate::pair::{Here, PairError, Target};
use crate::peers::ToolError;
use crate::traffic::{Carried, FlowEnd, FlowReport, FlowSet, OnLook, bulk_flows, channels, patience};
use crate::transport::{
    Setup, TransportError, announced, apply, apply_to_datagrams, bound, connect, tcp_channel,
};

use account::Known;
use control::{Control, GoOn};
use flow::{Bound, TICK, TcpFlow, UdpFlow};
use message::{ANSWERS, HELLO, Results, State, StreamResult, bytes_of_each, params, stream_id};

/// How often to check whether the user wants to end, and whether the server still runs the test.
const GLANCE: Duration = Duration::from_millis(20);
/// So many glances after the user wished to end, flows are cut that have not ended by themselves.
const PATIENT_GLANCES: u32 = 25;
/// How long the server's program has to read what its host has acknowledged.
const SETTLE: Duration = Duration::from_millis(100);
/// How long to wait for the answer to a first datagram, and how often to send it. A server that has answered one takes the
/// next for a datagram of the flow and says nothing, so a flow whose answer was lost begins all the same.
const ANSWER: Duration = Duration::from_secs(1);
const HELLOS: u32 = 3;
/// The headers of a datagram over IPv4 and over IPv6. Unit: bytes.
const UDP_HEADERS: [u64; 2] = [28, 48];
/// A drained socket is read again after this.
const DRAIN: Duration = Duration::from_millis(1);

/// An iperf3 server, ready for loads.
#[derive(Debug)]
pub struct Iperf3 {
    target: Target,
    plan: Plan,
    here: Here,
    answering: Answering,
    granted: Option<Granted>,
    free: Option<bool>,
    /// The conversation for the first test.
    first: Option<Control>,
}

/// The streams of a test.
#[derive(Default)]
struct Streams {
    ends: Vec<FlowEnd>,
    handles: Vec<Box<dyn ChannelHandle>>,
    /// The sockets again, so that none is closed before the test is over.
    sockets: Vec<Socket>,
    granted: Option<Granted>,
    /// Whether the first datagram of one had no answer.
    unanswered: bool,
}

/// What a test needs to know of its path and its messages.
struct Test<'a> {
    control: &'a Control,
    load: &'a Load,
    bulk: &'a StreamPlan,
    setup: Setup,
    /// Payload of a call, or of a datagram. Unit: bytes.
    length: u64,
}

impl Iperf3 {
    /// Calls the server at `address`, `HOST` or `HOST:PORT`, and makes this end ready for loads of `plan`. While the server has
    /// another client, `go_on` may end the wait, which lasts a few seconds.
    ///
    /// # Errors
    ///
    /// What is wrong at this end, with the address, or at the server.
    pub fn open(
        address: &str,
        plan: &Plan,
        clock: HostClock,
        mut go_on: impl FnMut() -> ControlFlow<()>,
    ) -> Result<Self, ToolError> {
        let free = is_free(plan.common.local.pin);
        let target = Target::with_port(address, Tool::Iperf3.port())?;
        let place = Here::place(plan)?;
        let first = Control::begin(&target, &plan.common.local, &mut go_on)?;
        let (local, peer) = (first.local, first.peer);
        let here = Here::watch(place, clock, local.ip());
        fn unknown<T>(what: &str) -> Fact<T> {
            Fact::unknown(format!("an iperf3 server does not report {what}"))
        }
        let end = EndState {
            environment: Environment {
                hostname: unknown("the name of its host"),
                kernel: unknown("its kernel"),
                boot_id: unknown("which host it is on"),
                network_namespace: unknown("where it runs"),
                interface: unknown("its interface"),
                ..Environment::default()
            },
            ..EndState::default()
        };
        let path = Path {
            transport: plan.common.transport.name().to_owned(),
            from_address: local.ip().to_string(),
            to_address: peer.to_string(),
            ipv6: peer.is_ipv6(),
            ..Path::default()
        };
        let answering = Answering { end, path };
        Ok(Self {
            target,
            plan: plan.clone(),
            here,
            answering,
            granted: None,
            free: Some(free),
            first: Some(first),
        })
    }

    /// The initiator and the server with its path, as far as they are known.
    #[must_use]
    pub fn ends(&self) -> (EndState, Vec<Answering>) {
        (self.here.state.clone(), vec![self.answering.clone()])
    }

    /// Ends the watch of this host.
    pub fn finish(&mut self) {
        let granted = self.granted.clone().unwrap_or_default();
        self.here.finish(granted, Fact::unknown("each flow has its own"), None);
    }

    fn run(
        &mut self,
        load: &Load,
        watch: &mut dyn LoadWatch,
    ) -> Result<(Transfer, Option<ToolError>), ToolError> {
        let bulk = load.stream.clone().unwrap_or_default();
        let control = match self.first.take() {
            Some(first) => first,
            None => Control::begin(&self.target, &self.plan.common.local, &mut || watch.go_on())?,
        };
        let step = control.step();
        let test = self.test(&control, load, &bulk)?;
        let asked = serde_json::to_vec(&params(&self.plan, load, test.length))?;
        control.send(&asked)?;
        control.expect(State::CreateStreams, step, &mut || watch.go_on()).map_err(refused)?;
        let mut streams = self.open_streams(&test)?;
        if self.granted.is_none() {
            self.granted.clone_from(&streams.granted);
            self.here.granted(streams.granted.clone().unwrap_or_default());
        }
        let started = control.expect(State::TestStart, step, &mut || watch.go_on());
        started.map_err(|error| match error {
            ToolError::Stream(_) if streams.unanswered => ToolError::Unanswered,
            error => refused(error),
        })?;
        control.expect(State::TestRunning, step, &mut || watch.go_on())?;
        let ends = std::mem::take(&mut streams.ends);
        let begun = Instant::now();
        let (Carried { reports, host }, lost) = self.move_all(&test, ends, &streams.handles, watch);
        if bulk.direction != Direction::Receive {
            std::thread::sleep(SETTLE);
        }
        let ended = Span::from(begun.elapsed());
        let results = match lost {
            None => conclude(&test, &reports, &streams.sockets, &mut || watch.go_on()),
            Some(error) => Err(error),
        };
        let (results, broken) = match results {
            Ok(results) => (Some(results), None),
            Err(error) => (None, Some(error)),
        };
        let known = Known {
            bulk: &bulk,
            results: results.as_ref(),
            datagrams: test.setup.transport == Transport::Udp,
            round_trip: control.round_trip(),
            length: test.length,
            ended,
        };
        let flows = known.flows(reports);
        Ok((Transfer { load: load.clone(), flows, hosts: vec![host], ..Transfer::default() }, broken))
    }

    /// What a test of `load` needs to know.
    fn test<'a>(
        &self,
        control: &'a Control,
        load: &'a Load,
        bulk: &'a StreamPlan,
    ) -> Result<Test<'a>, ToolError> {
        let transport = self.plan.common.transport;
        let plain = Setup::plain(transport, self.here.clock, control.local.ip(), control.peer);
        let own = self.plan.common.local.clone();
        let setup = Setup {
            socket: load.socket.clone(),
            patience: TICK,
            round_trip: control.round_trip(),
            channels: channels(load),
            largest: self.plan.largest().map_err(PairError::from)?,
            own,
            ..plain
        };
        let natural = match transport {
            Transport::Udp => datagram(&setup)?,
            _ => linerate_core::traffic::DEFAULT_MESSAGE,
        };
        Ok(Test { control, load, bulk, length: bulk.message_bytes(natural), setup })
    }

    /// Opens the streams: those that this end sends first.
    fn open_streams(&self, test: &Test<'_>) -> Result<Streams, ToolError> {
        let mut streams = Streams::default();
        let lasts = test.bulk.lasts().then(|| (test.load.time + test.bulk.warm_up).to_duration());
        for (flow, direction) in bulk_flows(test.load) {
            let sends = direction == Direction::Send;
            let bound = Bound {
                cut: Arc::default(),
                lasts,
                bytes: bytes_of_each(test.bulk, test.length),
                patience: patience(test.load, &self.plan, test.setup.round_trip),
            };
            let (line, socket) = match test.setup.transport {
                Transport::Udp => {
                    let (line, socket, answered) = test.open_udp(bound, sends)?;
                    streams.unanswered |= !answered;
                    (line, socket)
                }
                _ => test.open(bound)?,
            };
            let handle = line.channel().handle().map_err(PairError::Address)?;
            streams.granted.get_or_insert_with(|| line.channel().granted());
            streams.handles.push(handle);
            streams.sockets.push(socket);
            streams.ends.push(FlowEnd { flow, direction, sends, line });
        }
        Ok(streams)
    }

    /// Runs the flows of the test at this end, and watches them and the server meanwhile: what each counted, and why the
    /// server ended the test, if it did.
    fn move_all(
        &mut self,
        test: &Test<'_>,
        ends: Vec<FlowEnd>,
        handles: &[Box<dyn ChannelHandle>],
        watch: &mut dyn LoadWatch,
    ) -> (Carried, Option<ToolError>) {
        let stop = AtomicBool::new(false);
        let free = self.free.take().unwrap_or_else(|| is_free(self.plan.common.local.pin));
        let flows = FlowSet {
            clock: self.here.clock,
            plan: test.bulk,
            memory: &self.plan.common.memory,
            time: test.load.time,
            round_trip: test.setup.round_trip,
            datagrams: test.setup.transport == Transport::Udp,
            beside_requests: false,
            side: Side::Beginning,
            first_cpu: self.plan.common.local.pin,
            free,
            shares_threads: false,
            link: self.here.observer.link().clone(),
            stop: &stop,
        };
        let receives = test.bulk.direction != Direction::Send;
        let cut = || handles.iter().for_each(|handle| handle.cut());
        let mut lost = None;
        let carried = std::thread::scope(|scope| {
            let (tell, looks) = channel();
            let on_look: OnLook = Box::new(move |look| tell.send(Look::from(look)).unwrap_or(()));
            let running = scope.spawn(|| {
                let counters = ends.iter().map(|_| Counter::default()).collect();
                flows.run(ends, &counters, Some(on_look))
            });
            let mut asked = 0;
            while !running.is_finished() {
                if lost.is_some() {
                    std::thread::sleep(GLANCE);
                } else if let Err(error) = test.control.silent_for(GLANCE) {
                    lost = Some(error);
                    stop.store(true, Ordering::Relaxed);
                    cut();
                }
                looks.try_iter().for_each(|look| watch.interval(&look));
                if watch.go_on().is_break() {
                    stop.store(true, Ordering::Relaxed);
                    asked += 1;
                    if receives || asked > PATIENT_GLANCES {
                        cut();
                    }
                }
            }
            looks.try_iter().for_each(|look| watch.interval(&look));
            running.join().unwrap_or_default()
        });
        for report in &carried.reports {
            let sends = report.direction == Direction::Send;
            self.here.observer.saw(&report.tally(sends), report.processor);
        }
        (carried, lost)
    }
}

impl Carrier for Iperf3 {
    type Error = ToolError;

    fn carry(&mut self, load: &Load, watch: &mut dyn LoadWatch) -> CarriedLoad<ToolError> {
        match self.run(load, watch) {
            Ok((transfer, broken)) => {
                CarriedLoad { transfer: Some(transfer), ended: broken.map_or(Ok(()), Err) }
            }
            Err(error) => CarriedLoad::refused(error),
        }
    }
}

impl Test<'_> {
    /// Opens a stream of TCP: its channel, and its socket again.
    fn open(&self, bound: Bound) -> Result<(Box<dyn Line>, Socket), ToolError> {
        let failed = |error: TransportError| ToolError::Flow(error);
        let socket = self.socket(Type::STREAM, Protocol::TCP)?;
        apply(&socket, &self.setup.socket, self.setup.ipv6()).map_err(|error| failed(error.into()))?;
        connect(&socket, self.setup.peer, self.setup.step()).map_err(|error| failed(error.into()))?;
        let mut said = socket.send(&self.control.cookie);
        said = said.and_then(|bytes| {
            if bytes == message::COOKIE { Ok(bytes) } else { Err(std::io::ErrorKind::WriteZero.into()) }
        });
        said.map_err(|error| failed(TransportError::system("identify the flow to the server")(error)))?;
        let channel = tcp_channel(socket, &self.setup).map_err(failed)?;
        let again = channel.again().map_err(PairError::Address)?;
        let flow = TcpFlow { socket: channel, bound, finished: false };
        Ok((Box::new(self.setup.wire(flow)), again))
    }

    /// Opens a stream of datagrams that this end sends, or receives; also whether the server has answered its first.
    fn open_udp(&self, bound: Bound, sends: bool) -> Result<(Box<dyn Line>, Socket, bool), ToolError> {
        let failed = |error: TransportError| ToolError::Flow(error);
        let system =
            |operation: &'static str| move |error| ToolError::Flow(TransportError::system(operation)(error));
        let socket = self.socket(Type::DGRAM, Protocol::UDP)?;
        apply_to_datagrams(&socket, &self.setup).map_err(failed)?;
        socket.connect(&self.setup.peer.into()).map_err(system("connect a socket"))?;
        let tick = Some(TICK.to_duration());
        socket.set_read_timeout(tick).map_err(system("set the receive timeout"))?;
        socket.set_write_timeout(tick).map_err(system("set the send timeout"))?;
        let answered = self.greet(&socket, sends)?;
        let again = socket.try_clone().map_err(PairError::Address)?;
        let length = usize::try_from(self.length).unwrap_or(usize::MAX);
        let flow = UdpFlow { socket, bound, clock: self.setup.clock, length, sent: 0 };
        Ok((Box::new(self.setup.wire(flow)), again, answered))
    }

    /// Says to the server that the datagrams of a stream come from `socket`; whether it has answered.
    fn greet(&self, socket: &Socket, sends: bool) -> Result<bool, ToolError> {
        let silent = |error| ToolError::Flow(TransportError::system("hear the server over UDP")(error));
        for _ in 0..HELLOS {
            socket.send(&HELLO).map_err(silent)?;
            let begun = Instant::now();
            while begun.elapsed() < ANSWER.max(self.setup.round_trip.to_duration() * 2) {
                let mut answer = [0; 4];
                match rustix::net::recv(socket, &mut answer[..], crate::sys::REAL_LENGTH) {
                    Ok((_, 4)) if ANSWERS.contains(&answer) => return Ok(true),
                    // Its first datagrams may overtake the answer.
                    Ok((_, length)) if !sends && length as u64 == self.length => return Ok(true),
                    Ok(_) | Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
                    Err(errno) => return Err(silent(errno.into())),
                }
            }
        }
        Ok(false)
    }

    fn socket(&self, kind: Type, protocol: Protocol) -> Result<Socket, ToolError> {
        bound(self.setup.peer, kind, protocol, &self.setup.own).map_err(ToolError::Dial)
    }
}

/// Ends the test at the server, and returns what it counted.
fn conclude(
    test: &Test<'_>,
    ours: &[FlowReport],
    sockets: &[Socket],
    go_on: GoOn<'_>,
) -> Result<Results, ToolError> {
    test.control.say(State::TestEnd)?;
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // A server that cannot send the rest of a message does not hear that the test has ended.
        scope.spawn(|| drain(sockets, &over));
        let results = exchange(test, ours, go_on);
        over.store(true, Ordering::Relaxed);
        results
    })
}

fn exchange(test: &Test<'_>, ours: &[FlowReport], go_on: GoOn<'_>) -> Result<Results, ToolError> {
    let control = test.control;
    // The word that the test has ended may wait behind what is in the path's queue.
    control.expect(State::ExchangeResults, control.step().max(PATIENCE.to_duration()), go_on)?;
    control.send(&serde_json::to_vec(&told(test, ours))?)?;
    let results = Results::decode(&control.receive(go_on)?)?;
    // What follows tells nothing more.
    if control.expect(State::DisplayResults, control.step(), go_on).is_ok() {
        control.say(State::Done).unwrap_or(());
    }
    Ok(results)
}

/// Reads what still comes on `sockets` until it is over.
fn drain(sockets: &[Socket], over: &AtomicBool) {
    let mut buffer = vec![0; 1 << 18];
    while !over.load(Ordering::Relaxed) {
        let mut read = 0;
        for socket in sockets {
            let got = rustix::net::recv(socket, &mut buffer[..], rustix::net::RecvFlags::DONTWAIT);
            read += got.map_or(0, |(_, bytes)| bytes);
        }
        if read == 0 {
            std::thread::sleep(DRAIN);
        }
    }
}

/// What this end counted, as the server expects it.
fn told(test: &Test<'_>, ours: &[FlowReport]) -> Results {
    let lasted = ours.iter().filter_map(|told| told.half.last).max().unwrap_or_default().as_seconds();
    let spent: Span = ours.iter().filter_map(|told| told.half.cpu).sum();
    let streams = ours.iter().enumerate().map(|(place, FlowReport { half, direction, .. })| {
        let datagrams = half.datagrams.as_ref();
        let packets = datagrams.map_or(half.messages, |datagrams| datagrams.sent);
        let retransmits = half.retransmits().filter(|_| *direction == Direction::Send);
        StreamResult {
            id: stream_id(place) as f64,
            bytes: half.counted() as f64,
            retransmits: retransmits.map_or(-1.0, |segments| segments as f64),
            jitter: datagrams.map_or(0.0, |datagrams| datagrams.jitter.as_seconds()),
            errors: datagrams.map_or(0.0, |datagrams| datagrams.lost as f64),
            packets: if test.setup.transport == Transport::Udp { packets as f64 } else { 0.0 },
            end_time: half.last.unwrap_or_default().as_seconds(),
            ..StreamResult::default()
        }
    });
    let cpu = if lasted > 0.0 { 100.0 * spent.as_seconds() / lasted } else { 0.0 };
    let sends = test.bulk.direction != Direction::Receive && test.setup.transport == Transport::Tcp;
    Results {
        cpu_util_total: cpu,
        cpu_util_user: 0.0,
        cpu_util_system: cpu,
        sender_has_retransmits: if sends { 1.0 } else { -1.0 },
        congestion_used: test.load.socket.congestion.clone(),
        streams: streams.collect(),
    }
}

/// A server that closes the conversation when it has read the parameters refuses them.
fn refused(error: ToolError) -> ToolError {
    match error {
        ToolError::Closed(_) => ToolError::Closed(": it refuses what was asked, or wants a user's name"),
        error => error,
    }
}

/// The payload that fits a packet of the path. Unit: bytes.
fn datagram(setup: &Setup) -> Result<u64, ToolError> {
    let socket = bound(setup.peer, Type::DGRAM, Protocol::UDP, &setup.own).map_err(ToolError::Dial)?;
    let mtu = socket.connect(&setup.peer.into()).and_then(|()| announced(&socket.into()));
    let mtu =
        mtu.map_err(|error| ToolError::Flow(TransportError::system("ask for the path's MTU")(error)))?;
    Ok(u64::from(mtu).saturating_sub(UDP_HEADERS[usize::from(setup.ipv6())]).max(message::HEADER as u64))
}
