//! Which numbers have come, in bounded memory.

use std::collections::BTreeMap;

/// Numbers of one block of the map: 8 KiB of bits.
pub(super) const BLOCK: u64 = 1 << 16;
const WORDS: usize = (BLOCK / 64) as usize;
/// Blocks that are kept at most, 2 MiB: as many numbers as the smallest frames have in more than a
/// second at 10 Gb/s.
pub(super) const BLOCKS: usize = 256;

/// A set of numbers. When there are too many blocks, one that is implausibly far ahead is struck
/// out. Without such a block, the oldest is given up, and later arrivals in it count as
/// repetitions.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Blocks that are neither untouched nor complete, by their place.
    blocks: BTreeMap<u64, Block>,
    /// The block that the last number was in: most follow each other.
    at: u64,
    open: Option<Block>,
    /// Every block below this place is complete or given up.
    settled: u64,
    count: u64,
    struck: u64,
}

#[derive(Debug)]
struct Block {
    bits: Box<[u64; WORDS]>,
    count: u32,
}

impl Block {
    fn new() -> Self {
        Self { bits: Box::new([0; WORDS]), count: 0 }
    }

    /// Notes the number at `place` of the block; whether it is new.
    fn insert(&mut self, place: u64) -> bool {
        let (word, bit) = (&mut self.bits[(place / 64) as usize], 1 << (place % 64));
        let new = *word & bit == 0;
        *word |= bit;
        self.count += u32::from(new);
        new
    }

    /// How many of the numbers from `place` of the block on have come.
    fn from(&self, place: u64) -> u64 {
        let whole = (place / 64) as usize;
        let first = (self.bits[whole] >> (place % 64)).count_ones();
        let rest = self.bits[whole + 1..].iter().map(|word| word.count_ones()).sum::<u32>();
        u64::from(first + rest)
    }

    fn is_complete(&self) -> bool {
        u64::from(self.count) == BLOCK
    }
}

impl Numbers {
    /// Notes a number; returns whether it is new. Numbers above `horizon` are not believed yet.
    #[inline]
    pub(super) fn insert(&mut self, number: u64, horizon: u64) -> bool {
        let (place, within) = (number / BLOCK, number % BLOCK);
        if place < self.settled {
            return false;
        }
        if place != self.at || self.open.is_none() {
            self.turn_to(place, horizon / BLOCK);
        }
        let block = self.open.get_or_insert_with(Block::new);
        let new = block.insert(within);
        self.count += u64::from(new);
        if block.is_complete() && place == self.settled {
            self.open = None;
            self.settled += 1;
            self.settle();
        }
        new
    }

    /// How many different numbers have come and are not struck out.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// How many were struck out.
    pub(super) const fn struck(&self) -> u64 {
        self.struck
    }

    /// How many numbers from `first` on have come; of what is settled, as many as there can be.
    pub(super) fn from(&mut self, first: u64) -> u64 {
        self.put_away();
        let settled = self.settled.saturating_mul(BLOCK).saturating_sub(first);
        let part = self.blocks.get(&(first / BLOCK)).map_or(0, |block| block.from(first % BLOCK));
        let whole = self.blocks.range(first / BLOCK + 1..).map(|(_, block)| u64::from(block.count));
        (whole.sum::<u64>() + part).saturating_add(settled).min(self.count)
    }

    /// Puts the open block away and takes the one at `place`.
    fn turn_to(&mut self, place: u64, horizon: u64) {
        self.put_away();
        self.open = Some(self.blocks.remove(&place).unwrap_or_else(Block::new));
        self.at = place;
        while self.blocks.len() >= BLOCKS {
            self.give_up(horizon);
        }
    }

    fn put_away(&mut self) {
        if let Some(block) = self.open.take() {
            self.blocks.insert(self.at, block);
        }
    }

    fn give_up(&mut self, horizon: u64) {
        if let Some(farthest) = self.blocks.last_entry().filter(|farthest| *farthest.key() > horizon) {
            let count = u64::from(farthest.remove().count);
            self.count -= count;
            self.struck += count;
        } else if let Some((oldest, _)) = self.blocks.pop_first() {
            self.settled = self.settled.max(oldest + 1);
        }
    }

    /// Forgets complete blocks that follow on what is settled.
    fn settle(&mut self) {
        while self.blocks.get(&self.settled).is_some_and(Block::is_complete) {
            self.blocks.remove(&self.settled);
            self.settled += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: impl IntoIterator<Item = u64>) -> Numbers {
        let mut set = Numbers::default();
        for number in numbers {
            set.insert(number, u64::MAX);
        }
        set
    }

    #[test]
    fn complete_blocks_are_forgotten() {
        let numbers = of(0..200_000);
        assert_eq!((numbers.blocks.len(), numbers.settled, numbers.count()), (0, 3, 200_000));
        let turned = of((BLOCK..2 * BLOCK).chain(0..BLOCK));
        assert!(turned.blocks.is_empty() && turned.open.is_none(), "whichever is complete first");
    }

    #[test]
    fn whatever_comes_the_memory_is_bounded() {
        let places = 3 * BLOCKS as u64;
        assert!(of((0..places).map(|place| place * BLOCK)).blocks.len() < BLOCKS);
        let mut set = Numbers::default();
        for place in (0..places).rev() {
            set.insert(u64::MAX - place * BLOCK, 0);
        }
        assert!(set.blocks.len() < BLOCKS);
        assert_eq!(set.count() + set.struck(), places);
    }

    #[test]
    fn the_largest_number_is_one_like_any_other() {
        let mut numbers = of([u64::MAX, u64::MAX, u64::MAX - 1]);
        assert_eq!((numbers.count(), numbers.from(u64::MAX), numbers.from(0)), (2, 1, 2));
        let mut all = of(u64::MAX - BLOCK + 1..=u64::MAX);
        assert_eq!((all.from(u64::MAX - 5), all.from(1)), (6, BLOCK));
    }
}
