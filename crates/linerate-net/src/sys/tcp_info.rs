//! `TCP_INFO` and the window clamp of a connection.
#![expect(unsafe_code, reason = "getsockopt of options that no safe crate wraps")]

use std::io;
use std::mem::size_of;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

/// What the kernel says of a TCP connection; fields that this kernel does not know are zero.
///
/// Source: `struct tcp_info` of linux/tcp.h; newer kernels append fields.
pub(crate) fn tcp_info(socket: impl AsFd) -> io::Result<libc::tcp_info> {
    // SAFETY: tcp_info is plain integers, for which every bit pattern is a value.
    unsafe { tcp_option(socket.as_fd(), libc::TCP_INFO) }
}

/// The largest window that the receive buffer can offer (`TCP_WINDOW_CLAMP`). Unit: bytes.
pub(crate) fn window_clamp(socket: impl AsFd) -> io::Result<u64> {
    // SAFETY: every bit pattern of an integer is a value.
    let clamp: libc::c_int = unsafe { tcp_option(socket.as_fd(), libc::TCP_WINDOW_CLAMP)? };
    Ok(u64::try_from(clamp).unwrap_or(0))
}

/// Reads a TCP option; what the kernel does not fill is zero.
///
/// # Safety
///
/// Every bit pattern must be a value of `T`.
unsafe fn tcp_option<T>(socket: BorrowedFd<'_>, name: libc::c_int) -> io::Result<T> {
    // SAFETY: the caller promises that zero is a value.
    let mut value: T = unsafe { std::mem::zeroed() };
    let mut len = size_of::<T>() as libc::socklen_t;
    // SAFETY: the pointer and the length describe `value`, which outlives the call.
    let status = unsafe {
        libc::getsockopt(socket.as_raw_fd(), libc::IPPROTO_TCP, name, (&raw mut value).cast(), &raw mut len)
    };
    if status == 0 { Ok(value) } else { Err(io::Error::last_os_error()) }
}
