//! The client's end of loads: bulk streams and requests, one load after the other.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use linerate_core::options::Granted;
use linerate_core::plan::Plan;
use linerate_core::run::{End, Path};
use linerate_core::traffic::{Direction, FlowAccount, HalfAccount, Latency, Load, Transfer};

use super::conversation::Opened;
use super::requests::{askers, none, tally};
use super::{Ends, PairError, Target};
use crate::channel::{Line, Remote};
use crate::control::{Ask, Key, Opening, Reply};
use crate::observe::HostClock;
use crate::traffic::rr::{Answered, Join, agree};
use crate::traffic::{Carried, OnLook, PATIENCE, Party, Side, Told, bulk, channels, patience};
use crate::transport;

/// How often the user's wish to end is looked for.
const LOOK: Duration = Duration::from_millis(100);

/// A conversation with a server, ready for loads.
#[derive(Debug)]
pub struct Loads {
    ends: Ends,
    plan: Plan,
    granted: Option<Granted>,
}

/// The channels of a load.
struct Stands<'a> {
    lines: Vec<Box<dyn Line>>,
    /// The same, to break them off.
    remotes: Vec<Box<dyn Remote>>,
    /// More of them, one for every transaction.
    more: Join<'a>,
}

impl Loads {
    /// Connects to the linerate at `target` and agrees on `plan` with it. While the server has others
    /// to serve, `queued` is told the place in the queue every second, and may end the wait.
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
        let ends = Ends::begin(target, key, plan, clock, &mut queued)?;
        Ok(Self { ends, plan: plan.clone(), granted: None })
    }

    /// This end, the peer and the connection, as far as they are known.
    #[must_use]
    pub fn ends(&self) -> (End, End, Path) {
        (self.ends.local.clone(), self.ends.remote.clone(), self.ends.path.clone())
    }

    /// Puts `load` on the path and waits for its end. `on_look` is told what passed at this end,
    /// every interval of the bulk; `watch` is asked every tenth of a second whether it is to end early.
    ///
    /// With the accounts comes the reason why the peer's are missing, if the conversation broke off
    /// meanwhile. A flow that fails is no error: its account says so.
    ///
    /// # Errors
    ///
    /// When the channels do not come to stand.
    pub fn run(
        &mut self,
        load: &Load,
        on_look: Option<OnLook>,
        mut watch: impl FnMut() -> ControlFlow<()>,
    ) -> Result<(Transfer, Option<PairError>), PairError> {
        if let Some(rr) = &load.rr {
            rr.check_on(self.plan.transport)?;
        }
        let patience = patience(load, &self.plan);
        let setup = self.ends.setup(&self.plan, &load.socket, self.plan.largest()?, patience);
        let opening = Opening::Load(Box::new(load.clone()));
        let Opened { lines, granted, pass, meeting } =
            self.ends.conversation.open(opening, &setup, channels(load))?;
        if self.granted.is_none() {
            self.granted = lines.first().map(|line| line.granted());
            self.ends.local.granted = self.granted.clone().unwrap_or_default();
            self.ends.remote.granted = granted;
        }
        let remotes = lines.iter().map(|line| line.remote()).collect::<Result<Vec<_>, _>>();
        let remotes = remotes.map_err(PairError::Address)?;
        self.ends.conversation.say(&Ask::Start)?;
        match self.ends.conversation.hear(super::STEP)? {
            Reply::Go => {}
            other => return Err(PairError::unexpected(other)),
        }
        // A connection for every transaction has a number after those that stand.
        let more = |number: u32| transport::join(&setup, &meeting, &pass, number + channels(load));
        let stands = Stands { lines, remotes, more: &more };
        let (ours, mut latencies) = self.carry(load, stands, on_look, &mut watch);
        let theirs = self.ends.conversation.say(&Ask::Collect).and_then(|()| self.collect());
        let (theirs, broken) = match theirs {
            Ok((theirs, answered)) => {
                load.rr.iter().for_each(|rr| agree(rr, &mut latencies, &answered));
                (theirs, None)
            }
            Err(error) => (Carried::default(), Some(error)),
        };
        let hosts = [ours.host, theirs.host];
        let flows = join(ours.told, theirs.told);
        Ok((Transfer { phase: load.phase(), flows, latencies, hosts, ..Transfer::default() }, broken))
    }

    fn carry(
        &mut self,
        load: &Load,
        stands: Stands<'_>,
        on_look: Option<OnLook>,
        watch: &mut impl FnMut() -> ControlFlow<()>,
    ) -> (Carried, Vec<Latency>) {
        let Stands { mut lines, remotes, more } = stands;
        let ends = bulk(load, &mut lines, Side::Beginning);
        let (of_bulk, _) = remotes.split_at(ends.len());
        let receives = load.stream.as_ref().is_some_and(|stream| stream.direction != Direction::Send);
        let stop = AtomicBool::new(false);
        let clock = self.ends.clock;
        let origin = clock.now();
        let party = load.stream.as_ref().map(|stream| Party {
            clock,
            origin,
            plan: stream,
            memory: &self.plan.memory,
            time: load.time,
            datagrams: self.plan.transport.is_datagram(),
            side: Side::Beginning,
            first_cpu: self.plan.local.pin,
            stop: &stop,
        });
        let askers = askers(load, &self.plan, clock, origin, &stop);
        let (carried, latencies) = std::thread::scope(|scope| {
            let carry = || party.map_or_else(Carried::default, |party| party.run(ends, on_look));
            let running = scope.spawn(carry);
            let asking = scope.spawn(|| askers.map_or_else(Vec::new, |askers| askers.run(lines, more)));
            let mut asked = 0;
            while !running.is_finished() || !asking.is_finished() {
                std::thread::sleep(LOOK);
                if watch().is_break() {
                    stop.store(true, Ordering::Relaxed);
                    asked += 1;
                    // Who only receives cannot ask the sender to end, but by hanging up; and who
                    // sends into nothing does not come to an end by itself.
                    if asked > 5 {
                        remotes.iter().for_each(|remote| remote.cut());
                    } else if receives {
                        of_bulk.iter().for_each(|remote| remote.cut());
                    }
                }
            }
            let latencies = asking.join().unwrap_or_else(|_| none(load.rr.as_ref()));
            (running.join().unwrap_or_default(), latencies)
        });
        for one in &carried.told {
            self.ends.witness.saw(&one.tally(one.direction == Direction::Send), one.processor);
        }
        for (latency, rr) in latencies.iter().zip(load.rr.iter().cycle()) {
            self.ends.witness.saw(&tally(rr, latency), None);
        }
        (carried, latencies)
    }

    /// The server's accounts of all flows, and what it answered.
    fn collect(&self) -> Result<(Carried, Vec<Answered>), PairError> {
        let Carried { mut told, mut host } = Carried::default();
        let mut answered = Vec::new();
        // The server may have flows that it has not given up yet.
        let mut within = super::STEP + PATIENCE.to_duration();
        loop {
            match self.ends.conversation.hear(within)? {
                Reply::Flow { flow, direction, half } => {
                    told.push(Told { flow, direction, half: *half, processor: None });
                }
                Reply::More(intervals, samples) => {
                    if let Some(last) = told.last_mut() {
                        last.half.intervals.extend(intervals);
                        last.half.tcp.extend(samples);
                    }
                }
                Reply::Hosts(samples) => host.extend(samples),
                Reply::Answered { flow, transactions, bytes } => {
                    answered.push(Answered { flow, transactions, bytes });
                }
                Reply::Told => return Ok((Carried { told, host }, answered)),
                other => return Err(PairError::unexpected(other)),
            }
            within = super::STEP;
        }
    }

    /// Ends the conversation: both ends say what they observed.
    ///
    /// # Errors
    ///
    /// When the peer no longer answers.
    pub fn finish(&mut self) -> Result<(), PairError> {
        let unknown = linerate_core::environment::Fact::unknown("each flow has its own");
        let granted = self.granted.clone().unwrap_or_default();
        self.ends.finish(granted, unknown, None)
    }
}

/// Both ends' accounts of each flow.
fn join(ours: Vec<Told>, mut theirs: Vec<Told>) -> Vec<FlowAccount> {
    let mut other_half = |flow, direction| {
        let place = theirs.iter().position(|told| (told.flow, told.direction) == (flow, direction));
        place.map_or_else(HalfAccount::default, |place| theirs.swap_remove(place).half)
    };
    ours.into_iter()
        .map(|Told { flow, direction, half, .. }| {
            let other = other_half(flow, direction);
            let (sender, receiver) = if direction == Direction::Send { (half, other) } else { (other, half) };
            FlowAccount { flow, direction, sender, receiver }
        })
        .collect()
}
