//! The client's side of the conversation: how it starts, and how channels are opened in it.

use std::net::{Shutdown, SocketAddr, TcpStream};
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use linerate_core::environment::{Environment, Fact, Interface};
use linerate_core::observation::Clock;
use linerate_core::options::Granted;
use linerate_core::plan::{LocalOptions, Plan};
use linerate_core::run::PathMtu;
use linerate_core::traffic::Load;
use linerate_core::transport::Transport;
use linerate_core::units::Span;

use super::dial::{self, Target};
use super::error::PairError;
use super::path_mtu::{self, Interfaces};
use crate::control::{
    AHEAD_SINCE, AT_ONCE, Ask, Challenge, ChannelToken, Control, Deadline, Greeting, Key, Opening, Purpose,
    QueuePlace, REPORTS_SINCE, Reflector, Rendezvous, Reply, TRACES_SINCE, TimedStream, Versions, Welcome,
    harmless, keep_alive,
};
use crate::line::Line;
use crate::observe::interface_of;
use crate::transport::{self, Setup, over_udp, round_trip};

/// How long the peer may take for one step of the conversation.
pub(super) const STEP: Duration = Duration::from_secs(10);
/// The pauses before a client introduces itself again to a server that closed the connection before
/// the key was proved.
const PAUSES: [Duration; 4] = [
    Duration::from_millis(20),
    Duration::from_millis(40),
    Duration::from_millis(80),
    Duration::from_millis(160),
];
/// How long a server may be silent while a client waits in its queue; it sends a message every
/// second.
const QUEUE_SILENCE: Duration = Duration::from_secs(15);

/// Open channels, and how to open more of the same.
#[derive(Debug)]
pub(super) struct Opened {
    /// The channels, in the order of their numbers.
    pub(super) lines: Vec<Box<dyn Line>>,
    /// What the first one was granted at the peer.
    pub(super) granted: Granted,
    /// What more of them send in their prefaces.
    pub(super) token: ChannelToken,
    /// The peer's address for them.
    pub(super) rendezvous: Rendezvous,
    /// Whether the load that they are for has started.
    pub(super) started: bool,
}

/// A conversation with a server that has admitted this client.
#[derive(Debug)]
pub(super) struct Conversation {
    control: Arc<Control>,
    /// The server's address.
    pub(super) peer: SocketAddr,
    /// This end's address.
    pub(super) local: SocketAddr,
    /// The server's host.
    pub(super) environment: Environment,
    /// The server's clock.
    pub(super) clock: Clock,
    /// How large a packet may be, once the first channels are open.
    pub(super) mtu: Fact<PathMtu>,
    /// Where to find that out, and for which interfaces.
    unprobed: Option<(Reflector, Interfaces)>,
    /// Whether that can be found out while channels are opened.
    overlaps: bool,
    /// The channels that were asked for with the plan.
    ahead: Option<Opening>,
}

/// What a conversation begins with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer<'a> {
    /// What both ends agree on.
    pub(super) plan: &'a Plan,
    /// The first channels, if they are known: asking for them with the plan saves a round trip.
    pub(super) first: Option<&'a Opening>,
}

impl Conversation {
    /// Connects to `target`, proves the key, makes the offer and waits for its turn; `queued` is told the place
    /// in the queue, and nothing when the turn has come.
    pub(super) fn begin(
        target: &Target,
        key: Option<&Key>,
        Offer { plan, first }: Offer<'_>,
        queued: &mut impl FnMut(Option<QueuePlace>) -> ControlFlow<()>,
    ) -> Result<Self, PairError> {
        let control = Arc::new(introduce(target, key, &plan.common.local, transport::CONNECT)?);
        let version = control.version();
        if plan.trace().is_some() && version < TRACES_SINCE {
            let reason = "it is too old to trace messages; use the same version of linerate on both hosts";
            return Err(PairError::Refused { reason: reason.to_owned() });
        }
        if plan.has_loads() && version < REPORTS_SINCE {
            let reason = "it is too old for loads; use the same version of linerate on both hosts";
            return Err(PairError::Refused { reason: reason.to_owned() });
        }
        say(&control, &Ask::Offer(Box::new(plan.for_peer())))?;
        // A channel over UDP may need the port at which the server answers probes.
        let overlaps = version >= AHEAD_SINCE && !over_udp(plan.common.transport);
        let ahead = first.filter(|_| overlaps).cloned();
        // A server that has ended the conversation by then has said why.
        ahead.iter().for_each(|opening| say(&control, &Ask::Open(opening.clone())).unwrap_or(()));
        let (environment, clock, reflector) = admission(&control, queued)?;
        let peer = control.stream().peer_addr().map_err(PairError::Address)?;
        let local = control.stream().local_addr().map_err(PairError::Address)?;
        let unprobed = reflector.zip(interfaces(plan, local, peer, &environment));
        let mtu = Fact::default();
        Ok(Self { control, peer, local, environment, clock, mtu, unprobed, overlaps, ahead })
    }

