//! `AF_XDP` sockets in copy mode: frames that a small program takes from an interface before the
//! network stack sees them.
//!
//! Source: Documentation/networking/af_xdp.rst of the kernel.
#![expect(unsafe_code, reason = "the crate xdp leaves to its user that no packet outlives its memory")]

mod redirect;

use std::fmt;
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd};

use rustix::io::Errno;
use rustix::net::SendFlags;
use xdp::nic::NicIndex;
use xdp::slab::{HeapSlab, Slab as _};
use xdp::socket::{XdpSocket, XdpSocketBuilder};
use xdp::umem::{FrameSize, UmemCfgBuilder};
use xdp::{Packet, RingConfigBuilder, Rings, Umem};

pub(crate) use redirect::Field;
use redirect::Redirect;

use super::packet::Frame;

/// The longest frame: a page less what the kernel keeps before each. Unit: bytes.
pub(crate) const LONGEST: usize = 4_096 - 256;
/// Frames of each direction that are under way at most; a power of 2.
const RING: u32 = 2_048;
/// Memory of each direction. Unit: bytes.
pub(crate) const RING_BYTES: u64 = RING as u64 * 4_096;
/// The queue whose frames are taken: the one that gets frames without IP.
const QUEUE: u32 = 0;
/// The kernel sends at most this many frames in one call. Source: `TX_BATCH_SIZE` of net/xdp/xsk.c,
/// 32.
const KICKS: usize = 4;

/// One socket, its memory, and the program that leads frames to it as long as this lives.
pub(crate) struct Xsk {
    // In the order in which they may go: first nothing arrives, last goes the memory.
    _redirect: Redirect,
    arrived: HeapSlab,
    leaving: HeapSlab,
    current: Option<Packet>,
    arrived_ns: u64,
    socket: XdpSocket,
    rings: Rings,
    memory: Umem,
    /// Drops that were told already.
    told: u64,
}

// SAFETY: its packets point into its own memory, and everything goes to another thread together.
unsafe impl Send for Xsk {}

/// Which step the kernel refused.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) step: &'static str,
    pub(crate) source: io::Error,
}

impl Xsk {
    /// Takes the frames with all of these `fields` from the interface.
    pub(crate) fn open(interface: u32, fields: &[Field]) -> Result<Self, Refused> {
        let refused = |step| move |source| Refused { step, source };
        let config = UmemCfgBuilder {
            frame_size: FrameSize::FourK,
            frame_count: 2 * RING,
            ..UmemCfgBuilder::default()
        };
        let config = config.build().map_err(|error| refused("size the memory")(io::Error::other(error)))?;
        let mut memory = Umem::map(config).map_err(refused("map memory for frames"))?;
        let counts =
            RingConfigBuilder { rx_count: RING, tx_count: RING, fill_count: RING, completion_count: RING };
        let counts = counts.build().map_err(|error| refused("size the rings")(io::Error::other(error)))?;
        let mut builder = XdpSocketBuilder::new().map_err(opened("make an AF_XDP socket"))?;
        let (mut rings, mut flags) = builder.build_rings(&memory, counts).map_err(opened("map the rings"))?;
        flags.force_copy();
        // SAFETY: `memory` goes to the same value as the socket, which drops it last.
        unsafe { rings.fill_ring.enqueue(&mut memory, RING as usize) };
        let socket =
            builder.bind(NicIndex::new(interface), QUEUE, flags).map_err(opened("bind to the queue"))?;
        let redirect = Redirect::attach(interface, socket.as_raw_fd(), fields)?;
        Ok(Self {
            _redirect: redirect,
            arrived: HeapSlab::with_capacity(64),
            leaving: HeapSlab::with_capacity(64),
            current: None,
            arrived_ns: 0,
            socket,
            rings,
            memory,
            told: 0,
        })
    }

