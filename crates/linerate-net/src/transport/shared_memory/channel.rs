//! One end of two rings.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::ThreadId;

use linerate_core::endpoint::LinkError;
use linerate_core::environment::Fact;
use linerate_core::options::Granted;
use linerate_core::units::Span;

use super::bell::{Sleep, ring_bell};
use crate::channel::{Channel, ChannelHandle};
use crate::observe::HostClock;
use crate::sys::shared_ring::SharedRing;
use crate::transport::Setup;
use crate::transport::local_peer::{LocalPeer, LocalPeerHandle};
use crate::transport::options::unlike_tcp;
use crate::wait::{Interest, Wait};

/// How long an end looks for a change before it sleeps: the order of what a sleep and its end cost.
pub(super) const SPIN: Span = Span::from_us(20);
/// The most that one call moves: the peer can work on it while the next piece is copied.
const PIECE: usize = 64 << 10;

/// How long an end looks for a change before it sleeps.
#[derive(Debug)]
pub(super) enum Spin {
    /// So long.
    #[cfg(test)]
    Fixed(Span),
    /// As long as suits the thread that waits: this long for that one, if any has waited. A channel is
    /// made by one thread and used by another, which may be tied to a processor.
    ByThread(Option<(ThreadId, Span)>),
}

impl Spin {
    pub(super) fn of_this_thread(&mut self) -> Span {
        let here = std::thread::current().id();
        match self {
            #[cfg(test)]
            Self::Fixed(span) => *span,
            Self::ByThread(Some((thread, span))) if *thread == here => *span,
            Self::ByThread(known) => {
                // Tied to one processor, this says one.
                let alone =
                    std::thread::available_parallelism().is_ok_and(|processors| processors.get() == 1);
                known.insert((here, if alone { Span::ZERO } else { SPIN })).1
            }
        }
    }
}

/// One end of two rings.
#[derive(Debug)]
pub(super) struct RingChannel {
    ring: SharedRing,
    /// This end's place among the seats, and the direction in which it sends.
    seat: usize,
    /// Bytes that this end has written and read. The shared counts are for the peer only.
    written: u64,
    read: u64,
    /// What the peer had read when this end last looked.
    peer_read: u64,
    piece: usize,
    pub(super) clock: HostClock,
    pub(super) spin: Spin,
    patience: Span,
    local_peer: Arc<LocalPeer>,
}

impl RingChannel {
    pub(super) fn new(setup: &Setup, ring: SharedRing, seat: usize, local_peer: LocalPeer) -> Self {
        Self {
            piece: PIECE.min(ring.capacity() / 4),
            ring,
            seat,
            written: 0,
            read: 0,
            peer_read: 0,
            clock: setup.clock,
            spin: Spin::ByThread(None),
            patience: setup.patience,
            local_peer: Arc::new(local_peer),
        }
    }

    const fn peer(&self) -> usize {
        1 - self.seat
    }

    /// Bytes that can be written now; of the peer's count only as much as `wanted` needs is read.
    #[inline]
    fn room(&mut self, wanted: usize) -> Result<usize, LinkError> {
        let capacity = self.ring.capacity();
        let free = |peer_read: u64| {
            let used = usize::try_from(self.written.wrapping_sub(peer_read)).unwrap_or(usize::MAX);
            capacity.checked_sub(used).ok_or_else(lies)
        };
        let known = free(self.peer_read)?;
        if known >= wanted {
            return Ok(known);
        }
        let peer_read = self.ring.header().ways[self.seat].receiver.read.load(Ordering::Acquire);
        let room = free(peer_read)?;
        self.peer_read = peer_read;
        Ok(room)
    }

    /// Bytes that can be read now.
    #[inline]
    fn there(&self) -> Result<usize, LinkError> {
        let written = self.ring.header().ways[self.peer()].sender.written.load(Ordering::Acquire);
        let there = usize::try_from(written.wrapping_sub(self.read)).unwrap_or(usize::MAX);
        if there <= self.ring.capacity() { Ok(there) } else { Err(lies()) }
    }

    fn peer_is_gone(&self) -> bool {
        self.ring.header().seats[self.peer()].gone.load(Ordering::Acquire) != 0
    }

    fn peer_has_finished(&self) -> bool {
        let finished = &self.ring.header().ways[self.peer()].sender.finished;
        finished.load(Ordering::Acquire) != 0 || self.peer_is_gone()
    }

    /// Whether a call for `interest` would not wait.
    fn is_ready(&mut self, interest: Interest) -> Result<bool, LinkError> {
        let send = interest != Interest::Receive && (self.room(1)? > 0 || self.peer_is_gone());
        let receive = interest != Interest::Send && (self.there()? > 0 || self.peer_has_finished());
        Ok(send || receive)
    }

