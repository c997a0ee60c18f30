//! The three arrays: how large they are, and their memory.

use linerate_core::host_limits::LimitCaution;

use crate::observe::available_memory;

/// An element. Unit: bytes.
pub(super) const ELEMENT: u64 = 8;
/// Each array has at least so many times all last caches. Source: STREAM 5.10, `stream.c`, instructions 1a.
const OF_CACHES: u64 = 4;
/// All arrays together take at most this part of the memory that is available.
const OF_AVAILABLE: u64 = 4;
/// Last caches that are not known are taken for this. Unit: bytes.
const USUAL_CACHES: u64 = 32 << 20;
/// An array is never smaller. Unit: bytes.
const SMALLEST: u64 = 64 << 10;

/// The three arrays.
pub(super) struct Arrays {
    pub(super) a: Vec<f64>,
    pub(super) b: Vec<f64>,
    pub(super) c: Vec<f64>,
}

impl Arrays {
    /// Arrays that nobody has touched: the first who writes decides on which memory node they are. Absent if the
    /// system does not give the memory.
    pub(super) fn untouched(elements: usize) -> Option<Self> {
        // What follows would end the process.
        Vec::<f64>::new().try_reserve_exact(elements.checked_mul(3)?).ok()?;
        let array = || vec![0.0; elements];
        Some(Self { a: array(), b: array(), c: array() })
    }
}

/// How large each array is. Unit: bytes. With a caution where that is smaller than it should be.
pub(super) fn array_bytes(last_caches: Option<u64>, time_allows: u64) -> (u64, Option<LimitCaution>) {
    choose(last_caches.unwrap_or(USUAL_CACHES), available_memory().known().copied(), time_allows)
}

fn choose(last_caches: u64, available: Option<u64>, time_allows: u64) -> (u64, Option<LimitCaution>) {
    let wanted_bytes = last_caches.saturating_mul(OF_CACHES).max(SMALLEST);
    let memory_allows = available.map_or(u64::MAX, |bytes| bytes / OF_AVAILABLE / 3);
    let array_bytes = wanted_bytes.min(memory_allows).min(time_allows).max(SMALLEST) / ELEMENT * ELEMENT;
    let because = if time_allows < memory_allows {
        "the time allows no more"
    } else {
        "that would take more than a quarter of the available memory"
    };
    let caution = LimitCaution::SmallArrays { array_bytes, wanted_bytes, because: because.to_owned() };
    (array_bytes, (array_bytes < wanted_bytes).then_some(caution))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_four_times_the_caches_unless_memory_or_time_forbid() {
        let mib = 1 << 20;
        assert_eq!(choose(32 * mib, Some(8192 * mib), u64::MAX), (128 * mib, None));
        assert_eq!(choose(32 * mib, None, u64::MAX), (128 * mib, None));
        let small = |array_bytes, because: &str| {
            let because = because.to_owned();
            (array_bytes, Some(LimitCaution::SmallArrays { array_bytes, wanted_bytes: 128 * mib, because }))
        };
        let memory = "that would take more than a quarter of the available memory";
        assert_eq!(choose(32 * mib, Some(768 * mib), u64::MAX), small(64 * mib, memory));
        assert_eq!(choose(32 * mib, Some(8192 * mib), 16 * mib), small(16 * mib, "the time allows no more"));
        assert_eq!(choose(32 * mib, Some(0), u64::MAX), small(SMALLEST, memory), "never nothing");
        assert_eq!(choose(0, None, u64::MAX), (SMALLEST, None));
    }

    #[test]
    fn memory_that_nobody_has_is_refused_and_not_fatal() {
        assert!(Arrays::untouched(usize::MAX / 16).is_none());
        assert!(Arrays::untouched(1_000).is_some_and(|arrays| arrays.c.len() == 1_000));
    }
}
