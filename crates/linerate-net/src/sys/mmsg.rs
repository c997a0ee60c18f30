//! Many datagrams in one call: `sendmmsg` and `recvmmsg`, with the segment size that `UDP_GRO`
//! tells and the drops that `SO_RXQ_OVFL` tells.
//!
//! Every pointer that the kernel gets is made anew for each call from slices that outlive it, so
//! nothing here has to be kept valid between calls. That costs some 2 ns a datagram.
//!
//! What is written `as _` has another integer type in musl than in glibc.
//!
//! Source: sendmmsg(2), recvmmsg(2), cmsg(3), udp(7), socket(7).
#![expect(unsafe_code, reason = "the kernel gets pointers to pieces of memory in arrays")]

use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::null_mut;

use rustix::io::Errno;

/// Room for the ancillary messages of one arrival, three integers, aligned as a `cmsghdr` must be.
type Ancillary = [u64; 9];

/// Room for the kernel's descriptions of a batch.
pub(crate) struct Batch {
    pieces: Vec<libc::iovec>,
    messages: Vec<libc::mmsghdr>,
    ancillary: Vec<Ancillary>,
}

/// One arrival: a datagram, or several that the kernel has joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Received {
    /// How long it is, even if the slot is shorter. Unit: bytes.
    pub(crate) len: usize,
    /// Of joined datagrams, the length of each but the last (`UDP_GRO`). Unit: bytes.
    pub(crate) segment: Option<usize>,
    /// Datagrams that the socket had dropped when this one was put in its queue; it wraps. The
    /// kernel does not say it as long as it is zero.
    pub(crate) drops: Option<u32>,
    /// The octet of differentiated services and explicit congestion notification, where the socket is to tell it.
    pub(crate) class: Option<u8>,
}

// SAFETY: the pointers inside are written before and used within one call; between calls nothing
// reads them.
unsafe impl Send for Batch {}

impl std::fmt::Debug for Batch {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Batch").field("most", &self.ancillary.len()).finish_non_exhaustive()
    }
}

