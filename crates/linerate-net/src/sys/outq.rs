//! How much of a socket's data is still in the host's queues.
#![expect(unsafe_code, reason = "ioctl takes a pointer whose type depends on the command")]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Memory of datagrams that have not left this host's queues. Unit: bytes, with the kernel's own.
///
/// Source: udp(7), `SIOCOUTQ`, which is `TIOCOUTQ`.
pub(crate) fn waiting(socket: BorrowedFd<'_>) -> io::Result<u64> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: TIOCOUTQ writes one int, which is what it gets and which outlives the call.
    let status = unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut bytes) };
    if status < 0 { Err(io::Error::last_os_error()) } else { Ok(u64::try_from(bytes).unwrap_or(0)) }
}
