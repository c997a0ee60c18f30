//! Numbers as the bytes of messages: 64-bit floating point, little-endian.

use linerate_core::comm::collective::Combine;

/// Appends `values` to `bytes`.
pub fn append(bytes: &mut Vec<u8>, values: &[f64]) {
    let start = bytes.len();
    bytes.resize(start + 8 * values.len(), 0);
    write(&mut bytes[start..], values);
}

/// Writes `values` over `bytes`, which is as long; what does not fit is left out.
pub fn write(bytes: &mut [u8], values: &[f64]) {
    for (place, value) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(values) {
        *place = value.to_le_bytes();
    }
}

/// Reads `bytes` over `values`, which has room for as many; what does not fit is left out.
pub fn read(values: &mut [f64], bytes: &[u8]) {
    for (value, place) in values.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *value = f64::from_le_bytes(*place);
    }
}

/// All numbers of a message.
#[must_use]
pub fn all(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks::<8>().0.iter().map(|place| f64::from_le_bytes(*place)).collect()
}

/// The larger of two numbers, element by element. NaN counts as infinite, so that it is never lost.
#[derive(Clone, Copy, Debug)]
pub struct LargestOfDoubles;

impl Combine for LargestOfDoubles {
    const ELEMENT: usize = 8;

    fn combine(&self, into: &mut [u8], other: &[u8]) {
        let known = |bytes: [u8; 8]| Some(f64::from_le_bytes(bytes)).filter(|value| !value.is_nan());
        for (largest, more) in into.as_chunks_mut::<8>().0.iter_mut().zip(other.as_chunks::<8>().0) {
            let [one, two] = [*largest, *more].map(|bytes| known(bytes).unwrap_or(f64::INFINITY));
            *largest = one.max(two).to_le_bytes();
        }
    }
}