    /// Waits until a call for `interest` would not; whether that came within a time.
    fn wait(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError> {
        let begin = self.clock.now();
        loop {
            // A look costs less than a reading of the clock.
            for _ in 0..32 {
                if self.is_ready(interest)? {
                    return Ok(true);
                }
                std::hint::spin_loop();
            }
            let spent = self.clock.now().since(begin);
            if spent >= within {
                return Ok(false);
            }
            if spent >= self.spin.of_this_thread() {
                self.sleep(interest, within - spent)?;
            }
        }
    }

    /// Sleeps until the peer rings, some time has passed, or the channel has ended.
    fn sleep(&mut self, interest: Interest, within: Span) -> Result<(), LinkError> {
        let sleep = Sleep::prepare(&self.ring.header().seats[self.seat]);
        if self.is_ready(interest)? {
            sleep.cancel(&self.ring.header().seats[self.seat]);
            return Ok(());
        }
        sleep.sleep(&self.ring.header().seats[self.seat], within).map_err(failed("wait for the peer"))?;
        if self.local_peer.is_cut() {
            return Err(LinkError::Reset);
        }
        // A process that was killed says nothing; what it wrote before counts.
        if self.local_peer.is_loose() && !self.is_ready(interest)? { Err(LinkError::Closed) } else { Ok(()) }
    }

    fn wait_patiently(&mut self, interest: Interest) -> Result<(), LinkError> {
        if self.wait(interest, self.patience)? { Ok(()) } else { Err(LinkError::Stalled(self.patience)) }
    }

    fn wake_peer(&self) {
        ring_bell(&self.ring.header().seats[self.peer()]);
    }

    fn unless_cut(&self) -> Result<(), LinkError> {
        if self.local_peer.is_cut() { Err(LinkError::Reset) } else { Ok(()) }
    }
}

impl Channel for RingChannel {
    #[inline]
    fn push(&mut self, data: &[u8], wait: Wait) -> Result<usize, LinkError> {
        loop {
            self.unless_cut()?;
            if self.peer_is_gone() {
                return Err(LinkError::Closed);
            }
            let wanted = data.len().min(self.piece);
            let moved = self.room(wanted)?.min(wanted);
            if moved > 0 {
                self.ring.write(self.seat, self.written, &data[..moved]);
                self.written = self.written.wrapping_add(moved as u64);
                let count = &self.ring.header().ways[self.seat].sender.written;
                // After the bytes, so that whoever sees the count sees them.
                count.store(self.written, Ordering::Release);
                self.wake_peer();
            }
            if moved > 0 || wait == Wait::Never || data.is_empty() {
                return Ok(moved);
            }
            self.wait_patiently(Interest::Send)?;
        }
    }

    #[inline]
    fn pull(&mut self, into: &mut [u8], wait: Wait) -> Result<usize, LinkError> {
        loop {
            self.unless_cut()?;
            // Before the count, because what was written before the end counts.
            let finished = self.peer_has_finished();
            let moved = self.there()?.min(into.len()).min(self.piece);
            if moved > 0 {
                self.ring.read(self.peer(), self.read, &mut into[..moved]);
                self.read = self.read.wrapping_add(moved as u64);
                let count = &self.ring.header().ways[self.peer()].receiver.read;
                // After the bytes were copied, because the peer overwrites them from here on.
                count.store(self.read, Ordering::Release);
                self.wake_peer();
                return Ok(moved);
            }
            if finished {
                return Err(LinkError::Closed);
            }
            if wait == Wait::Never || into.is_empty() {
                return Ok(0);
            }
            self.wait_patiently(Interest::Receive)?;
        }
    }

    fn ready(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError> {
        self.unless_cut()?;
        self.wait(interest, within)
    }

    fn finish_sending(&mut self) -> Result<(), LinkError> {
        self.ring.header().ways[self.seat].sender.finished.store(1, Ordering::Release);
        self.wake_peer();
        Ok(())
    }

    fn granted(&self) -> Granted {
        let capacity = Fact::Known(self.ring.capacity() as u64);
        Granted { sndbuf: capacity.clone(), rcvbuf: capacity, ..unlike_tcp() }
    }

    fn handle(&self) -> io::Result<Box<dyn ChannelHandle>> {
        Ok(Box::new(LocalPeerHandle(Arc::clone(&self.local_peer))))
    }
}

impl Drop for RingChannel {
    fn drop(&mut self) {
        self.ring.header().seats[self.seat].gone.store(1, Ordering::Release);
        self.wake_peer();
    }
}

fn failed(operation: &'static str) -> impl FnOnce(io::Error) -> LinkError {
    move |source| LinkError::System { operation, source }
}

/// What a peer does that writes counts which cannot be.
fn lies() -> LinkError {
    let why = "the peer's counts are out of range";
    failed("use the shared ring")(io::Error::new(io::ErrorKind::InvalidData, why))
}
