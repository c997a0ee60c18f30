//! The client's end of loads: bulk streams and requests, one load after the other.

mod accounts;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use linerate_core::carrier::{CarriedLoad, Carrier, LoadWatch, Look};
use linerate_core::options::Granted;
use linerate_core::plan::Plan;
use linerate_core::run::{Answering, End};
use linerate_core::traffic::{Direction, Latency, Load, Transfer};

use super::far::Far;
use super::requests::{askers, held, none, tally};
use super::wait::unless_ended;
use super::{Ends, PairError, Target};
use crate::channel::{Line, Remote};
use crate::control::{Ask, Key, Opening, Pass};
use crate::observe::HostClock;
use crate::traffic::rr::{Answered, Join, agree};
use crate::traffic::{Carried, FlowEnd, OnLook, Party, Side, bulk, channels, patience};
use crate::transport::{self, Meeting, Setup};

use accounts::{hear_all, join};

/// How often the user's wish to end is looked for.
const LOOK: Duration = Duration::from_millis(100);

/// Conversations with one server or several, ready for loads.
#[derive(Debug)]
pub struct Loads {
    ends: Ends,
    /// The answering ends beyond the first.
    others: Vec<Far>,
    plan: Plan,
    granted: Option<Granted>,
}

/// The bulk flows of a load, and the channels of its requests.
type Channels = (Vec<FlowEnd>, Vec<Box<dyn Line>>);

/// What a load runs over.
struct Stands<'a> {
    ends: Vec<FlowEnd>,
    /// What is left for the requests.
    lines: Vec<Box<dyn Line>>,
    /// Both, to break them off: the ends first.
    remotes: Vec<Box<dyn Remote>>,
    /// More of them, one for every transaction.
    more: Join<'a>,
}

impl Loads {
    /// Connects to the linerates at `targets` and agrees on `plan` with each; all have the same key.
    /// While the first has others to serve, `queued` is told the place in the queue every second, and
    /// may end the wait; the others must be free.
    ///
    /// # Errors
    ///
    /// Which step failed, and with what.
    ///
    /// # Panics
    ///
    /// Without a target.
    pub fn open(
        targets: &[Target],
        key: Option<&Key>,
        plan: &Plan,
        clock: HostClock,
        mut queued: impl FnMut(u32) -> ControlFlow<()>,
    ) -> Result<Self, PairError> {
        let (first, others) = targets.split_first().expect("a load has a peer");
        let alone = others.is_empty();
        let named = |error: PairError, target| if alone { error } else { error.at(target) };
        let ends = Ends::begin(first, key, plan, clock, &mut queued).map_err(|error| named(error, first))?;
        let others = others.iter().map(|target| {
            // The hosts that have admitted this client wait for it, and perhaps another client that
            // this one waits for waits for them.
            let mut busy = false;
            let far = Far::begin(target, key, plan, &mut |_| {
                busy = true;
                ControlFlow::Break(())
            });
            far.map_err(|error| named(if busy { PairError::Busy } else { error }, target))
        });
        let others = others.collect::<Result<_, _>>()?;
        Ok(Self { ends, others, plan: plan.clone(), granted: None })
    }

    /// This end and the answering ones with their paths, as far as they are known.
    #[must_use]
    pub fn ends(&self) -> (End, Vec<Answering>) {
        (self.ends.local.clone(), self.fars().map(Far::answering).collect())
    }

    fn fars(&self) -> impl Iterator<Item = &Far> {
        std::iter::once(&self.ends.far).chain(&self.others)
    }

    /// `error`, with the peer that it came from if there are several.
    fn named(&self, error: PairError, far: &Far) -> PairError {
        if self.others.is_empty() { error } else { error.at(&far.target) }
    }

