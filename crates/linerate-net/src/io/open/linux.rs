//! Opening the engines of Linux, and errors for those that are not available.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};

use linerate_core::options::Io;
use linerate_core::units::Span;
use rustix::io::Errno;
use socket2::{Protocol, Socket};

use crate::io::mapped::Mapped;
use crate::io::sendfile::Sendfile;
use crate::io::zerocopy::Zerocopy;
use crate::io::{In, Out, splice};
use crate::sys::uring;
use crate::sys::zerocopy::allow_zerocopy;

/// Where the administrator switches `io_uring` off.
const SWITCH: &str = "/proc/sys/kernel/io_uring_disabled";

/// What an engine is opened for.
pub(super) struct Opening<'a> {
    socket: BorrowedFd<'a>,
    protocol: Option<Protocol>,
    largest: usize,
}

impl<'a> Opening<'a> {
    pub(super) fn of(socket: &'a Socket, largest: usize) -> Self {
        Self { socket: socket.as_fd(), protocol: socket.protocol().ok().flatten(), largest }
    }

    pub(super) fn outgoing(&self, io: Io, patience: Span) -> Result<Out, String> {
        Ok(match io {
            Io::ReadWrite | Io::SendRecv | Io::Sendmsg => unreachable!("it is everywhere"),
            Io::Truncate | Io::ZerocopyReceive | Io::UringMultishot => Out::Send,
            Io::Sendfile => Out::Sendfile(Sendfile::open().map_err(plain("make a file in memory"))?),
            Io::Splice => Out::Splice(splice::Outward::open().map_err(plain("make a pipe"))?),
            Io::Zerocopy => {
                self.only(&[Protocol::TCP], "only TCP reports zero-copy sends")?;
                allow_zerocopy(self.socket)
                    .map_err(|error| format!("the socket refuses SO_ZEROCOPY: {error}"))?;
                Out::Zerocopy(Zerocopy::new(patience))
            }
            Io::Uring => Out::Uring(ring(uring::Plain::open(patience))?),
            Io::UringFixed => Out::UringFixed(ring(uring::Fixed::open(patience))?),
            Io::UringZerocopy => {
                self.only(&[Protocol::TCP], "only TCP reports zero-copy sends")?;
                Out::UringZerocopy(ring(uring::Zerocopy::open(patience))?)
            }
        })
    }

    pub(super) fn incoming(&self, io: Io, patience: Span) -> Result<In, String> {
        Ok(match io {
            Io::ReadWrite | Io::SendRecv | Io::Sendmsg => unreachable!("it is everywhere"),
            Io::Sendfile | Io::Zerocopy | Io::UringZerocopy => In::Recv,
            Io::Splice => In::Splice(splice::Inward::open().map_err(plain("make a pipe"))?),
            Io::Truncate => {
                self.only(&[Protocol::TCP, Protocol::MPTCP], "only TCP discards bytes for MSG_TRUNC")?;
                In::Truncate { discarded: 0 }
            }
            Io::ZerocopyReceive => {
                self.only(&[Protocol::TCP], "only TCP has TCP_ZEROCOPY_RECEIVE")?;
                let map = Mapped::open(self.socket, self.largest, patience);
                In::Mapped(map.map_err(plain("map the socket"))?)
            }
            Io::Uring => In::Uring(ring(uring::Plain::open(patience))?),
            Io::UringFixed => In::UringFixed(ring(uring::Fixed::open(patience))?),
            Io::UringMultishot => In::UringMultishot(ring(uring::Multishot::open(self.largest, patience))?),
        })
    }

    /// Refuses sockets of other protocols than these.
    fn only(&self, protocols: &[Protocol], reason: &str) -> Result<(), String> {
        let one_of_them = self.protocol.is_some_and(|protocol| protocols.contains(&protocol));
        if one_of_them { Ok(()) } else { Err(format!("{reason}; take send-recv here")) }
    }
}

fn plain(operation: &'static str) -> impl FnOnce(Errno) -> String {
    move |errno| format!("the kernel does not {operation}: {errno}")
}

/// A ring that was opened, or why there is no `io_uring`, and what to do.
fn ring<T>(opened: io::Result<T>) -> Result<Box<T>, String> {
    opened.map(Box::new).map_err(|error| {
        let switch = std::fs::read_to_string(SWITCH).unwrap_or_default();
        why_no_uring(&error, switch.trim())
    })
}

/// Source: io_uring_setup(2); kernel documentation, admin-guide/sysctl/kernel.
fn why_no_uring(error: &io::Error, switch: &str) -> String {
    match (Errno::from_io_error(error), switch) {
        (Some(Errno::PERM), "1" | "2") => format!(
            "the administrator has switched io_uring off (sysctl kernel.io_uring_disabled={switch}); \
             set it to 0 or take another engine"
        ),
        (Some(Errno::PERM | Errno::ACCESS), _) => {
            "something forbids io_uring to this process, such as a container's seccomp profile; \
             allow it there or take another engine"
                .to_owned()
        }
        (Some(Errno::NOSYS), _) => "this kernel has no io_uring, or a container's seccomp profile hides it; \
             take another engine"
            .to_owned(),
        (Some(Errno::NOMEM), _) => {
            "io_uring may not lock so much memory; raise the limit (ulimit -l) or take fewer flows".to_owned()
        }
        (None, _) => format!("this kernel is too old: {error}"),
        _ => format!("the kernel refuses io_uring: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_for_no_uring_has_its_own_sentence() {
        let why = |errno: Errno, switch| why_no_uring(&errno.into(), switch);
        assert!(why(Errno::PERM, "2").contains("kernel.io_uring_disabled=2"));
        assert!(why(Errno::PERM, "0").contains("seccomp"));
        assert!(why(Errno::NOSYS, "").contains("no io_uring"));
        assert!(why(Errno::NOMEM, "0").contains("ulimit -l"));
        let old = io::Error::new(io::ErrorKind::Unsupported, "its io_uring has no `send_zc`");
        assert_eq!(why_no_uring(&old, "0"), "this kernel is too old: its io_uring has no `send_zc`");
    }
}
