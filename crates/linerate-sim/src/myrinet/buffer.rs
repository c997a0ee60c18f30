//! A buffer that a link fills and an output empties: bytes as a fluid, counted in line time.
//!
//! All links have one rate, so a byte count is a time: what flows for a picosecond is a picosecond
//! more. Levels are then whole numbers, and the next instant at which anything changes is exact.

use std::collections::VecDeque;

use crate::kernel::{Class, Timer};

/// The marks of a slack buffer and the length of a route byte. Unit: picoseconds of line time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    pub(super) byte: u64,
    pub(super) stop: u64,
    pub(super) go: u64,
    pub(super) room: u64,
}

/// A packet, or the part of it in the buffer.
#[derive(Clone, Copy, Debug)]
struct Part {
    worm: u32,
    /// Unit: picoseconds of line time.
    inside: u64,
    /// Unit: picoseconds of line time.
    to_come: u64,
}

/// A buffer at an input of a switch, or what a station is sending.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    /// When the levels were last worked out. Unit: picoseconds.
    updated: u64,
    /// The link brings something now, as long as its packet lasts.
    inflow: bool,
    /// The output takes from the first packet now.
    pub(super) outflow: bool,
    parts: VecDeque<Part>,
    /// Unit: picoseconds of line time.
    level: u64,
    /// The channel that the first packet has got.
    pub(super) output: Option<u32>,
    /// The first packet waits for its output.
    pub(super) asking: bool,
    /// The last that was sent to the other end of the link was STOP.
    pub(super) stopping: bool,
    /// What was set to happen next: when, of which class.
    pub(super) due: Option<(u64, Class, Timer)>,
}

impl Buffer {
    /// Works out the levels of now.
    pub(super) fn advance(&mut self, now: u64) {
        let passed = now - self.updated;
        self.updated = now;
        if self.inflow
            && let Some(last) = self.parts.back_mut()
        {
            let came = passed.min(last.to_come);
            last.inside += came;
            last.to_come -= came;
            self.level += came;
            self.inflow = last.to_come > 0;
        }
        if self.outflow {
            let first = self.parts.front_mut().expect("what goes out is there");
            first.inside -= passed;
            self.level -= passed;
        }
    }

    /// The link begins to bring a packet of this much line time.
    pub(super) fn begin(&mut self, worm: u32, length: u64) {
        debug_assert!(!self.inflow, "a packet begins when the one before has ended");
        self.parts.push_back(Part { worm, inside: 0, to_come: length });
        self.inflow = true;
    }

    /// A station has a packet to send, whole.
    pub(super) fn load(&mut self, worm: u32, length: u64) {
        self.parts.push_back(Part { worm, inside: length, to_come: 0 });
        self.level += length;
    }

    /// The link pauses within a packet, or goes on.
    pub(super) fn set_inflow(&mut self, on: bool) {
        self.inflow = on;
    }

    /// The first packet has its output: the route byte is stripped.
    pub(super) fn strip(&mut self, byte: u64) {
        let first = self.parts.front_mut().expect("who has an output is there");
        first.inside -= byte;
        self.level -= byte;
    }

    /// The first packet's number.
    pub(super) fn first(&self) -> Option<u32> {
        self.parts.front().map(|part| part.worm)
    }

    /// Removes the first packet if nothing of it is left.
    pub(super) fn finish(&mut self) -> Option<u32> {
        self.parts.pop_front_if(|part| part.inside == 0 && part.to_come == 0).map(|part| part.worm)
    }

    /// What is inside. Unit: picoseconds of line time.
    pub(super) fn level(&self) -> u64 {
        self.level
    }

    /// Whether the route byte of the first packet has arrived and was not read yet.
    pub(super) fn head_is_in(&self, byte: u64) -> bool {
        self.output.is_none() && !self.asking && self.parts.front().is_some_and(|part| part.inside >= byte)
    }

    /// Whether the first packet has something for its output: in the buffer, or coming in now.
    pub(super) fn has_supply(&self) -> bool {
        self.parts.front().is_some_and(|part| part.inside > 0) || self.first_comes()
    }

    /// The link brings parts of the first packet.
    fn first_comes(&self) -> bool {
        self.inflow && self.parts.len() == 1
    }

    /// When something changes next if all flows stay as now: how long from now, and the event's
    /// class.
    pub(super) fn next(&self, marks: Option<Marks>) -> Option<(u64, Class)> {
        let first = self.parts.front()?;
        let coming = self.parts.back().filter(|_| self.inflow).map(|part| part.to_come);
        let ends = coming.map(|to_come| (to_come, Class::Finish));
        let emptied = (self.outflow && !self.first_comes()).then_some((first.inside, Class::Finish));
        let marked = marks.and_then(|marks| self.next_mark(marks)).map(|after| (after, Class::Expire));
        [ends, emptied, marked].into_iter().flatten().min()
    }

    /// When the route byte of the first packet has arrived, or the level reaches a mark.
    fn next_mark(&self, marks: Marks) -> Option<u64> {
        let first = self.parts.front()?;
        let waiting = self.output.is_none() && !self.asking && self.first_comes();
        let head = waiting.then(|| marks.byte - first.inside);
        let filling = self.inflow && !self.outflow && !self.stopping;
        let stop = filling.then(|| marks.stop.saturating_sub(self.level));
        let emptying = self.outflow && !self.inflow && self.stopping;
        let go = emptying.then(|| self.level - marks.go);
        [head, stop, go].into_iter().flatten().min()
    }
}
