//! The costs of a modelled host: its processors, bus, adaptor and memory.
//!
//! A [`Machine`] is one host. Work is a [`Job`] that takes a processor for a while; frames pass a
//! bus and an adaptor with rings of descriptors, and what comes in raises interrupts. A host with
//! several links has an adaptor for each, on the one bus. It knows no
//! protocol: the owner decides what a finished job does.

mod adaptor;
mod bus;
mod placed;
mod processor;
mod processors;
mod profile;
mod shipped;
mod times;

use std::collections::VecDeque;

use linerate_core::units::{Size, Span, Time};
use rand::Rng as _;

use crate::frame::{Frame, Station};
use crate::kernel::{Class, Includes, Kernel};
use crate::random::{self, Purpose};
use crate::stack::Side;

use adaptor::Notice;
use bus::Direction;
use placed::Next;
use processors::Processors;

pub use adaptor::{AdaptorCounters, Piece};
pub use processor::{Level, Usage};
pub use profile::{Adaptor, Bus, Costs, Memory, Processor, Profile};
pub use shipped::SHIPPED;
pub use times::Times;

/// What happens in a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Which host, by the station of the link at which it happens.
    pub station: Station,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// A processor has finished its work.
    Finished(u8),
    /// The oldest frame on its way to the adaptor is there.
    Fetched,
    /// The oldest frame on its way to memory is there.
    Stored,
    /// The time for which interrupts were held back is over.
    Coalesced,
    /// Perhaps another thread's turn on a processor.
    Asked(u8),
}

/// Work for a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// The driver looks at the receive ring.
    Interrupt,
    /// The protocol makes the next segment of an end.
    Transmit(End),
    /// The kernel wakes a thread, which takes it time and nothing else.
    Wake,
    /// An application's call: the next step of sending.
    Send(End),
    /// An application's call: the next step of receiving.
    Recv(End),
}

impl Job {
    /// How urgent it is.
    #[must_use]
    pub const fn level(self) -> Level {
        match self {
            Self::Interrupt => Level::Interrupt,
            Self::Transmit(_) | Self::Wake => Level::Protocol,
            Self::Send(_) | Self::Recv(_) => Level::Process,
        }
    }

    /// Whose it is. What belongs to no end is the first one's.
    const fn side(self) -> Side {
        match self {
            Self::Interrupt | Self::Wake => Side::First,
            Self::Transmit(end) | Self::Send(end) | Self::Recv(end) => end.side,
        }
    }
}

/// Work as the processors hold it, so that it is small.
#[derive(Clone, Copy, Debug)]
enum Work {
    /// The protocol takes the oldest frame in its queue: they are taken in order.
    Receive,
    Job(Job),
}

/// An end of a flow on this host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Which flow.
    pub flow: u32,
    /// Which end.
    pub side: Side,
}

/// The result of a host's event, for its owner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wire {
    /// Nothing to do.
    Quiet,
    /// The adaptor has a frame for the wire, and one more descriptor is free.
    Ready,
    /// The protocol has worked on this frame: its owner takes it and then calls [`Machine::go_on`].
    Received(Frame),
    /// A processor has finished this job: the owner carries it out and then calls
    /// [`Machine::go_on`].
    Done(Job),
}

/// A host.
#[derive(Debug)]
pub struct Machine {
    station: Station,
    times: Times,
    processors: Processors<Work>,
    bus: bus::Bus,
    /// One for each link.
    adaptors: Vec<adaptor::Adaptor>,
    /// How far the stations of two links of a host are apart.
    stride: u32,
    /// Frames that wait for the protocol, or are with it, by processor.
    backlog: Vec<VecDeque<Frame>>,
    /// What a received frame is charged to its socket. Unit: bytes.
    charge: u32,
    /// What its clock says when the model begins.
    booted_for: Span,
}

/// How long before the model a host may have been started: as many ticks as its kernel may have.
const LONGEST_UP: Span = Span::from_ms(1000);

