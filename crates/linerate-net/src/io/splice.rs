//! Out: `vmsplice` into a pipe and `splice` from there to the socket. In: `splice` from the socket
//! to a pipe and from there to `/dev/null`.
//!
//! `vmsplice` (without `SPLICE_F_GIFT`) puts the application's own pages into the pipe, and the
//! socket sends them from there without a copy. The kernel never says when it has done with them,
//! so loose bytes are copied into the pipe by `write` instead. What arrives goes through the pipe
//! as the pages in which it arrived, and is nowhere afterwards.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use linerate_core::units::Span;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::pipe::SpliceFlags;

use super::calls;
use crate::sys::vmsplice::{Mouth, pipe};
use crate::wait::{Interest, Wait, poll, retry};

const PAGE: usize = 4096;
/// Capacity asked for, the most that a user without privilege may have unless the administrator
/// changed it. Unit: bytes.  Source: pipe(7), /proc/sys/fs/pipe-max-size.
const CAPACITY: usize = 1 << 20;

/// A pipe that is empty between two calls.
#[derive(Debug)]
struct Pipe {
    read: OwnedFd,
    write: Mouth,
    capacity: usize,
    /// Bytes that stuck in it when the socket failed: nothing can follow them.
    stuck: usize,
}

impl Pipe {
    fn open() -> Result<Self, Errno> {
        let (read, write) = pipe()?;
        // A smaller one works as well.
        rustix::pipe::fcntl_setpipe_size(&write, CAPACITY).unwrap_or_default();
        let capacity = rustix::pipe::fcntl_getpipe_size(&write)?;
        Ok(Self { read, write, capacity, stuck: 0 })
    }

    /// Moves the `bytes` in the pipe on.
    fn empty(&mut self, to: BorrowedFd<'_>, bytes: usize) -> Result<(), Errno> {
        self.stuck = bytes;
        while self.stuck > 0 {
            let (left, flags) = (self.stuck, SpliceFlags::MOVE);
            self.stuck -= retry(|| rustix::pipe::splice(&self.read, None, to, None, left, flags))?;
        }
        Ok(())
    }
}

/// From memory to the socket.
#[derive(Debug)]
pub(super) struct Outward(Pipe);

impl Outward {
    pub(super) fn open() -> Result<Self, Errno> {
        Pipe::open().map(Self)
    }

    pub(super) fn push(
        &mut self,
        socket: BorrowedFd<'_>,
        data: &[u8],
        wait: Wait,
        held: bool,
    ) -> Result<usize, Errno> {
        if self.0.stuck > 0 {
            return Err(Errno::PIPE);
        }
        if wait == Wait::Never {
            return retry(|| calls::send(socket, data, wait));
        }
        // Data that begins within a page needs one page more.
        let most = self.0.capacity.saturating_sub(PAGE).max(1);
        let data = &data[..data.len().min(most)];
        let pipe = &self.0.write;
        let bytes = retry(|| if held { pipe.vmsplice(data) } else { rustix::io::write(pipe, data) })?;
        self.0.empty(socket, bytes)?;
        Ok(bytes)
    }
}

/// From the socket to nowhere.
#[derive(Debug)]
pub(super) struct Inward {
    pipe: Pipe,
    nowhere: OwnedFd,
    discarded: u64,
}

impl Inward {
    pub(super) fn open() -> Result<Self, Errno> {
        let nowhere = rustix::fs::open(c"/dev/null", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { pipe: Pipe::open()?, nowhere, discarded: 0 })
    }

    /// Discards at most `most` bytes.
    pub(super) fn discard(
        &mut self,
        socket: BorrowedFd<'_>,
        most: usize,
        wait: Wait,
    ) -> Result<usize, Errno> {
        // `splice` from a TCP socket heeds no flag that it should not wait.
        if wait == Wait::Never && !poll(socket, Interest::Receive, Span::ZERO)? {
            return Err(Errno::AGAIN);
        }
        let (most, flags) = (most.min(self.pipe.capacity), SpliceFlags::MOVE);
        let bytes = retry(|| rustix::pipe::splice(socket, None, &self.pipe.write, None, most, flags))?;
        self.pipe.empty(self.nowhere.as_fd(), bytes)?;
        self.discarded += bytes as u64;
        Ok(bytes)
    }

    pub(super) const fn discarded(&self) -> u64 {
        self.discarded
    }
}
