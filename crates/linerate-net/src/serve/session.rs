//! One connection, from its greeting to its end.

use std::fmt;
use std::io;
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};
use std::sync::OnceLock;

use linerate_core::environment::Fact;
use linerate_core::options::{Granted, MemoryOptions, SocketOptions};
use linerate_core::plan::{LocalOptions, Plan, RemoteOptions, Task};
use linerate_core::trial::{Half, MAX_SAMPLES, Trial};
use linerate_core::units::Span;
use socket2::{Domain, Protocol, Socket, Type};

use super::ServerState;
use super::admission::Permit;
use super::channels::ChannelListener;
use super::client::{Client, Envelope, Needs, heard};
use super::limits::Limits;
use super::rank;
use super::reflector::Reflector;
#[cfg(on_linux)]
use super::settings;
use crate::channel::CancelGroup;
use crate::control::{
    Ask, ChannelToken, Control, Deadline, FrameError, GREETING_LEN, Greeting, GreetingError, Key, MAX_FRAME,
    Opening, Purpose, REPORTS_SINCE, Reply, Seals, SettingAsk, TimedStream, Versions, Welcome,
    closed_by_peer, harmless, keep_alive, random,
};
use crate::line::Line;
use crate::memory::Reserved;
use crate::observe::{EffortWatch, Observer, current_cpu, environment, is_free};
use crate::place::{Pin, Place, make_room_for_files};
use crate::transport::{PREFACE_LEN, Preface, Setup, TAKEN, canonical, over_udp};
use crate::wait::PATIENCE;

/// The number of times that always fit into one message, beside everything else that an end says of a trial:
/// 20 digits and a comma each.
const MOST_TIMES: u32 = (MAX_FRAME as u32 - 2560) / 21;
/// What a client may have said beside what was refused. Unit: bytes.
const MOST_UNHEARD: u64 = 2 * MAX_FRAME as u64;

/// Why a connection ended before its client was done; displayed in the log.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The client is gone, silent or too slow: nobody would read a reason.
    Gone(FrameError),
    /// The client does not speak linerate.
    Foreign(GreetingError),
    /// The client receives the reason, if this is its conversation.
    Told(String),
}

impl Refusal {
    pub(super) fn left() -> Self {
        Self::Gone(io::Error::from(io::ErrorKind::UnexpectedEof).into())
    }
}

impl From<FrameError> for Refusal {
    fn from(error: FrameError) -> Self {
        match error {
            FrameError::Stream(_) => Self::Gone(error),
            FrameError::Content(source) => Self::Told(format!(
                "this server ({}) does not understand the message: {source}; use the same version of linerate at both ends",
                env!("CARGO_PKG_VERSION")
            )),
            FrameError::Length(_) | FrameError::Packed(_) | FrameError::Forged => {
                Self::Told(error.to_string())
            }
        }
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Gone(error.into())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone(FrameError::Stream(error)) if closed_by_peer(error) => {
                out.write_str("the client left")
            }
            Self::Gone(FrameError::Stream(error)) if error.kind() == io::ErrorKind::TimedOut => {
                out.write_str("the client was silent for too long")
            }
            Self::Gone(FrameError::Stream(error)) => write!(out, "the connection failed: {error}"),
            Self::Gone(error) => error.fmt(out),
            Self::Foreign(error) => error.fmt(out),
            Self::Told(reason) => write!(out, "refused: {}", harmless(reason)),
        }
    }
}

/// Serves one connection to its end.
pub(super) fn serve(server: &ServerState, stream: TcpStream, peer: IpAddr, permit: &Permit) {
    let greeted = greet(server, &stream);
    let outcome = match greeted {
        Ok(Greeting { purpose: Purpose::Data, .. }) => deliver(server, stream, permit),
        Ok(Greeting { purpose: Purpose::Rank, .. }) => {
            Err(Refusal::Told("it is a rank of a mesh, and this is a server".to_owned()))
        }
        Ok(Greeting { purpose: Purpose::Control, versions }) => {
            let mut control = Control::new(stream);
            let outcome = prove(server, &mut control, versions, permit)
                .and_then(|key| converse(Client::new(server, &control, peer), key.as_ref(), permit));
            if let Err(Refusal::Told(reason)) = &outcome {
                match control.say(&Reply::Refused(harmless(reason)), server.limits.handshake) {
                    Ok(()) => hear_out(server, control.stream()),
                    Err(error) => {
                        let gone = Refusal::from(error);
                        server.log.info(format_args!("{peer}: was not told why it was refused: {gone}"));
                    }
                }
            }
            outcome
        }
        Err(refusal) => Err(refusal),
    };
    match outcome {
        Ok(()) => {}
        // That was said when it happened.
        Err(_) if permit.evicted() => {}
        Err(refusal @ Refusal::Told(_)) => server.log.warn(format_args!("{peer}: {refusal}")),
        Err(refusal) => server.log.info(format_args!("{peer}: {refusal}")),
    }
}

