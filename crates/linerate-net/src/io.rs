//! I/O engines: which system calls move the bytes of a connected stream socket.
//!
//! An engine is one file below here or, where it needs `unsafe`, below `sys`, and one arm in each
//! `match` of this file: timed code does not use dynamic dispatch.
//!
//! **Held and loose bytes.** Some engines give the kernel the application's own pages instead of a
//! copy, and the kernel reads them after the call has returned. That is right only for bytes that
//! stay as they are. [`Engine::hold`] says so of a trial's or a flow's messages: until
//! [`Engine::release`], a byte that was pushed from there keeps its value until the peer has it.
//! Bytes from anywhere else are loose, and every engine copies those, in the way its file says.
//!
//! **Calls that must not wait.** `write`, `sendfile`, `splice` and `io_uring`'s fixed writes know
//! no flag for one call that must not wait; such a call is `send` or `recv` with `MSG_DONTWAIT`.

#[cfg(not(on_linux))]
mod absent;
mod calls;
#[cfg(on_linux)]
mod mapped;
mod open;
#[cfg(on_linux)]
mod sendfile;
#[cfg(on_linux)]
mod splice;
#[cfg(on_linux)]
mod zerocopy;

use std::ops::Range;
use std::os::fd::BorrowedFd;

use linerate_core::options::Io;
use linerate_core::traffic::IoReport;
use linerate_core::units::Span;
use rustix::io::Errno;

#[cfg(on_linux)]
use crate::sys::uring;
use crate::wait::{Arrival, Handling, Interest, Wait, poll, retry};

#[cfg(not(on_linux))]
use absent::{mapped, sendfile, splice, uring, zerocopy};

/// An engine that is not available here. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
#[error("use the I/O engine {io}: {reason}")]
pub struct EngineError {
    /// What was asked.
    pub io: Io,
    /// What is missing, and what to do.
    pub reason: String,
}

/// Both directions of one socket.
#[derive(Debug)]
pub struct Engine {
    out: Out,
    into: In,
    /// Addresses of the messages that stay as they are while they are on their way.
    held: Range<usize>,
}

/// How bytes leave.
#[derive(Debug)]
enum Out {
    Write,
    Send,
    Sendmsg,
    Sendfile(sendfile::Sendfile),
    Splice(splice::Outward),
    Zerocopy(zerocopy::Zerocopy),
    Uring(Box<uring::Plain>),
    UringFixed(Box<uring::Fixed>),
    UringZerocopy(Box<uring::Zerocopy>),
}

/// How bytes arrive.
#[derive(Debug)]
enum In {
    Read,
    Recv,
    Recvmsg,
    Splice(splice::Inward),
    Truncate { discarded: u64 },
    Mapped(mapped::Mapped),
    Uring(Box<uring::Plain>),
    UringFixed(Box<uring::Fixed>),
    UringMultishot(Box<uring::Multishot>),
}

impl Engine {
    /// Sends the beginning of `data`; returns how many bytes. 0 only without data.
    ///
    /// # Errors
    ///
    /// `EAGAIN` when no byte moved: for the socket's patience, or at all with [`Wait::Never`].
    #[inline]
    pub fn push(&mut self, socket: BorrowedFd<'_>, data: &[u8], wait: Wait) -> Result<usize, Errno> {
        match &mut self.out {
            Out::Write => retry(|| calls::write(socket, data, wait)),
            Out::Send => retry(|| calls::send(socket, data, wait)),
            Out::Sendmsg => retry(|| calls::sendmsg(socket, data, wait)),
            Out::Sendfile(file) => file.push(socket, data, wait, holds(&self.held, data)),
            Out::Splice(pipe) => pipe.push(socket, data, wait, holds(&self.held, data)),
            Out::Zerocopy(sends) => sends.push(socket, data, wait, holds(&self.held, data)),
            Out::Uring(ring) => ring.send(socket, data, wait),
            Out::UringFixed(ring) => ring.write(socket, data, wait),
            Out::UringZerocopy(ring) => ring.send(socket, data, wait, holds(&self.held, data)),
        }
    }

    /// Receives what is there, up to the whole of `into`; returns how many bytes, 0 at the end of
    /// what the peer sent. Bytes that a discarding engine drops are counted but not in `into`.
    ///
    /// # Errors
    ///
    /// `EAGAIN` as with [`push`](Self::push).
    #[inline]
    pub fn pull(&mut self, socket: BorrowedFd<'_>, into: &mut [u8], wait: Wait) -> Result<usize, Errno> {
        self.take(socket, into, wait, Handling::Deliver).map(|arrival| match arrival {
            Arrival::Delivered(bytes) | Arrival::Elsewhere(bytes) => bytes,
        })
    }

    /// Like [`pull`](Self::pull), but bytes that arrive in memory of the engine's own are treated
    /// as `handling` says, and may stay there.
    ///
    /// # Errors
    ///
    /// As there.
    #[inline]
    pub fn take(
        &mut self,
        socket: BorrowedFd<'_>,
        into: &mut [u8],
        wait: Wait,
        handling: Handling,
    ) -> Result<Arrival, Errno> {
        let taken = self.receive(socket, into, wait, handling);
        if let (Err(Errno::AGAIN), Out::Zerocopy(sends)) = (taken, &mut self.out) {
            // Completions that nobody reads make the socket look ready.
            sends.reap(socket)?;
        }
        taken
    }

