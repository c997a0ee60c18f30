//! What a checksum costs.

use std::convert::Infallible;
use std::hint::black_box;

use super::{Probe, Sampler};

/// The payload of a usual segment. Unit: bytes.
const SEGMENT: usize = 1448;
/// Sums in a sample.
const BATCH: u32 = 64;

/// A byte of the internet checksum over a segment in the cache.
pub(super) fn checksum(sampler: &Sampler<'_>) -> Probe {
    let segment = vec![0xa5_u8; SEGMENT];
    let one = || {
        let time = sampler.nanoseconds(|| {
            (0..BATCH).for_each(|_| {
                black_box(sum(black_box(&segment)));
            });
            Ok::<_, Infallible>(())
        })?;
        Ok::<_, Infallible>(time / (SEGMENT as f64 * f64::from(BATCH)))
    };
    let samples = match sampler.sample(one) {
        Ok(samples) => samples,
        Err(never) => match never {},
    };
    Probe { name: "a byte of a one's complement sum", unit: "ns/B", samples }
}

/// The 16-bit one's complement sum, taken four bytes at a time as RFC 1071, section 2, allows.
pub(crate) fn sum(bytes: &[u8]) -> u16 {
    let mut words = bytes.chunks_exact(4);
    let mut sum: u64 = words.by_ref().map(|word| u64::from(number(word))).sum();
    // The rest is padded with zeros at its end.
    let mut last = [0; 4];
    last[..words.remainder().len()].copy_from_slice(words.remainder());
    sum += u64::from(u32::from_be_bytes(last));
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    u16::try_from(sum).unwrap_or(u16::MAX)
}

fn number(word: &[u8]) -> u32 {
    word.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 1071, section 3: 00 01 f2 03 f4 f5 f6 f7 sums to ddf2.
    #[test]
    fn it_is_the_internet_checksum() {
        assert_eq!(sum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), 0xddf2);
        assert_eq!(sum(&[0x00, 0x01, 0xf2]), 0xf201, "an odd byte is the high one");
        assert_eq!(sum(&[]), 0);
    }
}
