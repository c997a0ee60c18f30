//! Two hosts and a wire: the client's end of a measurement, as a [`Bench`].

mod dial;
mod error;

use std::net::TcpStream;
use std::ops::ControlFlow;
use std::time::Duration;

use linerate_core::bench::{Bench, RunError};
use linerate_core::endpoint::{Endpoint, run_ready};
use linerate_core::observation::Clock;
use linerate_core::payload::{Buffers, Check};
use linerate_core::plan::Plan;
use linerate_core::run::{End, Path};
use linerate_core::trial::{Half, Sample, Trial};
use linerate_core::units::Span;

use crate::control::{
    Ask, Challenge, Deadline, FrameError, Greeting, Key, Pass, Purpose, Reply, TimedStream, Welcome,
    harmless, read_frame, write_frame,
};
use crate::observe::HostClock;
use crate::tcp::{TcpEndpoint, apply, granted};
use crate::witness::Witness;

pub use dial::Target;
pub use error::PairError;

/// How long the peer may take for one step of the conversation.
const STEP: Duration = Duration::from_secs(10);
/// How long a server that keeps a client waiting may be silent; it speaks every second.
const QUEUE_SILENCE: Duration = Duration::from_secs(15);
/// How long the end of a trial may take beyond the patience of either endpoint.
const TRIAL: Duration = Duration::from_secs(60);
/// Two hosts' clocks agree on a span to better than one part in so many.
const CLOCK_DRIFT: u64 = 100;

/// A connection under test with its peer, ready to run trials.
#[derive(Debug)]
pub struct Pair {
    control: TcpStream,
    endpoint: TcpEndpoint,
    buffers: Buffers,
    clock: HostClock,
    witness: Witness,
    first_sample: Option<Span>,
    pinned: Option<u32>,
    /// This end, as far as it is known yet.
    pub local: End,
    /// The peer, as far as it is known yet.
    pub remote: End,
    /// The connection.
    pub path: Path,
    /// The clock of the end that times `plan`'s pattern.
    pub timing_clock: Clock,
}

impl Pair {
    /// Connects to the linerate at `target`, agrees on `plan` with it and opens the connection
    /// under test. While the server has others to serve, `queued` is told the place in the queue
    /// every second, and may end the wait.
    ///
    /// # Errors
    ///
    /// Which step failed, and with what.
    pub fn open(
        target: &Target,
        key: Option<&Key>,
        plan: &Plan,
        clock: HostClock,
        mut queued: impl FnMut(u32) -> ControlFlow<()>,
    ) -> Result<Self, PairError> {
        let largest = *plan.sizes()?.iter().max().unwrap_or(&1);
        let buffers = reserve(largest)?;
        if let Some(cpu) = plan.local.pin {
            crate::observe::pin_to(cpu).map_err(|source| PairError::Pin { cpu, source })?;
        }
        let control = target.dial(&plan.local)?;
        let welcome = greet(&control)?;
        prove(&control, key, &welcome)?;
        say(&control, &Ask::Offer(Box::new(plan.for_peer())))?;
        let (pass, environment, their_clock) = admission(&control, &mut queued)?;

        let address = control.peer_addr().map_err(PairError::Address)?;
        let socket = target.dial_data(address, plan)?;
        introduce(&socket, &pass)?;
        let granted_there = match hear(&control, STEP)? {
            Reply::Ready(granted) => *granted,
            other => return Err(PairError::unexpected(other)),
        };
        let socket = socket2::Socket::from(socket);
        let ipv6 = address.is_ipv6();
        // Buffers and MSS were set before the handshake; some kernels reset the rest on connect.
        apply(&socket, &plan.socket, ipv6)?;
        let local_address = control.local_addr().map_err(PairError::Address)?;
        let our_clock = crate::observe::check_clock(&clock, crate::witness::CLOCK_READS);
        let timing_clock =
            if plan.pattern.timed_by_responder() { their_clock.clone() } else { our_clock.clone() };
        let local = End {
            environment: crate::observe::environment(Some(local_address.ip())),
            granted: granted(&socket, ipv6, plan.local.pin),
            ..End::default()
        };
        let remote = End { environment, granted: granted_there, ..End::default() };
        let path = Path {
            transport: "tcp".to_owned(),
            local: local_address.ip().to_string(),
            remote: address.to_string(),
            ipv6,
        };
        let endpoint = TcpEndpoint::new(socket, clock, plan.socket.io).map_err(PairError::Socket)?;
        let witness = Witness::start(&clock, our_clock, local_address.ip());
        let pinned = plan.local.pin;
        Ok(Self {
            control,
            endpoint,
            buffers,
            clock,
            witness,
            first_sample: None,
            pinned,
            local,
            remote,
            path,
            timing_clock,
        })
    }

    /// Ends the measurement: both ends say what they observed.
    ///
    /// # Errors
    ///
    /// When the peer no longer answers; what this end observed is then kept in [`Pair::local`].
    pub fn finish(&mut self) -> Result<(), PairError> {
        let asked = say(&self.control, &Ask::Finish);
        let ipv6 = self.path.ipv6;
        self.local.granted = granted(self.endpoint.socket(), ipv6, self.pinned);
        self.local.observation = self.witness.finish(&self.clock, self.endpoint.socket());
        self.local.observation.first_sample_after = self.first_sample;
        asked?;
        match hear(&self.control, STEP)? {
            Reply::Observed(observation, granted) => {
                self.remote.observation = *observation;
                self.remote.granted = *granted;
                Ok(())
            }
            other => Err(PairError::unexpected(other)),
        }
    }

