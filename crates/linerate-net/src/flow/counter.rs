//! A count that one thread writes and another reads.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that one flow has moved at one end. Only its own thread adds, so that adding is a plain
/// store; the sampler reads.
///
/// Aligned so that no two counters share a cache line, nor the pair of lines that x86-64
/// prefetches together.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Counter(AtomicU64);

impl Counter {
    /// Stores the flow's total.
    #[inline]
    pub fn store(&self, total: u64) {
        self.0.store(total, Ordering::Relaxed);
    }

    /// The flow's total so far.
    #[must_use]
    pub fn load(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
