//! The calls.
#![expect(unsafe_code, reason = "getsockopt of options that no safe crate wraps")]

use std::io;
use std::mem::size_of;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use super::{Answer, Queues};

/// What the kernel reports about a TCP connection. For a Multipath TCP socket, Linux reports its
/// first subflow from 5.16 on, and refuses before.
pub(crate) fn tcp_info(socket: impl AsFd) -> io::Result<Answer> {
    // SAFETY: `TcpInfo` is plain integers, for which every bit pattern is a value.
    let (info, filled) = unsafe { option(socket.as_fd(), libc::IPPROTO_TCP, libc::TCP_INFO)? };
    Ok(Answer { info, filled })
}

/// The largest window that the receive buffer can offer (`TCP_WINDOW_CLAMP`). Unit: bytes.
pub(crate) fn window_clamp(socket: impl AsFd) -> io::Result<u64> {
    // SAFETY: every bit pattern of an integer is a value.
    let (clamp, _): (libc::c_int, _) =
        unsafe { option(socket.as_fd(), libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP)? };
    Ok(u64::try_from(clamp).unwrap_or(0))
}

/// Both queues of a socket.
///
/// Source: `SO_MEMINFO`, Linux 4.12; its numbers are `SK_MEMINFO_VARS` of linux/sock_diag.h.
pub(crate) fn queues(socket: impl AsFd) -> io::Result<Queues> {
    const NUMBERS: usize = 9;
    const RMEM_ALLOC: usize = 0;
    const WMEM_QUEUED: usize = 5;
    // SAFETY: every bit pattern is an array of integers.
    let (numbers, _): ([u32; NUMBERS], _) =
        unsafe { option(socket.as_fd(), libc::SOL_SOCKET, libc::SO_MEMINFO)? };
    Ok(Queues { queued: numbers[WMEM_QUEUED].into(), unread: numbers[RMEM_ALLOC].into() })
}

/// Reads a socket option, and tells how many bytes the kernel filled; the rest is zero.
///
/// # Safety
///
/// Every bit pattern must be a value of `T`.
unsafe fn option<T>(socket: BorrowedFd<'_>, level: libc::c_int, name: libc::c_int) -> io::Result<(T, usize)> {
    // SAFETY: the caller promises that zero is a value.
    let mut value: T = unsafe { std::mem::zeroed() };
    let mut len = size_of::<T>() as libc::socklen_t;
    // SAFETY: the pointer and the length describe `value`, which outlives the call.
    let status =
        unsafe { libc::getsockopt(socket.as_raw_fd(), level, name, (&raw mut value).cast(), &raw mut len) };
    if status == 0 { Ok((value, len as usize)) } else { Err(io::Error::last_os_error()) }
}
