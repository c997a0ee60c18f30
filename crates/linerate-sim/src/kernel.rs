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

/// Where a slot without a pending event stands; an event that cannot be cancelled has no other slot.
const NOWHERE: u32 = u32::MAX;

/// Where the slot of the next event stands that is not in the heap.
const NEXT: u32 = u32::MAX - 1;

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
    /// The next event, if it was set as such: most events set the one that happens next, which then
    /// never enters the heap.
    next: Option<Entry<E>>,
    heap: Vec<Entry<E>>,
    /// Where the events stand that may be cancelled.
    slots: Vec<Slot>,
    free: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Entry<E> {
    time: u64,
    /// Class and sequence, from the highest bit: 8 and 56 bits.
    order: u64,
    event: E,
    /// Of an event that may be cancelled; of others [`NOWHERE`].
    slot: u32,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    generation: u32,
    /// Where in the heap, or [`NEXT`], or [`NOWHERE`].
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
            next: None,
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
        self.heap.len() + self.next.is_some() as usize
    }

    /// When the next event happens.
    #[must_use]
    pub fn next_time(&self) -> Option<Time> {
        self.next.as_ref().or(self.heap.first()).map(Entry::time)
    }
}

impl<E: Copy> Kernel<E> {
    /// Lets `event` happen at `when`.
    ///
    /// # Panics
    ///
    /// If `when` is in the past: such a model is wrong.
    #[inline]
    pub fn at<Part>(&mut self, when: Time, class: Class, event: Part)
    where
        E: Includes<Part>,
    {
        let entry = self.entry(when, class, E::of(event), NOWHERE);
        self.insert(entry);
    }

    /// Lets `event` happen at `when`, unless it is cancelled before.
    ///
    /// # Panics
    ///
    /// If `when` is in the past: such a model is wrong.
    pub fn timer<Part>(&mut self, when: Time, class: Class, event: Part) -> Timer
    where
        E: Includes<Part>,
    {
        let slot = self.free.pop().unwrap_or_else(|| {
            let slot = u32::try_from(self.slots.len()).expect("fewer than 2^32 events are pending");
            self.slots.push(Slot { generation: 0, place: NOWHERE });
            slot
        });
        let entry = self.entry(when, class, E::of(event), slot);
        self.insert(entry);
        Timer { slot, generation: self.slots[slot as usize].generation }
    }

    /// Cancels an event; false if it has happened or was cancelled before.
    pub fn cancel(&mut self, timer: Timer) -> bool {
        let slot = self.slots[timer.slot as usize];
        if slot.generation != timer.generation || slot.place == NOWHERE {
            return false;
        }
        if slot.place == NEXT {
            self.next = None;
        } else {
            self.remove(slot.place as usize);
        }
        self.release(timer.slot);
        true
    }

