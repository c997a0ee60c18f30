//! Which processors the flows of requests get.

use std::thread::{Scope, ScopedJoinHandle};

use crate::observe::usable_cpus;
use crate::traffic::threads::{nth, start_on};

/// The processors that threads of requests are pinned to, in the order in which they get them: from
/// `first` on, as bulk flows. Beside bulk it is the other way round, from the one before `first`
/// down, so that requests and bulk share a processor only where there are not enough. None while
/// others use them, so that they are not `free`.
pub(crate) fn places(first: Option<u32>, beside_bulk: bool, free: bool) -> Vec<u32> {
    if !free {
        return Vec::new();
    }
    let cpus = usable_cpus().unwrap_or_default();
    order(cpus, first, beside_bulk)
}

fn order(mut cpus: Vec<u32>, first: Option<u32>, beside_bulk: bool) -> Vec<u32> {
    let place = first.and_then(|first| cpus.iter().position(|cpu| *cpu == first));
    cpus.rotate_left(place.unwrap_or(0));
    if beside_bulk {
        cpus.reverse();
    }
    cpus
}

/// Starts a thread for the flow of this number, on its processor.
pub(super) fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    cpus: &[u32],
    flow: u32,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, String> {
    start_on(scope, format!("rr {flow}"), nth(cpus, flow as usize), work)
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn requests_beside_bulk_begin_at_the_other_end() {
        let cpus = || vec![0, 1, 2, 3];
        assert_eq!(order(cpus(), None, false), [0, 1, 2, 3]);
        assert_eq!(order(cpus(), Some(2), false), [2, 3, 0, 1]);
        assert_eq!(order(cpus(), None, true), [3, 2, 1, 0]);
        assert_eq!(order(cpus(), Some(2), true), [1, 0, 3, 2]);
        assert_eq!(order(cpus(), Some(9), false), [0, 1, 2, 3], "one that it may not use");
    }
}