impl Machine {
    /// A host at rest, its interface with that MTU (bytes).
    #[must_use]
    pub fn new(station: Station, profile: &Profile, mtu: u32) -> Self {
        let processors = Processors::of(&profile.processor);
        let backlog = vec![VecDeque::new(); processors.count() as usize];
        Self {
            station,
            times: Times::of(profile, mtu),
            processors,
            bus: bus::Bus::new(&profile.bus),
            adaptors: vec![adaptor::Adaptor::new(profile.adaptor.clone())],
            stride: u32::MAX,
            backlog,
            charge: u32::try_from(profile.receive_buffer(mtu)).unwrap_or(u32::MAX),
            booted_for: Span::ZERO,
        }
    }

    /// The same with this many links, each with an adaptor of its own. The stations of two links are `stride` apart.
    ///
    /// # Panics
    ///
    /// Without links or a distance between them.
    #[must_use]
    pub fn with_links(mut self, links: usize, stride: u32) -> Self {
        assert!(links > 0 && stride > 0, "{links} links, {stride} apart");
        let parameters = self.adaptors[0].parameters.clone();
        self.adaptors = vec![parameters; links].into_iter().map(adaptor::Adaptor::new).collect();
        self.stride = stride;
        self
    }

    /// The adaptor of a station.
    fn adaptor_of(&mut self, station: Station) -> &mut adaptor::Adaptor {
        let link = if self.adaptors.len() == 1 { 0 } else { station.0 / self.stride };
        &mut self.adaptors[link as usize]
    }

    /// What its adaptors are like.
    fn parameters(&self) -> &Adaptor {
        &self.adaptors[0].parameters
    }

    /// The same, started at some time before the model began. The ticks of two hosts have nothing
    /// to do with each other.
    #[must_use]
    pub fn started(mut self, seed: u64) -> Self {
        let drawn = random::stream(seed, self.station.0, Purpose::Clock).next_u64();
        self.booted_for = Span::from_ps(drawn % LONGEST_UP.as_ps());
        self
    }

    /// What its clock says at `now`.
    #[must_use]
    pub fn clock(&self, now: Time) -> Time {
        now + self.booted_for
    }

    /// When its clock says `reading`; the beginning of the model if that was before.
    #[must_use]
    pub fn when(&self, reading: Time) -> Time {
        Time::from_ps(reading.as_ps().saturating_sub(self.booted_for.as_ps()))
    }

    /// The times of its work.
    #[must_use]
    pub const fn times(&self) -> &Times {
        &self.times
    }

    /// What a received frame takes of a socket's receive buffer. Unit: bytes.
    #[must_use]
    pub const fn charge(&self) -> u32 {
        self.charge
    }

    /// How long its processors worked.
    #[must_use]
    pub const fn usage(&self) -> Usage {
        self.processors.usage()
    }

    /// How long they worked for an end, in its calls and in its kernel: all their work, unless both ends are on this host. Then that
    /// of its thread, with what the kernel did in its calls.
    #[must_use]
    pub fn worked(&self, side: Side) -> [Span; 2] {
        self.processors.spent(side).map_or_else(
            || {
                let Usage { interrupt, protocol, process } = self.usage();
                [process, interrupt + protocol]
            },
            |spent| [spent, Span::ZERO],
        )
    }

    /// Whether both ends of a path are on this host, so that a frame reaches the other end's protocol in the
    /// sender's call.
    #[must_use]
    pub const fn holds_both_ends(&self) -> bool {
        matches!(self.processors, Processors::Together(_))
    }

    /// How many processors it uses.
    #[must_use]
    pub fn processors(&self) -> u32 {
        self.processors.count()
    }

    /// How long the busiest of them worked, including the work that it has begun.
    #[must_use]
    pub fn busiest(&self) -> Span {
        self.processors.busiest()
    }

    /// How long its bus was busy.
    #[must_use]
    pub const fn bus_busy(&self) -> Span {
        self.bus.busy()
    }

    /// What its adaptors counted together.
    #[must_use]
    pub fn adaptor(&self) -> AdaptorCounters {
        self.adaptors.iter().fold(AdaptorCounters::default(), |sum, adaptor| sum + adaptor.counters)
    }

