//! Two hosts and a wire: the client's end of a measurement, as a [`Bench`].

mod conversation;
mod dial;
mod error;
mod here;
mod loads;
mod path_mtu;
mod rank;
mod remote_end;
mod requests;
#[cfg(on_linux)]
mod settings;
mod stages;
mod trace;

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use linerate_core::bench::{Bench, RunError};
use linerate_core::endpoint::LinkError;
use linerate_core::environment::Fact;
use linerate_core::observation::{Clock, Connection};
use linerate_core::options::{Granted, SocketOptions};
use linerate_core::payload::Check;
use linerate_core::plan::Plan;
use linerate_core::run::{Answering, EndState, Path};
use linerate_core::trial::{Half, Sample, Trial};
use linerate_core::units::{Span, Time};

use crate::channel::CancelGroup;
use crate::control::{Ask, Key, Opening, QueuePlace, Reply};
use crate::line::Line;
use crate::memory::Reserved;
use crate::observe::{EffortWatch, HostClock, current_cpu};
use crate::transport::Setup;
use crate::wait::PATIENCE;
use crate::watchdog::Watchdog;

use conversation::{Offer, STEP};
use remote_end::RemoteEnd;

pub use dial::Target;
pub use error::PairError;
pub(crate) use here::Here;
pub use loads::{Loads, Peers};
pub use rank::ServerRank;
#[cfg(on_linux)]
pub use settings::{RemoteChange, RemoteOutcome, RemoteSettings, RemoteSettingsError};

/// How long the end of a trial may take beyond the patience of either endpoint.
const TRIAL: Duration = Duration::from_secs(60);
/// A trial that is not done when this part more than the plan's time has passed is ended,
const LATE_PERCENT: u64 = 4;
/// and this much later.
const LATE: Span = Span::from_ms(200);
/// How long the other end may take to report, once a trial was ended: what is on its way to it may
/// hold the conversation up.
const REPORT_OF_LATE: Duration = Duration::from_millis(1_200);
/// A trial in which nothing came from the peer for so long, or four round trips, when the time was over, was cut off and not
/// slow.
const SILENT: Span = Span::from_ms(2_000);
/// Two hosts' clocks agree on a span to better than one part in this many.
const CLOCK_DRIFT: u64 = 100;

/// What is known about both ends of a conversation.
#[derive(Debug)]
struct Ends {
    remote: RemoteEnd,
    here: Here,
}

impl Ends {
    /// Pins this thread as the plan says, and agrees with the server at `target` on what is offered to it.
    fn begin(
        target: &Target,
        key: Option<&Key>,
        offer: Offer<'_>,
        clock: HostClock,
        queued: &mut impl FnMut(Option<QueuePlace>) -> ControlFlow<()>,
    ) -> Result<Self, PairError> {
        let place = Here::place(offer.plan)?;
        let remote = RemoteEnd::begin(target, key, offer, queued)?;
        let here = Here::watch(place, clock, remote.conversation.local.ip());
        Ok(Self { remote, here })
    }

    /// What the channels of `plan` are made of, with these options of their sockets.
    fn setup(&self, plan: &Plan, socket: &SocketOptions, largest: u64, patience: Span) -> Setup {
        Setup {
            transport: plan.common.transport,
            socket: socket.clone(),
            memory: plan.common.memory.clone(),
            largest,
            patience,
            round_trip: self.remote.conversation.round_trip(),
            channels: 1,
            clock: self.here.clock,
            local: self.remote.conversation.local.ip(),
            peer: self.remote.conversation.peer,
            own: plan.common.local.clone(),
            data_ports: None,
            cancel: CancelGroup::default(),
        }
    }

    /// Ends the conversation: both ends report their observations.
    ///
    /// The other end may take `patience` for its part.
    fn finish(
        &mut self,
        granted: Granted,
        connection: Fact<Connection>,
        first_sample: Option<Span>,
        patience: Duration,
    ) -> Result<(), PairError> {
        let asked = self.remote.conversation.say(&Ask::Finish);
        self.here.finish(granted, connection, first_sample);
        asked?;
        self.remote.hear_observed(patience)
    }
}

