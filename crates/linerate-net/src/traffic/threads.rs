//! Threads of flows, each pinned to a processor.

use std::thread::{Builder, Scope, ScopedJoinHandle};

use crate::observe::pin_to;

/// The processor of the thread with this number, as they go round.
pub(super) fn nth(cpus: &[u32], number: usize) -> Option<u32> {
    cpus.get(number.checked_rem(cpus.len())?).copied()
}

/// Starts a thread on `cpu`, or anywhere.
pub(super) fn start_on<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: String,
    cpu: Option<u32>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, String> {
    let tied = move || {
        if let Some(cpu) = cpu {
            // A thread that cannot be pinned runs on any processor.
            pin_to(cpu).unwrap_or(());
        }
        work()
    };
    let spawned = Builder::new().name(name).spawn_scoped(scope, tied);
    spawned.map_err(|error| format!("no thread could be started for it: {error}"))
}