    /// With the accounts comes the reason why a peer's are missing, if a conversation broke off
    /// meanwhile.
    ///
    /// # Errors
    ///
    /// When the channels do not come to stand.
    fn run(
        &mut self,
        load: &Load,
        watch: &mut dyn LoadWatch,
    ) -> Result<(Transfer, Option<PairError>), PairError> {
        if let Some(rr) = &load.rr {
            rr.check_on(self.plan.common.transport)?;
        }
        let load = &load.share(u32::try_from(self.others.len() + 1).unwrap_or(u32::MAX));
        let patience = patience(load, &self.plan);
        let setup = self.ends.setup(&self.plan, &load.socket, self.plan.largest()?, patience);
        let (stands, pass, meeting) = self.stand(load, &setup)?;
        let (ends, lines) = stands;
        let remotes = ends.iter().map(|end| end.line.remote()).chain(lines.iter().map(|line| line.remote()));
        let mut remotes = remotes.collect::<Result<Vec<_>, _>>().map_err(PairError::Address)?;
        remotes.push(Box::new(setup.leash.clone()));
        let start = |far: &Far| far.conversation.say(&Ask::Start).map_err(|error| self.named(error, far));
        self.fars().try_for_each(start)?;
        self.fars().try_for_each(|far| far.hear_go().map_err(|error| self.named(error, far)))?;
        // A connection for every transaction has a number after those that stand.
        let one = |number: u32| transport::join(&setup, &meeting, &pass, number + channels(load));
        let more = |number: u32| held(&setup, one(number)?);
        let stands = Stands { ends, lines, remotes, more: &more };
        let (ours, mut latencies) = self.move_all(load, stands, watch);
        let (theirs, answered, broken) = self.collect(load, watch);
        load.rr.iter().for_each(|rr| agree(rr, &mut latencies, &answered));
        let mut hosts = vec![ours.host];
        let told = theirs.into_iter().flat_map(|carried| {
            hosts.push(carried.host);
            carried.told
        });
        let flows = join(load, ours.told, told.collect());
        Ok((Transfer { load: load.clone(), flows, latencies, hosts, ..Transfer::default() }, broken))
    }

    /// Opens the channels of `load` to every peer.
    fn stand(&mut self, load: &Load, setup: &Setup) -> Result<(Channels, Pass, Meeting), PairError> {
        let (mut ends, mut lines, mut first) = (Vec::new(), Vec::new(), None);
        let mut granted = Vec::new();
        for (peer, far) in (0..).zip(self.fars()) {
            let opening = Opening::Load(Box::new(load.clone()));
            let opened = far.conversation.open(opening, &far.setup(setup), channels(load));
            let mut opened = opened.map_err(|error| self.named(error, far))?;
            granted.push((opened.lines.first().map(|line| line.granted()), opened.granted));
            let bulk = bulk(load, &mut opened.lines, Side::Beginning);
            ends.extend(bulk.into_iter().map(|end| FlowEnd { flow: load.numbered(peer, end.flow), ..end }));
            lines.append(&mut opened.lines);
            first.get_or_insert((opened.pass, opened.meeting));
        }
        if self.granted.is_none() {
            let ours = granted.first().and_then(|(ours, _)| ours.clone());
            self.ends.local.granted = ours.clone().unwrap_or_default();
            self.granted = ours;
            let fars = std::iter::once(&mut self.ends.far).chain(&mut self.others);
            fars.zip(granted).for_each(|(far, (_, theirs))| far.end.granted = theirs);
        }
        // As with one peer: all flows of one direction, then those of the other.
        ends.sort_by_key(|end| (end.direction, end.flow));
        let (pass, meeting) = first.expect("there is a first peer");
        Ok(((ends, lines), pass, meeting))
    }

