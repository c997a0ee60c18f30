//! The clock of a simulation and its pending events.
//!
//! Events happen in the order of (time, [`Class`], sequence): at one instant what ends comes
//! before what begins, and within a class what was set first comes first. Nothing is allocated
//! for an event once the heap has grown to the most that were ever pending.

use linerate_core::units::Time;

/// The order of events at one instant: earlier variants happen first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// A transmission ends and its line is free.
    Finish,
    /// A frame arrives.
    Arrive,
    /// A timer runs out.
    Expire,
    /// A source offers a frame.
    Offer,
    /// A transmission begins.
    Start,
}

/// An event that may still be cancelled. One that has happened or was cancelled is not found again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timer {
    slot: u32,
    generation: u32,
}

/// How many children a node of the heap has: four are shallower than two, and lie in one cache line.
const FAN: usize = 4;

/// More events than this at one instant mean an endless loop. A sound model has a few for each of
/// its ports.
#[cfg(debug_assertions)]
const MOST_AT_ONCE: u32 = 500_000;

/// Where a slot without a pending event stands.
const NOWHERE: u32 = u32::MAX;

/// An event type that has a place for the events of one part of a model.
///
/// The parts are generic over the events of the whole, `E: Includes<Event>`, so that neither they
/// nor the kernel know what else can happen.
pub trait Includes<Part>: Copy {
    /// The part's event as one of the whole.
    fn of(part: Part) -> Self;
}

impl<E: Copy> Includes<E> for E {
    #[inline]
    fn of(part: E) -> Self {
        part
    }
}

/// The clock and the pending events: each an `E`, which should be small, because events are copied.
#[derive(Debug)]
pub struct Kernel<E> {
    now: u64,
    sequence: u64,
    happened: u64,
    /// Events that have happened at the present instant.
    #[cfg(debug_assertions)]
    at_once: u32,
    heap: Vec<Entry>,
    slots: Vec<Slot<E>>,
    free: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Time, class and sequence, from the highest bit: 64, 8 and 56 bits.
    key: u128,
    slot: u32,
}

#[derive(Clone, Copy, Debug)]
struct Slot<E> {
    event: E,
    generation: u32,
    /// Where in the heap.
    place: u32,
}

impl<E> Default for Kernel<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> Kernel<E> {
    /// A clock at zero without events.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            now: 0,
            sequence: 0,
            happened: 0,
            #[cfg(debug_assertions)]
            at_once: 0,
            heap: Vec::new(),
            slots: Vec::new(),
            free: Vec::new(),
        }
    }

    /// The present instant.
    #[must_use]
    pub const fn now(&self) -> Time {
        Time::from_ps(self.now)
    }

    /// How many events have happened.
    #[must_use]
    pub const fn happened(&self) -> u64 {
        self.happened
    }

    /// How many events are still to happen.
    #[must_use]
    pub const fn pending(&self) -> usize {
        self.heap.len()
    }

    /// When the next event happens.
    #[must_use]
    pub fn next_time(&self) -> Option<Time> {
        self.heap.first().map(Entry::time)
    }
}

impl<E: Copy> Kernel<E> {
    /// Lets `event` happen at `when`.
    ///
    /// # Panics
    ///
    /// If `when` is in the past: such a model is wrong.
    pub fn at<Part>(&mut self, when: Time, class: Class, event: Part) -> Timer
    where
        E: Includes<Part>,
    {
        assert!(when.as_ps() >= self.now, "an event was set in the past");
        let key = u128::from(when.as_ps()) << 64 | u128::from(class as u8) << 56 | u128::from(self.sequence);
        self.sequence += 1;
        let event = E::of(event);
        let slot = if let Some(slot) = self.free.pop() {
            self.slots[slot as usize].event = event;
            slot
        } else {
            let slot = u32::try_from(self.slots.len()).expect("fewer than 2^32 events are pending");
            self.slots.push(Slot { event, generation: 0, place: NOWHERE });
            slot
        };
        self.heap.push(Entry { key, slot });
        self.rise(self.heap.len() - 1);
        Timer { slot, generation: self.slots[slot as usize].generation }
    }

    /// Cancels an event; false if it has happened or was cancelled before.
    pub fn cancel(&mut self, timer: Timer) -> bool {
        let slot = self.slots[timer.slot as usize];
        if slot.generation != timer.generation || slot.place == NOWHERE {
            return false;
        }
        self.remove(slot.place as usize);
        true
    }

    /// Advances the clock to the next event and returns it, or `None` if nothing is pending.
    ///
    /// # Panics
    ///
    /// With debug assertions, if time stands still for half a million events.
    pub fn advance(&mut self) -> Option<E> {
        let first = *self.heap.first()?;
        #[cfg(debug_assertions)]
        self.watch(first.time());
        self.now = first.time().as_ps();
        self.happened += 1;
        Some(self.remove(0))
    }

