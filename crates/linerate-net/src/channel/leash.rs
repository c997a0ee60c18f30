//! Channels that come and go on some threads, and that another thread can break off.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Remote;

/// The channels that stand just now, of the many that one load makes. Clones are the same leash.
#[derive(Clone, Debug, Default)]
pub struct Leash(Arc<Mutex<Held>>);

/// A channel that is on a leash until this is dropped.
#[derive(Debug)]
#[must_use]
pub struct Hold {
    leash: Leash,
    number: u64,
}

#[derive(Debug, Default)]
struct Held {
    cut: bool,
    next: u64,
    remotes: BTreeMap<u64, Box<dyn Remote>>,
}

impl Leash {
    /// Has `channel` broken off with the others; at once, if they were.
    pub fn hold(&self, channel: Box<dyn Remote>) -> Hold {
        let mut held = self.lock();
        if held.cut {
            channel.cut();
        }
        let number = held.next;
        held.next += 1;
        held.remotes.insert(number, channel);
        drop(held);
        Hold { leash: self.clone(), number }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Remote for Leash {
    /// Breaks off every channel that is held now, and every one that will be.
    fn cut(&self) {
        let mut held = self.lock();
        held.cut = true;
        held.remotes.values().for_each(|channel| channel.cut());
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let let_go = self.leash.lock().remotes.remove(&self.number);
        // Its descriptor is closed when nobody waits for the lock.
        drop(let_go);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[derive(Debug)]
    struct Cuts(Arc<AtomicU32>);

    impl Remote for Cuts {
        fn cut(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn what_is_held_is_cut_and_what_comes_later_too_but_not_what_was_let_go() {
        let leash = Leash::default();
        let [gone, held, late] = [0; 3].map(|_| Arc::new(AtomicU32::new(0)));
        let hold = |cuts: &Arc<AtomicU32>| leash.hold(Box::new(Cuts(Arc::clone(cuts))));
        drop(hold(&gone));
        let _held = hold(&held);
        leash.clone().cut();
        let _late = hold(&late);
        assert_eq!([gone, held, late].map(|cuts| cuts.load(Ordering::Relaxed)), [0, 1, 1]);
    }
}
