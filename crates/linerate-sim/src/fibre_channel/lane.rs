//! One direction of a link: a line, and buffer-to-buffer credit for what waits at its end.

use std::collections::VecDeque;

use linerate_core::units::{Span, Time};

use super::parameters::{Baud, GAP_BYTES, HEADER_BYTES, frame_bytes};
use crate::pace::Serial;

/// A frame of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fragment {
    /// Of which sequence: the number of what the client gave.
    pub(super) carried: u32,
    /// Its data field before filling. Unit: bytes.
    pub(super) payload_bytes: u32,
    /// It ends the sequence.
    pub(super) last: bool,
}

/// A frame that has begun, on its way to the other end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Travelling {
    pub(super) fragment: Fragment,
    /// When it will have arrived whole.
    pub(super) whole: Time,
}

/// When the current frame has left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sending {
    /// The header's last bit leaves.
    pub(super) header: Time,
    /// The frame's last bit leaves; the gap follows.
    pub(super) end: Time,
}

/// One direction of a link.
#[derive(Debug)]
pub(super) struct Lane {
    line: Serial,
    /// A frame is on the line. The gap after it belongs to the line: what is given to it then
    /// begins after the gap.
    pub(super) busy: bool,
    /// Free buffers at the other end, as the sender knows.
    credits: u16,
    /// When R_RDYs that are on their way arrive, in this order.
    returns: VecDeque<Time>,
    /// Since when the sender has known no free buffer.
    stalled: Option<Time>,
    stalled_for: Span,
    /// Frames on their way to the other end, oldest first.
    pub(super) travelling: VecDeque<Travelling>,
}

impl Lane {
    pub(super) fn new(baud: Baud, credits: u16) -> Self {
        Self {
            line: Serial::new(baud.pace()),
            busy: false,
            credits,
            returns: VecDeque::new(),
            stalled: None,
            stalled_for: Span::ZERO,
            travelling: VecDeque::new(),
        }
    }

    /// How long a free line had no credit, up to the end of the last such period.
    pub(super) const fn stalled_for(&self) -> Span {
        self.stalled_for
    }

    /// Whether there is a credit at `now`; the line is free.
    pub(super) fn may_send(&mut self, now: Time) -> bool {
        while self.returns.front().is_some_and(|at| *at <= now) {
            self.returns.pop_front();
            self.credits += 1;
        }
        if self.credits == 0 {
            return false;
        }
        if let Some(since) = self.stalled.take() {
            self.stalled_for += now.since(since);
        }
        true
    }

    /// The line waits for a credit from `now`. Returns when the credit comes, if that is known and
    /// the line did not wait before.
    pub(super) fn stall(&mut self, now: Time) -> Option<Time> {
        if self.stalled.is_some() {
            return None;
        }
        self.stalled = Some(now);
        self.returns.front().copied()
    }

    /// An R_RDY will arrive at `at`. Says whether the line waits for it.
    pub(super) fn give_back(&mut self, at: Time) -> bool {
        // Not always the last: a short frame may leave one output of a switch while a long one
        // that came before it is on its way out at another.
        let after = self.returns.iter().rposition(|other| *other <= at);
        self.returns.insert(after.map_or(0, |place| place + 1), at);
        self.stalled.is_some()
    }

    /// Puts a frame on the line, for which there is a credit, and the gap behind it.
    pub(super) fn send(&mut self, fragment: Fragment, now: Time) -> Sending {
        self.credits -= 1;
        self.busy = true;
        // On a copy of the line, so that the header's end is as exact as the frame's.
        let [_, header] = Serial::clone(&self.line).occupy(now, u64::from(4 + HEADER_BYTES) * 8);
        let [_, end] = self.line.occupy(now, frame_bytes(fragment.payload_bytes) * 8);
        self.line.occupy(end, u64::from(GAP_BYTES) * 8);
        Sending { header, end }
    }
}
