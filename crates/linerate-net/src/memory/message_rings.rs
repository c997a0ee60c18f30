//! One end's messages, laid out as the memory options say.

use linerate_core::environment::Fact;
use linerate_core::options::MemoryOptions;
use linerate_core::payload::{self, Check, Corruption, Messages, Turns};

use super::{MemoryError, Ring};

/// One end's messages in two rings, one for each direction.
#[derive(Debug)]
pub struct MessageRings {
    out: Ring,
    into: Ring,
    touch: bool,
    /// Whether huge pages were asked for.
    huge: bool,
    /// Messages that arrived since the trial began.
    arrived: u64,
    /// What every outgoing slot holds: its size, its seed, and how much of it was written.
    written: Option<(usize, u64, Check)>,
}

impl MessageRings {
    /// Memory as `asked`, in each direction, for messages of up to `largest` bytes.
    ///
    /// # Errors
    ///
    /// When the host does not have that much memory, or no huge pages.
    pub fn new(largest: usize, asked: &MemoryOptions) -> Result<Self, MemoryError> {
        let (out, into) = (Ring::new(largest, asked)?, Ring::new(largest, asked)?);
        Ok(Self { out, into, touch: asked.touch, huge: asked.huge_pages, arrived: 0, written: None })
    }

    /// The longest message. Unit: bytes.
    #[must_use]
    pub const fn largest(&self) -> usize {
        self.into.largest()
    }

    /// Messages that arrived since the trial began.
    #[must_use]
    pub const fn arrived(&self) -> u64 {
        self.arrived
    }

    /// The single place each way, without a working set and without touching what arrives.
    pub fn places(&mut self) -> Option<(&[u8], &mut [u8])> {
        let one = self.out.slots() == 1 && self.into.slots() == 1 && !self.touch;
        one.then(|| (self.out.current(), self.into.current_mut()))
    }

    /// Counts messages that arrived there.
    pub const fn took(&mut self, messages: u64) {
        self.arrived += messages;
    }

    /// How much of both directions the kernel has in huge pages now, or `None` where they were not asked
    /// for. Unit: bytes.
    #[must_use]
    pub fn huge_pages(&self) -> Option<Fact<u64>> {
        self.huge.then(|| match (self.out.huge_pages(), self.into.huge_pages()) {
            (Fact::Known(out), Fact::Known(into)) => Fact::Known(out + into),
            (unknown @ Fact::Unknown { .. }, _) | (_, unknown) => unknown,
        })
    }
}

impl Messages for MessageRings {
    type Turns<'a> = &'a mut Self;

    fn memory(&mut self, size: usize) -> (&[u8], &mut [u8]) {
        self.out.lay_out(size);
        self.into.lay_out(size);
        (self.out.memory(), self.into.memory_mut())
    }

    fn prepare(&mut self, size: usize, seed: u64, check: Check) {
        if self.written == Some((size, seed, check)) {
            return;
        }
        self.written = Some((size, seed, check));
        self.out.lay_out(size);
        // For a short message, finding the marks takes longer than copying the message.
        payload::write(self.out.slot_mut(0), seed, check);
        self.out.repeat();
    }

    fn turns(&mut self, size: usize) -> &mut Self {
        self.out.lay_out(size);
        self.into.lay_out(size);
        self.arrived = 0;
        self
    }

    fn inspect(&mut self, size: usize, seed: u64, check: Check) -> Result<(), Corruption> {
        let slots = self.into.slots() as u64;
        let kept = match check {
            Check::Full => self.arrived.min(slots),
            Check::Marks => self.arrived.min(1),
        };
        (self.arrived - kept..self.arrived).try_for_each(|number| {
            // Below the number of slots, which is a `usize`.
            let slot = (number % slots) as usize;
            payload::inspect(&self.into.slot(slot)[..size], seed, check)
        })
    }
}

impl Turns for MessageRings {
    #[inline]
    fn outgoing(&self) -> &[u8] {
        self.out.current()
    }

    #[inline]
    fn incoming(&mut self) -> &mut [u8] {
        self.into.current_mut()
    }

    #[inline]
    fn both(&mut self) -> (&[u8], &mut [u8]) {
        (self.out.current(), self.into.current_mut())
    }

    #[inline]
    fn sent(&mut self) {
        self.out.advance();
    }