    /// Whether the transmit ring of a station has a free descriptor. If not, it notes that somebody
    /// waits for one.
    #[must_use]
    pub fn has_room(&mut self, station: Station) -> bool {
        let adaptor = self.adaptor_of(station);
        let room = adaptor.has_room();
        adaptor.starved |= !room;
        room
    }

    /// Whether anybody found no free descriptor of this station since last asked.
    pub fn take_starved(&mut self, station: Station) -> bool {
        std::mem::take(&mut self.adaptor_of(station).starved)
    }

    /// Gives a processor work that takes `cost`.
    pub fn submit(&mut self, job: Job, cost: Span, kernel: &mut Kernel<impl Includes<Event>>) {
        self.processors.submit(job, Work::Job(job), cost);
        self.start(kernel);
    }

    /// The same for work of an end's kernel that is done where the work has ended from which it follows.
    pub fn follow(&mut self, job: Job, side: Side, cost: Span, kernel: &mut Kernel<impl Includes<Event>>) {
        self.processors.follow(side, job, Work::Job(job), cost);
        self.start(kernel);
    }

    /// What follows from a host's event is done: waiting work starts on idle processors.
    pub fn go_on(&mut self, kernel: &mut Kernel<impl Includes<Event>>) {
        self.processors.leave();
        self.start(kernel);
    }

    fn start(&mut self, kernel: &mut Kernel<impl Includes<Event>>) {
        while let Some(next) = self.processors.begin() {
            let (after, what) = match next {
                Next::Work(processor, cost) => (cost, What::Finished(processor)),
                Next::Ask(processor) => (Span::ZERO, What::Asked(processor)),
            };
            set(self.station, kernel.now() + after, what, kernel);
        }
    }

    /// A frame that `side` sent reaches the other end on this host: its protocol takes it at this cost,
    /// in the sender's call.
    pub fn hand_over(
        &mut self,
        frame: Frame,
        side: Side,
        cost: Span,
        kernel: &mut Kernel<impl Includes<Event>>,
    ) {
        let processor = self.processors.receive_within(side, Work::Receive, cost);
        self.backlog[usize::from(processor)].push_back(frame);
        self.start(kernel);
    }

    /// An end's thread makes a call.
    pub fn enters(&mut self, side: Side) {
        self.processors.enters(side);
    }

    /// An end's thread sleeps in a call.
    pub fn sleeps(&mut self, side: Side) {
        self.processors.sleeps(side);
    }

    /// How long the thread of an end that is woken now does not run yet, although its processor may be idle.
    #[must_use]
    pub fn wake_up_delay(&self, side: Side) -> Span {
        if self.processors.is_here(side) { Span::ZERO } else { self.times.wake_up_delay }
    }

    /// Puts a frame into the transmit ring.
    pub fn transmit(&mut self, frame: Frame, kernel: &mut Kernel<impl Includes<Event>>) {
        self.transmit_piece(Piece::whole(frame), kernel);
    }

    /// Puts a frame into the transmit ring that was handed over with others.
    pub fn transmit_piece(&mut self, piece: Piece, kernel: &mut Kernel<impl Includes<Event>>) {
        self.adaptor_of(piece.frame.source).queue(piece);
        self.fetch(piece.frame.source, kernel);
    }

    /// The most payload that the adaptor cuts into segments by itself, if it does. Unit: bytes.
    #[must_use]
    pub fn segmentation_offload(&self) -> Option<u64> {
        self.parameters().segmentation_offload.map(Size::bytes)
    }

    /// The most payload that the driver merges, if it does. Unit: bytes.
    #[must_use]
    pub fn receive_offload(&self) -> Option<u64> {
        self.parameters().receive_offload.map(Size::bytes)
    }

    /// The next frame for the wire of a station.
    pub fn take(&mut self, station: Station, kernel: &mut Kernel<impl Includes<Event>>) -> Option<Frame> {
        let frame = self.adaptor_of(station).take()?;
        self.fetch(station, kernel);
        Some(frame)
    }

