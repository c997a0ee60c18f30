//! `TCP_ZEROCOPY_RECEIVE`: full pages that arrived are mapped into the application's memory, and
//! the rest is copied by `recv`.
//!
//! The kernel maps what arrived as whole, page-aligned pages that belong to nobody else: that asks
//! for an adaptor that puts headers apart, and an MTU that leaves 4096 or 8192 bytes of payload. On
//! the loopback neither what `send` copied qualifies (parts of larger pages) nor pages of a file or
//! of an application. Anything else is copied, and the report says how much was mapped. A pull
//! that must deliver to a place of the caller's copies from the map.
//!
//! Source: linux/tcp.h; what qualifies was found by trying, on Linux 6.18.

use std::os::fd::BorrowedFd;

use linerate_core::payload::CACHE_LINE;
use linerate_core::units::Span;
use rustix::io::Errno;

use super::calls;
use crate::sys::zerocopy::SocketMap;
use crate::wait::{Arrival, Handling, Interest, Wait, poll, retry};

const PAGE: usize = 4096;
/// Addresses for what one call may map. Unit: bytes.
const MOST: usize = 2 << 20;

/// Memory that arriving pages are mapped to.
#[derive(Debug)]
pub(super) struct Mapped {
    map: SocketMap,
    patience: Span,
    mapped: u64,
}

impl Mapped {
    /// For a TCP socket and messages of up to `largest` bytes.
    pub(super) fn open(socket: BorrowedFd<'_>, largest: usize, patience: Span) -> Result<Self, Errno> {
        let len = largest.clamp(16 * PAGE, MOST).next_multiple_of(PAGE);
        Ok(Self { map: SocketMap::new(socket, len)?, patience, mapped: 0 })
    }

    pub(super) fn take(
        &mut self,
        socket: BorrowedFd<'_>,
        into: &mut [u8],
        wait: Wait,
        handling: Handling,
    ) -> Result<Arrival, Errno> {
        let found = match self.look(socket, into.len())? {
            // Nothing is there yet. Waiting first lets pages gather that can be mapped.
            (0, 0) if wait == Wait::Patiently => {
                if !poll(socket, Interest::Receive, self.patience)? {
                    return Err(Errno::AGAIN);
                }
                self.look(socket, into.len())?
            }
            found => found,
        };
        let (mapped, copy) = found;
        if mapped == 0 {
            // Not more than must be copied, so that what follows can be mapped.
            let most = if copy == 0 { into.len() } else { copy.min(into.len()) };
            return retry(|| calls::recv(socket, &mut into[..most], wait)).map(Arrival::Delivered);
        }
        self.mapped += mapped as u64;
        match handling {
            Handling::Deliver => {
                self.map.copy_to(&mut into[..mapped]);
                return Ok(Arrival::Delivered(mapped));
            }
            Handling::Touch => self.map.touch(CACHE_LINE),
            Handling::Leave => {}
        }
        Ok(Arrival::Elsewhere(mapped))
    }

    /// How much was mapped, and how much must be copied before more can be. What is mapped has
    /// left the socket, so that it may not be more than the caller wants.
    fn look(&mut self, socket: BorrowedFd<'_>, most: usize) -> Result<(usize, usize), Errno> {
        if most < PAGE {
            return Ok((0, most));
        }
        match retry(|| self.map.receive(socket, most - most % PAGE)) {
            // The end of what the peer sent: `recv` says it.
            Err(Errno::IO) => Ok((0, 1)),
            looked => looked.map(|found| (found.mapped, found.copy)),
        }
    }

    pub(super) const fn mapped(&self) -> u64 {
        self.mapped
    }
}
