//! The seam: what a congestion control algorithm is asked, and told.

use std::fmt;

use linerate_core::units::{Span, Time};

use super::{Window, standard};
pub use crate::tcp::delivery::RateSample;
pub use crate::tcp::pacing::Pacing;

/// A congestion control algorithm at one end of a connection.
///
/// Every method has a default. Those of [`standard`] are the rules of RFC 5681 and its extensions, so
/// an algorithm that only grows and reduces in another way has [`grow`](Self::grow) and
/// [`reduce`](Self::reduce); one that models the path overrides the events as well.
pub trait CongestionControl: fmt::Debug + Send + Sync {
    /// By how much the window grows in congestion avoidance, for `counted` acknowledged bytes. Unit:
    /// bytes.
    fn grow(&mut self, _window: &Window, _counted: u64, _progress: &Progress) -> u64 {
        0
    }

    /// The slow start threshold after a loss or a mark with `flight` bytes in flight; the window keeps
    /// at least two segments. Unit: bytes.
    fn reduce(&mut self, window: &Window, _flight: u64, _cause: Cause) -> u64 {
        window.threshold
    }

    /// Time does not count for growth until the next acknowledgement: the application limits the flow
    /// (RFC 9438, 4.2).
    fn restart_growth(&mut self) {}

    /// Whether slow start ends at this acknowledgement, before a loss.
    fn ends_slow_start(&mut self, _window: &Window, _progress: &Progress) -> bool {
        false
    }

    /// How fast segments leave. If absent, the window alone decides.
    fn pacing(&self) -> Option<Pacing> {
        None
    }

    /// The handshake took `rtt`.
    fn opened(&mut self, _rtt: Span, _now: Time) {}

    /// Nothing was sent for a retransmission timeout (RFC 5681, 4.1).
    fn idle(&mut self, window: &mut Window) {
        standard::idle(self, window);
    }

    /// New data was acknowledged.
    fn acknowledged(&mut self, window: &mut Window, progress: &Progress) {
        standard::acknowledged(self, window, progress);
    }

    /// With ECN, and before [`acknowledged`](Self::acknowledged): new data was acknowledged, marked or
    /// not. Returns whether that reduces the window.
    fn marked(&mut self, window: &mut Window, progress: &Progress, marks: Marks) -> bool {
        standard::marked(self, window, progress, marks)
    }

    /// What any acknowledgement says of the path, after losses were looked for; returns whether the
    /// algorithm now sends less than the path takes, so that rates of delivery say nothing of it.
    fn report(&mut self, _window: &mut Window, _report: &Report) -> bool {
        false
    }

    /// A fast retransmit begins: the phase is [`Recovery`](super::Phase::Recovery).
    fn lost(&mut self, window: &mut Window, flight: &Flight) {
        standard::lost(self, window, flight);
    }

    /// A probe repaired a loss that nothing else told of, with `outstanding` bytes not acknowledged
    /// (RFC 8985, 7.4.2).
    fn lost_tail(&mut self, window: &mut Window, outstanding: u64) {
        standard::lost_tail(self, window, outstanding);
    }

    /// The retransmission timer expired, and the window falls to one segment; `again` if it had expired
    /// for the same segment before (RFC 5681, 3.1). The phase is still that before.
    fn timed_out(&mut self, window: &mut Window, outstanding: u64, again: bool) {
        standard::timed_out(self, window, outstanding, again);
    }
}

/// Why the window falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A segment was lost.
    Loss,
    /// A router marked one (RFC 3168).
    Mark,
}

/// An acknowledgement of new data, as the window sees it.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// What it acknowledges. Unit: bytes.
    pub bytes: u64,
    /// What was in the network before. Unit: bytes.
    pub pipe: u64,
    /// What is outstanding now. Unit: bytes.
    pub outstanding: u64,
    /// All before is acknowledged.
    pub position: u64,
    /// The next position to send.
    pub next: u64,
    /// When it arrived.
    pub now: Time,
    /// Round trips as they are known.
    pub rtt: RoundTrip,
}

/// Round trips as they are known.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundTrip {
    /// Of this acknowledgement, if it gives one.
    pub sample: Option<Span>,
    /// SRTT (RFC 6298, 2).
    pub smoothed: Span,
    /// The least so far.
    pub least: Span,
}

/// What an acknowledgement of new data says of marks.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    /// It has ECE.
    pub marked: bool,
    /// What is selected of all that is outstanding. Unit: bytes.
    pub selected: u64,
}

/// What is in the network when a loss is found. Unit: bytes.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    /// Sent and not acknowledged.
    pub outstanding: u64,
    /// The end of it.
    pub next: u64,
    /// Selected before this acknowledgement.
    pub selected: u64,
    /// What is in the network.
    pub pipe: u64,
    /// What this acknowledgement delivered.
    pub delivered: u64,
    /// What all acknowledgements delivered.
    pub total: u64,
    /// Marks have reduced the window for this flight.
    pub is_reduced: bool,
}

/// What an acknowledgement says of the path. Unit of all counts: bytes.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// When it arrived.
    pub now: Time,
    /// What it delivered.
    pub delivered: u64,
    /// What all acknowledgements delivered.
    pub total: u64,
    /// What it showed to be lost.
    pub lost: u64,
    /// What was in the network before.
    pub pipe_before: u64,
    /// What is in the network now.
    pub pipe: u64,
    /// Its round trip, if it gives one.
    pub rtt: Option<Span>,
    /// Its sample of the rate of delivery, if it gives one.
    pub sample: Option<RateSample>,
}