/// Discards what the client has said besides until it hangs up: closing a connection with bytes that nobody has read resets
/// it, and the last word could be lost.
fn hear_out(server: &ServerState, stream: &TcpStream) {
    let ended = stream.shutdown(Shutdown::Write);
    // Who does not hang up has no more time than for any other step.
    let timed = TimedStream::new(stream, Deadline::after(server.limits.handshake));
    ended.and_then(|()| io::copy(&mut io::Read::take(timed, MOST_UNHEARD), &mut io::sink())).unwrap_or(0);
}

/// Reads the client's greeting. Only a linerate gets an answer; an unknown peer gets nothing.
fn greet(server: &ServerState, stream: &TcpStream) -> Result<Greeting, Refusal> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    let mut timed = TimedStream::new(stream, Deadline::after(server.limits.handshake));
    let mut greeting = [0; GREETING_LEN];
    io::Read::read_exact(&mut timed, &mut greeting)?;
    match Greeting::decode(&greeting) {
        Ok(greeting) => Ok(greeting),
        Err(error @ GreetingError::Version { .. }) => {
            // Our greeting shows an older or newer linerate which versions are accepted.
            welcome(server, &mut timed)?;
            Err(Refusal::Foreign(error))
        }
        Err(error) => Err(Refusal::Foreign(error)),
    }
}

fn welcome(server: &ServerState, timed: &mut TimedStream<'_>) -> Result<Welcome, Refusal> {
    let welcome = Welcome::new(server.key.is_open(), random()?);
    io::Write::write_all(timed, &welcome.encode())?;
    Ok(welcome)
}

/// Hands a data connection to its conversation.
fn deliver(server: &ServerState, stream: TcpStream, permit: &Permit) -> Result<(), Refusal> {
    let mut preface = [0; PREFACE_LEN];
    let mut timed = TimedStream::new(&stream, Deadline::after(server.limits.handshake));
    io::Read::read_exact(&mut timed, &mut preface)?;
    let Preface { token, flow } = Preface::decode(&preface);
    let unexpected = || Refusal::Told("no conversation expects this data connection".to_owned());
    let reserved = server.admission.reserve(&token).ok_or_else(unexpected)?;
    permit.expect();
    // Said before the stream is handed on: the conversation may use it at once.
    io::Write::write_all(&mut timed, &[TAKEN])?;
    if reserved.deliver(flow, stream) { Ok(()) } else { Err(unexpected()) }
}

/// Has the client prove the key, if there is one, and proves it too. The rest of the conversation is under that key.
fn prove(
    server: &ServerState,
    control: &mut Control,
    theirs: Versions,
    permit: &Permit,
) -> Result<Option<Key>, Refusal> {
    let version = Versions::OURS.agreed(theirs).map_err(Refusal::Foreign)?;
    keep_alive(control.stream())?;
    let limit = server.limits.handshake;
    let welcome = welcome(server, &mut TimedStream::new(control.stream(), Deadline::after(limit)))?;
    let key = server.key.now(&server.log);
    let mut seals = None;
    if let Some(key) = &key {
        let Ask::Prove { challenge, proof } = heard(control, limit)? else {
            return Err(Refusal::Told(
                "the server requires a key first; give --key as the server prints it".to_owned(),
            ));
        };
        if !key.accepts_client(version, &proof, &welcome.challenge, &challenge) {
            return Err(Refusal::Told("the key is wrong; give --key as the server prints it".to_owned()));
        }
        let codes = key.seals(version, &welcome.challenge, &challenge).map_err(|error| {
            Refusal::Told(format!(
                "the server failed to {error}; use the same version of linerate at both ends, or start both with --allow-unauthenticated-control"
            ))
        })?;
        permit.prove().map_err(Refusal::Told)?;
        control.say(&Reply::Proof(key.prove_server(version, &welcome.challenge, &challenge)), limit)?;
        seals = codes.map(Seals::turned);
    }
    control.agree(version, seals);
    Ok(key)
}

