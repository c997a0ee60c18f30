//! A full-duplex link in virtual time: latency, cost of a byte, bounded buffers, and on request
//! noise, a dip, a cold start, a changed byte or a coarse clock. Two endpoints sit at its ends.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use linerate_core::endpoint::{Endpoint, LinkError, move_bytes};
use linerate_core::units::{Span, Time};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::kernel::Kernel;

/// Most bytes that travel as one piece.
const PIECE: usize = 64 << 10;

/// What a link is like. The default is exact: 50 us and 8 ns a byte (1 Gb/s).
#[derive(Clone)]
pub(crate) struct Link {
    /// From the last byte sent to the last byte there.
    pub(crate) latency: Span,
    /// Time of a byte on the wire.
    pub(crate) per_byte: Span,
    /// Bytes accepted in each direction and not yet taken by the receiver.
    pub(crate) window: usize,
    /// Further time of a message of this size: a dip.
    pub(crate) extra: fn(u64) -> Span,
    /// Mean of a further, exponentially distributed time of a message of this size. Only the
    /// direction from the initiator has it, so that the median of a sample is known.
    pub(crate) jitter: fn(u64) -> Span,
    /// Further time of each of the first messages in each direction.
    pub(crate) cold: (u64, Span),
    /// The message from the initiator whose first byte is changed.
    pub(crate) corrupt: Option<u64>,
    /// Step of both clocks.
    pub(crate) tick: Span,
    /// How far the responder's clock is ahead: one-way differences of two clocks mean nothing.
    pub(crate) skew: Span,
}

impl Default for Link {
    fn default() -> Self {
        Self {
            latency: Span::from_us(50),
            per_byte: Span::from_ns(8),
            window: 1 << 20,
            extra: |_| Span::ZERO,
            jitter: |_| Span::ZERO,
            cold: (0, Span::ZERO),
            corrupt: None,
            tick: Span::from_ps(1),
            skew: Span::from_ms(123_456),
        }
    }
}

impl Link {
    /// An exact link of this many Mb/s; 1000 must be a multiple of it for whole picoseconds.
    pub(crate) fn of_mbps(mbps: u64) -> Self {
        Self { per_byte: Span::from_ps(8_000_000 / mbps), ..Self::default() }
    }

    /// The one-way time of a message without noise.
    pub(crate) fn one_way(&self, size: u64) -> Span {
        self.latency + self.per_byte * size + (self.extra)(size)
    }

    /// Its two ends, with the noise that `seed` gives.
    pub(crate) fn connect(&self, kernel: &Kernel, seed: u64) -> (End, End) {
        let pipe = || Rc::new(RefCell::new(Pipe::default()));
        let (there, back) = (pipe(), pipe());
        let end = |out: &Rc<RefCell<Pipe>>, into: &Rc<RefCell<Pipe>>, initiator| End {
            link: self.clone(),
            kernel: kernel.clone(),
            out: Rc::clone(out),
            into: Rc::clone(into),
            initiator,
            sent: 0,
            random: Pcg64::seed_from_u64(seed),
        };
        (end(&there, &back, true), end(&back, &there, false))
    }
}

/// One direction.
#[derive(Default)]
struct Pipe {
    /// Pieces on their way or arrived, in order.
    pieces: VecDeque<Piece>,
    /// Bytes in them.
    held: usize,
    /// When the wire is free again.
    free_at: Option<Time>,
    /// One of its ends is gone.
    closed: bool,
}

struct Piece {
    /// When its last byte is there.
    arrives: Time,
    bytes: Vec<u8>,
    /// How many of them were taken.
    taken: usize,
}

/// One end of a link.
pub(crate) struct End {
    link: Link,
    kernel: Kernel,
    out: Rc<RefCell<Pipe>>,
    into: Rc<RefCell<Pipe>>,
    initiator: bool,
    sent: u64,
    random: Pcg64,
}

