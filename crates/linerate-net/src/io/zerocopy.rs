//! `send` with `MSG_ZEROCOPY`: the kernel pins the application's pages instead of copying them, and
//! says on the socket's error queue when it has done with each send, and whether it copied after
//! all. On the loopback and between network namespaces of one host it always does.
//!
//! A held message may be sent again at once, because its bytes do not change. A push of loose bytes
//! returns when the kernel has done with them; that is when the peer's kernel has acknowledged them.
//!
//! Source: kernel documentation, networking/msg_zerocopy.

use std::os::fd::{AsRawFd, BorrowedFd};

use linerate_core::units::Span;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::SendFlags;

use super::calls;
use crate::wait::{Wait, await_events, retry};

/// `MSG_ZEROCOPY` of linux/socket.h.
const ZEROCOPY: SendFlags = SendFlags::from_bits_retain(libc::MSG_ZEROCOPY.cast_unsigned());
/// `SO_EE_ORIGIN_ZEROCOPY` and `SO_EE_CODE_ZEROCOPY_COPIED` of linux/errqueue.h.
const OF_ZEROCOPY: u8 = 5;
const WAS_COPIED: u8 = 1;
/// Sends under way after which completions are looked for, so that they do not fill the memory
/// that the socket may have for them (`net.core.optmem_max`).
const MANY: u32 = 32;
/// Between two looks at the error queue of a socket that is shut, which `poll` no longer waits for.
const STEP: Span = Span::from_ms(1);

/// The sends of one socket.
#[derive(Debug)]
pub(super) struct Zerocopy {
    patience: Span,
    /// Sends of which the kernel has not said that it has done with them.
    under_way: u32,
    asked: u64,
    copied: u64,
    /// Where the kernel writes what it says.
    space: Vec<u8>,
}

impl Zerocopy {
    /// For a socket on which `SO_ZEROCOPY` is set.
    pub(super) fn new(patience: Span) -> Self {
        let space = nix::cmsg_space!(libc::sock_extended_err, libc::sockaddr_in6);
        Self { patience, under_way: 0, asked: 0, copied: 0, space }
    }

    pub(super) fn push(
        &mut self,
        socket: BorrowedFd<'_>,
        data: &[u8],
        wait: Wait,
        held: bool,
    ) -> Result<usize, Errno> {
        if !held && wait == Wait::Never {
            return retry(|| calls::send(socket, data, wait));
        }
        if self.under_way >= MANY {
            self.reap(socket)?;
        }
        let flags = calls::out(wait) | ZEROCOPY;
        let sent = match retry(|| rustix::net::send(socket, data, flags)) {
            Err(Errno::AGAIN) => {
                // Completions that nobody reads make a full socket look ready.
                self.reap(socket)?;
                return Err(Errno::AGAIN);
            }
            Err(Errno::NOBUFS) => self.push_short_of_memory(socket, data, wait)?,
            sent => {
                let sent = sent?;
                self.under_way += 1;
                sent
            }
        };
        self.asked += 1;
        if !held {
            self.settle(socket, Wait::Patiently)?;
        }
        Ok(sent)
    }

    /// The socket may pin no more or note no more: sends with a copy, which is counted as one.
    fn push_short_of_memory(
        &mut self,
        socket: BorrowedFd<'_>,
        data: &[u8],
        wait: Wait,
    ) -> Result<usize, Errno> {
        self.reap(socket)?;
        let sent = retry(|| calls::send(socket, data, wait))?;
        self.copied += 1;
        Ok(sent)
    }

    /// Waits until the kernel has done with every send, or just looks.
    pub(super) fn settle(&mut self, socket: BorrowedFd<'_>, wait: Wait) -> Result<(), Errno> {
        self.reap(socket)?;
        let mut left = self.patience;
        while wait == Wait::Patiently && self.under_way > 0 {
            let before = self.under_way;
            // Nothing is asked for: `POLLERR` is told always.
            let mut one = [PollFd::from_borrowed_fd(socket, PollFlags::empty())];
            if !await_events(&mut one, left)? {
                return Err(Errno::AGAIN);
            }
            self.reap(socket)?;
            if self.under_way == before {
                // It is shut or reset, which is told always too.
                std::thread::sleep(STEP.to_duration());
                left = left.saturating_sub(STEP);
                if left == Span::ZERO {
                    return Err(Errno::AGAIN);
                }
            }
        }
        Ok(())
    }

    /// Reads what completions there are.
    pub(super) fn reap(&mut self, socket: BorrowedFd<'_>) -> Result<(), Errno> {
        while self.under_way > 0 {
            match retry(|| completion(socket, &mut self.space)) {
                Ok(Some((sends, copied))) => {
                    self.under_way = self.under_way.saturating_sub(sends);
                    if copied {
                        self.copied += u64::from(sends);
                    }
                }
                Ok(None) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Sends asked to be without a copy, and those that were copied.
    pub(super) const fn counts(&self) -> [u64; 2] {
        [self.asked, self.copied]
    }
}

/// The next of the error queue: how many sends the kernel has done with, and whether it copied;
/// absent if it was about something else.
fn completion(socket: BorrowedFd<'_>, space: &mut [u8]) -> Result<Option<(u32, bool)>, Errno> {
    let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
    let failed = |error: nix::Error| Errno::from_raw_os_error(error as i32);
    let message = recvmsg::<()>(socket.as_raw_fd(), &mut [], Some(space), flags).map_err(failed)?;
    let error = message.cmsgs().map_err(failed)?.find_map(|part| match part {
        ControlMessageOwned::Ipv4RecvErr(error, _) | ControlMessageOwned::Ipv6RecvErr(error, _) => {
            Some(error)
        }
        _ => None,
    });
    Ok(error.filter(|error| error.ee_origin == OF_ZEROCOPY).map(|error| {
        // A range of the sends' numbers, which wrap.
        let sends = error.ee_data.wrapping_sub(error.ee_info).wrapping_add(1);
        (sends, error.ee_code == WAS_COPIED)
    }))
}