/// The conversation after the proofs: plan, queue, trials; or settings; or a rank.
fn converse(client: Client<'_>, key: Option<&Key>, permit: &Permit) -> Result<(), Refusal> {
    match client.hear(client.server.limits.handshake)? {
        Ask::Offer(plan) => measure(client, &plan, || match key {
            Some(_) => Ok(()),
            None => permit.prove().map_err(Refusal::Told),
        }),
        #[cfg(on_linux)]
        Ask::Setting(SettingAsk::Hold(what)) => settings::serve(client, &what),
        #[cfg(not(on_linux))]
        Ask::Setting(SettingAsk::Hold(what)) => {
            Err(Refusal::Told(format!("settings of this host ({what}) can be changed only on Linux")))
        }
        Ask::Rank { port, order } => rank::serve(client, key, (port, &order)),
        _ => Err(Refusal::Told("the plan must come first".to_owned())),
    }
}

/// Serves a client that wants to measure `plan`; `admit` is asked once the plan is known to be within the limits.
fn measure(
    client: Client<'_>,
    plan: &Plan,
    admit: impl FnOnce() -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let Client { server, peer, .. } = client;
    let version = client.version();
    if plan.has_loads() && version < REPORTS_SINCE {
        return Err(Refusal::Told(format!(
            "loads need version {REPORTS_SINCE} of the protocol; use the same version of linerate at both ends"
        )));
    }
    let what = match &plan.task {
        Task::Curve(curve) => curve.pattern.to_string(),
        Task::Stream(_) => "a bulk stream".to_owned(),
        Task::Requests(_) => "requests".to_owned(),
        Task::Trace(_) => "messages that are traced".to_owned(),
        Task::Mesh(_) | Task::App(_) => {
            return Err(Refusal::Told("many ranks ask servers to be one of them, one by one".to_owned()));
        }
    };
    let largest = server.limits.check(plan).map_err(Refusal::Told)?;
    admit()?;
    let needs = Needs { memory: Limits::memory_of(plan, largest), time: plan.common.time };
    let envelope = Envelope::enter(client, needs)?;
    server.log.info(format_args!(
        "{peer}: {what} over {}, messages to {largest} B, {}",
        plan.common.transport, plan.common.time
    ));
    Session::open(envelope, plan, largest).and_then(Session::run)?;
    server.log.info(format_args!("{peer}: done"));
    Ok(())
}

/// Channels that are open.
pub(super) struct Channels<'a> {
    pub(super) lines: Vec<Box<dyn Line>>,
    /// Where more of them arrive if more are to come.
    pub(super) more: Option<ChannelListener<'a>>,
    /// What the first one's socket was granted.
    pub(super) granted: Box<Granted>,
}

/// A measurement in its slot.
pub(super) struct Session<'a> {
    pub(super) server: &'a ServerState,
    pub(super) client: Client<'a>,
    pub(super) plan: &'a Plan,
    pub(super) largest: u64,
    local: IpAddr,
    peer: SocketAddr,
    memory: Reserved,
    place: Place,
    pub(super) observer: Observer,
    /// The channel of the trials, once it is open.
    pub(super) line: Option<Box<dyn Line>>,
    /// Whether a trial failed: nothing but the end may follow.
    failed: bool,
    /// What the first channel of all was granted.
    granted: OnceLock<Granted>,
    /// Loads so far.
    pub(super) loads: u32,
    /// Whether nobody else ran on this host before the last load.
    pub(super) free: bool,
    /// Until something is measured, or until a channel needs its port.
    pub(super) reflector: Option<Reflector>,
    // The last: the slot is free when everything else is.
    pub(super) envelope: Envelope<'a>,
}