    /// What asks for the channels of `load`, which this server carries `alone` or with others.
    pub(super) fn opening(&self, load: &Load, alone: bool) -> Opening {
        let load = Box::new(load.clone());
        if alone && self.control.version() >= AHEAD_SINCE {
            Opening::Alone(load)
        } else {
            Opening::Load(load)
        }
    }

    /// Opens `count` channels for what comes next.
    ///
    /// # Errors
    ///
    /// If others were asked for with the plan, or the server refuses.
    pub(super) fn open(&mut self, opening: Opening, setup: &Setup, count: u32) -> Result<Opened, PairError> {
        let started = matches!(opening, Opening::Alone(_));
        if !self.overlaps {
            self.probe();
        }
        match self.ahead.take() {
            Some(ahead) if ahead != opening => {
                let reason = "another load was announced with the plan; run the plan's loads in their order";
                return Err(PairError::Refused { reason: reason.to_owned() });
            }
            Some(_) => {}
            None => self.say(&Ask::Open(opening))?,
        }
        let (token, rendezvous) = match self.hear(STEP)? {
            Reply::Rendezvous { token, rendezvous } => (token, rendezvous),
            other => return Err(PairError::unexpected(other)),
        };
        let control = self.control();
        let (joined, said) = std::thread::scope(|scope| {
            // Bulk must not be in the way of the probes.
            let starting = scope.spawn(|| {
                self.probe();
                if started { say(&control, &Ask::Start) } else { Ok(()) }
            });
            let joined = in_parallel(count, |flow| transport::join(setup, &rendezvous, &token, flow));
            (joined, starting.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        // The server knows best why it accepted no channel.
        let lines = joined.map_err(|error| self.better(error))?;
        said?;
        match self.hear(STEP)? {
            Reply::Ready(granted) => Ok(Opened { lines, granted: *granted, token, rendezvous, started }),
            other => Err(PairError::unexpected(other)),
        }
    }

    /// Finds out how large a packet may be, once.
    fn probe(&mut self) {
        if let Some((reflector, interfaces)) = self.unprobed.take() {
            let round_trip = self.round_trip().to_duration();
            self.mtu = path_mtu::find(self.local, self.peer, &reflector, interfaces, round_trip);
        }
    }

    /// The server's reason why a channel failed, if it sends one, else `error`.
    fn better(&self, error: transport::TransportError) -> PairError {
        match self.hear(Duration::from_millis(500)) {
            Err(refused @ PairError::Refused { .. }) => refused,
            _ => error.into(),
        }
    }

    pub(super) fn say(&self, ask: &Ask) -> Result<(), PairError> {
        say(&self.control, ask)
    }

    pub(super) fn hear(&self, within: Duration) -> Result<Reply, PairError> {
        hear(&self.control, within)
    }

    /// The round trip to the server.
    pub(super) fn round_trip(&self) -> Span {
        round_trip(self.control.stream())
    }

    /// The connection, for a thread that hears what the server says of its own accord.
    pub(super) fn control(&self) -> Arc<Control> {
        Arc::clone(&self.control)
    }

    /// Cancels the conversation: reads and writes in it fail at once.
    pub(super) fn cut(&self) {
        // It may be closed already.
        self.control.stream().shutdown(Shutdown::Both).unwrap_or(());
    }
}

/// The results of `open` for 0 to `count`, in this order, of which many run at the same time: each waits for round
/// trips.
///
/// # Errors
///
/// The first that failed; no more are begun then.
fn in_parallel<T: Send, E: Send>(count: u32, open: impl Fn(u32) -> Result<T, E> + Sync) -> Result<Vec<T>, E> {
    let next = AtomicU32::new(0);
    let work = || {
        let mut opened = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            if place >= count {
                return Ok(opened);
            }
            let one = open(place).inspect_err(|_| next.store(count, Ordering::Relaxed))?;
            opened.push((place, one));
        }
    };
    let mut opened = std::thread::scope(|scope| {
        let others: Vec<_> = (1..count.min(AT_ONCE)).map(|_| scope.spawn(work)).collect();
        let mut opened = work();
        for other in others {
            let theirs = other.join().unwrap_or_else(|panic| resume_unwind(panic));
            opened = opened.and_then(|opened| Ok([opened, theirs?].into_iter().flatten().collect()));
        }
        opened
    })?;
    opened.sort_by_key(|(place, _)| *place);
    Ok(opened.into_iter().map(|(_, one)| one).collect())
}

pub(super) fn say(control: &Control, ask: &Ask) -> Result<(), PairError> {
    Ok(control.say(ask, STEP)?)
}

pub(super) fn hear(control: &Control, within: Duration) -> Result<Reply, PairError> {
    match control.hear(within)? {
        Reply::Refused(reason) => Err(PairError::Refused { reason: harmless(&reason) }),
        reply => Ok(reply),
    }
}

/// Connects and proves the key. A server that is crowded by others may need a newcomer's place
/// before it has proved anything, so one that is closed that early is tried again.
pub(super) fn introduce(
    target: &Target,
    key: Option<&Key>,
    local: &LocalOptions,
    within: Duration,
) -> Result<Control, PairError> {
    let mut pauses = PAUSES.into_iter();
    let mut closed = None;
    loop {
        // What happened first says more than that nobody listens any more.
        let control = target.dial(local, within).map_err(|error| closed.take().unwrap_or(error))?;
        keep_alive(&control).map_err(PairError::Address)?;
        let welcome = greet(&control);
        match (welcome.and_then(|welcome| prove(Control::new(control), key, &welcome)), pauses.next()) {
            (Ok(control), _) => return Ok(control),
            (Err(error), Some(pause)) if error.was_closed() => {
                closed = Some(error);
                std::thread::sleep(pause);
            }
            (Err(error), _) => return Err(error),
        }
    }
}

/// Both greetings.
fn greet(control: &TcpStream) -> Result<Welcome, PairError> {
    let mut stream = TimedStream::new(control, Deadline::after(STEP));
    let greeting = Greeting::new(Purpose::Control).encode();
    dial::send_greeting(&mut stream, &greeting)?;
    dial::read_welcome(&mut stream)
}

/// Proves the key to the server and has it prove the key back.
fn prove(mut control: Control, key: Option<&Key>, welcome: &Welcome) -> Result<Control, PairError> {
    let version = Versions::OURS.agreed(welcome.versions)?;
    let key = match (key, welcome.open) {
        (None, true) => {
            control.agree(version, None);
            return Ok(control);
        }
        (None, false) => return Err(PairError::KeyWanted),
        (Some(_), true) => return Err(PairError::KeyUnwanted),
        (Some(key), false) => key,
    };
    let challenge: Challenge = crate::control::random().map_err(PairError::Random)?;
    let proof = key.prove_client(version, &welcome.challenge, &challenge);
    let seals = key.seals(version, &welcome.challenge, &challenge)?;
    say(&control, &Ask::Prove { challenge, proof })?;
    match hear(&control, STEP)? {
        Reply::Proof(proof) if key.accepts_server(version, &proof, &welcome.challenge, &challenge) => {
            control.agree(version, seals);
            Ok(control)
        }
        Reply::Proof(_) => Err(PairError::FalseServer),
        other => Err(PairError::unexpected(other)),
    }
}

/// The MTUs of both ends' interfaces. Absent where a path has none of its own: in one network, and for what crosses none.
fn interfaces(plan: &Plan, local: SocketAddr, peer: SocketAddr, there: &Environment) -> Option<Interfaces> {
    let transport = plan.common.transport;
    if transport.is_local()
        || transport == Transport::Vsock
        || local.ip() == peer.ip()
        || peer.ip().is_loopback()
    {
        return None;
    }
    let mtu = |interface: &Interface| u16::try_from(*interface.mtu.known()?).ok();
    let here = interface_of(local.ip()).ok().filter(|interface| !interface.loopback)?;
    let there = there.interface.known().filter(|interface| !interface.loopback)?;
    Some(Interfaces { here: mtu(&here)?, there: mtu(there)? })
}

/// Waits for a slot at the server: its host, its clock, and where it answers datagrams.
fn admission(
    control: &Control,
    queued: &mut impl FnMut(Option<QueuePlace>) -> ControlFlow<()>,
) -> Result<(Environment, Clock, Option<Reflector>), PairError> {
    loop {
        match hear(control, QUEUE_SILENCE)? {
            Reply::Queued(place) => {
                if queued(Some(place)).is_break() {
                    return Err(PairError::Interrupted);
                }
            }
            // The turn may come after the wish to end, and before the next word of the queue.
            Reply::Admitted { .. } if queued(None).is_break() => return Err(PairError::Interrupted),
            Reply::Admitted { environment, clock, reflector } => return Ok((*environment, clock, reflector)),
            other => return Err(PairError::unexpected(other)),
        }
    }
}
