//! The adaptor: its rings, and when it raises an interrupt.

use std::collections::VecDeque;

use linerate_core::units::Time;

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

/// An adaptor and its driver.
#[derive(Debug)]
pub(super) struct Adaptor {
    pub(super) parameters: profile::Adaptor,
    pub(super) counters: AdaptorCounters,
    /// Frames with a transmit descriptor that are not in the FIFO.
    queued: VecDeque<Piece>,
    /// Frames being transferred into the FIFO, where their bytes are reserved, and whether a
    /// descriptor is free after them.
    fetching: VecDeque<(Frame, bool)>,
    /// Transmit descriptors that are taken.
    descriptors: usize,
    /// Frames in the FIFO, ready for the wire.
    ready: VecDeque<Frame>,
    fifo_bytes: u64,
    /// Frames on their way into memory; each has a receive descriptor.
    storing: VecDeque<Frame>,
    /// Frames in memory that the driver has not seen; each has a receive descriptor.
    stored: VecDeque<Frame>,
    /// An interrupt was raised and its handler has not run.
    raised: bool,
    /// Raises one.
    pub(super) timer: Option<Timer>,
}

/// What to do about a frame in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notice {
    /// Nothing: the driver will look anyway.
    None,
    /// An interrupt now.
    Interrupt,
    /// An interrupt at that time, unless more frames bring it earlier.
    Later(Time),
}

impl Adaptor {
    pub(super) fn new(parameters: profile::Adaptor) -> Self {
        Self {
            parameters,
            counters: AdaptorCounters::default(),
            queued: VecDeque::new(),
            fetching: VecDeque::new(),
            descriptors: 0,
            ready: VecDeque::new(),
            fifo_bytes: 0,
            storing: VecDeque::new(),
            stored: VecDeque::new(),
            raised: false,
            timer: None,
        }
    }

    /// Whether a transmit descriptor is free.
    pub(super) fn has_room(&self) -> bool {
        self.descriptors < self.parameters.transmit_ring as usize
    }

    pub(super) fn queue(&mut self, piece: Piece) {
        self.descriptors += usize::from(piece.begins);
        self.queued.push_back(piece);
    }

    /// The next frame to transfer into the FIFO, if it has room. An empty FIFO always has.
    pub(super) fn fetch(&mut self) -> Option<Piece> {
        let piece = *self.queued.front()?;
        let frame = piece.frame;
        let full = self.fifo_bytes + u64::from(frame.data_bytes) > self.parameters.fifo.bytes();
        if self.fifo_bytes > 0 && full {
            return None;
        }
        self.queued.pop_front();
        self.fifo_bytes += u64::from(frame.data_bytes);
        self.fetching.push_back((frame, piece.ends));
        Some(piece)
    }

    /// The oldest transfer has ended.
    pub(super) fn fetched(&mut self) {
        let (frame, ends) = self.fetching.pop_front().expect("what was fetched has begun");
        self.descriptors -= usize::from(ends);
        self.ready.push_back(frame);
    }

    /// The next frame for the wire.
    pub(super) fn take(&mut self) -> Option<Frame> {
        let frame = self.ready.pop_front()?;
        self.fifo_bytes -= u64::from(frame.data_bytes);
        self.counters.sent += 1;
        Some(frame)
    }

    /// A frame came from the wire: whether it has a descriptor.
    pub(super) fn store(&mut self, frame: Frame) -> bool {
        let free = self.storing.len() + self.stored.len() < self.parameters.receive_ring as usize;
        if free {
            self.storing.push_back(frame);
        } else {
            self.counters.ring_overflows += 1;
        }
        free
    }

    /// The oldest frame on its way is in memory; `polled` says that the driver will look without an
    /// interrupt.
    pub(super) fn stored(&mut self, polled: bool, now: Time) -> Notice {
        let frame = self.storing.pop_front().expect("what was stored had begun");
        self.counters.received += 1;
        self.stored.push_back(frame);
        let soon = self.parameters.coalesce_time.as_ps() == 0
            || self.stored.len() >= self.parameters.coalesce_frames.max(1) as usize;
        if self.raised || polled {
            Notice::None
        } else if soon {
            Notice::Interrupt
        } else if self.timer.is_none() {
            Notice::Later(now + self.parameters.coalesce_time)
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
        let frame = self.stored.pop_front();
        if frame.is_none() {
            self.raised = false;
        }
        frame
    }
}