/// Where a client may find out how large a packet may be. Without it a measurement goes on all the same.
fn reflector(server: &ServerState, plan: &Plan, local: IpAddr, peer: SocketAddr) -> Option<Reflector> {
    let setup = Setup {
        data_ports: server.limits.data_ports,
        ..Setup::plain(plan.common.transport, server.clock, local, peer)
    };
    let socket = Socket::new(Domain::for_address(peer), Type::DGRAM, Some(Protocol::UDP)).ok()?;
    setup.bind(&socket).ok()?;
    Reflector::start(socket.into(), peer.ip()).ok()
}

impl<'a> Session<'a> {
    /// Reserves memory and admits the client.
    fn open(mut envelope: Envelope<'a>, plan: &'a Plan, largest: u64) -> Result<Self, Refusal> {
        let client = envelope.client;
        let Client { server, .. } = client;
        let RemoteOptions { pin: cpu, cpu_latency_us } = plan.common.remote;
        let place =
            Place::take(Pin { cpu, whole_process: plan.has_loads() }, cpu_latency_us).map_err(|error| {
                let cpu = cpu.unwrap_or_default();
                Refusal::Told(format!(
                    "the server cannot pin its thread to processor {cpu}: {error}; change --pin"
                ))
            })?;
        make_room_for_files(plan).map_err(|error| {
            Refusal::Told(format!("at the server {error}; lower --flows, or raise that limit"))
        })?;
        // The flows of a load have memory of their own.
        let asked = if plan.has_loads() { &MemoryOptions::default() } else { &plan.common.memory };
        let memory = Reserved::new(largest, asked)
            .map_err(|error| Refusal::Told(format!("the server failed to {error}")))?;
        let [local, peer] = client.addresses()?;
        let local = local.ip();
        // The client waits, so it is not seen.
        let free = is_free(plan.common.remote.pin);
        let environment = Box::new(environment(Some(local)));
        let reflector = reflector(server, plan, local, peer);
        let place_of_reflector = reflector.as_ref().map(|reflector| reflector.place);
        let admitted =
            Reply::Admitted { environment, clock: server.checked.clone(), reflector: place_of_reflector };
        client.say(&admitted)?;
        envelope.next_part(plan.common.time)?;
        let observer = Observer::start(&server.clock, server.checked.clone(), local);
        Ok(Self {
            server,
            client,
            plan,
            largest,
            local,
            peer,
            memory,
            place,
            observer,
            line: None,
            failed: false,
            granted: OnceLock::new(),
            loads: 0,
            free,
            reflector,
            envelope,
        })
    }

    /// Serves the client's messages until it is done.
    fn run(mut self) -> Result<(), Refusal> {
        loop {
            let limits = &self.server.limits;
            // After a failure there is nothing to wait for but the end.
            let patience = if self.failed { limits.handshake } else { limits.idle };
            let ask = self.client.hear(patience)?;
            // Unless a channel is to arrive at its port, the client may probe the path until something is measured.
            if !matches!(ask, Ask::Open(_)) || over_udp(self.plan.common.transport) {
                self.reflector = None;
            }
            match ask {
                Ask::Open(Opening::Trials) if self.line.is_none() && !self.failed => {
                    self.line = self.channels(&self.plan.common.socket, PATIENCE, 1)?.pop();
                }
                Ask::Open(Opening::Stages) => self.stages()?,
                Ask::Open(Opening::Load(load)) => self.load(&load, false)?,
                Ask::Open(Opening::Alone(load)) => self.load(&load, true)?,
                // The load has ended at the client too; its accounts have been sent.
                Ask::Collect if self.loads > 0 => {}
                Ask::Trial(trial) => self.trial(&trial)?,
                Ask::Trace => self.trace()?,
                Ask::Finish => return self.finish(),
                _ => {
                    return Err(Refusal::Told(
                        "this message is not allowed at this point of the conversation".to_owned(),
                    ));
                }
            }
        }
    }

    /// Takes `count` channels of the plan's transport, in the order of their flows' numbers.
    pub(super) fn channels(
        &self,
        socket: &SocketOptions,
        patience: Span,
        count: u32,
    ) -> Result<Vec<Box<dyn Line>>, Refusal> {
        let Channels { lines, granted, .. } = self.channels_and_more(socket, patience, count, 0)?;
        self.say(&Reply::Ready(granted))?;
        Ok(lines)
    }

