//! The receive ring of a packet socket: frames in memory that the kernel and the program share.
//!
//! Version 2 and not 3: version 3 hands over a block of many frames when it is full or after a
//! time of whole milliseconds, and that time would be the latency of every single message.

use std::io;
use std::os::fd::AsRawFd as _;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use linerate_core::payload::CACHE_LINE;
use socket2::Socket;

use super::set;

/// What the kernel needs of a slot besides the frame from its IP header on: its own header, the
/// sender's address, the Ethernet header and the gaps that align them. Unit: bytes.
/// Source: `tpacket_rcv` of af_packet: 52, 16 and the next multiple of 16.
const SLOT_OVERHEAD: usize = 80;
/// Memory that the kernel takes in one piece, if this much is asked. Unit: bytes.
const BLOCK: usize = 1 << 20;
/// Blocks are whole pages; a multiple of every page size in use. Unit: bytes.
const PAGE: usize = 1 << 16;

/// The receive ring of one socket. It stays mapped as long as this lives, also when the socket is
/// closed first.
#[derive(Debug)]
pub(crate) struct Ring {
    memory: NonNull<u8>,
    layout: Layout,
    /// The slot that is filled next, from 0.
    next: usize,
}

// SAFETY: the memory belongs to this ring alone; the kernel's side is synchronised by each slot's
// status word.
unsafe impl Send for Ring {}

/// How the ring's memory is divided: slots do not cross the end of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    slot: usize,
    block: usize,
    blocks: usize,
}

/// A frame in the ring.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    /// From its Ethernet header on.
    pub(crate) bytes: &'a [u8],
    /// When the kernel took it, on the host's wall clock. Unit: nanoseconds.
    pub(crate) arrived_ns: u64,
}

impl Layout {
    /// For IP packets of `mtu` bytes, in `bytes` of memory or a little more.
    fn of(mtu: usize, bytes: usize) -> Self {
        // The kernel asks for multiples of 16 bytes only.
        let slot = (mtu + SLOT_OVERHEAD).next_multiple_of(CACHE_LINE);
        let block = bytes.clamp(slot, BLOCK.max(slot)).next_multiple_of(PAGE);
        Self { slot, block, blocks: bytes.div_ceil(block).max(1) }
    }

    const fn slots_of_a_block(self) -> usize {
        self.block / self.slot
    }

    const fn slots(self) -> usize {
        self.slots_of_a_block() * self.blocks
    }

    const fn bytes(self) -> usize {
        self.block * self.blocks
    }

    const fn place(self, slot: usize) -> usize {
        slot / self.slots_of_a_block() * self.block + slot % self.slots_of_a_block() * self.slot
    }
}

impl Ring {
    /// Gives a socket that is not bound yet a ring of `bytes` or a little more, for frames whose IP
    /// packets have at most `mtu` bytes.
    pub(crate) fn new(socket: &Socket, mtu: usize, bytes: usize) -> io::Result<Self> {
        let layout = Layout::of(mtu, bytes);
        let size = |bytes: usize| {
            libc::c_uint::try_from(bytes).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))
        };
        let request = libc::tpacket_req {
            tp_block_size: size(layout.block)?,
            tp_block_nr: size(layout.blocks)?,
            tp_frame_size: size(layout.slot)?,
            tp_frame_nr: size(layout.slots())?,
        };
        let version = libc::tpacket_versions::TPACKET_V2 as libc::c_int;
        // SAFETY: PACKET_VERSION takes an int, PACKET_RX_RING of version 2 a tpacket_req.
        unsafe {
            set(socket, libc::PACKET_VERSION, &version)?;
            set(socket, libc::PACKET_RX_RING, &request)?;
        }
        // SAFETY: a new mapping at an address of the kernel's choice touches no other memory.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                layout.bytes(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                socket.as_raw_fd(),
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let memory = NonNull::new(memory.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { memory, layout, next: 0 })
    }

    /// Memory of the ring. Unit: bytes.
    pub(crate) const fn bytes(&self) -> usize {
        self.layout.bytes()
    }

    /// The oldest frame, if one is there.
    #[inline]
    pub(crate) fn peek(&self) -> Option<Frame<'_>> {
        if self.status().load(Ordering::Acquire) & libc::TP_STATUS_USER == 0 {
            return None;
        }
        // SAFETY: the slot is the program's until its status is given back, so the kernel writes
        // nothing to it; the header is at its begin, and every bit pattern is a value of it.
        let header = unsafe { self.slot().cast::<libc::tpacket2_hdr>().read() };
        let from = usize::from(header.tp_mac);
        // The kernel keeps to the slot; so does this.
        let len = (header.tp_snaplen as usize).min(self.layout.slot.saturating_sub(from));
        // SAFETY: `from + len` is within the slot, which is within the mapping, and nobody writes
        // to it as long as the frame is borrowed: `release` takes the ring mutably.
        let bytes =
            unsafe { std::slice::from_raw_parts(self.slot().add(from.min(self.layout.slot)).as_ptr(), len) };
        let arrived_ns = u64::from(header.tp_sec) * 1_000_000_000 + u64::from(header.tp_nsec);
        Some(Frame { bytes, arrived_ns })
    }

    /// Gives the slot of the oldest frame, which must have been seen, back to the kernel.
    #[inline]
    pub(crate) fn release(&mut self) {
        self.status().store(libc::TP_STATUS_KERNEL, Ordering::Release);
        self.next = (self.next + 1) % self.layout.slots();
    }

    fn slot(&self) -> NonNull<u8> {
        // SAFETY: `next` is below the number of slots, all of which are within the mapping.
        unsafe { self.memory.add(self.layout.place(self.next)) }
    }

    fn status(&self) -> &AtomicU32 {
        // SAFETY: the status is the first word of the slot's header, aligned as the slot is, and
        // both sides use it as an atomic word only while they share it.
        unsafe { AtomicU32::from_ptr(self.slot().cast().as_ptr()) }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the mapping was made with this address and length, and nothing borrows from it.
        let status = unsafe { libc::munmap(self.memory.as_ptr().cast(), self.layout.bytes()) };
        debug_assert_eq!(status, 0, "an own mapping is unmapped");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn slots_hold_a_frame_and_never_cross_a_block(mtu in 68_usize..70_000, bytes in 0_usize..(64 << 20)) {
            let layout = Layout::of(mtu, bytes);
            prop_assert!(layout.slot >= mtu + SLOT_OVERHEAD && layout.slot.is_multiple_of(16));
            prop_assert!(layout.block.is_multiple_of(4096) && layout.slots() > 0);
            prop_assert!(layout.bytes() >= bytes && layout.bytes() <= bytes + layout.block);
            for slot in [0, layout.slots() / 2, layout.slots() - 1] {
                let place = layout.place(slot);
                prop_assert_eq!(place / layout.block, (place + layout.slot - 1) / layout.block);
                prop_assert!(place + layout.slot <= layout.bytes());
            }
        }
    }

    #[test]
    fn a_ring_of_full_frames_is_as_large_as_asked() {
        let layout = Layout::of(1_500, 4 << 20);
        assert_eq!((layout.slot, layout.bytes(), layout.slots()), (1_600, 4 << 20, 2_620));
    }
}
