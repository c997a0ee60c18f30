//! One `recv` that answers again and again, each time with a buffer out of a ring of them.
//!
//! Bytes arrive in the engine's buffers while the application does something else; a pull that
//! must deliver copies them from there.  Source: io_uring_prep_recv_multishot(3),
//! io_uring_register_buf_ring(3).

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::slice;
use std::sync::atomic::{AtomicU16, Ordering};

use io_uring::{cqueue, opcode};
use linerate_core::payload::touch;
use linerate_core::units::Span;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use super::{Answer, Ring, Waiting, descriptor};
use crate::sys::pages::Pages;
use crate::wait::{Arrival, Handling, Interest, Wait, await_events};

/// A buffer that the kernel is offered.  Source: linux/io_uring.h, `struct io_uring_buf`.
#[repr(C)]
struct Offer {
    address: u64,
    len: u32,
    number: u16,
    /// Of the first offer of the ring: its tail (`struct io_uring_buf_ring`). Nothing, of the others.
    tail: u16,
}

/// Bytes in a buffer that have arrived and were not taken yet.
#[derive(Clone, Copy, Debug)]
struct Filled {
    buffer: u16,
    start: usize,
    len: usize,
}

/// Buffers, a power of two.
const BUFFERS: u16 = 64;
/// The least and the most that a buffer has. Unit: bytes.
const SIZES: [usize; 2] = [4 << 10, 32 << 10];
/// The group of the buffers; there is no other.
const GROUP: u16 = 0;
/// How long the last answer is waited for when the channel goes.
const FAREWELL: Span = Span::from_ms(1_000);

/// The receiving direction of a socket.
#[derive(Debug)]
pub(crate) struct Multishot {
    ring: Ring,
    buffers: Buffers,
    /// The request that is under way.
    armed: Option<u64>,
    /// Buffers with bytes, in the order of their arrival. Each was filled by the kernel, and is not offered to it again
    /// before it has left this queue.
    full: VecDeque<Filled>,
    /// How the socket ended: the end of what the peer sent, or an error.
    ended: Option<Result<(), Errno>>,
}

/// Memory that the kernel fills, and the ring that offers it. The kernel writes to any of it at any time, but for the
/// buffers that it has filled: no reference to anything else of it is ever made.
#[derive(Debug)]
struct Buffers {
    memory: Pages,
    offers: Pages,
    size: usize,
    /// Offers made so far; wraps.
    tail: u16,
}

impl Multishot {
    pub(crate) fn open(largest: usize, patience: Span) -> io::Result<Self> {
        let ring = Ring::open(patience)?;
        // There is no other sign of a kernel that knows the multishot receive.
        ring.need(opcode::SendZc::CODE, "its io_uring has no multishot receive, which came with Linux 6.0")?;
        let size = largest.next_power_of_two().clamp(SIZES[0], SIZES[1]);
        let memory = Pages::new(size * usize::from(BUFFERS))?;
        let offers = Pages::new(size_of::<Offer>() * usize::from(BUFFERS))?;
        let place = offers.as_ptr().expose_provenance() as u64;
        // SAFETY: the pages begin on a page boundary, have room for this many entries, and go away
        // after the ring: `Drop` below and the order of the fields see to it.
        unsafe { ring.ring.submitter().register_buf_ring_with_flags(place, BUFFERS, GROUP, 0)? };
        let mut buffers = Buffers { memory, offers, size, tail: 0 };
        (0..BUFFERS).for_each(|number| buffers.offer(number));
        Ok(Self { ring, buffers, armed: None, full: VecDeque::new(), ended: None })
    }

    /// Takes what has arrived in one buffer, or as much of it as `into` has room for.
    pub(crate) fn take(
        &mut self,
        socket: BorrowedFd<'_>,
        into: &mut [u8],
        wait: Wait,
        handling: Handling,
    ) -> Result<Arrival, Errno> {
        let waiting = Waiting::begin(self.ring.patience);
        loop {
            self.gather();
            if let Some(filled) = self.full.pop_front() {
                return Ok(self.hand_over(filled, into, handling));
            }
            if let Some(ended) = self.ended {
                return ended.map(|()| Arrival::Delivered(0));
            }
            self.arm(socket)?;
            match wait {
                Wait::Patiently => self.ring.enter(waiting.left().ok_or(Errno::AGAIN)?)?,
                Wait::Never => {
                    self.ring.enter(Span::ZERO)?;
                    self.gather();
                    if self.full.is_empty() && self.ended.is_none() {
                        return Err(Errno::AGAIN);
                    }
                }
            }
        }
    }

    /// Waits until bytes can move, whether or not they are in a buffer already.
    pub(crate) fn ready(
        &mut self,
        socket: BorrowedFd<'_>,
        interest: Interest,
        within: Span,
    ) -> Result<bool, Errno> {
        if interest == Interest::Send {
            return crate::wait::poll(socket, interest, within);
        }
        self.arm(socket)?;
        self.ring.enter(Span::ZERO)?;
        self.gather();
        if !self.full.is_empty() || self.ended.is_some() {
            return Ok(true);
        }
        // SAFETY: the ring's descriptor stays open while `self` is borrowed.
        let ring = unsafe { BorrowedFd::borrow_raw(self.ring.ring.as_raw_fd()) };
        let mut both = [PollFd::from_borrowed_fd(ring, PollFlags::IN), PollFd::new(&socket, PollFlags::OUT)];
        let asked = if interest == Interest::Either { &mut both[..] } else { &mut both[..1] };
        await_events(asked, within)
    }

