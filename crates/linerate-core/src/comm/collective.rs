//! What many ranks do together, as messages between two of them.
//!
//! Every rank calls the same function with buffers of the same lengths. Sources of the algorithms: Thakur, Rabenseifner
//! and Gropp 2005; Bruck et al. 1997. None needs a buffer in the network: whoever sends and receives at once says so.

mod allgather;
mod allreduce;
mod alltoall;
mod barrier;
mod broadcast;
mod reduce_scatter;
mod tree;

use std::ops::Range;

pub use self::allgather::allgather;
pub use self::allreduce::allreduce;
pub use self::alltoall::alltoall;
pub use self::barrier::barrier;
pub use self::broadcast::broadcast;
pub use self::reduce_scatter::reduce_scatter;
pub use self::tree::{gather, reduce, scatter};
use super::{Comm, CommError};

/// How vectors of elements are combined, such as by a sum. It must not matter who is first.
pub trait Combine {
    /// The bytes of an element: a vector is never cut inside one.
    const ELEMENT: usize;

    /// Puts `other` into `into`, element by element; both have the same length.
    fn combine(&self, into: &mut [u8], other: &[u8]);
}

/// The sum of 64-bit floating-point numbers, little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SumOfDoubles;

impl Combine for SumOfDoubles {
    const ELEMENT: usize = 8;

    fn combine(&self, into: &mut [u8], other: &[u8]) {
        let (into, _) = into.as_chunks_mut::<8>();
        let (other, _) = other.as_chunks::<8>();
        for (sum, more) in into.iter_mut().zip(other) {
            *sum = (f64::from_le_bytes(*sum) + f64::from_le_bytes(*more)).to_le_bytes();
        }
    }
}

/// The part of `length` bytes that is `index` of `parts`: cut between elements, the first ones longer by at most one.
fn part(length: usize, element: usize, parts: usize, index: usize) -> Range<usize> {
    let elements = length / element;
    let (each, more) = (elements / parts, elements % parts);
    let start = |index: usize| (index * each + index.min(more)) * element;
    // What is no whole element goes with the last part.
    let end = if index + 1 == parts { length } else { start(index + 1) };
    start(index)..end
}

/// The parts from `first` up to, not with, `end`: they lie side by side.
fn parts_between(length: usize, element: usize, parts: usize, first: usize, end: usize) -> Range<usize> {
    if first >= end {
        return 0..0;
    }
    part(length, element, parts, first).start..part(length, element, parts, end - 1).end
}

fn needs(collective: &'static str, size: usize, found: usize, needed: usize) -> Result<(), CommError> {
    if found == needed { Ok(()) } else { Err(CommError::Buffer { collective, size, found, needed }) }
}

fn takes_power_of_two(algorithm: &'static str, size: usize) -> Result<(), CommError> {
    if size.is_power_of_two() { Ok(()) } else { Err(CommError::PowerOfTwo { algorithm, size }) }
}

/// The ranks at each side of this one in a ring: left, right.
fn neighbours(comm: &impl Comm) -> [usize; 2] {
    let (rank, size) = (comm.rank(), comm.size());
    [(rank + size - 1) % size, (rank + 1) % size]
}

/// Two ranges of one buffer that do not overlap: what is sent of it, and what is received into it.
fn apart(data: &mut [u8], out: Range<usize>, into: Range<usize>) -> (&[u8], &mut [u8]) {
    if out.is_empty() {
        return (&[], &mut data[into]);
    }
    if out.end <= into.start {
        let (low, high) = data.split_at_mut(into.start);
        return (&low[out], &mut high[..into.end - into.start]);
    }
    let (low, high) = data.split_at_mut(out.start);
    (&high[..out.end - out.start], &mut low[into])
}
