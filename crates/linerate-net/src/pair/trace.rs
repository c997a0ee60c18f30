//! The client's end of traced messages.

use std::ops::ControlFlow;

use linerate_core::endpoint::LinkError;
use linerate_core::plan::{Plan, TracePlan};
use linerate_core::stages::{Clocks, Marks, WARM_UP, apart};
use linerate_core::trace::{EndMarks, Means, PacketSeen, RoundTrips, Stamped, Trace, TracedSize};

use super::{Ends, Pair, PairError, STEP, TRIAL};
use crate::control::{Ask, Reply, Telling};
use crate::line::Line;
use crate::observe::current_cpu;
use crate::stages::tally;
use crate::trace::{Block, Role, Tracer};
use crate::watchdog::Watchdog;

/// Turns without and with the trace of each size, unless there is no room for all messages in so few.
const TURNS: u32 = 5;
/// Most turns.
const MOST_TURNS: u32 = 20;
/// Events for which an end has room in a turn. The ring has 4 MiB, and an event takes 32 bytes of it.
const ROOM: u64 = 100_000;
/// Events of a round at one end at most: of its two messages, and of each of their packets.
const EVENTS: u64 = 24;
/// Bytes of a message for which an event is counted: a packet of an Ethernet has three at its sender and as many at
/// its receiver, and both messages of a round are counted.
const BYTES_OF_AN_EVENT: u64 = 200;
/// How long the messages of a turn that are kept may take, and those before them. Unit: nanoseconds.
const LONGEST_BLOCK_NS: u64 = 4_000_000_000;
/// See [`LONGEST_BLOCK_NS`].
const LONGEST_WARM_UP_NS: u64 = 1_000_000_000;
/// Messages that both the programs and the timestamps tell of.
const STAMPED: u32 = 40;
/// The largest of those. Unit: bytes.
const LARGEST_STAMPED: u64 = linerate_core::stages::LARGEST;

impl Pair {
    /// Traces the messages that `plan` asks for, each size in turn without and with the trace, until its time is over or
    /// `watch` ends it, which receives the size before each turn. `done` receives what there is after each size.
    ///
    /// # Errors
    ///
    /// When the channel fails or the peer refuses.
    pub fn trace(
        &mut self,
        plan: &Plan,
        mut watch: impl FnMut(u64) -> ControlFlow<()>,
        mut done: impl FnMut(&Trace),
    ) -> Result<Trace, PairError> {
        let Some(asked) = plan.trace() else { return Ok(Trace::default()) };
        // A path that takes longer for one message than the plan allows is cut off.
        self.start_time()
            .map_err(|source| PairError::Stamp(LinkError::System { operation: "watch the time", source }))?;
        let late = self.watchdog.as_ref();
        let (clock, time) = (self.ends.here.clock, plan.common.time);
        let begun = clock.now();
        let mut go_on = |size: u64| {
            if clock.now().since(begun) >= time { ControlFlow::Break(()) } else { watch(size) }
        };
        let mut tracing = Tracing::begin(&mut self.ends, &*self.line, asked)?;
        let mut trace = tracing.about()?;
        for size in &asked.sizes {
            match tracing.size(size.0, asked.messages, &mut go_on) {
                Ok(Some(traced)) => trace.sizes.push(traced),
                Ok(None) => break,
                Err(_) if late.is_some_and(Watchdog::has_barked) => return Ok(trace),
                Err(error) => return Err(error),
            }
            done(&trace);
        }
        tracing.end()?;
        Ok(trace)
    }
}

/// The initiator of traced messages.
struct Tracing<'a> {
    ends: &'a mut Ends,
    tracer: Tracer<'a>,
    theirs: linerate_core::trace::TracedEnd,
    same_host: bool,
}

impl<'a> Tracing<'a> {
    fn begin(ends: &'a mut Ends, line: &'a dyn Line, asked: &TracePlan) -> Result<Self, PairError> {
        let socket = line.channel().descriptor().ok_or_else(super::stages::no_socket)?;
        let allowed = if asked.timestamps { Err(String::new()) } else { Ok(()) };
        let tracer = Tracer::new(socket, allowed).map_err(PairError::Stamp)?;
        ends.remote.conversation.say(&Ask::Trace)?;
        let theirs = match ends.remote.conversation.hear(STEP)? {
            Reply::Tracer(end) => *end,
            other => return Err(PairError::unexpected(other)),
        };
        let same_host = ends.here.state.environment.same_host(&ends.remote.end.environment) == Some(true);
        Ok(Self { ends, tracer, theirs, same_host })
    }

