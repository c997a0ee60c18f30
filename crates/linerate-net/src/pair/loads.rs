//! The client's end of loads: bulk and requests, one load after the other.

mod accounts;
mod intervals;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use linerate_core::carrier::{CarriedLoad, Carrier, LoadWatch, Look};
use linerate_core::options::Granted;
use linerate_core::plan::Plan;
use linerate_core::run::{Answering, EndState};
use linerate_core::traffic::{Direction, Latency, Load, StreamPlan, Transfer};
use linerate_core::units::Span;

use super::conversation::Offer;
use super::remote_end::RemoteEnd;
use super::requests::{askers, held, none};
use super::{Ends, PairError, Target};
use crate::channel::ChannelHandle;
use crate::control::{Ask, ChannelToken, Key, Opening, QueuePlace, Rendezvous, Side};
use crate::flow::{Answered, Counter, PATIENCE};
use crate::line::Line;
use crate::observe::{HostClock, is_free};
use crate::traffic::rr::{Join, agree, asked};
use crate::traffic::{Carried, FlowEnd, FlowSet, OnLook, bulk, channels, last_word, patience};
use crate::transport::{self, Setup};

use accounts::{Told, hear_load, join};
use intervals::Intervals;

/// How long both ends watch their own noise after the last load, and a little more.
const OBSERVED: Duration = Duration::from_millis(700);
/// How often to check whether the user wants to end.
const LOOK: Duration = Duration::from_millis(100);
/// A server that is waited for has so many more checks once the user wants to end: a live one has a second.
const PATIENT_LOOKS: u32 = 10;

/// Conversations with one server or several, ready for loads.
#[derive(Debug)]
pub struct Loads {
    ends: Ends,
    /// The responders beyond the first.
    others: Vec<RemoteEnd>,
    plan: Plan,
    granted: Option<Granted>,
    /// Whether a server's last word came too late: it has nothing more to say then.
    silent: bool,
    /// Whether nobody else ran on this host before the conversation began.
    free: Option<bool>,
}

/// Whom loads are carried with.
#[derive(Clone, Copy, Debug)]
pub struct Peers<'a> {
    /// Where they are.
    pub targets: &'a [Target],
    /// The key that all have.
    pub key: Option<&'a Key>,
    /// The load that comes first, if it is known: asking one peer for it with the plan saves a round trip.
    pub first: Option<&'a Load>,
}

/// How the wait for what the servers tell of a load ended.
#[derive(Clone, Copy, Debug)]
enum Waited {
    /// All have told what they have, or are gone.
    Done,
    /// Some were silent for so long.
    Late(Span),
    /// The user ended it.
    Interrupted,
}

/// The channels of a load.
struct Channels {
    /// Its bulk flows.
    ends: Vec<FlowEnd>,
    /// Those of its requests.
    lines: Vec<Box<dyn Line>>,
    /// What more of them send to the first server in their prefaces,
    token: ChannelToken,
    /// and where.
    rendezvous: Rendezvous,
    /// Whether it has started there.
    started: bool,
}

/// What a load runs over.
struct Stands<'a> {
    ends: Vec<FlowEnd>,
    /// What is left for the requests.
    lines: Vec<Box<dyn Line>>,
    /// Both, to cancel them: the ends first.
    handles: Vec<Box<dyn ChannelHandle>>,
    /// Whether nobody else runs on this host.
    free: bool,
    /// More of them, one for every transaction.
    more: Join<'a>,
}