/// A channel under test with its peer, ready to run trials.
#[derive(Debug)]
pub struct Pair {
    ends: Ends,
    line: Box<dyn Line>,
    memory: Reserved,
    first_sample: Option<Span>,
    timed_by_peer: bool,
    /// The plan's time.
    time: Span,
    /// When the first trial began.
    began: Option<Time>,
    watchdog: Option<Watchdog>,
    /// How long ago anything had come from the peer when the watchdog ended a trial, if TCP says.
    heard_ago: Arc<OnceLock<Span>>,
    /// How long a trial had run that was ended or failed: the channel is of no use any more.
    broken: Option<Span>,
}

impl Pair {
    /// Connects to the linerate at `target`, agrees on `plan` with it and opens the channel under
    /// test. While the server is busy, `queued` receives the place in the queue every second, and nothing
    /// when the turn has come; each time it may end the wait.
    ///
    /// # Errors
    ///
    /// Which step failed, and with what.
    pub fn open(
        target: &Target,
        key: Option<&Key>,
        plan: &Plan,
        clock: HostClock,
        mut queued: impl FnMut(Option<QueuePlace>) -> ControlFlow<()>,
    ) -> Result<Self, PairError> {
        let largest = plan.largest()?;
        Reserved::check(largest, &plan.common.memory)?;
        let offer = Offer { plan, first: Some(&Opening::Trials) };
        let mut ends = Ends::begin(target, key, offer, clock, &mut queued)?;
        // By the thread where it is tied, so that the pages are near it.
        let memory = Reserved::new(largest, &plan.common.memory)?;
        let setup = ends.setup(plan, &plan.common.socket, largest, PATIENCE);
        let mut opened = ends.remote.conversation.open(Opening::Trials, &setup, 1)?;
        let line = opened.lines.pop().expect("as many lines as were asked for");
        ends.here.granted(memory.granted(line.channel().granted()));
        ends.remote.end.granted = opened.granted;
        let timed_by_peer = plan.curve().is_some_and(|curve| curve.pattern.timed_by_responder());
        let time = plan.common.time;
        Ok(Self {
            ends,
            line,
            memory,
            first_sample: None,
            timed_by_peer,
            time,
            began: None,
            watchdog: None,
            heard_ago: Arc::default(),
            broken: None,
        })
    }

    /// This end, the peer and the connection, as far as they are known.
    #[must_use]
    pub fn ends(&self) -> (EndState, EndState, Path) {
        let Answering { end, path } = self.ends.remote.answering();
        (self.ends.here.state.clone(), end, path)
    }

    /// The clock of the end that times the plan's pattern.
    #[must_use]
    pub const fn timing_clock(&self) -> &Clock {
        if self.timed_by_peer { &self.ends.remote.conversation.clock } else { &self.ends.here.our_clock }
    }

    /// Ends the measurement: both ends report their observations.
    ///
    /// # Errors
    ///
    /// When the peer no longer answers; what this end observed is then kept in [`Pair::ends`].
    pub fn finish(&mut self) -> Result<(), PairError> {
        let granted = self.memory.granted(self.line.channel().granted());
        let Some(ran) = self.broken else {
            let connection = self.line.channel().connection();
            return self.ends.finish(granted, connection, self.first_sample, STEP);
        };
        let connection = Fact::unknown("it was ended in the middle of a trial");
        let granted = self.ends.here.state.granted.clone();
        let long = SILENT.max(self.ends.remote.conversation.round_trip() * 4);
        // What the other end observed is missing then, and nothing else.
        let answered = self.ends.finish(granted, connection, self.first_sample, REPORT_OF_LATE).is_ok();
        // Where TCP does not say, a peer that answers is not silent.
        let before = self.heard_ago.get().copied().unwrap_or(if answered { Span::ZERO } else { ran });
        let silent = before + if answered { Span::ZERO } else { Span::from(REPORT_OF_LATE) };
        let found = self.is_late() && silent >= long;
        self.ends.here.state.observation.silent = if found { silent } else { Span::ZERO };
        Ok(())
    }

    /// Whether a trial was ended because the time was over.
    fn is_late(&self) -> bool {
        self.watchdog.as_ref().is_some_and(Watchdog::has_barked)
    }

