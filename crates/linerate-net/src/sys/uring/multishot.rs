//! One `recv` that answers again and again, each time with a buffer out of a ring of them.
//!
//! Bytes arrive in the engine's buffers while the application does something else; a pull that
//! must deliver copies them from there.  Source: io_uring_prep_recv_multishot(3),
//! io_uring_register_buf_ring(3).

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::atomic::{AtomicU16, Ordering};

use io_uring::types::BufRingEntry;
use io_uring::{cqueue, opcode};
use linerate_core::payload::touch;
use linerate_core::units::Span;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use super::{Answer, Ring, Waiting, descriptor};
use crate::sys::pages::Pages;
use crate::wait::{Arrival, Handling, Interest, Wait, await_events};

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
    /// Buffers with bytes, in the order of their arrival: number, where they begin, how many.
    full: VecDeque<(u16, usize, usize)>,
    /// How the socket ended: the end of what the peer sent, or an error.
    ended: Option<Result<(), Errno>>,
}

/// Memory that the kernel fills, and the ring that offers it.
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
        let offers = Pages::new(size_of::<BufRingEntry>() * usize::from(BUFFERS))?;
        let place = offers.as_ptr().addr() as u64;
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
            if let Some((number, start, len)) = self.full.pop_front() {
                return Ok(self.hand_over((number, start, len), into, handling));
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
            // SAFETY: the request names the buffers' memory, which outlives it (`Drop`).
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
                (Ok(len), Some(number)) if len > 0 => self.full.push_back((number, 0, len)),
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

    fn hand_over(
        &mut self,
        (number, start, len): (u16, usize, usize),
        into: &mut [u8],
        handling: Handling,
    ) -> Arrival {
        let taken = len.min(into.len());
        let bytes = &self.buffers.get(number)[start..start + taken];
        match handling {
            Handling::Deliver => into[..taken].copy_from_slice(bytes),
            Handling::Touch => touch(bytes),
            Handling::Leave => {}
        }
        if taken < len {
            self.full.push_front((number, start + taken, len - taken));
        } else {
            self.buffers.offer(number);
        }
        match handling {
            Handling::Deliver => Arrival::Delivered(taken),
            Handling::Touch | Handling::Leave => Arrival::Elsewhere(taken),
        }
    }
}

impl Buffers {
    /// The memory of a buffer that the kernel has filled and not been offered again.
    fn get(&self, number: u16) -> &[u8] {
        &self.memory.bytes()[usize::from(number % BUFFERS) * self.size..][..self.size]
    }

    /// Offers a buffer to the kernel.
    fn offer(&mut self, number: u16) {
        let place = usize::from(number % BUFFERS) * self.size;
        let at = usize::from(self.tail % BUFFERS);
        let entries = self.offers.as_ptr().cast::<BufRingEntry>();
        // SAFETY: the pages have `BUFFERS` entries, begin at a page, and were zero at first, which
        // is a value. The kernel reads entries below the tail only, and the tail is stored after
        // the entry.
        unsafe {
            let entry = &mut *entries.add(at);
            entry.set_addr(self.memory.as_ptr().add(place).addr() as u64);
            entry.set_len(self.size as u32);
            entry.set_bid(number % BUFFERS);
            self.tail = self.tail.wrapping_add(1);
            let tail = BufRingEntry::tail(entries).cast_mut();
            AtomicU16::from_ptr(tail).store(self.tail, Ordering::Release);
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
