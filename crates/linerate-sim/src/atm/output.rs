//! The queue of a switch's output, cell by cell but without an event for each.
//!
//! The cells of a PDU follow each other on the access line, so they reach the switch as a train
//! whose times are known when its PDU begins. A first-come, first-served queue depends only on
//! earlier arrivals. So nothing is computed until somebody asks what became of a train; then all
//! cells up to that instant are processed in the order of their arrival.
//!
//! Cells that arrive at one instant are processed in the order of their inputs, starting after the
//! input whose cell was taken last, so that stations in step share a full queue. A cell that has
//! left by then makes room for them.

use std::collections::VecDeque;

use super::parameters::{Switch, cells};
use crate::fabric::Loss;
use crate::pace::{Pace, Ticks};

/// The cells of one PDU on their way to one output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Train {
    /// Whose cells they are: the number of the frame.
    pub(super) carried: u32,
    input: u32,
    /// When the next of them arrives whole and may leave.
    next: Ticks,
    cells: u32,
    left: u32,
    /// Cells that found room.
    taken: u32,
    /// It was refused at its first cell.
    refused: bool,
    fate: Fate,
}

/// What became of a train.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Some of its cells are still to come.
    Open,
    /// All found room, and the last leaves at this instant.
    Leaves(Ticks),
    /// The receiver cannot reassemble it.
    Lost {
        why: Loss,
        /// The receiver got the last cell, and saw that the PDU was damaged.
        seen: bool,
    },
}

impl Train {
    /// `cells` cells from `input`, of which the first may leave at `first`.
    pub(super) const fn new(carried: u32, input: u32, first: Ticks, cells: u32) -> Self {
        Self { carried, input, next: first, cells, left: cells, taken: 0, refused: false, fate: Fate::Open }
    }

    /// When its next cell may leave; before it began, its first.
    pub(super) const fn first(&self) -> Ticks {
        self.next
    }

    pub(super) const fn fate(&self) -> Fate {
        self.fate
    }
}

/// What an output did with cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellCounters {
    /// Cells that found room and use the line, even if their PDU is lost.
    pub taken: u64,
    /// Cells that were discarded.
    pub discarded: u64,
}

/// An output of the switch.
#[derive(Debug)]
pub(super) struct Output {
    pace: Pace,
    /// If the line becomes free later than this after an arrival, there is no room.
    full: Ticks,
    /// The same for the first cell of a PDU, where early packet discard is done.
    threshold: Option<Ticks>,
    /// When the line has sent all accepted cells.
    free: Ticks,
    /// Trains of which no cell was looked at, in the order of their first cells.
    coming: VecDeque<(u32, Train)>,
    /// Trains in the middle of which the queue stands: at most one of each input.
    passing: Vec<(u32, Train)>,
    /// Whose cell was taken last.
    last_input: u32,
    /// The receiver has cells from this input that no end has followed.
    unended: Vec<bool>,
    counters: CellCounters,
}

impl Output {
    pub(super) fn new(pace: Pace, switch: Switch, inputs: u32) -> Self {
        Self {
            pace,
            full: cells(pace, switch.queue_cells - 1),
            threshold: switch.early_packet_discard.map(|most| cells(pace, most - 1)),
            free: 0,
            coming: VecDeque::new(),
            passing: Vec::new(),
            last_input: inputs - 1,
            unended: vec![false; inputs as usize],
            counters: CellCounters::default(),
        }
    }

    pub(super) const fn counters(&self) -> CellCounters {
        self.counters
    }

    /// Announces that `train` will arrive; `number` identifies it.
    pub(super) fn expect(&mut self, number: u32, train: Train) {
        // Almost always the last: starts of one picosecond may be out of order by a fraction of it.
        let after = self.coming.iter().rposition(|(_, other)| other.next <= train.next);
        self.coming.insert(after.map_or(0, |place| place + 1), (number, train));
    }

    /// Processes all cells that arrive until `now`, which must have been announced, and passes the
    /// fate of each train that ended to `ended`.
    pub(super) fn catch_up(&mut self, now: Ticks, mut ended: impl FnMut(u32, Train)) {
        while let Some(place) = self.first(now) {
            let end = self.run_end(place, now);
            let (number, mut train) = self.passing[place];
            self.take(&mut train, end);
            if train.left == 0 {
                train.fate = self.conclude(&train);
                self.passing.swap_remove(place);
                ended(number, train);
            } else {
                self.passing[place].1 = train;
            }
        }
    }

    /// The index of the train with the next cell to process, if one arrives until `now`.
    fn first(&mut self, now: Ticks) -> Option<usize> {
        loop {
            let inputs = self.unended.len() as u32;
            let turn = |train: &Train| (train.input + inputs - self.last_input - 1) % inputs;
            let first = (0..self.passing.len())
                .min_by_key(|place| (self.passing[*place].1.next, turn(&self.passing[*place].1)));
            let next = first.map_or(now + 1, |place| self.passing[place].1.next);
            match self.coming.front() {
                Some((_, train)) if train.next <= next.min(now) => {
                    self.passing.extend(self.coming.pop_front());
                }
                _ => return first.filter(|_| next <= now),
            }
        }
    }

    /// The instant before which no other train has a cell.
    fn run_end(&self, place: usize, now: Ticks) -> Ticks {
        let others = self.passing.iter().enumerate().filter(|(other, _)| *other != place);
        let others = others.map(|(_, (_, train))| train.next);
        let coming = self.coming.front().map(|(_, train)| train.next);
        others.chain(coming).min().map_or(now + 1, |next| next.min(now + 1))
    }

    /// Processes the next cell of `train`, and those that follow before `end`.
    fn take(&mut self, train: &mut Train, end: Ticks) {
        let cell = cells(self.pace, 1);
        let behind = self.free.saturating_sub(train.next);
        if train.left == train.cells {
            train.refused = self.threshold.is_some_and(|most| behind > most);
        }
        let damaged = self.threshold.is_some() && train.left > 1 && train.taken + train.left < train.cells;
        let mut count = 1;
        if train.refused || damaged || behind > self.full {
            self.counters.discarded += 1;
        } else {
            // Alone, the next cell comes when one has left and finds the same room as this one.
            let spare = end.saturating_sub(train.next + 1) / cell;
            count += spare.min(u128::from(train.left) - 1) as u32;
            self.free = self.free.max(train.next) + cells(self.pace, count);
            self.counters.taken += u64::from(count);
            self.last_input = train.input;
            train.taken += count;
            if train.left == count {
                train.fate = Fate::Leaves(self.free);
            }
        }
        train.left -= count;
        train.next += cells(self.pace, count);
    }

    /// The receiver's result for a train that has ended. AAL5 finds the end of a PDU only by the
    /// mark of its last cell: without it the next PDU is taken for the rest of this one, and both
    /// fail.
    fn conclude(&mut self, train: &Train) -> Fate {
        let unended = &mut self.unended[train.input as usize];
        let whole = train.taken == train.cells;
        if !matches!(train.fate, Fate::Leaves(_)) {
            *unended |= train.taken > 0;
            return Fate::Lost { why: Loss::Overflow, seen: false };
        }
        match (whole, std::mem::replace(unended, false)) {
            (true, false) => train.fate,
            (true, true) => Fate::Lost { why: Loss::Error, seen: true },
            (false, _) => Fate::Lost { why: Loss::Overflow, seen: true },
        }
    }
}
