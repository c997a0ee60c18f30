//! One end of a load: its flows, each on a thread of its own or many on a few.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::Scope;

use linerate_core::endpoint::LinkError;
use linerate_core::kernel::HostSample;
use linerate_core::options::{Granted, MemoryOptions};
use linerate_core::traffic::{
    Bound, Cadence, Direction, Ended, FlowLooks, HalfAccount, Progress, SendProgress, StreamPlan,
};
use linerate_core::trial::Tally;
use linerate_core::units::{Span, Time};

use super::ends::grace;
use super::gate::{Entry, Gate};
use super::shared::{Member, Work, drive};
use super::threads::{nth, start_on};
use super::{LEAST_PERIOD, Looks, OnLook, Sampler, Watched};
use crate::channel::ChannelHandle;
use crate::control::Side;
use crate::flow::{Counter, Incoming, Outgoing, ReaderPace};
use crate::line::Line;
use crate::memory::Ring;
use crate::observe::{HostClock, LinkWatch, current_cpu, usable_cpus};
use crate::watchdog::Watchdog;

/// Seed of the bytes of every bulk message, at both ends.
const SEED: u64 = 0x6c69_6e65_7261_7465;

/// With more flows than this, flows share threads unless the plan says otherwise.
const MOST_THREADS: usize = 64;

/// One flow at one end.
#[derive(Debug)]
pub(crate) struct FlowEnd {
    /// Its number in its direction.
    pub(crate) flow: u32,
    /// Which way it goes, as the initiator sees it.
    pub(crate) direction: Direction,
    /// Whether this end sends.
    pub(crate) sends: bool,
    /// The channel.
    pub(crate) line: Box<dyn Line>,
}

/// The account of one end of a flow when it has ended.
#[derive(Debug)]
pub(crate) struct FlowReport {
    pub(crate) flow: u32,
    pub(crate) direction: Direction,
    pub(crate) half: HalfAccount,
    /// The processor that its thread ended on; unknown of the peer's.
    pub(crate) processor: Option<u32>,
}

impl FlowReport {
    /// What passed at this end, as far as it is known which way that was here.
    pub(crate) fn tally(&self, sends: bool) -> Tally {
        let (bytes, messages) = (self.half.bytes, self.half.messages);
        if sends {
            Tally { sent_bytes: bytes, sent: messages, ..Tally::default() }
        } else {
            Tally { received_bytes: bytes, received: messages, ..Tally::default() }
        }
    }
}

/// What all flows of one end of a load have in common.
#[derive(Debug)]
pub(crate) struct FlowSet<'a> {
    pub(crate) clock: HostClock,
    pub(crate) plan: &'a StreamPlan,
    pub(crate) memory: &'a MemoryOptions,
    /// How long a flow lasts, without warm-up, if nothing else bounds it.
    pub(crate) time: Span,
    pub(crate) side: Side,
    /// The round trip to the other end, as the conversation found it.
    pub(crate) round_trip: Span,
    /// Whether messages may be lost where the receiver is too slow.
    pub(crate) datagrams: bool,
    /// Whether requests run beside the bulk, which have the other processors.
    pub(crate) beside_requests: bool,
    /// The processor of the first thread; the others go round from there.
    pub(crate) first_cpu: Option<u32>,
    /// Whether threads may be pinned: one was asked for, or nobody else runs on this host.
    pub(crate) free: bool,
    /// Whether the calls that move the bytes can return at once, so that a thread can have many flows.
    pub(crate) shares_threads: bool,
    /// The link that they cross.
    pub(crate) link: LinkWatch,
    /// Set when the flows are to end early.
    pub(crate) stop: &'a AtomicBool,
}

/// What one end has of a load when it has ended.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    pub(crate) reports: Vec<FlowReport>,
    /// What the host did meanwhile.
    pub(crate) host: Vec<HostSample>,
}

