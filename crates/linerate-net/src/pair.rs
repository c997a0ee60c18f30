//! Two hosts and a wire: the client's end of a measurement, as a [`Bench`].

mod conversation;
mod dial;
mod error;

use std::ops::ControlFlow;
use std::time::Duration;

use linerate_core::bench::{Bench, RunError};
use linerate_core::endpoint::LinkError;
use linerate_core::observation::Clock;
use linerate_core::options::Granted;
use linerate_core::payload::{Buffers, Check};
use linerate_core::plan::Plan;
use linerate_core::run::{End, Path};
use linerate_core::trial::{Half, Sample, Trial};
use linerate_core::units::{Span, Time};

use crate::channel::{Line, PATIENCE};
use crate::control::{Ask, Key, Opening, Reply};
use crate::observe::HostClock;
use crate::transport::Setup;
use crate::witness::Witness;

use conversation::{Conversation, STEP};

pub use dial::Target;
pub use error::PairError;

/// How long the end of a trial may take beyond the patience of either endpoint.
const TRIAL: Duration = Duration::from_secs(60);
/// Two hosts' clocks agree on a span to better than one part in so many.
const CLOCK_DRIFT: u64 = 100;

/// A connection under test with its peer, ready to run trials.
#[derive(Debug)]
pub struct Pair {
    conversation: Conversation,
    line: Box<dyn Line>,
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
        let conversation = Conversation::begin(target, key, plan, &mut queued)?;
        let setup = Setup {
            transport: plan.transport,
            socket: plan.socket.clone(),
            memory: plan.memory.clone(),
            largest,
            patience: PATIENCE,
            clock,
            local: conversation.local.ip(),
            peer: conversation.peer,
            own: plan.local.clone(),
        };
        let (mut lines, granted_there) = conversation.open(Opening::Trials, &setup, 1)?;
        let line = lines.pop().expect("as many lines as were asked for");
        let our_clock = crate::observe::check_clock(&clock, crate::witness::CLOCK_READS);
        let timing_clock =
            if plan.pattern.timed_by_responder() { conversation.clock.clone() } else { our_clock.clone() };
        let pinned = plan.local.pin;
        let local = End {
            environment: crate::observe::environment(Some(setup.local)),
            granted: Granted { pinned, ..line.granted() },
            ..End::default()
        };
        let environment = conversation.environment.clone();
        let remote = End { environment, granted: granted_there, ..End::default() };
        let path = Path {
            transport: plan.transport.name().to_owned(),
            local: setup.local.to_string(),
            remote: conversation.peer.to_string(),
            ipv6: conversation.peer.is_ipv6(),
        };
        let witness = Witness::start(&clock, our_clock, setup.local);
        Ok(Self {
            conversation,
            line,
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
        let asked = self.conversation.say(&Ask::Finish);
        self.local.granted = Granted { pinned: self.pinned, ..self.line.granted() };
        self.local.observation = self.witness.finish(&self.clock, self.line.connection());
        self.local.observation.first_sample_after = self.first_sample;
        asked?;
        match self.conversation.hear(STEP)? {
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
        let began = self.clock.now();
        self.conversation.say(&Ask::Trial(*trial)).map_err(failed)?;
        match self.conversation.hear(STEP).map_err(failed)? {
            Reply::Go => {}
            other => return Err(failed(PairError::unexpected(other))),
        }
        let ours =
            self.line.initiate(trial, &mut self.buffers).map_err(|source| self.link_failed(trial, source))?;
        let theirs = match self.conversation.hear(TRIAL).map_err(failed)? {
            Reply::Half(half) => half,
            other => return Err(failed(PairError::unexpected(other))),
        };
        let now = self.clock.now();
        self.witness.saw(&ours.tally);
        if trial.check == Check::Marks && self.first_sample.is_none() {
            self.first_sample = Some(now.since(Time::ZERO));
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
    fn link_failed(&self, trial: &Trial, source: LinkError) -> RunError {
        match self.conversation.hear(Duration::from_millis(500)) {
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
