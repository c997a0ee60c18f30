//! What passed the stations' ports, for a capture file.

use linerate_core::units::Time;

use crate::fabric::Seen;
use crate::frame::{Frame, Port};
use crate::tcp::Segment;

/// A frame that passed a station's port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// When.
    pub time: Time,
    /// Which station's port.
    pub port: Port,
    /// Which way.
    pub seen: Seen,
    /// The frame.
    pub frame: Frame,
    /// The TCP segment in it, if it carries one.
    pub segment: Option<Segment>,
}

/// The first frames that passed, up to a limit.
#[derive(Clone, Debug)]
pub struct Trace {
    limit: usize,
    passages: Vec<Passage>,
    left_out: u64,
}

impl Trace {
    /// An empty trace that keeps `limit` passages.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self { limit, passages: Vec::new(), left_out: 0 }
    }

    /// Keeps a passage, if there is room.
    pub fn record(&mut self, passage: Passage) {
        if self.passages.len() < self.limit {
            self.passages.push(passage);
        } else {
            self.left_out += 1;
        }
    }

    /// What was kept, in the order in which it happened.
    #[must_use]
    pub fn passages(&self) -> &[Passage] {
        &self.passages
    }

    /// How many more passages there is room for.
    #[must_use]
    pub const fn room(&self) -> usize {
        self.limit - self.passages.len()
    }

    /// Counts passages that had no room elsewhere.
    pub const fn leave_out(&mut self, passages: u64) {
        self.left_out += passages;
    }

    /// How many passages there was no room for.
    #[must_use]
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }
}