    /// What tells at both ends, without any message.
    fn about(&self) -> Result<Trace, PairError> {
        let addresses = self.tracer.addresses().map_err(PairError::Address)?;
        let mut ends = vec![self.tracer.end().clone(), self.theirs.clone()];
        if self.same_host && ends[0].means == Means::EBpf {
            // Ours were loaded first.
            ends[1].others = ends[1].others.saturating_sub(self.tracer.programs());
        }
        Ok(Trace {
            ends,
            addresses: addresses.map(|address| address.to_string()).to_vec(),
            sizes: Vec::new(),
        })
    }

    /// The messages of one size; absent if `go_on` ends it before a turn is complete.
    fn size(
        &mut self,
        size: u64,
        messages: u32,
        go_on: &mut impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Option<TracedSize>, PairError> {
        if go_on(size).is_break() {
            return Ok(None);
        }
        let Shape { turns, counts, most } = self.shape(size, messages)?;
        let mut all = [Vec::new(), Vec::new()];
        let (mut round_trips, mut lost, mut packets) = (Vec::new(), [0; 2], Vec::new());
        for turn in 0..turns {
            if turn > 0 && go_on(size).is_break() {
                break;
            }
            let mut times = RoundTrips::default();
            for nth in 0..2 {
                // The order changes, so that neither profits from what the other leaves behind.
                let telling = [Telling::Nothing, Telling::Best][(nth + turn as usize) % 2];
                let both = self.block(size, counts, telling)?;
                let took = times_of(&both[0].marks);
                if telling == Telling::Nothing {
                    times.untraced_ns = took;
                    continue;
                }
                times.traced_ns = took;
                if turn == 0 {
                    packets = both.iter().map(|block| block.packets.clone()).collect();
                }
                for ((all, lost), block) in all.iter_mut().zip(&mut lost).zip(both) {
                    *lost += block.lost;
                    all.extend(block.marks);
                }
            }
            round_trips.push(times);
        }
        let [ours, theirs] = &all;
        let clocks = clocks_of(self.same_host, ours, theirs);
        let traced = TracedSize::of(size, messages, clocks, [ours, theirs]);
        let packets = joined(packets, clocks, [ours, theirs]);
        let stamped = if go_on(size).is_break() { None } else { self.stamped(size, [counts[0], most])? };
        Ok(Some(TracedSize { lost_events: lost, turns: round_trips, stamped, packets, ..traced }))
    }

    /// In how many turns how many messages are traced, by what a first round trip takes and by the room for events.
    fn shape(&mut self, size: u64, messages: u32) -> Result<Shape, PairError> {
        let first = self.block(size, [0, 1], Telling::Nothing)?;
        let round_trip = times_of(&first[0].marks).first().copied().unwrap_or(1).max(1);
        let within = |ns: u64| u32::try_from(ns / round_trip).unwrap_or(u32::MAX).max(1);
        let room = u32::try_from(ROOM / (EVENTS + size / BYTES_OF_AN_EVENT)).unwrap_or(u32::MAX);
        let most = within(LONGEST_BLOCK_NS).min(room.max(1));
        let turns = messages.div_ceil(most).clamp(TURNS, MOST_TURNS);
        let counts = [within(LONGEST_WARM_UP_NS).min(WARM_UP), messages.div_ceil(turns).min(most)];
        Ok(Shape { turns, counts, most })
    }

    /// A few messages of which the timestamps tell as well, if programs tell at both ends.
    fn stamped(&mut self, size: u64, [warm_up, most]: [u32; 2]) -> Result<Option<Stamped>, PairError> {
        let by_programs = [self.tracer.end(), &self.theirs].iter().all(|end| end.means == Means::EBpf);
        if !by_programs || size > LARGEST_STAMPED {
            return Ok(None);
        }
        let both = self.block(size, [warm_up, STAMPED.min(most)], Telling::Both)?;
        let of_all = |point: fn(&EndMarks, &Marks) -> [Option<u64>; 2]| {
            let pairs = both.iter().flat_map(|block| block.marks.iter().zip(&block.stamps));
            let more = pairs.filter_map(|(marks, stamps)| {
                let [programs, stamps] = point(marks, stamps);
                Some(apart(programs?, stamps?))
            });
            more.collect::<Vec<i64>>()
        };
        Ok(Some(Stamped {
            queued_ns: of_all(|marks, stamps| [marks.sent.queued, stamps.queued]),
            driven_ns: of_all(|marks, stamps| [marks.sent.driven, stamps.driven]),
            arrived_ns: of_all(|marks, stamps| [marks.came.arrived, stamps.arrived]),
        }))
    }

    /// What both ends have of so many rounds, after a warm-up.
    fn block(
        &mut self,
        size: u64,
        [warm_up, count]: [u32; 2],
        telling: Telling,
    ) -> Result<[Block; 2], PairError> {
        // The plan's largest message fits this machine's memory.
        let len = usize::try_from(size).unwrap_or(1);
        self.tracer.prepare(len, telling).map_err(PairError::Stamp)?;
        let conversation = &self.ends.remote.conversation;
        conversation.say(&Ask::Traced { size, warm_up, count, telling })?;
        match conversation.hear(STEP)? {
            Reply::Go => {}
            other => return Err(PairError::unexpected(other)),
        }
        let ours = self.tracer.run(Role::Initiator, size, [warm_up, count]).map_err(PairError::Stamp)?;
        let mut theirs = Block::default();
        loop {
            match conversation.hear(TRIAL)? {
                Reply::Traced(marks, stamps) if theirs.marks.len() + marks.len() <= count as usize => {
                    theirs.marks.extend(marks);
                    theirs.stamps.extend(stamps);
                }
                Reply::Packets(packets, lost) => {
                    (theirs.packets, theirs.lost) = (packets, lost);
                    break;
                }
                other => return Err(PairError::unexpected(other)),
            }
        }
        self.ends.here.observer.saw(&tally(size, u64::from(warm_up) + u64::from(count)), current_cpu());
        Ok([ours, theirs])
    }

    fn end(self) -> Result<(), PairError> {
        self.ends.remote.conversation.say(&Ask::Collect)?;
        match self.ends.remote.conversation.hear(STEP)? {
            Reply::Told => Ok(()),
            other => Err(PairError::unexpected(other)),
        }
    }
}

/// How the messages of a size are traced.
struct Shape {
    turns: u32,
    /// Of each turn: how many messages before those that are kept, and how many of these.
    counts: [u32; 2],
    /// The most that a turn may have.
    most: u32,
}

fn clocks_of(same_host: bool, ours: &[EndMarks], theirs: &[EndMarks]) -> Clocks {
    let [ours, theirs] =
        [ours, theirs].map(|marks| marks.iter().map(EndMarks::innermost).collect::<Vec<_>>());
    Clocks::of(same_host, &ours, &theirs)
}

/// The round trips of an initiator. Unit: nanoseconds.
fn times_of(marks: &[EndMarks]) -> Vec<u64> {
    marks.iter().map(|marks| marks.came.taken.saturating_sub(marks.sent.call)).collect()
}

/// The packets of both ends, by the initiator's clock since its first message.
fn joined(
    packets: Vec<Vec<PacketSeen>>,
    clocks: Clocks,
    [ours, theirs]: [&[EndMarks]; 2],
) -> Vec<PacketSeen> {
    // Each end counts from its own first call.
    let between = match (ours.first(), theirs.first()) {
        (Some(ours), Some(theirs)) => {
            apart(ours.sent.call, theirs.sent.call).saturating_sub(clocks.offset_ns())
        }
        _ => 0,
    };
    let mut all: Vec<PacketSeen> = packets.into_iter().flatten().collect();
    for packet in all.iter_mut().filter(|packet| !packet.by_initiator) {
        packet.seen_ns = packet.seen_ns.saturating_add(between);
        packet.left_ns = packet.left_ns.map(|left| left.saturating_add(between));
    }
    all.sort_by_key(|packet| packet.seen_ns);
    all
}
