//! Slots, and the queue before them: first come, first served.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::control::QueuePlace;

/// A queue before a number of slots that share an amount of memory.
#[derive(Debug)]
pub(super) struct Queue {
    slots: usize,
    most_waiting: usize,
    memory: u64,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    closed: bool,
    waiting: VecDeque<u64>,
    /// Who is served, and since when, in the order of beginning.
    running: Vec<(u64, IpAddr, Instant)>,
    memory_used: u64,
}

/// A place in the queue; given up when this is dropped.
#[derive(Debug)]
pub(super) struct Ticket<'a> {
    queue: &'a Queue,
    number: u64,
    client: IpAddr,
    memory: u64,
}

/// A slot with its memory; free again when this is dropped.
#[derive(Debug)]
pub(super) struct Slot<'a> {
    queue: &'a Queue,
    number: u64,
    memory: u64,
}

/// The result of waiting.
#[derive(Debug)]
pub(super) enum Turn<'a> {
    /// A slot.
    Slot(Slot<'a>),
    /// No slot yet.
    Place(QueuePlace),
    /// The server stops.
    Closed,
}

impl Queue {
    pub(super) fn new(slots: usize, most_waiting: usize, memory: linerate_core::units::Size) -> Self {
        Self { slots, most_waiting, memory: memory.0, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Takes a place for `client`, or `None` if the queue is full.
    pub(super) fn join(&self, client: IpAddr, memory: u64) -> Option<Ticket<'_>> {
        let mut state = self.lock();
        // A client that finds a free slot does not wait, whatever the queue's length.
        let full = state.waiting.len() >= self.most_waiting.max(1);
        let idle = state.waiting.is_empty() && state.running.len() < self.slots;
        if full && !idle {
            return None;
        }
        let number = state.next;
        state.next += 1;
        state.waiting.push_back(number);
        Some(Ticket { queue: self, number, client, memory })
    }

    /// Ends all waiting.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Ticket<'a> {
    /// Waits for a slot, or for `span` at most.
    pub(super) fn wait(&self, span: Duration) -> Turn<'a> {
        let queue = self.queue;
        let not_yet = |state: &mut State| !state.closed && !self.may_run(state);
        let waited = queue.changed.wait_timeout_while(queue.lock(), span, not_yet);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return Turn::Closed;
        }
        if self.may_run(&state) {
            state.waiting.pop_front();
            state.running.push((self.number, self.client, Instant::now()));
            state.memory_used += self.memory;
            queue.changed.notify_all();
            return Turn::Slot(Slot { queue, number: self.number, memory: self.memory });
        }
        let before = state.waiting.iter().take_while(|number| **number != self.number).count();
        let place = u32::try_from(before + 1).unwrap_or(u32::MAX);
        Turn::Place(match state.running.first() {
            Some((_, holder, since)) => {
                QueuePlace::Behind { place, holder: *holder, held_s: since.elapsed().as_secs() }
            }
            None => QueuePlace::Number(place),
        })
    }

    fn may_run(&self, state: &State) -> bool {
        state.waiting.front() == Some(&self.number)
            && state.running.len() < self.queue.slots
            && state.memory_used + self.memory <= self.queue.memory
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.queue.lock().waiting.retain(|number| *number != self.number);
        self.queue.changed.notify_all();
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.running.retain(|(number, ..)| *number != self.number);
        state.memory_used -= self.memory;
        drop(state);
        self.queue.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use linerate_core::units::Size;

    use super::*;

    const CLIENT: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const NOW: Duration = Duration::ZERO;

    fn place(ticket: &Ticket<'_>) -> u32 {
        match ticket.wait(NOW) {
            Turn::Place(place) => place.number(),
            other => panic!("expected a place, got {other:?}"),
        }
    }

    #[test]
    fn slots_are_given_in_order_and_places_move_up() {
        let queue = Queue::new(1, 2, Size(100));
        let first = queue.join(CLIENT, 10).expect("it is empty");
        let Turn::Slot(slot) = first.wait(NOW) else { panic!("the slot is free") };
        let (second, third) =
            (queue.join(CLIENT, 10).expect("one waits"), queue.join(CLIENT, 10).expect("two wait"));
        assert!(queue.join(CLIENT, 10).is_none(), "the queue is full");
        assert_eq!((place(&second), place(&third)), (1, 2));
        drop(second);
        assert_eq!(place(&third), 1);
        drop(slot);
        assert!(matches!(third.wait(NOW), Turn::Slot(_)));
    }

    #[test]
    fn a_slot_without_memory_waits_for_memory() {
        let queue = Queue::new(2, 2, Size(100));
        let (first, second) = (queue.join(CLIENT, 60).expect("room"), queue.join(CLIENT, 60).expect("room"));
        let Turn::Slot(slot) = first.wait(NOW) else { panic!("the slot is free") };
        assert_eq!(place(&second), 1);
        drop(slot);
        assert!(matches!(second.wait(NOW), Turn::Slot(_)));
    }

    #[test]
    fn closing_ends_the_wait() {
        let queue = Queue::new(0, 1, Size(1));
        let ticket = queue.join(CLIENT, 1).expect("room for one");
        queue.close();
        assert!(matches!(ticket.wait(Duration::from_secs(60)), Turn::Closed));
    }
}