    fn control_failed(trial: &Trial, error: PairError) -> RunError {
        match error {
            PairError::Refused { reason } => RunError::Peer { size: trial.size, reason },
            error => RunError::Control { size: trial.size, source: Box::new(error) },
        }
    }
}

impl Bench for Pair {
    fn run(&mut self, trial: &Trial) -> Result<Sample, RunError> {
        let failed = |error| Self::control_failed(trial, error);
        let began = self.endpoint.now();
        say(&self.control, &Ask::Trial(*trial)).map_err(failed)?;
        match hear(&self.control, STEP).map_err(failed)? {
            Reply::Go => {}
            other => return Err(failed(PairError::unexpected(other))),
        }
        let ours = run_ready(trial.pattern.initiate(&mut self.endpoint, trial, &mut self.buffers))
            .map_err(|source| self.link_failed(trial, source))?;
        let theirs = match hear(&self.control, TRIAL).map_err(failed)? {
            Reply::Half(half) => half,
            other => return Err(failed(PairError::unexpected(other))),
        };
        let now = self.endpoint.now();
        self.witness.saw(&ours.tally);
        if trial.check == Check::Marks && self.first_sample.is_none() {
            self.first_sample = Some(now.since(linerate_core::units::Time::ZERO));
        }
        let spent = now.since(began);
        plausible(trial, &theirs, spent)?;
        Sample::join(trial, &ours, &theirs, spent)
    }
}

/// Refuses times that add up to more than the whole trial took here, but for the drift of clocks.
fn plausible(trial: &Trial, theirs: &Half, spent: Span) -> Result<(), RunError> {
    let claimed: Span = theirs.elapsed.iter().copied().sum();
    if claimed <= spent + spent / CLOCK_DRIFT {
        return Ok(());
    }
    let reason = format!("it says that the samples took {claimed}, and the whole trial took {spent} here");
    Err(RunError::Peer { size: trial.size, reason })
}

impl Pair {
    /// The data connection failed: the peer's own word on the control connection is the better
    /// reason, if it has one to say.
    fn link_failed(&self, trial: &Trial, source: linerate_core::endpoint::LinkError) -> RunError {
        match hear(&self.control, Duration::from_millis(500)) {
            Err(PairError::Refused { reason }) => RunError::Peer { size: trial.size, reason },
            _ => RunError::Link { size: trial.size, source },
        }
    }
}

/// Memory for one message each way, if the host has it.
fn reserve(largest: u64) -> Result<Buffers, PairError> {
    let needed = largest.saturating_mul(2);
    let available = crate::observe::available_memory().known().copied();
    let memory = |available| PairError::Memory { largest, needed, available };
    if available.is_some_and(|available| needed > available) {
        return Err(memory(available));
    }
    let len = usize::try_from(largest).map_err(|_| memory(available))?;
    Buffers::try_new(len).map_err(|_| memory(available))
}

fn say(control: &TcpStream, ask: &Ask) -> Result<(), PairError> {
    let mut stream = TimedStream::new(control, Deadline::after(STEP));
    Ok(write_frame(&mut stream, ask)?)
}

fn hear(control: &TcpStream, within: Duration) -> Result<Reply, PairError> {
    let mut stream = TimedStream::new(control, Deadline::after(within));
    match read_frame(&mut stream)? {
        Reply::Refused(reason) => Err(PairError::Refused { reason: harmless(&reason) }),
        reply => Ok(reply),
    }
}

/// Both greetings.
fn greet(control: &TcpStream) -> Result<Welcome, PairError> {
    let mut stream = TimedStream::new(control, Deadline::after(STEP));
    let greeting = Greeting { purpose: Purpose::Control }.encode();
    dial::send_greeting(&mut stream, &greeting)?;
    dial::read_welcome(&mut stream)
}

/// Proves the key to the server and has it prove the key back.
fn prove(control: &TcpStream, key: Option<&Key>, welcome: &Welcome) -> Result<(), PairError> {
    let key = match (key, welcome.open) {
        (None, true) => return Ok(()),
        (None, false) => return Err(PairError::KeyWanted),
        (Some(_), true) => return Err(PairError::KeyUnwanted),
        (Some(key), false) => key,
    };
    let challenge: Challenge = crate::control::random().map_err(PairError::Random)?;
    let proof = key.prove_client(&welcome.challenge, &challenge);
    say(control, &Ask::Prove { challenge, proof })?;
    match hear(control, STEP)? {
        Reply::Proof(proof) if key.accepts_server(&proof, &welcome.challenge, &challenge) => Ok(()),
        Reply::Proof(_) => Err(PairError::FalseServer),
        other => Err(PairError::unexpected(other)),
    }
}

type Admission = (Pass, linerate_core::environment::Environment, Clock);

/// Waits for a slot at the server.
fn admission(
    control: &TcpStream,
    queued: &mut impl FnMut(u32) -> ControlFlow<()>,
) -> Result<Admission, PairError> {
    loop {
        match hear(control, QUEUE_SILENCE)? {
            Reply::Queued(place) => {
                if queued(place).is_break() {
                    return Err(PairError::Interrupted);
                }
            }
            Reply::Admitted { pass, environment, clock } => return Ok((pass, *environment, clock)),
            other => return Err(PairError::unexpected(other)),
        }
    }
}

/// Says on a data connection whose it is.
fn introduce(data: &TcpStream, pass: &Pass) -> Result<(), PairError> {
    use std::io::Write as _;
    let mut stream = TimedStream::new(data, Deadline::after(STEP));
    let greeting = Greeting { purpose: Purpose::Data }.encode();
    stream
        .write_all(&greeting)
        .and_then(|()| stream.write_all(pass))
        .map_err(|error| FrameError::from(error).into())
}
