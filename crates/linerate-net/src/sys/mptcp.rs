//! Whether a socket of Multipath TCP has remained one.
#![expect(unsafe_code, reason = "getsockopt of an option that no safe crate wraps")]

use std::io;
use std::mem::size_of_val;
use std::os::fd::{AsRawFd, BorrowedFd};

/// `SOL_MPTCP` of linux/socket.h.
const SOL_MPTCP: libc::c_int = 284;
/// `MPTCP_INFO` of linux/mptcp.h.
const MPTCP_INFO: libc::c_int = 1;
/// `MPTCP_INFO_FLAG_FALLBACK` of linux/mptcp.h.
const FALLBACK: u32 = 1;

/// The start of `struct mptcp_info` of linux/mptcp.h; the kernel fills as much as fits.
#[repr(C)]
#[derive(Default)]
struct Info {
    subflows: u8,
    add_addr_signal: u8,
    add_addr_accepted: u8,
    subflows_max: u8,
    add_addr_signal_max: u8,
    add_addr_accepted_max: u8,
    flags: u32,
}

/// Whether a connected socket that asked for Multipath TCP speaks it; it has fallen back to TCP
/// where the peer, or something on the path, does not (RFC 8684, section 3.7).
pub(crate) fn is_multipath(socket: BorrowedFd<'_>) -> io::Result<bool> {
    let mut info = Info::default();
    let mut len = size_of_val(&info) as libc::socklen_t;
    // SAFETY: the pointer and the length describe `info`, of plain integers, which outlives the call.
    let status = unsafe {
        libc::getsockopt(socket.as_raw_fd(), SOL_MPTCP, MPTCP_INFO, (&raw mut info).cast(), &raw mut len)
    };
    if status == 0 {
        return Ok(info.flags & FALLBACK == 0);
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        // A plain TCP socket has no options of this level.
        Some(libc::EOPNOTSUPP | libc::ENOPROTOOPT) => Ok(false),
        _ => Err(error),
    }
}
