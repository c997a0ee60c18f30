//! The state of the MAC at one seat.

use linerate_core::units::{Span, Time};
use rand_pcg::Pcg64;

use super::parameters::{Parameters, Seat};
use crate::ethernet::parameters::{GAP_BITS, JAM_BITS, MIN_FRAME_BYTES, PREAMBLE_BITS, frame_bytes};
use crate::ethernet::phy::Duplex;
use crate::fabric::MacCounters;
use crate::frame::Frame;
use crate::kernel::Timer;
use crate::random::{Purpose, stream};

/// The MAC at one seat.
#[derive(Debug)]
pub(super) struct Mac {
    pub(super) seat: Seat,
    pub(super) random: Pcg64,
    /// The frame that it sends or waits to send.
    pub(super) frame: Option<Frame>,
    /// Transmissions of that frame that collided.
    pub(super) attempts: u32,
    /// What it is sending.
    pub(super) sending: Option<Sending>,
    /// Until when a full-duplex MAC keeps its gap.
    pub(super) gap_until: Time,
    pub(super) counters: MacCounters,
}

/// What a MAC is sending.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sending {
    /// When its first preamble began.
    pub(super) burst_start: Time,
    /// When the present frame's preamble begins.
    pub(super) frame_start: Time,
    /// The first instant at which it hears a collision in the present frame.
    pub(super) collision: Option<Time>,
    /// At its end.
    pub(super) timer: Timer,
}

impl Mac {
    pub(super) fn new(seat: Seat, seed: u64) -> Self {
        Self {
            seat,
            random: stream(seed, seat.stream, Purpose::Backoff),
            frame: None,
            attempts: 0,
            sending: None,
            gap_until: Time::ZERO,
            counters: MacCounters::default(),
        }
    }

    pub(super) fn is_half_duplex(&self) -> bool {
        self.seat.duplex == Duplex::Half
    }
}

/// The parameters as lengths of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    parameters: Parameters,
    pub(super) preamble: Span,
    pub(super) gap: Span,
    pub(super) jam: Span,
    pub(super) slot: Span,
    /// Of the shortest frame, preamble not included.
    pub(super) shortest: Span,
    /// Zero if every frame is sent alone.
    pub(super) burst: Span,
}

impl Times {
    pub(super) const fn new(parameters: Parameters) -> Self {
        let pace = parameters.pace;
        Self {
            parameters,
            preamble: pace.span(PREAMBLE_BITS),
            gap: pace.span(GAP_BITS),
            jam: pace.span(JAM_BITS),
            slot: pace.span(parameters.slot_bits),
            shortest: pace.span(MIN_FRAME_BYTES * 8),
            burst: match parameters.burst_bits {
                Some(bits) => pace.span(bits),
                None => Span::ZERO,
            },
        }
    }

    /// How long a frame occupies the medium, preamble included, extended to the slot time or not.
    pub(super) fn event(&self, frame: &Frame, extended: bool) -> Span {
        let bits = frame_bytes(frame.data_bytes) * 8;
        let bits = if extended { bits.max(self.parameters.slot_bits) } else { bits };
        self.parameters.pace.span(PREAMBLE_BITS + bits)
    }

    /// Whether a half-duplex receiver treats an event of this length, the first of its burst, as a
    /// collision fragment.
    pub(super) fn is_fragment(&self, event: Span) -> bool {
        self.parameters.extend && event < self.preamble + self.slot
    }
}
