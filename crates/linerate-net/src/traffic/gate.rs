//! Where the threads of a load wait for each other, so that all flows begin together.

use std::cell::Cell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use linerate_core::units::Time;

/// A gate that opens once, when all threads are there.
#[derive(Debug, Default)]
pub(super) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Threads that have prepared their flows.
    prepared: usize,
    /// The moment at which the flows begin, once the gate is open.
    origin: Option<Time>,
}

impl Gate {
    /// Waits until so many threads have prepared their flows.
    pub(super) fn await_prepared(&self, threads: usize) {
        drop(self.wait_while(self.state(), |state| state.prepared < threads));
    }

    /// Lets all threads through: the flows begin at `origin`.
    pub(super) fn open(&self, origin: Time) {
        self.state().origin = Some(origin);
        self.changed.notify_all();
    }

    /// The place of one thread before the gate.
    pub(super) const fn enter(&self) -> Entry<'_> {
        Entry { gate: self, passed: Cell::new(false) }
    }

    fn prepared(&self) -> MutexGuard<'_, State> {
        let mut state = self.state();
        state.prepared += 1;
        self.changed.notify_all();
        state
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panics here leaves two plain values.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while<'a>(
        &self,
        state: MutexGuard<'a, State>,
        condition: impl Fn(&State) -> bool,
    ) -> MutexGuard<'a, State> {
        self.changed.wait_while(state, |state| condition(state)).unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread before the gate. If it ends without passing, nobody waits for it.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    gate: &'a Gate,
    passed: Cell<bool>,
}

impl Entry<'_> {
    /// Says that this thread has prepared its flows, and waits for the others. Returns when they begin.
    pub(super) fn pass(&self) -> Time {
        self.passed.set(true);
        let state = self.gate.prepared();
        self.gate.wait_while(state, |state| state.origin.is_none()).origin.unwrap_or(Time::ZERO)
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        if !self.passed.get() {
            drop(self.gate.prepared());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_begins_before_the_last_is_there() {
        const THREADS: u64 = 50;
        let gate = Gate::default();
        let begun = std::sync::atomic::AtomicU64::new(0);
        let order = std::sync::atomic::Ordering::SeqCst;
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|_| {
                    scope.spawn(|| {
                        let origin = gate.enter().pass();
                        begun.fetch_add(1, order);
                        origin
                    })
                })
                .collect();
            // It fails before it is ready.
            scope.spawn(|| drop(gate.enter()));
            gate.await_prepared(THREADS as usize + 1);
            assert_eq!(begun.load(order), 0);
            gate.open(Time::from_ps(7));
            for thread in threads {
                assert_eq!(thread.join().expect("it passes"), Time::from_ps(7));
            }
        });
        assert_eq!(begun.load(order), THREADS);
    }
}
