//! The server's end of a load.

use std::sync::atomic::AtomicBool;

use linerate_core::kernel::{HostSample, TcpSample};
use linerate_core::traffic::{Direction, Interval, Load};

use super::guard::Guard;
use super::requests::WAITING;
use super::session::{Refusal, Session};
use crate::control::{Ask, Deadline, Reply, Side, TimedStream, read_frame};
use crate::flow::PATIENCE;
use crate::observe::others_run;
use crate::traffic::{Carried, FlowReport, FlowSet, bulk, channels, patience};

/// The number of an account's intervals that always fit into one message.
const CHUNK: usize = 50;
/// How many loads one conversation may have.
const MOST_LOADS: u32 = 1000;

impl Session<'_> {
    /// Takes part in one load, from its channels to its accounts.
    pub(super) fn load(&mut self, load: &Load) -> Result<(), Refusal> {
        self.loads += 1;
        if self.loads > MOST_LOADS {
            return Err(Refusal::Told(format!("more than {MOST_LOADS} loads in one conversation")));
        }
        // The client waits for its channels, so it is not seen.
        self.free = self.plan.common.remote.pin.is_some() || !others_run();
        let longest = self.server.limits.check_load(load, self.plan, self.largest).map_err(Refusal::Told)?;
        if let Some(rr) = &load.rr {
            rr.check_on(self.plan.common.transport).map_err(|error| Refusal::Told(error.to_string()))?;
        }
        // The trials' watch ends here; a load has its own, which may be longer.
        self.guard = Guard::set(longest.to_duration() + self.server.limits.grace, self.control.try_clone()?)?;
        let anew = load.rr.as_ref().is_some_and(|rr| rr.connect);
        let waiting = if anew { WAITING } else { 0 };
        let (mut lines, more) =
            self.channels_and_more(&load.socket, patience(load, self.plan), channels(load), waiting)?;
        self.await_start()?;
        self.say(&Reply::Go)?;
        let ends = bulk(load, &mut lines, Side::Answering);
        let stop = AtomicBool::new(false);
        let flow_set = self.flow_set(load, &stop);
        let (carried, answered) = std::thread::scope(|scope| {
            let carry = || flow_set.map_or_else(Carried::default, |flow_set| flow_set.run(ends, None));
            let bulk = scope.spawn(carry);
            let answered = self.answer(load, lines, more);
            (bulk.join().unwrap_or_default(), answered)
        });
        let Carried { reports: told, mut host } = carried;
        let (answered, looks) = answered?;
        host.extend(looks);
        for one in &told {
            self.observer.saw(&one.tally(one.direction == Direction::Receive), one.processor);
        }
        self.await_collect()?;
        if let Some(rr) = &load.rr {
            self.tell_answered(rr, &answered)?;
        }
        self.tell(told, &host)
    }

    fn flow_set<'b>(&'b self, load: &'b Load, stop: &'b AtomicBool) -> Option<FlowSet<'b>> {
        let stream = load.stream.as_ref()?;
        Some(FlowSet {
            clock: self.server.clock,
            plan: stream,
            memory: &self.plan.common.memory,
            time: load.time,
            datagrams: self.plan.common.transport.is_datagram(),
            beside_requests: load.rr.is_some(),
            side: Side::Answering,
            first_cpu: self.plan.common.remote.pin,
            free: self.free,
            shares_threads: load.socket.io.returns_at_once() && load.socket.receives().returns_at_once(),
            link: self.observer.link().clone(),
            stop,
        })
    }

    fn await_start(&self) -> Result<(), Refusal> {
        match self.next_ask()? {
            Ask::Start => Ok(()),
            _ => Err(Refusal::Told("a load is started when its channels stand".to_owned())),
        }
    }

    fn await_collect(&self) -> Result<(), Refusal> {
        match self.next_ask()? {
            Ask::Collect => Ok(()),
            _ => Err(Refusal::Told("the accounts are collected when a load has ended".to_owned())),
        }
    }

    fn next_ask(&self) -> Result<Ask, Refusal> {
        // A peer whose own flows stall is silent until it has given them up.
        let patience = self.server.limits.idle + PATIENCE.to_duration();
        Ok(read_frame(&mut TimedStream::new(self.control, Deadline::after(patience)))?)
    }

    /// Sends every flow's account, in pieces that fit the messages.
    fn tell(&self, told: Vec<FlowReport>, host: &[HostSample]) -> Result<(), Refusal> {
        for FlowReport { flow, direction, mut half, .. } in told {
            let intervals = std::mem::take(&mut half.intervals);
            let samples = std::mem::take(&mut half.tcp);
            self.say(&Reply::Flow { flow, direction, half: Box::new(half) })?;
            for (intervals, samples) in pieces(&intervals, &samples) {
                self.say(&Reply::More(intervals.to_vec(), samples.to_vec()))?;
            }
        }
        for samples in host.chunks(CHUNK) {
            self.say(&Reply::Hosts(samples.to_vec()))?;
        }
        self.say(&Reply::Told)
    }
}

/// Both lists side by side, cut into pieces.
fn pieces<'a>(
    intervals: &'a [Interval],
    samples: &'a [TcpSample],
) -> impl Iterator<Item = (&'a [Interval], &'a [TcpSample])> {
    let count = intervals.len().max(samples.len()).div_ceil(CHUNK);
    (0..count).map(move |place| (piece(intervals, place), piece(samples, place)))
}

fn piece<T>(list: &[T], place: usize) -> &[T] {
    list.chunks(CHUNK).nth(place).unwrap_or_default()
}