    #[inline]
    fn receive(
        &mut self,
        socket: BorrowedFd<'_>,
        into: &mut [u8],
        wait: Wait,
        handling: Handling,
    ) -> Result<Arrival, Errno> {
        match &mut self.into {
            In::Read => retry(|| calls::read(socket, into, wait)).map(Arrival::Delivered),
            In::Recv => retry(|| calls::recv(socket, into, wait)).map(Arrival::Delivered),
            In::Recvmsg => retry(|| calls::recvmsg(socket, into, wait)).map(Arrival::Delivered),
            In::Splice(pipe) => pipe.discard(socket, into.len(), wait).map(elsewhere),
            In::Truncate { discarded } => {
                let bytes = retry(|| calls::truncate(socket, into, wait))?;
                *discarded += bytes as u64;
                Ok(elsewhere(bytes))
            }
            In::Mapped(map) => map.take(socket, into, wait, handling),
            In::Uring(ring) => ring.recv(socket, into, wait).map(Arrival::Delivered),
            In::UringFixed(ring) => ring.read(socket, into, wait).map(Arrival::Delivered),
            In::UringMultishot(ring) => ring.take(socket, into, wait, handling),
        }
    }

    /// Waits until bytes can move, or `within` has passed; whether they can.
    ///
    /// # Errors
    ///
    /// What the operating system refuses.
    pub fn ready(&mut self, socket: BorrowedFd<'_>, interest: Interest, within: Span) -> Result<bool, Errno> {
        if let Out::Zerocopy(sends) = &mut self.out {
            // Completions that nobody reads make the socket look ready.
            sends.reap(socket)?;
        }
        match &mut self.into {
            In::UringMultishot(ring) => ring.ready(socket, interest, within),
            _ => poll(socket, interest, within),
        }
    }

    /// Whether the socket itself shows in `poll` that bytes have arrived.
    #[must_use]
    pub const fn shows_on_socket(&self) -> bool {
        !matches!(self.into, In::UringMultishot(_))
    }

    /// Says that messages in `out` stay as they are from when they are pushed until the peer has
    /// them, and that `out` and `into` stay where they are, until [`release`](Self::release).
    ///
    /// # Errors
    ///
    /// When the kernel does not register the memory.
    pub fn hold(&mut self, out: &[u8], into: &mut [u8]) -> Result<(), Errno> {
        self.held = addresses(out);
        if let Out::Sendfile(file) = &mut self.out {
            file.forget()?;
        }
        if let Out::UringFixed(ring) = &mut self.out {
            ring.register(out)?;
        }
        if let In::UringFixed(ring) = &mut self.into {
            ring.register(into)?;
        }
        Ok(())
    }

    /// Ends what [`hold`](Self::hold) began. With [`Wait::Patiently`] it waits for the kernel's
    /// word on every send without a copy.
    ///
    /// # Errors
    ///
    /// What the operating system refuses.
    pub fn release(&mut self, socket: BorrowedFd<'_>, wait: Wait) -> Result<(), Errno> {
        self.held = 0..0;
        match &mut self.out {
            Out::Zerocopy(sends) => sends.settle(socket, wait)?,
            Out::UringZerocopy(ring) => ring.settle(wait)?,
            Out::UringFixed(ring) => ring.unregister()?,
            _ => {}
        }
        if let In::UringFixed(ring) = &mut self.into {
            ring.unregister()?;
        }
        Ok(())
    }

    /// The engine's report, or `None` for an engine that only copies.
    #[must_use]
    pub fn report(&self) -> Option<IoReport> {
        let mut report = IoReport::default();
        let out = match &self.out {
            Out::Zerocopy(sends) => Some(sends.counts()),
            Out::UringZerocopy(ring) => Some(ring.counts()),
            _ => None,
        };
        if let Some([asked, copied]) = out {
            (report.zero_copy_asked, report.zero_copy_copied) = (asked, copied);
        }
        match &self.into {
            In::Splice(pipe) => report.discarded_bytes = pipe.discarded(),
            In::Truncate { discarded } => report.discarded_bytes = *discarded,
            In::Mapped(map) => report.mapped_bytes = map.mapped(),
            _ if out.is_none() => return None,
            _ => {}
        }
        Some(report)
    }
}

/// The end of what the peer sent is nowhere else.
const fn elsewhere(bytes: usize) -> Arrival {
    if bytes == 0 { Arrival::Delivered(0) } else { Arrival::Elsewhere(bytes) }
}

fn addresses(bytes: &[u8]) -> Range<usize> {
    let range = bytes.as_ptr_range();
    range.start.addr()..range.end.addr()
}

fn holds(held: &Range<usize>, data: &[u8]) -> bool {
    let data = addresses(data);
    held.start <= data.start && data.end <= held.end
}