impl FlowSet<'_> {
    /// Runs all `ends` until they have ended, and samples them meanwhile; each stores its bytes in its
    /// place of `counters`. A flow that fails leaves the others alone.
    pub(crate) fn run(
        &self,
        ends: Vec<FlowEnd>,
        counters: &Arc<[Counter]>,
        on_look: Option<OnLook>,
    ) -> Carried {
        let remotes = ends.iter().map(|end| end.line.channel().handle()).collect::<Result<Vec<_>, _>>();
        let (remotes, link): (Arc<[_]>, _) = (remotes.unwrap_or_default().into(), self.link.clone());
        let bell = self.bell(Arc::clone(&remotes));
        let flows = Watched { counters: Arc::clone(counters), remotes, link };
        let cadence = Cadence::of(self.plan, self.time, LEAST_PERIOD);
        let names: Vec<_> = ends.iter().map(|end| (end.flow, end.direction)).collect();
        let watch = |origin| Sampler::start(self.clock, origin, cadence, flows, on_look);
        let (mut told, sampler) = self.move_all(ends, counters, watch);
        // Without a thread for it there are no samples, but the totals are correct.
        let cut_off = bell.is_some_and(|bell| bell.has_barked());
        let looks = sampler.map(|sampler| sampler.finish(cut_off));
        let Looks { flows, host } = looks.unwrap_or_default();
        for (name, looks) in names.into_iter().zip(flows) {
            if let Some(told) = told.iter_mut().find(|told| (told.flow, told.direction) == name) {
                let FlowLooks { intervals, looks, tcp } = looks;
                told.half = HalfAccount { intervals, looks, tcp, ..std::mem::take(&mut told.half) };
            }
        }
        Carried { reports: told, host }
    }

    /// How long a flow lasts, if time ends it.
    fn lasts(&self) -> Option<Span> {
        match self.plan.bound(self.time) {
            Bound::Time(span) => Some(span),
            Bound::Bytes(_) | Bound::Count(_) => None,
        }
    }

    /// Discards what still waits in buffers and queues a little after the flows' time is over. Without a thread
    /// for it the flows end when all has arrived.
    fn bell(&self, remotes: Arc<[Box<dyn ChannelHandle>]>) -> Option<Watchdog> {
        let limit = self.lasts()? + grace(self.round_trip);
        let ring = move || remotes.iter().for_each(|remote| remote.abort());
        Watchdog::set(limit.to_duration(), ring).ok()
    }

    /// Prepares all flows, begins them together, and moves all that they have. `watch` receives the
    /// moment at which they begin, just before.
    fn move_all<W>(
        &self,
        ends: Vec<FlowEnd>,
        counters: &[Counter],
        watch: impl FnOnce(Time) -> W,
    ) -> (Vec<FlowReport>, W) {
        let (threads, alone) = self.threads(&ends);
        let cpus = self.cpus(threads);
        let mut shares: Vec<Vec<(FlowEnd, &Counter)>> = (0..threads).map(|_| Vec::new()).collect();
        for (place, end) in ends.into_iter().zip(counters).enumerate() {
            shares[place % threads].push(end);
        }
        let gate = Gate::default();
        std::thread::scope(|scope| {
            let running: Vec<_> = shares
                .into_iter()
                .enumerate()
                .map(|(place, share)| self.start(scope, share, nth(&cpus, place), (alone, &gate)))
                .collect();
            gate.await_prepared(running.iter().filter(|running| running.spawned.is_ok()).count());
            let origin = self.clock.now();
            let watching = watch(origin);
            gate.open(origin);
            (running.into_iter().flat_map(Running::finish).collect(), watching)
        })
    }

    /// How many threads move so many flows, and whether each flow has one of its own. If the plan does
    /// not say, many flows share a thread for each processor, if one thread can wait for all of them:
    /// more threads would only take turns.
    fn threads(&self, ends: &[FlowEnd]) -> (usize, bool) {
        let flows = ends.len();
        let share = || {
            let waits = ends.iter().all(|end| end.line.channel().descriptor().is_some());
            // A reader that pauses would hold up the others of its thread.
            self.shares_threads && !self.datagrams && waits && self.plan.read_rate.is_none()
        };
        match self.plan.threads {
            Some(threads) => ((threads as usize).clamp(1, flows.max(1)), false),
            None if flows > MOST_THREADS && share() => {
                (usable_cpus().map_or(1, |cpus| cpus.len()).clamp(1, flows), false)
            }
            None => (flows.max(1), true),
        }
    }

    fn start<'scope, 'env>(
        &'env self,
        scope: &'scope Scope<'scope, 'env>,
        share: Vec<(FlowEnd, &'env Counter)>,
        cpu: Option<u32>,
        (alone, gate): (bool, &'env Gate),
    ) -> Running<'scope> {
        let names: Vec<_> = share.iter().map(|(end, _)| (end.flow, end.direction)).collect();
        let name = names.first().map_or_else(String::new, |(flow, direction)| format!("{direction} {flow}"));
        let spawned = start_on(scope, name, cpu, move || {
            let entry = gate.enter();
            if alone {
                share.into_iter().map(|(end, counter)| self.one(end, counter, &entry)).collect()
            } else {
                self.many(share, &entry)
            }
        });
        Running { names, spawned }
    }

    /// Runs one flow on the calling thread.
    fn one(&self, mut end: FlowEnd, counter: &Counter, entry: &Entry<'_>) -> FlowReport {
        let ring = self.ring(&end);
        let origin = entry.pass();
        let mut ring = match ring {
            Ok(ring) => ring,
            Err(error) => return self.told(&end, Span::ZERO, Err(error), HalfAccount::default()),
        };
        let (ended, half) = if end.sends {
            let mut out = self.outgoing(origin, ring.slot(0), counter).through(&ring);
            let ended = end.line.send_flow(&mut out);
            (ended, out.account())
        } else {
            let mut into = self.incoming(origin, &end, counter).through(&mut ring);
            let ended = end.line.receive_flow(&mut into);
            let half = into.account(ended.is_ok());
            (ended, half)
        };
        let half = HalfAccount { granted: self.granted(&ring), ..half };
        self.told(&end, self.clock.now().since(origin), ended, half)
    }

    /// Runs many flows on the calling thread.
    fn many(&self, share: Vec<(FlowEnd, &Counter)>, entry: &Entry<'_>) -> Vec<FlowReport> {
        let mut refused = Vec::new();
        // Without memory options all senders share one message, and all receivers one buffer.
        let shared = self.memory.is_plain();
        let longest = |sends: bool| {
            let sizes = share.iter().filter(|(end, _)| shared && end.sends == sends);
            sizes.map(|(end, _)| self.message_size(end)).max().unwrap_or(0)
        };
        let (message, mut buffer) = (message(longest(true)), vec![0; longest(false)]);
        let mut placed = Vec::new();
        for (end, counter) in share {
            if shared {
                placed.push((end, counter, None));
                continue;
            }
            match self.ring(&end) {
                Ok(ring) => placed.push((end, counter, Some(ring))),
                Err(error) => refused.push((end, error)),
            }
        }
        let origin = entry.pass();
        let refuse = |(end, error)| self.told(&end, Span::ZERO, Err(error), HalfAccount::default());
        let mut told: Vec<_> = refused.into_iter().map(refuse).collect();
        let mut members = Vec::with_capacity(placed.len());
        for (end, counter, ring) in &mut placed {
            let work = match ring {
                None if end.sends => {
                    let message = &message[..self.message_size(end)];
                    Work::Out(self.outgoing(origin, message, counter))
                }
                None => Work::In(self.incoming(origin, end, counter)),
                Some(ring) => self.work(origin, end, ring, counter),
            };
            members.push(Member::new(end.line.channel_mut(), work));
        }
        drive(&mut members, &self.clock, &mut buffer);
        let count = members.len() as u64;
        let finished: Vec<_> = members.into_iter().map(Member::finish).collect();
        // Read when nothing moves any more: with many flows, asking the kernel takes long.
        told.extend(placed.iter().zip(finished).map(|((end, _, ring), (ended, at, half))| {
            let granted = ring.as_ref().map_or_else(Granted::default, |ring| self.granted(ring));
            let cpu = half.cpu.map(|cpu| cpu / count);
            self.told(end, at.since(origin), ended, HalfAccount { cpu, granted, ..half })
        }));
        told
    }

    /// What a flow with memory of its own does from `origin` on.
    fn work<'b>(&'b self, origin: Time, end: &FlowEnd, ring: &'b mut Ring, counter: &'b Counter) -> Work<'b> {
        if end.sends {
            Work::Out(self.outgoing(origin, ring.slot(0), counter).through(ring))
        } else {
            Work::In(self.incoming(origin, end, counter).through(ring))
        }
    }

    /// The memory of a flow's messages, with the messages in it if this end sends.
    fn ring(&self, end: &FlowEnd) -> Result<Ring, LinkError> {
        let size = self.message_size(end);
        let mut ring = Ring::new(size, self.memory).map_err(|error| LinkError::System {
            operation: "prepare the messages",
            source: std::io::Error::other(error),
        })?;
        if end.sends {
            ring.fill(&message(size));
        }
        Ok(ring)
    }

    /// What the kernel granted of a flow's memory.
    fn granted(&self, ring: &Ring) -> Granted {
        let huge_pages = self.memory.huge_pages.then(|| ring.huge_pages());
        Granted { huge_pages, ..Granted::default() }
    }

    /// The account of a flow that ended `after` so long. When its time is over, either end may break it off: then
    /// it is complete with what had arrived.
    fn told(
        &self,
        end: &FlowEnd,
        after: Span,
        ended: Result<(), LinkError>,
        half: HalfAccount,
    ) -> FlowReport {
        let channel = end.line.channel();
        let granted = Granted { huge_pages: half.granted.huge_pages, ..channel.granted() };
        let is_over = self.lasts().is_some_and(|lasts| after >= lasts);
        let cut_off = is_over && ended.is_err();
        let ended = if cut_off { Ended::Complete } else { ended.into() };
        let half = HalfAccount { ended, cut_off, granted, io: channel.io_report(), ..half };
        FlowReport { flow: end.flow, direction: end.direction, half, processor: current_cpu() }
    }

    fn outgoing<'b>(&'b self, origin: Time, message: &'b [u8], counter: &'b Counter) -> Outgoing<'b> {
        let sent = SendProgress::of(self.plan, self.time, message.len() as u64, origin);
        Outgoing::new(self.clock, sent, message, counter).stopped_by(self.stop)
    }

    fn incoming<'b>(&self, origin: Time, end: &FlowEnd, counter: &'b Counter) -> Incoming<'b> {
        let progress = Progress::of(self.plan, self.time, origin).behind(end.line.channel().backlog());
        let pace = ReaderPace::of(self.plan);
        Incoming::new(self.clock, progress, &mut [], counter).touched(self.memory.touch).paced(pace)
    }

    /// What one call sends or has room for. A receiver does not know how small a paced sender's messages are.
    fn message_size(&self, end: &FlowEnd) -> usize {
        let natural = || end.line.channel().natural_message();
        let size = match self.plan.message {
            Some(size) => size.0,
            None if end.sends => self.plan.message_bytes(natural()),
            None => natural(),
        };
        usize::try_from(size).unwrap_or(usize::MAX)
    }

    /// The processors that `threads` are pinned to, in order, from the first one on. None while others
    /// use them, unless one was asked for: a thread that cannot move would wait for them. On one host
    /// the two ends have processors of their own as long as there are enough; otherwise the ends of
    /// a flow share one and its cache, which is fastest where each waits for the other. A sender of
    /// datagrams does not wait and would starve its receiver, so there the responder always starts
    /// with the last processor.
    fn cpus(&self, threads: usize) -> Vec<u32> {
        let mut cpus = usable_cpus().unwrap_or_default();
        if let Some(first) = self.first_cpu {
            let place = cpus.iter().position(|cpu| *cpu == first);
            cpus.rotate_left(place.unwrap_or(0));
            return cpus;
        }
        if !self.free {
            return Vec::new();
        }
        let enough = 2 * threads <= cpus.len() && !self.beside_requests;
        if self.side == Side::Answering && (self.datagrams || enough) {
            cpus.reverse();
        }
        cpus
    }
}

/// Threads that were started for some flows, or the reason why not.
struct Running<'scope> {
    names: Vec<(u32, Direction)>,
    spawned: Result<std::thread::ScopedJoinHandle<'scope, Vec<FlowReport>>, String>,
}

impl Running<'_> {
    fn finish(self) -> Vec<FlowReport> {
        let failed = |reason: &str| {
            let told = |(flow, direction): &(u32, Direction)| {
                let ended = Ended::Failed(reason.to_owned());
                FlowReport {
                    flow: *flow,
                    direction: *direction,
                    half: HalfAccount { ended, ..HalfAccount::default() },
                    processor: None,
                }
            };
            self.names.iter().map(told).collect()
        };
        match self.spawned {
            Ok(handle) => handle.join().unwrap_or_else(|_| failed("its thread panicked")),
            Err(reason) => failed(&reason),
        }
    }
}

/// The bytes of a message of `size`.
fn message(size: usize) -> Vec<u8> {
    let mut message = vec![0; size];
    linerate_core::payload::fill(&mut message, SEED);
    message
}