    fn fetch(&mut self, station: Station, kernel: &mut Kernel<impl Includes<Event>>) {
        while let Some(piece) = self.adaptor_of(station).fetch() {
            let (bytes, now) = (u64::from(piece.moved), kernel.now());
            let moved = if piece.begins {
                self.bus.transfer(bytes, Direction::Out, now)
            } else {
                self.bus.continues(bytes, now)
            };
            set(station, moved + self.parameters().latency, What::Fetched, kernel);
        }
    }

    /// A frame came from the wire of a station; false if no descriptor was free for it.
    pub fn receive(
        &mut self,
        station: Station,
        frame: Frame,
        kernel: &mut Kernel<impl Includes<Event>>,
    ) -> bool {
        let taken = self.adaptor_of(station).store(frame);
        if taken {
            let moved = self.bus.transfer(u64::from(frame.data_bytes), Direction::In, kernel.now());
            set(station, moved + self.parameters().latency, What::Stored, kernel);
        }
        taken
    }

    /// Handles an event.
    pub fn handle(&mut self, event: Event, kernel: &mut Kernel<impl Includes<Event>>) -> Wire {
        match event.what {
            What::Finished(processor) => {
                return match self.processors.finish(processor) {
                    Work::Receive => {
                        let backlog = self.processors.backlog_of(processor);
                        Wire::Received(self.backlog[backlog].pop_front().expect("a frame for each"))
                    }
                    Work::Job(job) => Wire::Done(job),
                };
            }
            What::Fetched => {
                self.adaptor_of(event.station).fetched();
                return Wire::Ready;
            }
            What::Stored => {
                // A driver that polls goes on polling as long as the protocol has work.
                let polled = self.parameters().polling && !self.backlog[0].is_empty();
                let adaptor = self.adaptor_of(event.station);
                match adaptor.stored(polled, kernel.now()) {
                    Notice::None => {}
                    Notice::Interrupt => self.raise(event.station, kernel),
                    Notice::Later(when) => {
                        if let Some(timer) = adaptor.timer.take() {
                            kernel.cancel(timer);
                        }
                        let event = Event { what: What::Coalesced, ..event };
                        adaptor.timer = Some(kernel.timer(when, Class::Finish, event));
                    }
                }
            }
            What::Asked(processor) => {
                self.processors.asked(processor);
                self.start(kernel);
            }
            What::Coalesced => {
                self.adaptor_of(event.station).timer = None;
                self.raise(event.station, kernel);
            }
        }
        Wire::Quiet
    }

    fn raise(&mut self, station: Station, kernel: &mut Kernel<impl Includes<Event>>) {
        let adaptor = self.adaptor_of(station);
        if let Some(timer) = adaptor.timer.take() {
            kernel.cancel(timer);
        }
        adaptor.raise();
        self.submit(Job::Interrupt, self.times.interrupt, kernel);
    }

    /// The driver looks: it moves the frames that have arrived to the protocol's queue, each with
    /// its cost there. Frames without room in the queue go to `lost`.
    pub fn look(&mut self, mut cost: impl FnMut(&Times, &Frame) -> Span, mut lost: impl FnMut(Frame)) {
        while let Some(frame) = self.next_stored() {
            if !self.queue_received(frame, cost(&self.times, &frame)) {
                lost(frame);
            }
        }
    }

    /// The next frame that the driver finds in the receive rings.
    pub fn next_stored(&mut self) -> Option<Frame> {
        self.adaptors.iter_mut().find_map(adaptor::Adaptor::next_stored)
    }

    /// The driver moves what it found to the protocol's queue, with its cost there; false if there is
    /// no room.
    #[must_use]
    pub fn queue_received(&mut self, frame: Frame, cost: Span) -> bool {
        let has_room = self.backlog[0].len() < self.parameters().backlog as usize;
        if has_room {
            self.processors.receive(Work::Receive, cost);
            self.backlog[0].push_back(frame);
        } else {
            self.adaptors[0].counters.backlog_overflows += 1;
        }
        has_room
    }

    /// Whether the driver polls and has frames to process now that the protocol took one.
    #[must_use]
    pub fn polls(&self) -> bool {
        self.parameters().polling
    }
}

fn set(station: Station, when: Time, what: What, kernel: &mut Kernel<impl Includes<Event>>) {
    kernel.at(when, Class::Finish, Event { station, what });
}
