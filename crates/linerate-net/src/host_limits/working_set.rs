//! One thread on working sets from the first cache to beyond the last.

use std::convert::Infallible;
use std::hint::black_box;

use linerate_core::host_limits::WorkingSet;
use linerate_core::stats::{Estimate, median_interval};
use linerate_core::units::Span;

use super::arrays::{Arrays, ELEMENT};
use super::context::Context;
use super::kernels::{Part, copy, triad};
use crate::probe::Sampler;

/// The smallest working set. Unit: bytes.
const SMALLEST: u64 = 4 << 10;
/// A sample goes through the working set until it has moved this much: reading the clock does not count. Unit: bytes.
const LEAST_MOVED: u64 = 256 << 10;

/// The rates by working set up to `largest` bytes, which takes about `time`. Those that were measured when the user ended
/// it.
pub(super) fn all(context: &mut Context<'_>, time: Span, largest: u64) -> Vec<WorkingSet> {
    let sizes = sizes(largest, context.asked.quick);
    let elements = usize::try_from(largest / ELEMENT / 2).unwrap_or(0);
    let Some(mut arrays) = Arrays::untouched(elements) else { return Vec::new() };
    let Arrays { a, b, c } = &mut arrays;
    Part { a: &mut *a, b: &mut *b, c: &mut *c }.touch();
    let sampler = context.sampler(time / (2 * sizes.len().max(1)) as u64);
    let mut found = Vec::new();
    for bytes in sizes {
        let [of_copy, of_triad] = [2, 3].map(|arrays| usize::try_from(bytes / ELEMENT / arrays).unwrap_or(0));
        let copied = rate(&sampler, of_copy as u64 * 2 * ELEMENT, || {
            copy(black_box(&mut c[..of_copy]), black_box(&a[..of_copy]));
        });
        let added = rate(&sampler, of_triad as u64 * 3 * ELEMENT, || {
            triad(black_box(&mut a[..of_triad]), black_box(&b[..of_triad]), black_box(&c[..of_triad]));
        });
        if let (Some(copy_bytes_per_second), Some(triad_bytes_per_second)) = (copied, added) {
            found.push(WorkingSet { bytes, copy_bytes_per_second, triad_bytes_per_second });
        }
        if context.is_ended() {
            break;
        }
    }
    found
}

/// The rate of a loop that moves this many bytes.
fn rate(sampler: &Sampler<'_>, bytes: u64, mut run: impl FnMut()) -> Option<Estimate> {
    let times = LEAST_MOVED.div_ceil(bytes.max(1));
    let samples = sampler.sample(|| {
        sampler.nanoseconds(|| {
            (0..times).for_each(|_| run());
            Ok::<_, Infallible>(())
        })
    });
    let samples = match samples {
        Ok(samples) => samples,
        Err(never) => match never {},
    };
    let moved = (bytes * times) as f64;
    let rates: Vec<f64> = samples.into_iter().filter(|ns| *ns > 0.0).map(|ns| moved / ns * 1e9).collect();
    median_interval(&rates)
}

/// Two a doubling from 4 KiB to `largest`, which is the last; one a doubling in a quick measurement.
fn sizes(largest: u64, quick: bool) -> Vec<u64> {
    let powers = std::iter::successors(Some(SMALLEST), |bytes| bytes.checked_mul(2));
    let within = powers.take_while(|bytes| *bytes <= largest);
    let mut sizes: Vec<u64> =
        within.flat_map(|bytes| [bytes, bytes / 2 * 3]).filter(|bytes| *bytes <= largest).collect();
    if quick {
        sizes.retain(|bytes| bytes.is_power_of_two());
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_ends_and_even_distances() {
        assert_eq!(sizes(16 << 10, false), [4096, 6144, 8192, 12288, 16384]);
        assert_eq!(sizes(16 << 10, true), [4096, 8192, 16384]);
        assert_eq!(sizes(128 << 20, false).len(), 31, "fifteen doublings");
        assert_eq!(sizes(1 << 10, false), [0; 0]);
    }
}
