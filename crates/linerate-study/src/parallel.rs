//! The same work on many things, several at a time; the results do not depend on how many.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// `work` on each item, this many at a time; the results in the order of the items.
///
/// # Errors
///
/// The first in that order. Items after one that failed are not begun.
pub fn map<T: Sync, R: Send, E: Send>(
    items: &[T],
    at_once: NonZeroUsize,
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let worker = || {
        let mut results = Vec::new();
        while !failed.load(Ordering::Relaxed) {
            let nth = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(nth) else { break };
            let result = work(item);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            results.push((nth, result));
        }
        results
    };
    let results: BTreeMap<usize, Result<R, E>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..at_once.get().min(items.len())).map(|_| scope.spawn(worker)).collect();
        let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
        joined.flat_map(|results| results.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    // What an item before a failed one gave is there: it was begun earlier.
    results.into_values().collect()
}

/// As many as this process may use processors.
pub fn processors() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: NonZeroUsize = NonZeroUsize::new(3).expect("it is not 0");

    #[test]
    fn results_keep_their_order() {
        let items: Vec<u32> = (0..100).collect();
        assert_eq!(map(&items, THREE, |it| Ok::<_, ()>(it * 2)), Ok((0..100).map(|it| it * 2).collect()));
        assert_eq!(map(&[], THREE, |it: &u32| Ok::<_, ()>(*it)), Ok(Vec::new()));
    }

    #[test]
    fn the_first_error_counts_and_ends_it() {
        let items: Vec<u32> = (0..1000).collect();
        let begun = AtomicUsize::new(0);
        let result = map(&items, THREE, |it| {
            begun.fetch_add(1, Ordering::Relaxed);
            if *it > 50 { Err(*it) } else { Ok(*it) }
        });
        assert_eq!(result, Err(51));
        // Each of the three may have begun one more than the one that failed first.
        assert!(begun.into_inner() <= 52 + 2);
    }
}