    /// Advances the clock to the next event and returns it, or `None` if nothing is pending.
    ///
    /// # Panics
    ///
    /// With debug assertions, if time stands still for half a million events.
    #[inline]
    pub fn advance(&mut self) -> Option<E> {
        let first = match self.next.take() {
            Some(next) => next,
            None if self.heap.is_empty() => return None,
            None => self.remove(0),
        };
        if first.slot != NOWHERE {
            self.release(first.slot);
        }
        #[cfg(debug_assertions)]
        self.watch(first.time());
        self.now = first.time().as_ps();
        self.happened += 1;
        Some(first.event)
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

    #[inline]
    fn entry(&mut self, when: Time, class: Class, event: E, slot: u32) -> Entry<E> {
        let time = when.as_ps();
        assert!(time >= self.now, "an event was set in the past");
        let order = u64::from(class as u8) << 56 | self.sequence;
        self.sequence += 1;
        Entry { time, order, event, slot }
    }

    #[inline]
    fn insert(&mut self, entry: Entry<E>) {
        let first = self.next.as_ref().or(self.heap.first());
        if first.is_none_or(|first| entry.key() < first.key()) {
            let later = self.next.replace(entry);
            self.stands(entry.slot, NEXT);
            if let Some(later) = later {
                self.push(later);
            }
        } else {
            self.push(entry);
        }
    }

    fn push(&mut self, entry: Entry<E>) {
        self.heap.push(entry);
        self.rise(self.heap.len() - 1);
    }

    /// Takes the entry at `place` out of the heap.
    fn remove(&mut self, place: usize) -> Entry<E> {
        let entry = self.heap.swap_remove(place);
        if place < self.heap.len() {
            self.sink(place);
            self.rise(place);
        }
        entry
    }

    /// The event of `slot` has happened or was cancelled.
    fn release(&mut self, slot: u32) {
        let Slot { generation, place } = &mut self.slots[slot as usize];
        *generation = generation.wrapping_add(1);
        *place = NOWHERE;
        self.free.push(slot);
    }

    fn rise(&mut self, mut place: usize) {
        let entry = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / FAN;
            if self.heap[parent].key() <= entry.key() {
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
            let Some(least) = children.min_by_key(|child| self.heap[*child].key()) else { break };
            if self.heap[least].key() >= entry.key() {
                break;
            }
            self.put(place, self.heap[least]);
            place = least;
        }
        self.put(place, entry);
    }

    #[inline]
    fn put(&mut self, place: usize, entry: Entry<E>) {
        self.heap[place] = entry;
        self.stands(entry.slot, place as u32);
    }

    #[inline]
    fn stands(&mut self, slot: u32, place: u32) {
        if slot != NOWHERE {
            self.slots[slot as usize].place = place;
        }
    }
}

impl<E> Entry<E> {
    const fn time(&self) -> Time {
        Time::from_ps(self.time)
    }

    /// What events are ordered by.
    const fn key(&self) -> u128 {
        (self.time as u128) << 64 | self.order as u128
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
        let first = kernel.timer(Time::from_ps(1), Class::Start, 1);
        assert_eq!(kernel.advance(), Some(1));
        let second = kernel.timer(Time::from_ps(2), Class::Start, 2);
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
        fn the_heap_keeps_the_order_of_a_sorted_list(steps in prop::collection::vec((0..5_u8, 0..50_u64), 0..400)) {
            let mut kernel = Kernel::<u32>::new();
            let mut list: Vec<(u64, u32, Option<Timer>)> = Vec::new();
            for (number, (what, value)) in steps.into_iter().enumerate() {
                let number = number as u32;
                match what {
                    0 | 1 => {
                        let when = kernel.now().as_ps() + value;
                        let timer = kernel.timer(Time::from_ps(when), Class::Expire, number);
                        list.push((when, number, Some(timer)));
                    }
                    2 => {
                        let when = kernel.now().as_ps() + value;
                        kernel.at(Time::from_ps(when), Class::Expire, number);
                        list.push((when, number, None));
                    }
                    3 if list.iter().any(|(_, _, timer)| timer.is_some()) => {
                        let timers: Vec<usize> = (0..list.len()).filter(|at| list[*at].2.is_some()).collect();
                        let (_, _, timer) = list.remove(timers[value as usize % timers.len()]);
                        let timer = timer.expect("it was chosen so");
                        prop_assert!(kernel.cancel(timer));
                        prop_assert!(!kernel.cancel(timer));
                    }
                    _ => {
                        list.sort_by_key(|(when, number, _)| (*when, *number));
                        let expected = (!list.is_empty()).then(|| list.remove(0));
                        prop_assert_eq!(kernel.advance(), expected.map(|(_, number, _)| number));
                    }
                }
                prop_assert_eq!(kernel.pending(), list.len());
                let next = list.iter().map(|(when, ..)| Time::from_ps(*when)).min();
                prop_assert_eq!(kernel.next_time(), next);
            }
        }
    }
}
