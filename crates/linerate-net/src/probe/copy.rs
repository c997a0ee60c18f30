//! What a copied byte costs.

use std::convert::Infallible;
use std::hint::black_box;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;

use super::{Probe, ProbeError, Sampler, failed, place};
use crate::observe::available_memory;

/// Two sizes whose times differ by their bytes alone; both fit the cache, and one socket buffer.
const SIZES: [usize; 2] = [8 << 10, 40 << 10];
/// Writes and reads in a sample.
const BATCH: u32 = 8;
/// What is copied within the application, in the cache.
const NEAR: usize = 32 << 10;
/// What a sample copies beyond the cache: a part of all that is walked through.
const FAR_STEP: usize = 4 << 20;
/// Where the last cache is unknown it is taken for this.
const USUAL_CACHE: u64 = 32 << 20;
/// The most that is walked through, and the share of the memory that is available.
const FAR_MOST: u64 = 256 << 20;
const FAR_SHARE: u64 = 8;

/// A byte into the kernel, and one out of it: what writing and reading 40 KiB of a Unix socket take
/// longer than 8 KiB. Buffers are part of it, as they are of TCP's.
pub(super) fn kernel(sampler: &Sampler<'_>) -> Result<[Probe; 2], ProbeError> {
    let what = failed("a copy into and out of the kernel");
    let (mut one, mut other) = UnixStream::pair().map_err(&what)?;
    let mut bytes = vec![0x5a_u8; SIZES[1]];
    let mut turn = |size: usize| -> io::Result<[f64; 2]> {
        let mut sums = [0.0; 2];
        for _ in 0..BATCH {
            sums[0] += sampler.nanoseconds(|| one.write_all(&bytes[..size]))?;
            sums[1] += sampler.nanoseconds(|| other.read_exact(&mut bytes[..size]))?;
        }
        Ok(sums)
    };
    let apart = (SIZES[1] - SIZES[0]) as f64 * f64::from(BATCH);
    let samples = sampler.sample(|| {
        let [small, large] = [turn(SIZES[0])?, turn(SIZES[1])?];
        Ok([0, 1].map(|way| (large[way] - small[way]) / apart))
    });
    let samples = samples.map_err(&what)?;
    let probe = |name, way: usize| Probe {
        name,
        unit: "ns/B",
        samples: samples.iter().map(|sample: &[f64; 2]| sample[way]).collect(),
    };
    Ok([probe("a byte written to a Unix socket", 0), probe("a byte read from a Unix socket", 1)])
}

/// A byte copied within the application, in the cache.
pub(super) fn near(sampler: &Sampler<'_>) -> Probe {
    let (from, mut to) = (vec![1_u8; NEAR], vec![0_u8; NEAR]);
    let samples = copies(sampler, NEAR * 8, || {
        (0..8).for_each(|_| black_box(&mut to[..]).copy_from_slice(black_box(&from)));
    });
    Probe { name: "a byte copied in the cache", unit: "ns/B", samples }
}

/// A byte copied within the application, beyond the last cache: a walk through twice its size.
pub(super) fn far(sampler: &Sampler<'_>) -> Probe {
    let cache = place::last_cache().unwrap_or(USUAL_CACHE);
    let available = available_memory().known().copied().unwrap_or(FAR_MOST);
    let most = FAR_MOST.min(available / FAR_SHARE);
    let steps = usize::try_from((2 * cache).min(most)).unwrap_or(0) / FAR_STEP;
    // Written once, so that every page is there.
    let (from, mut to) = (vec![1_u8; steps.max(1) * FAR_STEP], vec![2_u8; steps.max(1) * FAR_STEP]);
    let mut at = 0;
    let samples = copies(sampler, FAR_STEP, || {
        let part = at..at + FAR_STEP;
        black_box(&mut to[part.clone()]).copy_from_slice(black_box(&from[part]));
        at = (at + FAR_STEP) % from.len();
    });
    Probe { name: "a byte copied beyond the cache", unit: "ns/B", samples }
}

/// Samples of `copy`, which moves this many bytes. Unit: ns/B.
fn copies(sampler: &Sampler<'_>, bytes: usize, mut copy: impl FnMut()) -> Vec<f64> {
    let one = || {
        let time = sampler.nanoseconds(|| {
            copy();
            Ok::<_, Infallible>(())
        })?;
        Ok::<_, Infallible>(time / bytes as f64)
    };
    match sampler.sample(one) {
        Ok(samples) => samples,
        Err(never) => match never {},
    }
}
