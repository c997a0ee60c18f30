//! `TCP_INFO` and the window clamp of a connection.
#![expect(unsafe_code, reason = "getsockopt of options that no safe crate wraps")]

use std::io;
use std::mem::size_of;
use std::os::fd::{AsFd, AsRawFd};

/// What the kernel says of a TCP connection; fields that this kernel does not know are zero.
///
/// Source: `struct tcp_info` of linux/tcp.h; newer kernels append fields.
pub(crate) fn tcp_info(socket: impl AsFd) -> io::Result<libc::tcp_info> {
    // SAFETY: tcp_info is plain integers, for which zero is a value.
    let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
    let mut len = size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: the pointer and the length describe `info`, which outlives the call.
    let status = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            (&raw mut info).cast(),
            &raw mut len,
        )
    };
    if status == 0 { Ok(info) } else { Err(io::Error::last_os_error()) }
}

/// The largest window that the receive buffer can offer (`TCP_WINDOW_CLAMP`). Unit: bytes.
pub(crate) fn window_clamp(socket: impl AsFd) -> io::Result<u64> {
    let mut clamp: libc::c_int = 0;
    let mut len = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: the pointer and the length describe `clamp`, which outlives the call.
    let status = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_WINDOW_CLAMP,
            (&raw mut clamp).cast(),
            &raw mut len,
        )
    };
    if status == 0 { Ok(u64::try_from(clamp).unwrap_or(0)) } else { Err(io::Error::last_os_error()) }
}
