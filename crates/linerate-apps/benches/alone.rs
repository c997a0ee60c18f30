//! The only rank of an application, with the clock of the wall.

use std::time::Instant;

use linerate_core::comm::{Comm, CommError};
use linerate_core::units::{Span, Time};

pub(crate) struct Alone {
    zero: Instant,
}

impl Alone {
    pub(crate) fn new() -> Self {
        Self { zero: Instant::now() }
    }
}

fn nobody(peer: usize) -> CommError {
    CommError::NoSuchRank { peer, size: 1 }
}

impl Comm for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn now(&self) -> Time {
        Time::ZERO + Span::from(self.zero.elapsed())
    }

    async fn send_to(&mut self, to: usize, _: &[u8]) -> Result<(), CommError> {
        Err(nobody(to))
    }

    async fn recv_from(&mut self, from: usize, _: &mut [u8]) -> Result<(), CommError> {
        Err(nobody(from))
    }

    async fn sendrecv(&mut self, to: usize, _: &[u8], _: usize, _: &mut [u8]) -> Result<(), CommError> {
        Err(nobody(to))
    }

    async fn compute(&mut self, _: Span) {}
}