impl Loads {
    /// Connects to the linerates of `peers` and agrees on `plan` with each. While the first is busy, `queued` receives the place in the queue every second, and nothing
    /// when the turn has come; each time it may end the wait. The others must be free.
    ///
    /// # Errors
    ///
    /// Which step failed, and with what.
    ///
    /// # Panics
    ///
    /// Without a target.
    pub fn open(
        Peers { targets, key, first }: Peers<'_>,
        plan: &Plan,
        clock: HostClock,
        mut queued: impl FnMut(Option<QueuePlace>) -> ControlFlow<()>,
    ) -> Result<Self, PairError> {
        let (target, others) = targets.split_first().expect("a load has a peer");
        let alone = others.is_empty();
        let named = |error: PairError, target| if alone { error } else { error.at(target) };
        let free = is_free(plan.common.local.pin);
        let first = first.filter(|_| alone).map(|load| Opening::Alone(Box::new(load.share(1))));
        let offer = Offer { plan, first: first.as_ref() };
        let ends =
            Ends::begin(target, key, offer, clock, &mut queued).map_err(|error| named(error, target))?;
        let others = others.iter().map(|target| {
            // No waiting here, to avoid a deadlock: the hosts that have admitted this client wait
            // for it, and the client that this one would wait for may wait for them.
            let mut busy = false;
            let remote = RemoteEnd::begin(target, key, Offer { plan, first: None }, &mut |place| {
                busy = place.is_some();
                if busy { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            remote.map_err(|error| named(if busy { PairError::Busy } else { error }, target))
        });
        let others = others.collect::<Result<_, _>>()?;
        Ok(Self { ends, others, plan: plan.clone(), granted: None, silent: false, free: Some(free) })
    }

    /// The initiator and the responders with their paths, as far as they are known.
    #[must_use]
    pub fn ends(&self) -> (EndState, Vec<Answering>) {
        (self.ends.here.state.clone(), self.remote_ends().map(RemoteEnd::answering).collect())
    }

    fn remote_ends(&self) -> impl Iterator<Item = &RemoteEnd> {
        std::iter::once(&self.ends.remote).chain(&self.others)
    }

    /// `error`, with the peer that it came from if there are several.
    fn named(&self, error: PairError, remote: &RemoteEnd) -> PairError {
        if self.others.is_empty() { error } else { error.at(&remote.target) }
    }

    /// Returns the accounts, and the reason why a peer's are missing, if a conversation failed
    /// meanwhile.
    ///
    /// # Errors
    ///
    /// When the channels cannot be opened.
    fn run(
        &mut self,
        load: &Load,
        watch: &mut dyn LoadWatch,
    ) -> Result<(Transfer, Option<PairError>), PairError> {
        if let Some(rr) = &load.rr {
            rr.check_on(self.plan.common.transport)?;
        }
        let load = &load.share(u32::try_from(self.others.len() + 1).unwrap_or(u32::MAX));
        let round_trip = self.round_trip();
        let patience = patience(load, &self.plan, round_trip);
        let setup = self.ends.setup(&self.plan, &load.socket, self.plan.largest()?, patience);
        let setup = Setup { channels: channels(load), ..setup };
        // The servers wait for the next load, so they are not seen.
        let free = self.free.take().unwrap_or_else(|| is_free(self.plan.common.local.pin));
        let Channels { ends, lines, token, rendezvous, started } = self.stand(load, &setup)?;
        let handles = ends
            .iter()
            .map(|end| end.line.channel().handle())
            .chain(lines.iter().map(|line| line.channel().handle()));
        let mut handles = handles.collect::<Result<Vec<_>, _>>().map_err(PairError::Address)?;
        handles.push(Box::new(setup.cancel.clone()));
        if !started {
            self.start()?;
        }
        // A connection for every transaction has a number after those that are open.
        let one = |number: u32| transport::join(&setup, &rendezvous, &token, number + channels(load));
        let more = |number: u32| held(&setup, one(number)?);
        let stands = Stands { ends, lines, handles, free, more: &more };
        let controls: Vec<_> = self.remote_ends().map(|remote| remote.conversation.control()).collect();
        let told: Vec<Mutex<Told>> = controls.iter().map(|_| Mutex::default()).collect();
        let ((ours, mut latencies), waited) = std::thread::scope(|scope| {
            let (heard, all_heard) = channel::<()>();
            for (control, told) in controls.iter().zip(&told) {
                let heard = heard.clone();
                scope.spawn(move || {
                    let _heard = heard;
                    hear_load(control, told);
                });
            }
            drop(heard);
            let mut intervals = Intervals::new(load, &told, round_trip, watch);
            let moved = self.move_all(load, stands, round_trip, &mut intervals);
            let waited = self.await_told(load, &told, &all_heard, intervals.watch);
            intervals.end();
            (moved, waited)
        });
        let (theirs, answered, broken) = self.collect(load, told, waited);
        load.rr.iter().for_each(|rr| agree(rr, &mut latencies, &answered));
        let mut hosts = vec![ours.host];
        let told = theirs.into_iter().flat_map(|carried| {
            hosts.push(carried.host);
            carried.reports
        });
        let flows = join(load, ours.reports, told.collect());
        Ok((Transfer { load: load.clone(), flows, latencies, hosts, ..Transfer::default() }, broken))
    }

    /// Opens the channels of `load` to every peer. One peer starts when they stand; several wait for each other.
    fn stand(&mut self, load: &Load, setup: &Setup) -> Result<Channels, PairError> {
        let (mut ends, mut lines, mut first) = (Vec::new(), Vec::new(), None);
        let mut granted = Vec::new();
        let alone = self.others.is_empty();
        let remote_ends = std::iter::once(&mut self.ends.remote).chain(&mut self.others);
        for (peer, remote) in (0..).zip(remote_ends) {
            let opening = remote.conversation.opening(load, alone);
            let setup = remote.setup(setup);
            let opened = remote.conversation.open(opening, &setup, channels(load));
            let mut opened = opened.map_err(|error| if alone { error } else { error.at(&remote.target) })?;
            granted.push((opened.lines.first().map(|line| line.channel().granted()), opened.granted));
            let bulk = bulk(load, &mut opened.lines, Side::Beginning);
            ends.extend(bulk.into_iter().map(|end| FlowEnd { flow: load.numbered(peer, end.flow), ..end }));
            lines.append(&mut opened.lines);
            first.get_or_insert((opened.token, opened.rendezvous, opened.started));
        }
        if self.granted.is_none() {
            let ours = granted.first().and_then(|(ours, _)| ours.clone());
            self.ends.here.state.granted = ours.clone().unwrap_or_default();
            self.granted = ours;
            let remote_ends = std::iter::once(&mut self.ends.remote).chain(&mut self.others);
            remote_ends.zip(granted).for_each(|(remote, (_, theirs))| remote.end.granted = theirs);
        }
        // As with one peer: all flows of one direction, then those of the other.
        ends.sort_by_key(|end| (end.direction, end.flow));
        let (token, rendezvous, started) = first.expect("there is a first peer");
        Ok(Channels { ends, lines, token, rendezvous, started })
    }

    /// Starts the load at all servers, whose channels stand.
    fn start(&self) -> Result<(), PairError> {
        let named = |error, remote| self.named(error, remote);
        self.remote_ends().try_for_each(|remote| {
            remote.conversation.say(&Ask::Start).map_err(|error| named(error, remote))
        })?;
        self.remote_ends().try_for_each(|remote| remote.hear_go().map_err(|error| named(error, remote)))
    }

    /// Runs the load at this end, and watches it meanwhile.
    fn move_all(
        &mut self,
        load: &Load,
        stands: Stands<'_>,
        round_trip: Span,
        intervals: &mut Intervals<'_>,
    ) -> (Carried, Vec<Latency>) {
        let Stands { ends, lines, handles, free, more } = stands;
        let (of_bulk, _) = handles.split_at(ends.len());
        let receives = load.stream.as_ref().is_some_and(|stream| stream.direction != Direction::Send);
        let stop = AtomicBool::new(false);
        let clock = self.ends.here.clock;
        let origin = clock.now();
        let flow_set = load.stream.as_ref().map(|stream| FlowSet {
            clock,
            plan: stream,
            memory: &self.plan.common.memory,
            time: load.time,
            round_trip,
            datagrams: self.plan.common.transport.is_datagram(),
            beside_requests: load.rr.is_some(),
            side: Side::Beginning,
            first_cpu: self.plan.common.local.pin,
            free,
            shares_threads: load.socket.io.returns_at_once() && load.socket.receives().returns_at_once(),
            link: self.ends.here.observer.link().clone(),
            stop: &stop,
        });
        let link = self.ends.here.observer.link().clone();
        let askers = askers(load, &self.plan, (clock, origin), free, &stop).map(|askers| askers.on(link));
        let (carried, latencies) = std::thread::scope(|scope| {
            let (tell, looks) = channel();
            let on_look: OnLook = Box::new(move |look| tell.send(Look::from(look)).unwrap_or(()));
            let carry = || {
                let counters = ends.iter().map(|_| Counter::default()).collect();
                flow_set.map_or_else(Carried::default, |flows| flows.run(ends, &counters, Some(on_look)))
            };
            let running = scope.spawn(carry);
            let asking =
                scope.spawn(|| askers.map_or_else(Default::default, |askers| askers.run(lines, more)));
            let mut asked = 0;
            while !running.is_finished() || !asking.is_finished() {
                intervals.show(&looks, LOOK);
                if intervals.watch.go_on().is_break() {
                    stop.store(true, Ordering::Relaxed);
                    asked += 1;
                    // A receiver can stop the sender only by closing the channel, and a sender to a
                    // receiver that has gone does not stop by itself.
                    if asked > 5 {
                        handles.iter().for_each(|handle| handle.cut());
                    } else if receives {
                        of_bulk.iter().for_each(|handle| handle.cut());
                    }
                }
            }
            // The last samples may have arrived since the last wait: they are not lost.
            intervals.hold(&looks);
            let (latencies, host) = asking.join().unwrap_or_else(|_| (none(load.rr.as_ref()), Vec::new()));
            let mut carried: Carried = running.join().unwrap_or_default();
            carried.host.extend(host);
            (carried, latencies)
        });
        for one in &carried.reports {
            self.ends.here.observer.saw(&one.tally(one.direction == Direction::Send), one.processor);
        }
        for (latency, rr) in latencies.iter().zip(load.rr.iter().cycle()) {
            self.ends.here.observer.saw(&asked(rr, latency), None);
        }
        (carried, latencies)
    }

    /// Waits until all servers have told what they have of a load that has ended here, and not for long if time
    /// ends it: they end it by their own clocks. `watch` may end the wait for silent ones; only their conversations are cut.
    fn await_told(
        &self,
        load: &Load,
        told: &[Mutex<Told>],
        all_heard: &Receiver<()>,
        watch: &mut dyn LoadWatch,
    ) -> Waited {
        self.remote_ends().for_each(|remote| remote.conversation.say(&Ask::Collect).unwrap_or(()));
        let within = self.last_word(load);
        let limit = Instant::now() + within.to_duration();
        let (mut asked, mut waited) = (0, Waited::Done);
        loop {
            let left = limit.saturating_duration_since(Instant::now());
            let look = if matches!(waited, Waited::Done) { left.min(LOOK) } else { LOOK };
            if all_heard.recv_timeout(look) == Err(RecvTimeoutError::Disconnected) {
                return waited;
            }
            asked += u32::from(watch.go_on().is_break());
            waited = match waited {
                Waited::Done if asked > PATIENT_LOOKS || (asked > 0 && left.is_zero()) => Waited::Interrupted,
                Waited::Done if left.is_zero() => Waited::Late(within),
                waited => waited,
            };
            if !matches!(waited, Waited::Done) {
                let silent =
                    self.remote_ends().zip(told).filter(|(_, told)| accounts::lock(told).ended.is_none());
                silent.for_each(|(remote, _)| remote.conversation.cut());
            }
        }
    }

    /// How long a server may take to tell what it has of `load` when that has ended here.
    fn last_word(&self, load: &Load) -> Span {
        let lasts = load
            .stream
            .as_ref()
            .map_or_else(|| load.rr.as_ref().is_some_and(|rr| rr.count.is_none()), StreamPlan::lasts);
        if lasts { last_word(self.round_trip()) } else { PATIENCE + last_word(self.round_trip()) }
    }

    /// The longest round trip to a server.
    fn round_trip(&self) -> Span {
        self.remote_ends().map(|remote| remote.conversation.round_trip()).max().unwrap_or_default()
    }

    /// Every server's accounts of its flows, by their numbers here, what the first one answered, and
    /// the first reason why some are missing.
    fn collect(
        &mut self,
        load: &Load,
        told: Vec<Mutex<Told>>,
        waited: Waited,
    ) -> (Vec<Carried>, Vec<Answered>, Option<PairError>) {
        let (mut all, mut all_answered, mut broken, mut silent) = (Vec::new(), Vec::new(), None, false);
        let late = if let Waited::Late(within) = waited { within } else { Span::ZERO };
        for ((peer, remote), told) in (0..).zip(self.remote_ends()).zip(told) {
            let mut told = told.into_inner().unwrap_or_else(PoisonError::into_inner);
            // One that closes the conversation before it has told all was ended, and its flows with it.
            let is_gone =
                matches!(waited, Waited::Done) && matches!(&told.ended, Some(Err(error)) if !error.is_late());
            let is_accounted = told.is_accounted(load) && !is_gone || told.is_alive(late);
            if is_accounted {
                // Only what came since the last report, or details, may be missing.
                silent |= !matches!(told.ended, Some(Ok(())));
            } else if let Some(Err(error)) = told.ended.take() {
                let error = match waited {
                    Waited::Done => error,
                    Waited::Late(within) => PairError::NoAccount(within),
                    Waited::Interrupted => PairError::Interrupted,
                };
                broken.get_or_insert_with(|| self.named(error, remote));
            }
            told.complete(load, is_accounted);
            let Told { mut carried, answered, .. } = told;
            // It reports only its own flows.
            carried.reports.retain(|told| told.flow < load.numbered(1, 0));
            carried.reports.iter_mut().for_each(|told| told.flow = load.numbered(peer, told.flow));
            all.push(carried);
            all_answered.extend(answered);
        }
        self.silent |= silent;
        (all, all_answered, broken)
    }

    /// Ends the conversation: both ends report their observations, unless the path is too slow for them.
    ///
    /// # Errors
    ///
    /// When the peer no longer answers.
    pub fn finish(&mut self) -> Result<(), PairError> {
        let unknown = linerate_core::environment::Fact::unknown("each flow has its own");
        let granted = self.granted.clone().unwrap_or_default();
        let within = OBSERVED + last_word(self.round_trip()).to_duration();
        let asked: Vec<_> = self.others.iter().map(|remote| remote.conversation.say(&Ask::Finish)).collect();
        let first = self.ends.finish(granted, unknown, None, within);
        let first =
            if asked.is_empty() { first } else { first.map_err(|error| error.at(&self.ends.remote.target)) };
        let others = self.others.iter_mut().zip(asked).map(|(remote, asked)| {
            asked.and_then(|()| remote.hear_observed(within)).map_err(|error| error.at(&remote.target))
        });
        // All are read, whatever one reports.
        let finished = others.fold(first, Result::and);
        match finished {
            Err(error) if self.silent || error.is_late() => Ok(()),
            finished => finished,
        }
    }
}

impl Carrier for Loads {
    type Error = PairError;

    /// Each of several servers has such a load, except for a rate, which they share.
    fn carry(&mut self, load: &Load, watch: &mut dyn LoadWatch) -> CarriedLoad<PairError> {
        match self.run(load, watch) {
            Ok((transfer, broken)) => {
                CarriedLoad { transfer: Some(transfer), ended: broken.map_or(Ok(()), Err) }
            }
            Err(error) => CarriedLoad::refused(error),
        }
    }
}
