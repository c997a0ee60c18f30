//! A single rank, which has nobody to talk to.

use super::{Comm, CommError};
use crate::units::{Span, Time};

/// The only rank, with any clock. It does not calculate for anybody: [`Comm::compute`] takes no time.
#[derive(Debug)]
pub struct Alone<F>(pub F);

impl<F: Fn() -> Time> Comm for Alone<F> {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn now(&self) -> Time {
        (self.0)()
    }

    async fn send_to(&mut self, to: usize, _: &[u8]) -> Result<(), CommError> {
        nobody(to)
    }

    async fn recv_from(&mut self, from: usize, _: &mut [u8]) -> Result<(), CommError> {
        nobody(from)
    }

    async fn sendrecv(&mut self, to: usize, _: &[u8], _: usize, _: &mut [u8]) -> Result<(), CommError> {
        nobody(to)
    }

    async fn compute(&mut self, _: Span) {}
}

const fn nobody(peer: usize) -> Result<(), CommError> {
    Err(CommError::NoSuchRank { peer, size: 1 })
}