    #[inline]
    fn received(&mut self) {
        if self.touch {
            payload::touch(self.into.current());
        }
        self.into.advance();
        self.arrived += 1;
    }
}

#[cfg(test)]
mod tests {
    use linerate_core::units::Size;
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    const SIZE: usize = 100;

    /// Memory for three messages of [`SIZE`] bytes, with `count` of them arrived.
    fn arrived(count: u64, seed: u64, check: Check) -> MessageRings {
        let asked = MemoryOptions { working_set: Some(Size(3 * 128)), ..MemoryOptions::default() };
        let mut rings = MessageRings::new(SIZE, &asked).expect("memory");
        rings.prepare(SIZE, seed, check);
        let turns = rings.turns(SIZE);
        for _ in 0..count {
            let (out, into) = turns.both();
            into.copy_from_slice(out);
            turns.sent();
            turns.received();
        }
        rings
    }

    #[test]
    fn messages_go_round_in_distinct_places_each_way() {
        let mut rings = arrived(0, 1, Check::Full);
        let turns = rings.turns(SIZE);
        let mut places = |_| {
            let (out, into) = turns.both();
            let places = [out.as_ptr().addr(), into.as_ptr().addr()];
            turns.sent();
            turns.received();
            places
        };
        let seen: Vec<_> = (0..6).map(&mut places).collect();
        assert_eq!(seen[..3], seen[3..], "three places in turn");
        let mut all = seen[..3].as_flattened().to_vec();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 6, "{seen:x?}");
    }

    #[rstest]
    #[case(Check::Full, 1, [true, false, false])]
    #[case(Check::Full, 2, [true, true, false])]
    #[case(Check::Full, 3, [true, true, true])]
    #[case(Check::Full, 8, [true, true, true])]
    #[case(Check::Marks, 1, [true, false, false])]
    #[case(Check::Marks, 2, [false, true, false])]
    #[case(Check::Marks, 8, [false, true, false])]
    fn every_place_that_still_holds_a_message_is_looked_at(
        #[case] check: Check,
        #[case] count: u64,
        #[case] seen: [bool; 3],
    ) {
        for (slot, seen) in seen.into_iter().enumerate() {
            let mut rings = arrived(count, 1, check);
            assert_eq!(rings.inspect(SIZE, 1, check), Ok(()));
            // The first byte is marked.
            rings.into.slot_mut(slot)[0] ^= 1;
            assert_eq!(rings.inspect(SIZE, 1, check).is_err(), seen, "place {slot}");
        }
    }

    #[test]
    fn where_nothing_arrived_there_is_nothing_to_look_at() {
        assert_eq!(arrived(0, 1, Check::Full).inspect(SIZE, 1, Check::Full), Ok(()));
    }

    #[test]
    fn huge_pages_are_told_only_where_they_were_asked_for() {
        assert_eq!(arrived(0, 1, Check::Marks).huge_pages(), None);
        let asked = MemoryOptions { huge_pages: true, ..MemoryOptions::default() };
        match MessageRings::new(4 << 20, &asked) {
            Ok(rings) => {
                let huge = rings.huge_pages().expect("they were asked for");
                let [out, into] =
                    [&rings.out, &rings.into].map(|ring| *ring.huge_pages().known().expect("smaps"));
                assert_eq!(huge, Fact::Known(out + into));
            }
            Err(error) => assert!(matches!(error, MemoryError::Huge(_)), "{error}"),
        }
    }

    proptest! {
        #[test]
        fn a_smaller_trial_after_a_larger_one_finds_its_own_messages(
            first in 1_usize..9_000, second in 1_usize..9_000, offset in 0_u16..4096, count in 1_u64..20,
        ) {
            let asked = MemoryOptions { working_set: Some(Size(30_000)), offset, ..MemoryOptions::default() };
            let mut rings = MessageRings::new(9_000, &asked).expect("memory");
            for (size, seed) in [(first, 1), (second, 2)] {
                rings.prepare(size, seed, Check::Full);
                let turns = rings.turns(size);
                for _ in 0..count {
                    let (out, into) = turns.both();
                    into.copy_from_slice(out);
                    turns.sent();
                    turns.received();
                }
                prop_assert_eq!(rings.inspect(size, seed, Check::Full), Ok(()));
            }
        }
    }
}