    /// Takes `count` channels likewise, which the client is not told; and where more of the same arrive later, of which
    /// `waiting` may wait at the server's port.
    pub(super) fn channels_and_more(
        &self,
        socket: &SocketOptions,
        patience: Span,
        count: u32,
        waiting: u32,
    ) -> Result<Channels<'a>, Refusal> {
        let setup = Setup {
            transport: self.plan.common.transport,
            socket: socket.clone(),
            memory: self.plan.common.memory.clone(),
            largest: self.largest,
            patience,
            round_trip: self.client.round_trip(),
            channels: count,
            clock: self.server.clock,
            // A wildcard listener sees IPv4 clients at IPv4-mapped addresses.
            local: self.local.to_canonical(),
            peer: canonical(self.peer),
            own: LocalOptions::default(),
            data_ports: self.server.limits.data_ports,
            cancel: CancelGroup::default(),
        };
        let token: ChannelToken = random()?;
        let told = |error| Refusal::Told(format!("the server failed to {error}"));
        let mut listener = ChannelListener::of(self.server, &setup, token, count + waiting).map_err(told)?;
        self.say(&Reply::Rendezvous { token, rendezvous: listener.rendezvous() })?;
        let within = self.server.limits.handshake.max(setup.step());
        let lines = listener.receive(self.client, count, within)?;
        for line in &lines {
            self.envelope.guard(line.channel().handle()?);
        }
        // Unless more channels are expected, a peer with the token is unknown from now on.
        let more = (waiting > 0).then_some(listener);
        let first = lines.first().map(|line| self.memory.granted(line.channel().granted()));
        let granted = first.map(|granted| self.place.granted(granted));
        let granted = granted.unwrap_or_default();
        self.granted.get_or_init(|| granted.clone());
        Ok(Channels { lines, more, granted: Box::new(granted) })
    }

    fn trial(&mut self, trial: &Trial) -> Result<(), Refusal> {
        let sane = (1..=self.largest).contains(&trial.size)
            && (1..=MAX_SAMPLES).contains(&trial.samples)
            && (trial.samples <= MOST_TIMES || !trial.pattern.timed_by_responder())
            && (trial.lead == 0 || trial.pattern.overlaps())
            && trial.batch >= 1;
        if !sane {
            return Err(Refusal::Told(format!("the trial is outside its plan: {trial:?}")));
        }
        let Some(line) = &mut self.line else {
            return Err(Refusal::Told(
                "a trial is not allowed at this point: open its channel first".to_owned(),
            ));
        };
        if let Reserved::Rings(rings) = &mut self.memory {
            trial.pattern.prepare_answer(trial, rings.as_mut()).map_err(|error| {
                Refusal::Told(format!("the server failed to prepare a trial of {} B: {error}", trial.size))
            })?;
        }
        self.client.say(&Reply::Go)?;
        let watch = EffortWatch::start(&self.server.clock, line.channel().tcp());
        let half = match line.respond(trial, &mut self.memory) {
            Ok(half) => {
                let effort = watch.finish(&self.server.clock, &half.tally, || line.channel().tcp());
                Half { effort: Some(effort), ..half }
            }
            Err(error) => {
                // The client may have ended it, and ends the conversation properly then.
                let reason = format!("the server failed to run a trial of {} B: {error}", trial.size);
                self.server.log.info(format_args!("{}: {reason}", self.peer.ip().to_canonical()));
                self.line = None;
                self.failed = true;
                return self.say(&Reply::Refused(reason));
            }
        };
        self.observer.saw(&half.tally, current_cpu());
        self.say(&Reply::Half(Box::new(half)))
    }

    fn finish(mut self) -> Result<(), Refusal> {
        // Those of a load have ended; each of their accounts has what it had then.
        let unopened =
            || (self.granted.get().cloned().unwrap_or_default(), Fact::unknown("each flow has its own"));
        let line = self.line.as_ref().map(|line| (line.channel().granted(), line.channel().connection()));
        let (granted, connection) = line.unwrap_or_else(unopened);
        let granted = self.place.granted(self.memory.granted(granted));
        let observation = self.observer.finish(&self.server.clock, connection);
        self.say(&Reply::Observed(Box::new(observation), Box::new(granted)))
    }

    pub(super) fn say(&self, reply: &Reply) -> Result<(), Refusal> {
        self.client.say(reply)
    }
}