    /// Moves the load at this end, and watches it meanwhile.
    fn move_all(
        &mut self,
        load: &Load,
        stands: Stands<'_>,
        watch: &mut dyn LoadWatch,
    ) -> (Carried, Vec<Latency>) {
        let Stands { ends, lines, remotes, more } = stands;
        let (of_bulk, _) = remotes.split_at(ends.len());
        let receives = load.stream.as_ref().is_some_and(|stream| stream.direction != Direction::Send);
        let stop = AtomicBool::new(false);
        let clock = self.ends.clock;
        let origin = clock.now();
        let party = load.stream.as_ref().map(|stream| Party {
            clock,
            origin,
            plan: stream,
            memory: &self.plan.common.memory,
            time: load.time,
            datagrams: self.plan.common.transport.is_datagram(),
            beside_requests: load.rr.is_some(),
            side: Side::Beginning,
            first_cpu: self.plan.common.local.pin,
            stop: &stop,
        });
        let askers = askers(load, &self.plan, clock, origin, &stop);
        let (carried, latencies) = std::thread::scope(|scope| {
            let (tell, looks) = channel();
            let on_look: OnLook = Box::new(move |look| tell.send(Look::from(look)).unwrap_or(()));
            let carry = || party.map_or_else(Carried::default, |party| party.run(ends, Some(on_look)));
            let running = scope.spawn(carry);
            let asking =
                scope.spawn(|| askers.map_or_else(Default::default, |askers| askers.run(lines, more)));
            let mut asked = 0;
            while !running.is_finished() || !asking.is_finished() {
                show(&looks, watch);
                if watch.go_on().is_break() {
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
            let (latencies, host) = asking.join().unwrap_or_else(|_| (none(load.rr.as_ref()), Vec::new()));
            let mut carried: Carried = running.join().unwrap_or_default();
            carried.host.extend(host);
            (carried, latencies)
        });
        for one in &carried.told {
            self.ends.witness.saw(&one.tally(one.direction == Direction::Send), one.processor);
        }
        for (latency, rr) in latencies.iter().zip(load.rr.iter().cycle()) {
            self.ends.witness.saw(&tally(rr, latency), None);
        }
        (carried, latencies)
    }

    /// Every server's accounts of its flows, by their numbers here, what the first one answered, and
    /// the first reason why some are missing. `watch` may end the wait for a silent one.
    fn collect(
        &self,
        load: &Load,
        watch: &mut dyn LoadWatch,
    ) -> (Vec<Carried>, Vec<Answered>, Option<PairError>) {
        let waits: Vec<_> = self.fars().map(|far| (far, AtomicBool::new(true))).collect();
        let cut = || {
            let silent = waits.iter().filter(|(_, waits)| waits.load(Ordering::Relaxed));
            silent.for_each(|(far, _)| far.conversation.cut());
        };
        let (heard, cut) = unless_ended(&mut || watch.go_on(), cut, || hear_all(&waits));
        let (mut all, mut answered, mut broken) = (Vec::new(), Vec::new(), None);
        for ((peer, far), heard) in (0..).zip(self.fars()).zip(heard) {
            match heard.map_err(|error| if cut { PairError::Interrupted } else { error }) {
                Ok((mut carried, by_it)) => {
                    // It speaks for its own flows.
                    carried.told.retain(|told| told.flow < load.numbered(1, 0));
                    carried.told.iter_mut().for_each(|told| told.flow = load.numbered(peer, told.flow));
                    all.push(carried);
                    answered.extend(by_it);
                }
                Err(error) => {
                    all.push(Carried::default());
                    broken.get_or_insert(self.named(error, far));
                }
            }
        }
        (all, answered, broken)
    }

    /// Ends the conversation: both ends say what they observed.
    ///
    /// # Errors
    ///
    /// When the peer no longer answers.
    pub fn finish(&mut self) -> Result<(), PairError> {
        let unknown = linerate_core::environment::Fact::unknown("each flow has its own");
        let granted = self.granted.clone().unwrap_or_default();
        let asked: Vec<_> = self.others.iter().map(|far| far.conversation.say(&Ask::Finish)).collect();
        let first = self.ends.finish(granted, unknown, None);
        let first =
            if asked.is_empty() { first } else { first.map_err(|error| error.at(&self.ends.far.target)) };
        let others = self.others.iter_mut().zip(asked).map(|(far, asked)| {
            asked.and_then(|()| far.hear_observed()).map_err(|error| error.at(&far.target))
        });
        // All are heard, whatever one says.
        others.fold(first, Result::and)
    }
}

impl Carrier for Loads {
    type Error = PairError;

    /// Several servers have such a load each, but for a rate, which they share.
    fn carry(&mut self, load: &Load, watch: &mut dyn LoadWatch) -> CarriedLoad<PairError> {
        match self.run(load, watch) {
            Ok((transfer, broken)) => {
                CarriedLoad { transfer: Some(transfer), ended: broken.map_or(Ok(()), Err) }
            }
            Err(error) => CarriedLoad::refused(error),
        }
    }
}

/// Tells `watch` of every look that comes, until it is time to ask it again.
fn show(looks: &Receiver<Look>, watch: &mut dyn LoadWatch) {
    let until = Instant::now() + LOOK;
    loop {
        match looks.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(look) => watch.interval(&look),
            Err(RecvTimeoutError::Timeout) => return,
            // There is no bulk, or it has ended: the rest of the wait is for the requests.
            Err(RecvTimeoutError::Disconnected) => {
                return std::thread::sleep(until.saturating_duration_since(Instant::now()));
            }
        }
    }
}
