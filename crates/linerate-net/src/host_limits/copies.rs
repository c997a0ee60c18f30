//! What copies and checksums cost, by size.

use std::convert::Infallible;
use std::hint::black_box;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use linerate_core::environment::Fact;
use linerate_core::host_limits::CopyCost;
use linerate_core::stats::{Estimate, median_interval};
use linerate_core::units::Span;

use super::context::Context;
use crate::probe::{Sampler, checksum};

/// Smallest and largest size. Unit: bytes.
const SMALLEST: usize = 64;
const LARGEST: usize = 1 << 20;
/// What is written before it is read: a socket's buffer takes it at once on every host, and so a write never waits for
/// the reader, which is the same thread. Larger sizes go in pieces of this. Unit: bytes.
const PIECE: usize = 64 << 10;
/// Small sizes are copied so often in a sample that reading the clock does not count: until this is moved, and at most so
/// often. Unit: bytes.
const MOVED: usize = 16 << 10;
const MOST_AT_ONCE: usize = 32;
/// A socket that takes nothing for so long never will.
const STUCK: Duration = Duration::from_secs(1);

/// What each size costs, which takes about `time`; unknown if the system refuses.
pub(super) fn all(context: &mut Context<'_>, time: Span) -> Fact<Vec<CopyCost>> {
    let sizes = sizes(context.asked.quick);
    let sampler = context.sampler(time / (3 * sizes.len()) as u64);
    let mut found = Vec::new();
    for bytes in sizes {
        match cost(&sampler, bytes) {
            Ok(Some(cost)) => found.push(cost),
            Ok(None) => {}
            Err(error) => return Fact::unknown(format!("a Unix socket refuses {bytes} bytes: {error}")),
        }
        if context.is_ended() {
            break;
        }
    }
    Fact::Known(found)
}

/// Powers of two; of four in a quick measurement.
fn sizes(quick: bool) -> Vec<usize> {
    let factor = if quick { 4 } else { 2 };
    std::iter::successors(Some(SMALLEST), |bytes| Some(bytes * factor))
        .take_while(|bytes| *bytes <= LARGEST)
        .collect()
}

fn cost(sampler: &Sampler<'_>, bytes: usize) -> io::Result<Option<CopyCost>> {
    let (from, mut to) = (vec![0x5a_u8; bytes], vec![0_u8; bytes]);
    let within = repeated(sampler, bytes, || black_box(&mut to[..]).copy_from_slice(black_box(&from)));
    let checksum_ns = repeated(sampler, bytes, || {
        black_box(checksum::sum(black_box(&from)));
    });
    let [into, out] = kernel(sampler, bytes)?;
    let of = |samples: &[f64]| median_interval(samples);
    let whole = |[within, into, out, sum]: [Option<Estimate>; 4]| {
        Some(CopyCost {
            bytes: bytes as u64,
            within_ns: within?,
            into_kernel_ns: into?,
            out_of_kernel_ns: out?,
            checksum_ns: sum?,
        })
    };
    Ok(whole([of(&within), of(&into), of(&out), of(&checksum_ns)]))
}

/// How often a size is moved in a sample.
fn times(bytes: usize) -> usize {
    (MOVED / bytes).clamp(1, MOST_AT_ONCE)
}

/// Nanoseconds that `work` takes, sample by sample.
fn repeated(sampler: &Sampler<'_>, bytes: usize, mut work: impl FnMut()) -> Vec<f64> {
    let times = times(bytes);
    let samples = sampler.sample(|| {
        let all = sampler.nanoseconds(|| {
            (0..times).for_each(|_| work());
            Ok::<_, Infallible>(())
        })?;
        Ok::<_, Infallible>(all / times as f64)
    });
    match samples {
        Ok(samples) => samples,
        Err(never) => match never {},
    }
}

/// Nanoseconds to write `bytes` into a Unix socket, and to read them from it, sample by sample, calls included.
fn kernel(sampler: &Sampler<'_>, bytes: usize) -> io::Result<[Vec<f64>; 2]> {
    let (mut one, mut other) = UnixStream::pair()?;
    one.set_write_timeout(Some(STUCK))?;
    other.set_read_timeout(Some(STUCK))?;
    let mut memory = vec![0x5a_u8; bytes];
    let times = times(bytes);
    let samples = sampler.sample(|| {
        let mut sums = [0.0; 2];
        for piece in memory.chunks_mut(PIECE) {
            sums[0] += sampler.nanoseconds(|| (0..times).try_for_each(|_| one.write_all(piece)))?;
            sums[1] += sampler.nanoseconds(|| (0..times).try_for_each(|_| other.read_exact(piece)))?;
        }
        Ok::<_, io::Error>(sums.map(|sum| sum / times as f64))
    })?;
    Ok([0, 1].map(|way| samples.iter().map(|sample| sample[way]).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::HostClock;

    #[test]
    fn sizes_are_powers_from_the_smallest_to_the_largest() {
        assert_eq!(sizes(true), [64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20]);
        assert_eq!((sizes(false).len(), sizes(false).last()), (15, Some(&LARGEST)));
    }

    #[test]
    fn what_is_written_fits_a_socket_before_it_is_read() {
        for bytes in sizes(false) {
            assert!(times(bytes) * bytes.min(PIECE) <= PIECE, "{bytes}");
        }
    }

    /// The largest goes in pieces; none waits for itself.
    #[test]
    fn the_smallest_and_the_largest_are_measured() {
        let clock = HostClock::start();
        let sampler = Sampler { clock: &clock, time: Span::from_ms(1) };
        for bytes in [SMALLEST, LARGEST] {
            let cost = cost(&sampler, bytes).expect("a Unix socket").expect("samples");
            let times = [cost.within_ns, cost.into_kernel_ns, cost.out_of_kernel_ns, cost.checksum_ns];
            assert!(cost.bytes == bytes as u64 && times.iter().all(|time| time.median > 0.0), "{cost:?}");
        }
    }
}
