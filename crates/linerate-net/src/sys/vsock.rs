//! The number of this machine among virtual machines, and the buffers of a VM socket.
#![expect(unsafe_code, reason = "an ioctl and options that no safe crate wraps")]

use std::fs::File;
use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::ioctl::{Getter, ioctl, opcode};

/// `IOCTL_VM_SOCKETS_GET_LOCAL_CID` of linux/vm_sockets.h.
const GET_LOCAL_CID: rustix::ioctl::Opcode = opcode::none(7, 0xb9);
/// Options of level `AF_VSOCK`, of linux/vm_sockets.h.
const BUFFER_SIZE: libc::c_int = 0;
const BUFFER_MAX_SIZE: libc::c_int = 2;

/// The context of this machine (vsock(7)), as /dev/vsock says.
pub(crate) fn local_context() -> io::Result<u32> {
    let device = File::open("/dev/vsock")?;
    // SAFETY: the kernel fills one unsigned int, and nothing else.
    unsafe { Ok(ioctl(&device, Getter::<GET_LOCAL_CID, u32>::new())?) }
}

/// Sets how much a VM socket takes in. Unit: bytes.
pub(crate) fn set_buffer(socket: BorrowedFd<'_>, bytes: u64) -> io::Result<()> {
    // The limit first: the size is cut down to it.
    [BUFFER_MAX_SIZE, BUFFER_SIZE].into_iter().try_for_each(|option| {
        // SAFETY: the pointer and the length describe `bytes`, which outlives the call.
        let status = unsafe {
            libc::setsockopt(
                socket.as_raw_fd(),
                libc::AF_VSOCK,
                option,
                (&raw const bytes).cast(),
                size_of::<u64>() as libc::socklen_t,
            )
        };
        if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    })
}

/// How much a VM socket takes in. Unit: bytes.
pub(crate) fn buffer(socket: BorrowedFd<'_>) -> io::Result<u64> {
    let mut bytes = 0_u64;
    let mut len = size_of::<u64>() as libc::socklen_t;
    // SAFETY: the pointer and the length describe `bytes`, which outlives the call.
    let status = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::AF_VSOCK,
            BUFFER_SIZE,
            (&raw mut bytes).cast(),
            &raw mut len,
        )
    };
    if status == 0 { Ok(bytes) } else { Err(io::Error::last_os_error()) }
}