    /// Begins to count the plan's time.
    fn start_time(&mut self) -> std::io::Result<()> {
        if self.began.is_some() {
            return Ok(());
        }
        let limit = self.time + self.time * LATE_PERCENT / 100 + LATE;
        let handle = self.line.channel().handle()?;
        let heard_ago = Arc::clone(&self.heard_ago);
        let bark = move || {
            handle.heard_ago().into_iter().for_each(|span| heard_ago.set(span).unwrap_or(()));
            handle.abort();
        };
        self.watchdog = Some(Watchdog::set(limit.to_duration(), bark)?);
        self.began = Some(self.ends.here.clock.now());
        Ok(())
    }

    /// Waits for the other end's answer for `patience`, and not much beyond the time limit.
    fn hear(&self, patience: Duration) -> Result<Reply, PairError> {
        let left = self.watchdog.as_ref().map_or(patience, |watchdog| watchdog.left() + REPORT_OF_LATE);
        self.ends.remote.conversation.hear(patience.min(left))
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
        self.start_time().map_err(|source| RunError::Link {
            size: trial.size,
            source: LinkError::System { operation: "watch the time", source },
        })?;
        let began = self.ends.here.clock.now();
        self.conduct(trial, began).map_err(|error| {
            if matches!(error, RunError::Disagree { .. } | RunError::Corrupt { .. }) {
                return error;
            }
            let after = self.ends.here.clock.now().since(began);
            self.broken = Some(after);
            if self.is_late() { RunError::Late { size: trial.size, after } } else { error }
        })
    }

    fn elapsed(&self) -> Option<Span> {
        self.began.map(|began| self.ends.here.clock.now().since(began))
    }

    fn round_trip(&self) -> Span {
        self.ends.remote.conversation.round_trip()
    }
}

impl Pair {
    /// Runs a trial that `began` just now.
    fn conduct(&mut self, trial: &Trial, began: Time) -> Result<Sample, RunError> {
        let failed = |error| Self::control_failed(trial, error);
        self.ends.remote.conversation.say(&Ask::Trial(*trial)).map_err(failed)?;
        match self.hear(STEP).map_err(failed)? {
            Reply::Go => {}
            other => return Err(failed(PairError::unexpected(other))),
        }
        let watch = EffortWatch::start(&self.ends.here.clock, self.line.channel().tcp());
        let ours = self.line.initiate(trial, &mut self.memory);
        let mut ours = ours.map_err(|source| self.link_failed(trial, source))?;
        ours.effort = Some(watch.finish(&self.ends.here.clock, &ours.tally, || self.line.channel().tcp()));
        let theirs = match self.hear(TRIAL).map_err(failed)? {
            Reply::Half(half) => *half,
            other => return Err(failed(PairError::unexpected(other))),
        };
        let now = self.ends.here.clock.now();
        self.ends.here.observer.saw(&ours.tally, current_cpu());
        if trial.check == Check::Marks && self.first_sample.is_none() {
            self.first_sample = Some(now.since(Time::ZERO));
        }
        let spent = now.since(began);
        plausible(trial, &theirs, spent)?;
        Sample::join(trial, &ours, &theirs, spent)
    }
}

/// Refuses times that add up to more than the whole trial took here, apart from the drift of
/// clocks.
fn plausible(trial: &Trial, theirs: &Half, spent: Span) -> Result<(), RunError> {
    let claimed: Span = theirs.elapsed.iter().copied().sum();
    if claimed <= spent + spent / CLOCK_DRIFT {
        return Ok(());
    }
    let reason = format!("it reports {claimed} for the samples, but the whole trial took {spent} here");
    Err(RunError::Peer { size: trial.size, reason })
}

impl Pair {
    /// The data connection failed: the peer's message on the control connection, if there is one,
    /// is the better reason.
    fn link_failed(&self, trial: &Trial, source: LinkError) -> RunError {
        match self.ends.remote.conversation.hear(Duration::from_millis(500)) {
            Err(PairError::Refused { reason }) => RunError::Peer { size: trial.size, reason },
            _ => RunError::Link { size: trial.size, source },
        }
    }
}
