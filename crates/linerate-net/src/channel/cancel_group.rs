//! Channels that come and go on some threads, and that another thread can cancel together.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ChannelHandle;

/// The currently open channels, of the many that one load makes. Clones are the same group.
#[derive(Clone, Debug, Default)]
pub struct CancelGroup(Arc<Group>);

#[derive(Debug, Default)]
struct Group {
    /// Read without the lock, for those who compute between two messages.
    cut: AtomicBool,
    held: Mutex<Held>,
}

/// A channel that is in a group until this is dropped.
#[derive(Debug)]
#[must_use]
pub struct Registration {
    cancel: CancelGroup,
    number: u64,
}

#[derive(Debug, Default)]
struct Held {
    next: u64,
    remotes: BTreeMap<u64, Box<dyn ChannelHandle>>,
}

impl CancelGroup {
    /// Adds `channel` to the group. If the group was cancelled already, cancels it at once.
    pub fn register(&self, channel: Box<dyn ChannelHandle>) -> Registration {
        let mut held = self.lock();
        if self.is_cut() {
            channel.cut();
        }
        let number = held.next;
        held.next += 1;
        held.remotes.insert(number, channel);
        drop(held);
        Registration { cancel: self.clone(), number }
    }

    /// Whether it was cancelled: who computes for it ends that too.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.0.cut.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChannelHandle for CancelGroup {
    /// Cancels every channel in the group, and every one that joins later.
    fn cut(&self) {
        let held = self.lock();
        self.0.cut.store(true, Ordering::Relaxed);
        held.remotes.values().for_each(|channel| channel.cut());
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let let_go = self.cancel.lock().remotes.remove(&self.number);
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

    impl ChannelHandle for Cuts {
        fn cut(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn what_is_held_is_cut_and_what_comes_later_too_but_not_what_was_let_go() {
        let cancel = CancelGroup::default();
        let [gone, held, late] = [0; 3].map(|_| Arc::new(AtomicU32::new(0)));
        let register = |cuts: &Arc<AtomicU32>| cancel.register(Box::new(Cuts(Arc::clone(cuts))));
        drop(register(&gone));
        let _held = register(&held);
        cancel.clone().cut();
        let _late = register(&late);
        assert_eq!([gone, held, late].map(|cuts| cuts.load(Ordering::Relaxed)), [0, 1, 1]);
    }
}
