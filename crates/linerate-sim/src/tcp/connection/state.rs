//! The state of a connection, and its counts.

use super::{Connection, Stage};

/// The state of a connection (RFC 9293, 3.3.2, as far as the model has it).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It waits for a SYN.
    Listen,
    /// It sent a SYN.
    SynSent,
    /// It answered a SYN.
    SynReceived,
    /// Data passes both ways.
    Established,
    /// Either side has closed; what was written still arrives.
    Closing,
    /// Nothing passes any more.
    Closed,
}

/// Why a connection ended that nobody closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The kernel's last retransmission of a segment failed.
    TimedOut,
    /// The peer reset it.
    Reset,
}

/// What an end counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Segments with payload sent, repeated ones included.
    pub data_segments_sent: u64,
    /// Segments without payload sent.
    pub bare_segments_sent: u64,
    /// Segments received.
    pub segments_received: u64,
    /// Of these, with payload.
    pub data_segments_received: u64,
    /// Segments sent again.
    pub retransmitted: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Times that fast retransmit began.
    pub fast_retransmits: u64,
    /// Acknowledgements sent by a timer.
    pub delayed_acknowledgements: u64,
    /// Zero-window probes sent.
    pub probes: u64,
    /// Duplicate acknowledgements received.
    pub duplicate_acknowledgements: u64,
    /// Payload bytes that arrived more than once.
    pub duplicate_bytes: u64,
    /// Segments with payload that arrived marked by a queue (CE).
    pub marked_segments: u64,
    /// Payload bytes that the peer acknowledged with the word that they were marked (ECE).
    pub marked_bytes: u64,
    /// Times that marks reduced the congestion window.
    pub marked_reductions: u64,
}

impl Connection {
    /// Its state.
    #[must_use]
    pub fn state(&self) -> State {
        let closed = self.writer.closed;
        match self.stage {
            _ if self.failure.is_some() => State::Closed,
            Stage::Never => State::Closed,
            Stage::Listen => State::Listen,
            Stage::SynSent => State::SynSent,
            Stage::SynReceived => State::SynReceived,
            Stage::Open if closed && self.queue.is_finished() && self.board.first() > self.writer.end => {
                State::Closed
            }
            Stage::Open if closed || self.queue.is_finished() => State::Closing,
            Stage::Open => State::Established,
        }
    }

    /// Why it ended, if it was not closed: the retransmissions were given up, or a reset came.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        self.failure
    }

    pub(super) fn fail(&mut self, failure: Failure) {
        self.failure = Some(failure);
        self.retransmission.deadline = None;
        self.persist.stop();
    }
}
