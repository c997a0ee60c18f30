//! Where a connection is in its life, and what it counted.

use super::{Connection, Stage};

/// Where a connection is in its life (RFC 9293, 3.3.2, as far as a model goes).
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
    /// A segment was sent again as often as the kernel does, in vain.
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
    /// Segments sent again.
    pub retransmitted: u64,
    /// Times that the retransmission timer ran out.
    pub timeouts: u64,
    /// Times that fast retransmit began.
    pub fast_retransmits: u64,
    /// Acknowledgements that came of a timer.
    pub delayed_acknowledgements: u64,
    /// Zero-window probes sent.
    pub probes: u64,
    /// Duplicate acknowledgements received.
    pub duplicate_acknowledgements: u64,
    /// Payload bytes that arrived more than once.
    pub duplicate_bytes: u64,
}

impl Connection {
    /// Where it is in its life.
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