impl Batch {
    /// Room for `most` messages a call.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            pieces: Vec::with_capacity(2 * most),
            messages: Vec::with_capacity(most),
            ancillary: vec![[0; 9]; most],
        }
    }

    /// Sends a datagram for each of `headers`: the header, then `tail`. `together` of them are one
    /// message to the kernel, which cuts it as the socket's `UDP_SEGMENT` says. How many datagrams
    /// it took: at least one.
    ///
    /// Errors: that of the first message, if not even that was taken.
    pub(crate) fn send<const N: usize>(
        &mut self,
        socket: BorrowedFd<'_>,
        headers: &[[u8; N]],
        tail: &[u8],
        together: usize,
    ) -> Result<usize, Errno> {
        self.pieces.clear();
        self.messages.clear();
        for header in headers {
            self.pieces.push(piece(header.as_ptr(), N));
            self.pieces.push(piece(tail.as_ptr(), tail.len()));
        }
        for pieces in self.pieces.chunks_mut(2 * together.max(1)) {
            // The kernel only reads what it sends.
            self.messages.push(message(pieces));
        }
        // SAFETY: the messages point to `self.pieces`, which is not touched until the call has
        // returned, and those to `headers` and `tail`, which are borrowed as long; all lengths are
        // those of the slices.
        let sent = unsafe { send_all(socket, &mut self.messages, libc::MSG_NOSIGNAL) }?;
        Ok((sent * together.max(1)).min(headers.len()))
    }

    /// Receives up to as many messages as `slots` has room for, each in `slot` bytes of it. It waits
    /// for the first, if it may `wait`, as long as the socket's receive time allows. How many came.
    ///
    /// Errors: `AGAIN` when there is no datagram, or no datagram came in time.
    pub(crate) fn receive(
        &mut self,
        socket: BorrowedFd<'_>,
        slots: &mut [u8],
        slot: usize,
        wait: bool,
    ) -> Result<usize, Errno> {
        self.pieces.clear();
        self.messages.clear();
        for part in slots.chunks_exact_mut(slot).take(self.ancillary.len()) {
            self.pieces.push(piece(part.as_mut_ptr(), slot));
        }
        for (piece, room) in self.pieces.iter_mut().zip(&mut self.ancillary) {
            let mut one = message(std::slice::from_mut(piece));
            one.msg_hdr.msg_control = room.as_mut_ptr().cast();
            one.msg_hdr.msg_controllen = size_of::<Ancillary>() as _;
            self.messages.push(one);
        }
        let count = libc::c_uint::try_from(self.messages.len()).unwrap_or(libc::c_uint::MAX);
        // MSG_TRUNC has the kernel tell the real length of a datagram that is longer than its slot.
        let patience = if wait { libc::MSG_WAITFORONE } else { libc::MSG_DONTWAIT };
        let flags = patience | libc::MSG_TRUNC;
        // SAFETY: the messages point to `self.pieces` and `self.ancillary`, and the pieces to
        // disjoint parts of `slots`, borrowed mutably until the call has returned; all lengths are
        // those of what they point to.
        let got = unsafe {
            libc::recvmmsg(socket.as_raw_fd(), self.messages.as_mut_ptr(), count, flags as _, null_mut())
        };
        let got = usize::try_from(got).map_err(|_| last_errno());
        // What the kernel has not filled is no arrival.
        self.messages.truncate(got.unwrap_or(0));
        got
    }

    /// What the last [`receive`](Self::receive) said of its message number `index`.
    ///
    /// # Panics
    ///
    /// If it received fewer.
    pub(crate) fn arrival(&self, index: usize) -> Received {
        let message = &self.messages[index];
        let mut arrival = Received { len: message.msg_len as usize, ..Received::default() };
        if message.msg_hdr.msg_controllen == 0 {
            return arrival;
        }
        // SAFETY: the kernel has filled `msg_control` with `msg_controllen` bytes of ancillary
        // messages; it points to `self.ancillary`, which lives as long as `self`.
        let mut next = unsafe { libc::CMSG_FIRSTHDR(&raw const message.msg_hdr) };
        while !next.is_null() {
            // SAFETY: CMSG_FIRSTHDR and CMSG_NXTHDR give a whole header within the filled room.
            let (level, kind) = unsafe { ((*next).cmsg_level, (*next).cmsg_type) };
            // SAFETY: it is called for three kinds only, which carry an integer of four bytes (udp(7), socket(7),
            // ipv6(7)); the kernel does not cut them: `Ancillary` has room for three.
            let value = || unsafe { libc::CMSG_DATA(next).cast::<u32>().read_unaligned() };
            match (level, kind) {
                (libc::SOL_UDP, libc::UDP_GRO) => arrival.segment = usize::try_from(value()).ok(),
                (libc::SOL_SOCKET, libc::SO_RXQ_OVFL) => arrival.drops = Some(value()),
                // SAFETY: IPv4's is one byte (ip(7)).
                (libc::IPPROTO_IP, libc::IP_TOS) => arrival.class = Some(unsafe { *libc::CMSG_DATA(next) }),
                (libc::IPPROTO_IPV6, libc::IPV6_TCLASS) => arrival.class = u8::try_from(value()).ok(),
                _ => {}
            }
            // SAFETY: as for CMSG_FIRSTHDR; `next` is the header it or the last call gave.
            next = unsafe { libc::CMSG_NXTHDR(&raw const message.msg_hdr, next) };
        }
        arrival
    }
}

/// Sends `messages` in one system call; how many the kernel took: at least one.
///
/// Not by the C library: musl's `sendmmsg` is a loop of `sendmsg`.
///
/// Errors: that of the first message, if not even that was taken.
///
/// # Safety
///
/// What the messages point to is there for as long as they say, until this returns. The padding of musl's headers is zero,
/// as it is in those that were made of zeros. The kernel writes `msg_len` of the messages and nothing else.
pub(super) unsafe fn send_all(
    socket: BorrowedFd<'_>,
    messages: &mut [libc::mmsghdr],
    flags: libc::c_int,
) -> Result<usize, Errno> {
    let count = libc::c_uint::try_from(messages.len()).unwrap_or(libc::c_uint::MAX);
    // SAFETY: sendmmsg(2) takes these four; the caller keeps what the messages point to.
    let sent =
        unsafe { libc::syscall(libc::SYS_sendmmsg, socket.as_raw_fd(), messages.as_mut_ptr(), count, flags) };
    usize::try_from(sent).map_err(|_| last_errno())
}

fn piece(start: *const u8, len: usize) -> libc::iovec {
    libc::iovec { iov_base: start.cast_mut().cast(), iov_len: len }
}

fn message(pieces: &mut [libc::iovec]) -> libc::mmsghdr {
    // SAFETY: a message header is integers and pointers, for which zero is a value.
    let mut message: libc::mmsghdr = unsafe { zeroed() };
    message.msg_hdr.msg_iov = pieces.as_mut_ptr();
    message.msg_hdr.msg_iovlen = pieces.len() as _;
    message
}

fn last_errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