    /// Sends frames of these heads and the one payload; how many, at least one.
    ///
    /// Errors: `NOBUFS` as long as all memory is under way.
    pub(crate) fn send<'a>(
        &mut self,
        heads: impl Iterator<Item = &'a [u8]>,
        payload: &[u8],
    ) -> Result<usize, Errno> {
        self.rings.completion_ring.dequeue(&mut self.memory, RING as usize);
        let mut count = 0;
        for head in heads.take(self.leaving.available()) {
            // SAFETY: the packet goes to the ring or back to the memory in this call.
            let Some(mut packet) = (unsafe { self.memory.alloc() }) else { break };
            if packet.append(head).and_then(|()| packet.append(payload)).is_err() {
                self.memory.free_packet(packet);
                return Err(Errno::MSGSIZE);
            }
            self.leaving.push_front(packet);
            count += 1;
        }
        if count == 0 {
            return Err(Errno::NOBUFS);
        }
        let sent = match &mut self.rings.tx_ring {
            // SAFETY: the memory outlives the socket.
            Some(ring) => unsafe { ring.send(&mut self.leaving) },
            None => 0,
        };
        // The ring takes all or nothing.
        while let Some(packet) = self.leaving.pop_back() {
            self.memory.free_packet(packet);
        }
        self.kick()?;
        if sent == 0 { Err(Errno::NOBUFS) } else { Ok(sent) }
    }

    /// Has the kernel send what is in the ring. What it has no room for stays there until the next
    /// kick.
    fn kick(&self) -> Result<(), Errno> {
        for _ in 0..KICKS {
            match rustix::net::send(self.descriptor(), &[], SendFlags::DONTWAIT) {
                Ok(_) => return Ok(()),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(Errno::BUSY | Errno::NOBUFS) => return Ok(()),
                Err(errno) => return Err(errno),
            }
        }
        Ok(())
    }

    /// The oldest frame, if one is there.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<Frame<'_>> {
        if self.current.is_none() {
            self.current = self.next();
        }
        let bytes = self.current.as_deref()?;
        Some(Frame { bytes, arrived_ns: self.arrived_ns })
    }

    fn next(&mut self) -> Option<Packet> {
        if self.arrived.is_empty() {
            let ring = self.rings.rx_ring.as_mut()?;
            // SAFETY: the packets stay in this value, which drops its memory last.
            if unsafe { ring.recv(&self.memory, &mut self.arrived) } == 0 {
                return None;
            }
            let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
            let now_ns = now.tv_sec * 1_000_000_000 + now.tv_nsec;
            self.arrived_ns = now_ns.unsigned_abs();
        }
        self.arrived.pop_back()
    }

    /// Gives the memory of the oldest frame back to the kernel.
    #[inline]
    pub(crate) fn release(&mut self) {
        if let Some(packet) = self.current.take() {
            self.memory.free_packet(packet);
            // SAFETY: the memory outlives the socket.
            unsafe { self.rings.fill_ring.enqueue(&mut self.memory, 1) };
        }
    }

    /// Frames that there was no room for, since the last time this was asked.
    pub(crate) fn drops(&mut self) -> u64 {
        let all =
            self.socket.statistics().map_or(self.told, |counts| counts.rx_dropped + counts.rx_ring_full);
        let new = all.saturating_sub(self.told);
        self.told = all;
        new
    }

    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        // SAFETY: the descriptor is the socket's own, which lives as long as the borrow.
        unsafe { BorrowedFd::borrow_raw(self.socket.as_raw_fd()) }
    }
}

impl fmt::Debug for Xsk {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Xsk").field("socket", &self.socket.as_raw_fd()).finish_non_exhaustive()
    }
}

/// For `map_err`: the step, and what the kernel said of it.
fn opened(step: &'static str) -> impl FnOnce(xdp::socket::SocketError) -> Refused {
    use xdp::socket::SocketError::{Bind, GetSockOpt, RingMap, SetSockOpt, SocketCreation};
    move |error| match error {
        SocketCreation(source) | Bind(source) => Refused { step, source },
        SetSockOpt { inner: source, .. }
        | GetSockOpt { inner: source, .. }
        | RingMap { inner: source, .. } => Refused { step, source },
    }
}