    fn arm(&mut self, socket: BorrowedFd<'_>) -> Result<(), Errno> {
        if self.armed.is_none() && self.ended.is_none() {
            let request = opcode::RecvMulti::new(descriptor(socket), GROUP).build();
            // SAFETY: the request names the buffers' memory, which outlives it, or is leaked (`Drop`).
            self.armed = Some(unsafe { self.ring.queue(request)? });
        }
        Ok(())
    }

    /// Reads what answers there are.
    fn gather(&mut self) {
        while let Some(Answer { result, flags, .. }) = self.ring.answer() {
            if !cqueue::more(flags) {
                self.armed = None;
            }
            let number = cqueue::buffer_select(flags);
            match (usize::try_from(result), number) {
                (Ok(len), Some(buffer)) if len > 0 => self.full.push_back(Filled { buffer, start: 0, len }),
                (Ok(_), number) => {
                    if let Some(number) = number {
                        self.buffers.offer(number);
                    }
                    self.ended = Some(Ok(()));
                }
                (Err(_), _) => match Errno::from_raw_os_error(-result) {
                    // No buffer was free, or the thread that asked has ended: it is asked again.
                    Errno::NOBUFS | Errno::CANCELED | Errno::INTR | Errno::AGAIN => {}
                    errno => self.ended = Some(Err(errno)),
                },
            }
        }
    }

    /// Treats what has just left the queue of full buffers.
    fn hand_over(&mut self, filled: Filled, into: &mut [u8], handling: Handling) -> Arrival {
        let Filled { buffer, start, len } = filled;
        let taken = len.min(into.len());
        // SAFETY: the kernel filled these bytes, and the buffer is not offered again before the end of this function.
        let bytes = unsafe { self.buffers.bytes(Filled { len: taken, ..filled }) };
        match handling {
            Handling::Deliver => into[..taken].copy_from_slice(bytes),
            Handling::Touch => touch(bytes),
            Handling::Leave => {}
        }
        if taken < len {
            self.full.push_front(Filled { buffer, start: start + taken, len: len - taken });
        } else {
            self.buffers.offer(buffer);
        }
        match handling {
            Handling::Deliver => Arrival::Delivered(taken),
            Handling::Touch | Handling::Leave => Arrival::Elsewhere(taken),
        }
    }
}

impl Buffers {
    /// Bytes that the kernel has filled.
    ///
    /// # Panics
    ///
    /// If they go beyond their buffer.
    ///
    /// # Safety
    ///
    /// The kernel has answered with these bytes, and their buffer has not been offered to it since.
    unsafe fn bytes(&self, Filled { buffer, start, len }: Filled) -> &[u8] {
        assert!(
            start <= self.size && len <= self.size - start,
            "{start} + {len} B are more than a buffer has"
        );
        // SAFETY: the pages have `BUFFERS` buffers of this size and were zero at first. The kernel has done with this
        // one, and gets it only through `offer`, which borrows all of this mutably.
        unsafe { slice::from_raw_parts(self.start_of(buffer).add(start), len) }
    }

    /// Where a buffer begins.
    fn start_of(&self, buffer: u16) -> *mut u8 {
        // SAFETY: the pages have `BUFFERS` buffers of this size.
        unsafe { self.memory.as_ptr().add(usize::from(buffer % BUFFERS) * self.size) }
    }

    /// Offers a buffer to the kernel.
    fn offer(&mut self, buffer: u16) {
        let offers = self.offers.as_ptr().cast::<Offer>();
        let address = self.start_of(buffer).expose_provenance() as u64;
        // SAFETY: the pages have `BUFFERS` offers and begin at a page. The kernel reads offers below the tail only, and
        // the tail is stored after the offer. It is a field of the first offer, so it is left alone before.
        unsafe {
            let offer = offers.add(usize::from(self.tail % BUFFERS));
            (&raw mut (*offer).address).write(address);
            (&raw mut (*offer).len).write(self.size as u32);
            (&raw mut (*offer).number).write(buffer % BUFFERS);
            self.tail = self.tail.wrapping_add(1);
            AtomicU16::from_ptr(&raw mut (*offers).tail).store(self.tail, Ordering::Release);
        }
    }
}

impl Drop for Multishot {
    /// The kernel must not write to the buffers any more when they go.
    fn drop(&mut self) {
        self.gather();
        let Some(number) = self.armed else { return };
        let waiting = Waiting::begin(FAREWELL);
        let mut going = self.ring.cancel(number).is_ok();
        while let (true, Some(_), Some(left)) = (going, self.armed, waiting.left()) {
            going = self.ring.enter(left).is_ok();
            self.gather();
        }
        if self.armed.is_some() {
            // Better lost than written to by the kernel when it is another's.
            self.buffers.memory.forget();
            self.buffers.offers.forget();
        }
    }
}