impl End {
    /// Occupies the wire with what a message takes besides its bytes; gives the message's number.
    fn begin(&mut self, size: usize) -> u64 {
        let number = self.sent;
        self.sent += 1;
        let mut extra = (self.link.extra)(size as u64);
        if number < self.link.cold.0 {
            extra += self.link.cold.1;
        }
        if self.initiator {
            let mean = (self.link.jitter)(size as u64).as_seconds();
            extra += Span::from_seconds(-mean * (1.0 - self.random.random::<f64>()).ln());
        }
        let mut out = self.out.borrow_mut();
        let now = self.kernel.now();
        out.free_at = Some(out.free_at.map_or(now, |free| free.max(now)) + extra);
        number
    }

    /// Puts as much of `data` on the wire as the window has room for; zero means none.
    fn push(&mut self, data: &[u8], corrupt: bool) -> Result<usize, LinkError> {
        let mut out = self.out.borrow_mut();
        if out.closed {
            return Err(LinkError::Closed);
        }
        let len = data.len().min(PIECE).min(self.link.window - out.held);
        if len > 0 {
            let mut bytes = data[..len].to_vec();
            bytes[0] ^= u8::from(corrupt);
            let now = self.kernel.now();
            let sent = out.free_at.map_or(now, |free| free.max(now)) + self.link.per_byte * len as u64;
            let arrives = sent + self.link.latency;
            out.free_at = Some(sent);
            out.held += len;
            out.pieces.push_back(Piece { arrives, bytes, taken: 0 });
            self.kernel.alarm(arrives);
            self.kernel.stir();
        }
        Ok(len)
    }

    /// Takes what has arrived; zero means nothing yet.
    fn pull(&mut self, data: &mut [u8]) -> Result<usize, LinkError> {
        let mut into = self.into.borrow_mut();
        let Some(piece) = into.pieces.front_mut() else {
            return if into.closed { Err(LinkError::Closed) } else { Ok(0) };
        };
        if piece.arrives > self.kernel.now() {
            return Ok(0);
        }
        let rest = &piece.bytes[piece.taken..];
        let len = rest.len().min(data.len());
        data[..len].copy_from_slice(&rest[..len]);
        piece.taken += len;
        if piece.taken == piece.bytes.len() {
            into.pieces.pop_front();
        }
        into.held -= len;
        self.kernel.stir();
        Ok(len)
    }

    /// Moves what can be moved now in both directions. `message` is the number and the whole length
    /// of what goes out.
    fn step(
        &mut self,
        message: Option<(u64, usize)>,
        out: &[u8],
        into: &mut [u8],
    ) -> Result<[usize; 2], LinkError> {
        let begins = message.filter(|(_, len)| *len == out.len()).map(|(number, _)| number);
        let corrupt = self.initiator && begins.is_some() && self.link.corrupt == begins;
        let pushed = if out.is_empty() { 0 } else { self.push(out, corrupt)? };
        let pulled = if into.is_empty() { 0 } else { self.pull(into)? };
        Ok([pushed, pulled])
    }
}

impl Endpoint for End {
    fn now(&self) -> Time {
        let skew = if self.initiator { Span::ZERO } else { self.link.skew };
        let exact = (self.kernel.now() + skew).as_ps();
        Time::from_ps(exact - exact % self.link.tick.as_ps())
    }

    async fn send(&mut self, data: &[u8]) -> Result<(), LinkError> {
        self.exchange(data, &mut []).await
    }

    async fn recv(&mut self, data: &mut [u8]) -> Result<(), LinkError> {
        move_bytes(&[], data, |out, into| self.step(None, out, into)).await
    }

    async fn exchange(&mut self, out: &[u8], into: &mut [u8]) -> Result<(), LinkError> {
        let message = Some((self.begin(out.len()), out.len()));
        move_bytes(out, into, |out, into| self.step(message, out, into)).await
    }

    async fn wait(&mut self, span: Span) {
        let until = self.kernel.now() + span;
        self.kernel.alarm(until);
        poll_fn(|_| if self.kernel.now() >= until { Poll::Ready(()) } else { Poll::Pending }).await;
    }
}

impl Drop for End {
    fn drop(&mut self) {
        self.out.borrow_mut().closed = true;
        self.into.borrow_mut().closed = true;
        self.kernel.stir();
    }
}
