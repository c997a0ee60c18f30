//! The adaptor: its rings, and when it raises an interrupt.

use std::collections::VecDeque;

use linerate_core::units::{Span, Time};

use super::profile;
use crate::frame::Frame;
use crate::kernel::Timer;

/// A frame to send, and what it is of all that was handed over with it.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// The frame.
    pub frame: Frame,
    /// What of it passes the bus: the adaptor makes the headers of all but the first. Unit: bytes.
    pub moved: u32,
    /// It is the first, with which the transfer is set up.
    pub begins: bool,
    /// It is the last, after which the descriptor is free.
    pub ends: bool,
}

impl Piece {
    /// A frame that was handed over alone.
    #[must_use]
    pub const fn whole(frame: Frame) -> Self {
        Self { frame, moved: frame.data_bytes, begins: true, ends: true }
    }
}

/// What an adaptor counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AdaptorCounters {
    /// Frames handed to the wire.
    pub sent: u64,
    /// Frames stored in memory.
    pub received: u64,
    /// Frames lost because no descriptor was free.
    pub ring_overflows: u64,
    /// Frames lost because the protocol's queue was full.
    pub backlog_overflows: u64,
    /// Interrupts raised.
    pub interrupts: u64,
}

impl std::ops::Add for AdaptorCounters {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            sent: self.sent + other.sent,
            received: self.received + other.received,
            ring_overflows: self.ring_overflows + other.ring_overflows,
            backlog_overflows: self.backlog_overflows + other.backlog_overflows,
            interrupts: self.interrupts + other.interrupts,
        }
    }
}

/// An adaptor and its driver.
#[derive(Debug)]
pub(super) struct Adaptor {
    pub(super) parameters: profile::Adaptor,
    pub(super) counters: AdaptorCounters,
    /// Frames to send, in order: those in the FIFO, ready for the wire; those being transferred into
    /// it, where their bytes are reserved; and the others.
    outgoing: VecDeque<Piece>,
    /// How many of them are in the FIFO, and how many are being transferred.
    ready: usize,
    fetching: usize,
    /// Transmit descriptors that are taken.
    descriptors: usize,
    /// A segment waits for one.
    pub(super) starved: bool,
    fifo_bytes: u64,
    /// Frames that came in, in order, each with a receive descriptor: those in memory that the driver
    /// has not seen, and those on their way there.
    incoming: VecDeque<Frame>,
    /// How many of them are in memory.
    stored: usize,
    /// An interrupt was raised and its handler has not run.
    raised: bool,
    /// Raises one.
    pub(super) timer: Option<Timer>,
    /// When it must have run out.
    latest: Time,
}

/// What to do about a frame in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notice {
    /// Nothing: the driver will look anyway.
    None,
    /// An interrupt now.
    Interrupt,
    /// An interrupt at that time and not at the one said before, unless more frames change it.
    Later(Time),
}

impl Adaptor {
    pub(super) fn new(parameters: profile::Adaptor) -> Self {
        Self {
            parameters,
            counters: AdaptorCounters::default(),
            outgoing: VecDeque::new(),
            ready: 0,
            fetching: 0,
            descriptors: 0,
            starved: false,
            fifo_bytes: 0,
            incoming: VecDeque::new(),
            stored: 0,
            raised: false,
            timer: None,
            latest: Time::ZERO,
        }
    }

    /// Whether a transmit descriptor is free.
    pub(super) fn has_room(&self) -> bool {
        self.descriptors < self.parameters.transmit_ring as usize
    }

    pub(super) fn queue(&mut self, piece: Piece) {
        self.descriptors += usize::from(piece.begins);
        self.outgoing.push_back(piece);
    }

    /// Begins to transfer the next frame into the FIFO, if it has room; an empty FIFO always has.
    pub(super) fn fetch(&mut self) -> Option<Piece> {
        let piece = *self.outgoing.get(self.ready + self.fetching)?;
        let bytes = u64::from(piece.frame.data_bytes);
        let full = self.fifo_bytes + bytes > self.parameters.fifo.bytes();
        if self.fifo_bytes > 0 && full {
            return None;
        }
        self.fifo_bytes += bytes;
        self.fetching += 1;
        Some(piece)
    }

    /// The oldest transfer has ended.
    pub(super) fn fetched(&mut self) {
        assert!(self.fetching > 0, "what was fetched has begun");
        self.descriptors -= usize::from(self.outgoing[self.ready].ends);
        self.fetching -= 1;
        self.ready += 1;
    }

    /// The next frame for the wire.
    pub(super) fn take(&mut self) -> Option<Frame> {
        self.ready = self.ready.checked_sub(1)?;
        let Piece { frame, .. } = self.outgoing.pop_front()?;
        self.fifo_bytes -= u64::from(frame.data_bytes);
        self.counters.sent += 1;
        Some(frame)
    }

    /// A frame came from the wire: whether it has a descriptor.
    pub(super) fn store(&mut self, frame: Frame) -> bool {
        let free = self.incoming.len() < self.parameters.receive_ring as usize;
        if free {
            self.incoming.push_back(frame);
        } else {
            self.counters.ring_overflows += 1;
        }
        free
    }

    /// The oldest frame on its way is in memory; `polled` says that the driver will look without an
    /// interrupt.
    pub(super) fn stored(&mut self, polled: bool, now: Time) -> Notice {
        assert!(self.stored < self.incoming.len(), "what was stored had begun");
        self.counters.received += 1;
        self.stored += 1;
        let soon = self.parameters.coalesce_time.as_ps() == 0
            || self.stored >= self.parameters.coalesce_frames.max(1) as usize;
        if self.raised || polled {
            return Notice::None;
        }
        if soon {
            return Notice::Interrupt;
        }
        if self.timer.is_none() {
            self.latest = now + self.parameters.coalesce_time;
        }
        let gap = self.parameters.coalesce_gap;
        if gap > Span::ZERO {
            Notice::Later(self.latest.min(now + gap))
        } else if self.timer.is_none() {
            Notice::Later(self.latest)
        } else {
            Notice::None
        }
    }

    /// Raises an interrupt.
    pub(super) fn raise(&mut self) {
        self.raised = true;
        self.counters.interrupts += 1;
    }

    /// The handler looks: its next frame, whose descriptor is free from now on. Absent if there is
    /// no frame left.
    pub(super) fn next_stored(&mut self) -> Option<Frame> {
        if self.stored == 0 {
            self.raised = false;
            return None;
        }
        self.stored -= 1;
        self.incoming.pop_front()
    }
}