    /// As [`Self::advance`], but leaves events after `limit` pending, without moving the clock.
    pub fn advance_until(&mut self, limit: Time) -> Option<E> {
        if self.next_time()? > limit { None } else { self.advance() }
    }

    /// Panics on a model that loops at one instant, which would otherwise hang.
    #[cfg(debug_assertions)]
    fn watch(&mut self, next: Time) {
        self.at_once = if next == self.now() { self.at_once + 1 } else { 0 };
        assert!(self.at_once < MOST_AT_ONCE, "time stands still at {next:?} for {MOST_AT_ONCE} events");
    }

    /// Takes the entry at `place` out of the heap and frees its slot.
    fn remove(&mut self, place: usize) -> E {
        let entry = self.heap.swap_remove(place);
        if place < self.heap.len() {
            self.sink(place);
            self.rise(place);
        }
        let slot = &mut self.slots[entry.slot as usize];
        slot.generation = slot.generation.wrapping_add(1);
        slot.place = NOWHERE;
        self.free.push(entry.slot);
        slot.event
    }

    fn rise(&mut self, mut place: usize) {
        let entry = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / FAN;
            if self.heap[parent].key <= entry.key {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, entry);
    }

    fn sink(&mut self, mut place: usize) {
        let entry = self.heap[place];
        loop {
            let first = place * FAN + 1;
            let children = first..(first + FAN).min(self.heap.len());
            let Some(least) = children.min_by_key(|child| self.heap[*child].key) else { break };
            if self.heap[least].key >= entry.key {
                break;
            }
            self.put(place, self.heap[least]);
            place = least;
        }
        self.put(place, entry);
    }

    fn put(&mut self, place: usize, entry: Entry) {
        self.heap[place] = entry;
        self.slots[entry.slot as usize].place = place as u32;
    }
}

impl Entry {
    const fn time(&self) -> Time {
        Time::from_ps((self.key >> 64) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn at_one_instant_what_ends_comes_before_what_begins_and_then_what_was_set_first() {
        let mut kernel = Kernel::<u32>::new();
        let at = Time::from_ps(5);
        kernel.at(at, Class::Start, 4);
        kernel.at(at, Class::Finish, 1);
        kernel.at(at, Class::Start, 5);
        kernel.at(at, Class::Arrive, 2);
        kernel.at(at, Class::Expire, 3);
        kernel.at(Time::from_ps(4), Class::Start, 0);
        let order: Vec<u32> = std::iter::from_fn(|| kernel.advance()).collect();
        assert_eq!(order, (0..6).collect::<Vec<_>>());
        assert_eq!((kernel.now(), kernel.happened()), (at, 6));
    }

    #[test]
    fn what_has_happened_or_was_cancelled_is_not_cancelled_again() {
        let mut kernel = Kernel::<u32>::new();
        let first = kernel.at(Time::from_ps(1), Class::Start, 1);
        assert_eq!(kernel.advance(), Some(1));
        let second = kernel.at(Time::from_ps(2), Class::Start, 2);
        assert!(!kernel.cancel(first), "its slot now belongs to the second");
        assert!(kernel.cancel(second));
        assert!(!kernel.cancel(second));
        assert_eq!(kernel.advance(), None);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "time stands still")]
    fn a_model_that_goes_round_at_one_instant_fails() {
        let mut kernel = Kernel::<u32>::new();
        kernel.at(Time::from_ps(3), Class::Start, 0);
        while let Some(event) = kernel.advance() {
            kernel.at(kernel.now(), Class::Start, event);
        }
    }

    #[test]
    #[should_panic(expected = "in the past")]
    fn nothing_happens_before_now() {
        let mut kernel = Kernel::<u32>::new();
        kernel.at(Time::from_ps(7), Class::Start, 0);
        kernel.advance();
        kernel.at(Time::from_ps(6), Class::Start, 0);
    }

    proptest! {
        /// Against a sorted list: any mixture of setting, cancelling and advancing.
        #[test]
        fn the_heap_keeps_the_order_of_a_sorted_list(steps in prop::collection::vec((0..4_u8, 0..50_u64), 0..400)) {
            let mut kernel = Kernel::<u32>::new();
            let mut list: Vec<(u64, u32, Timer)> = Vec::new();
            for (number, (what, value)) in steps.into_iter().enumerate() {
                let number = number as u32;
                match what {
                    0 | 1 => {
                        let when = kernel.now().as_ps() + value;
                        let timer = kernel.at(Time::from_ps(when), Class::Expire, number);
                        list.push((when, number, timer));
                    }
                    2 if !list.is_empty() => {
                        let (_, _, timer) = list.remove(value as usize % list.len());
                        prop_assert!(kernel.cancel(timer));
                    }
                    _ => {
                        list.sort_by_key(|(when, number, _)| (*when, *number));
                        let expected = (!list.is_empty()).then(|| list.remove(0));
                        prop_assert_eq!(kernel.advance(), expected.map(|(_, number, _)| number));
                    }
                }
                prop_assert_eq!(kernel.pending(), list.len());
            }
        }
    }
}
