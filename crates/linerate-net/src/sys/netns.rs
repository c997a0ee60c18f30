//! The number of a network namespace that is never given twice while the host runs.
#![expect(unsafe_code, reason = "the option's value is written through a pointer")]

use std::io;
use std::mem::size_of;
use std::os::fd::AsRawFd as _;

use socket2::{Domain, Socket, Type};

/// The cookie of the calling thread's network namespace. Its inode, unlike this, is given again after it has gone.
///
/// Errors: no socket, or `ENOPROTOOPT` before Linux 5.14.  Source: socket(7), `SO_NETNS_COOKIE`.
pub(crate) fn cookie() -> io::Result<u64> {
    let socket = Socket::new(Domain::UNIX, Type::DGRAM, None)?;
    let mut cookie = 0_u64;
    let mut length = size_of::<u64>() as libc::socklen_t;
    // SAFETY: SO_NETNS_COOKIE writes one u64 and its length, which are what it gets.
    let status = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_NETNS_COOKIE,
            (&raw mut cookie).cast(),
            &raw mut length,
        )
    };
    if status < 0 { Err(io::Error::last_os_error()) } else { Ok(cookie) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_namespaces_have_two_numbers() {
        let Some(lab) = crate::lab::of_a_test(1500) else { return };
        let [here, there] =
            [lab.here(cookie), lab.there(cookie)].map(|cookie| cookie.expect("entered").expect("a number"));
        assert_ne!(here, there);
        assert_eq!(here, lab.here(cookie).expect("entered").expect("a number"));
    }
}
