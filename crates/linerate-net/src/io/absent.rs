//! The engines of Linux, elsewhere: none of them opens, so that none is ever called.

use std::convert::Infallible;
use std::os::fd::BorrowedFd;

use linerate_core::units::Span;
use rustix::io::Errno;

use crate::wait::{Arrival, Handling, Interest, Wait};

/// What is never there.
#[derive(Debug)]
pub(super) struct Absent(Infallible);

type Moved = Result<usize, Errno>;

impl Absent {
    pub(super) fn push(&mut self, _: BorrowedFd<'_>, _: &[u8], _: Wait, _held: bool) -> Moved {
        match self.0 {}
    }

    pub(super) fn take(
        &mut self,
        _: BorrowedFd<'_>,
        _: &mut [u8],
        _: Wait,
        _: Handling,
    ) -> Result<Arrival, Errno> {
        match self.0 {}
    }

    pub(super) fn discard(&mut self, _: BorrowedFd<'_>, _len: usize, _: Wait) -> Moved {
        match self.0 {}
    }

    pub(super) fn ready(&mut self, _: BorrowedFd<'_>, _: Interest, _: Span) -> Result<bool, Errno> {
        match self.0 {}
    }

    pub(super) fn forget(&mut self) -> Result<(), Errno> {
        match self.0 {}
    }

    pub(super) fn reap(&mut self, _: BorrowedFd<'_>) -> Result<(), Errno> {
        match self.0 {}
    }

    pub(super) fn settle(&mut self, _: BorrowedFd<'_>, _: Wait) -> Result<(), Errno> {
        match self.0 {}
    }

    pub(super) fn counts(&self) -> [u64; 2] {
        match self.0 {}
    }

    pub(super) fn discarded(&self) -> u64 {
        match self.0 {}
    }

    pub(super) fn mapped(&self) -> u64 {
        match self.0 {}
    }
}

/// A ring whose messages are held.
#[derive(Debug)]
pub(super) struct HeldRing(Infallible);

impl HeldRing {
    pub(super) fn send(&mut self, _: BorrowedFd<'_>, _: &[u8], _: Wait, _held: bool) -> Moved {
        match self.0 {}
    }

    pub(super) fn settle(&mut self, _: Wait) -> Result<(), Errno> {
        match self.0 {}
    }

    pub(super) fn counts(&self) -> [u64; 2] {
        match self.0 {}
    }
}

/// Any other ring.
#[derive(Debug)]
pub(super) struct Ring(Infallible);

impl Ring {
    pub(super) fn send(&mut self, _: BorrowedFd<'_>, _: &[u8], _: Wait) -> Moved {
        match self.0 {}
    }

    pub(super) fn write(&mut self, _: BorrowedFd<'_>, _: &[u8], _: Wait) -> Moved {
        match self.0 {}
    }

    pub(super) fn recv(&mut self, _: BorrowedFd<'_>, _: &mut [u8], _: Wait) -> Moved {
        match self.0 {}
    }

    pub(super) fn read(&mut self, _: BorrowedFd<'_>, _: &mut [u8], _: Wait) -> Moved {
        match self.0 {}
    }

    pub(super) fn register(&mut self, _: &[u8]) -> Result<(), Errno> {
        match self.0 {}
    }

    pub(super) fn unregister(&mut self) -> Result<(), Errno> {
        match self.0 {}
    }
}

pub(super) mod sendfile {
    pub(in crate::io) use super::Absent as Sendfile;
}

pub(super) mod splice {
    pub(in crate::io) use super::Absent as Outward;
    pub(in crate::io) use super::Absent as Inward;
}

pub(super) mod zerocopy {
    pub(in crate::io) use super::Absent as Zerocopy;
}

pub(super) mod mapped {
    pub(in crate::io) use super::Absent as Mapped;
}

pub(super) mod uring {
    pub(in crate::io) use super::Absent as Multishot;
    pub(in crate::io) use super::HeldRing as Zerocopy;
    pub(in crate::io) use super::Ring as Plain;
    pub(in crate::io) use super::Ring as Fixed;
}
