//! One end of a flow of frames as a channel.

use std::io;
use std::sync::Arc;

use linerate_core::endpoint::LinkError;
use linerate_core::environment::Fact;
use linerate_core::options::Granted;
use linerate_core::units::{Span, Time};
use rustix::io::Errno;

use super::bulk;
use super::frame::{Header, Kind};
use super::link::{Cut, Heard, Link};
use super::plane::Plane;
use crate::channel::{Channel, ChannelHandle};
use crate::flow::{Incoming, Outgoing};
use crate::observe::HostClock;
use crate::transport::Setup;
use crate::transport::datagram::wrong_length;
use crate::wait::{Interest, Wait};

/// A message that has not come for this long is lost; the channel's patience may be less.
const LOST: Span = Span::from_ms(1_000);
/// Messages that were overtaken by the end of their flow come within this time.
const STRAGGLERS: Span = Span::from_ms(20);
/// How long an end waits for its answer before it is said again.
const AGAIN: [Span; 6] = [
    Span::from_ms(10),
    Span::from_ms(20),
    Span::from_ms(40),
    Span::from_ms(80),
    Span::from_ms(160),
    Span::from_ms(320),
];
/// How long the device's queue is given after it had no room: 6 full frames at 1 Gb/s.
const NAP: Span = Span::from_us(75);

/// One end of a flow of Ethernet frames: every message is a frame.
#[derive(Debug)]
pub(super) struct EthernetChannel<P: Plane> {
    pub(super) link: Link<P>,
    pub(super) clock: HostClock,
    pub(super) cut: Arc<Cut>,
    pub(super) patience: Span,
    /// How long the ring is looked at before the thread sleeps.
    spin: Span,
    /// Messages that were sent.
    pub(super) sent: u64,
    /// The number above the last message that was taken one by one.
    expected: u64,
    /// Messages that the ring had no room for.
    dropped: u64,
    /// How many messages the peer says it sent, and when it said so.
    ended: Option<(u64, Time)>,
    /// The peer takes nothing more.
    left: bool,
    /// Our end was heard.
    heard: bool,
    finished: bool,
    /// What the initiator proves itself with once more if it missed the answer.
    proof: Option<[u8; 16]>,
}

impl<P: Plane> EthernetChannel<P> {
    /// A channel that stands. `proof` is what the responder gave.
    pub(super) fn new(link: Link<P>, setup: &Setup, proof: Option<[u8; 16]>) -> io::Result<Self> {
        Ok(Self {
            link,
            clock: setup.clock,
            cut: Arc::new(Cut::new()?),
            patience: setup.patience,
            spin: Span::from_us(setup.socket.busy_poll.unwrap_or(0).into()),
            sent: 0,
            expected: 0,
            dropped: 0,
            ended: None,
            left: false,
            heard: false,
            finished: false,
            proof,
        })
    }

    /// Refuses a message that no frame holds.
    pub(super) fn check_length(&self, size: usize) -> Result<(), LinkError> {
        let largest = self.link.largest();
        if size <= largest {
            return Ok(());
        }
        Err(LinkError::TooLong { size: size as u64, largest: largest as u64 })
    }

    /// Whether anybody takes what is sent.
    pub(super) fn check_open(&self) -> Result<(), LinkError> {
        if self.left || self.cut.is_done() { Err(LinkError::Closed) } else { Ok(()) }
    }

    /// Reads everything that has come and is no message, and answers it.
    pub(super) fn hear(&mut self) -> Result<(), LinkError> {
        while let Some(heard) = self.link.hear().map_err(failed("receive"))? {
            self.answer(&heard)?;
        }
        Ok(())
    }

    fn answer(&mut self, heard: &Heard) -> Result<(), LinkError> {
        let mut ended = || {
            let now = self.clock.now();
            self.ended.get_or_insert((heard.sequence, now));
        };
        match heard.kind {
            Kind::End => {
                ended();
                self.link.say(Kind::EndSeen, 0, &[]).map_err(failed("send"))?;
            }
            Kind::Leave => {
                ended();
                self.left = true;
            }
            Kind::EndSeen => self.heard = true,
            Kind::Proof => match self.proof {
                Some(proof) if heard.payload.starts_with(&proof) => {
                    self.link.say(Kind::Accept, 0, &proof).map_err(failed("send"))?;
                }
                _ => {}
            },
            Kind::Data | Kind::Hello | Kind::Echo | Kind::Accept => {}
        }
        Ok(())
    }

    /// Messages that the ring had no room for, so far.
    pub(super) fn dropped(&mut self) -> u64 {
        self.dropped += self.link.data.drops();
        self.dropped
    }

    /// How many messages the peer says it sent, if it said so.
    pub(super) fn announced(&self) -> Option<u64> {
        self.ended.map(|(sent, _)| sent)
    }

    /// Whether nothing more will come, where the ring is empty and `accounted` messages came or are
    /// known not to.
    pub(super) fn is_over(&self, accounted: u64) -> bool {
        self.ended.is_some_and(|(sent, at)| accounted >= sent || self.clock.now().since(at) >= STRAGGLERS)
    }

    /// Sleeps until the peer sends something, for `within` at most, and answers what is no message.
    pub(super) fn rest(&mut self, within: Span) -> Result<(), LinkError> {
        let within = if self.ended.is_some() { within.min(STRAGGLERS) } else { within };
        let woken = self.link.watch(&self.cut, false, within).map_err(failed("wait for a frame"))?;
        if woken.control { self.hear() } else { Ok(()) }
    }

    /// Waits after the host refused a frame: `since` is when it first did.
    pub(super) fn make_room(&mut self, refusal: Errno, since: &mut Option<Time>) -> Result<(), LinkError> {
        let now = self.clock.now();
        let since = *since.get_or_insert(now);
        if now.since(since) >= self.patience {
            return Err(LinkError::Stalled(self.patience));
        }
        // The socket has room again as soon as a frame has left; of the device's queue nobody tells.
        let waited = match refusal {
            Errno::AGAIN => self.link.wait_for_room(&self.cut, LOST),
            _ => self.link.listen(&self.cut, NAP),
        };
        waited.map_err(failed("wait for room"))?;
        self.hear()?;
        self.check_open()
    }

    /// Takes the next message in the ring, if there is one.
    #[inline]
    fn take(&mut self, into: &mut [u8]) -> Result<Option<usize>, LinkError> {
        while let Some(frame) = self.link.data.peek() {
            let mut wrong = None;
            let mut taken = false;
            if let Some((_, header, payload)) = Header::decode(frame.bytes)
                && header.sequence >= self.expected
            {
                self.expected = header.sequence.saturating_add(1);
                taken = true;
                if payload.len() == into.len() {
                    into.copy_from_slice(payload);
                } else {
                    wrong = Some(payload.len());
                }
            }
            self.link.data.release();
            match wrong {
                Some(length) => return Err(wrong_length(length, into.len())),
                None if taken => return Ok(Some(into.len())),
                None => {}
            }
        }
        Ok(None)
    }

    fn spin(&mut self) {
        if self.spin == Span::ZERO {
            return;
        }
        let begun = self.clock.now();
        while self.link.data.peek().is_none() && self.clock.now().since(begun) < self.spin {
            std::hint::spin_loop();
        }
    }
}

impl<P: Plane> Channel for EthernetChannel<P> {
    #[inline]
    fn push(&mut self, data: &[u8], wait: Wait) -> Result<usize, LinkError> {
        self.check_length(data.len())?;
        self.check_open()?;
        let head = self.link.head(Kind::Data, data.len(), self.sent);
        let mut since = None;
        loop {
            match self.link.data.post(&head, data) {
                Ok(()) => {
                    self.sent += 1;
                    return Ok(data.len());
                }
                Err(Errno::AGAIN | Errno::NOBUFS) if wait == Wait::Never => return Ok(0),
                Err(refusal @ (Errno::AGAIN | Errno::NOBUFS)) => self.make_room(refusal, &mut since)?,
                Err(errno) => return Err(failed("send")(errno)),
            }
        }
    }

    #[inline]
    fn pull(&mut self, into: &mut [u8], wait: Wait) -> Result<usize, LinkError> {
        if let Some(length) = self.take(into)? {
            return Ok(length);
        }
        if wait == Wait::Never {
            self.hear()?;
            let length = self.take(into)?;
            return match length {
                None if self.is_over(self.expected) || self.cut.is_done() => Err(LinkError::Closed),
                _ => Ok(length.unwrap_or(0)),
            };
        }
        self.spin();
        // Who has finished awaits an end, which comes when the peer has read everything.
        let patience = if self.finished { self.patience } else { self.patience.min(LOST) };
        let begun = self.clock.now();
        loop {
            if let Some(length) = self.take(into)? {
                return Ok(length);
            }
            if self.is_over(self.expected) || self.cut.is_done() {
                return Err(LinkError::Closed);
            }
            let left = patience.saturating_sub(self.clock.now().since(begun));
            if left == Span::ZERO {
                return Err(LinkError::Stalled(patience));
            }
            self.rest(left)?;
        }
    }

    fn ready(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError> {
        let begun = self.clock.now();
        loop {
            if self.cut.is_done() {
                return Ok(true);
            }
            let left = within.saturating_sub(self.clock.now().since(begun));
            let woken = if interest == Interest::Send {
                self.link.wait_for_room(&self.cut, left)
            } else {
                if self.link.data.peek().is_some() || self.is_over(self.expected) {
                    return Ok(true);
                }
                let left = if self.ended.is_some() { left.min(STRAGGLERS) } else { left };
                self.link.watch(&self.cut, interest == Interest::Either, left)
            };
            let woken = woken.map_err(failed("wait for a frame"))?;
            if woken.control {
                self.hear()?;
            }
            if woken.data_out {
                return Ok(true);
            }
            if left == Span::ZERO {
                return Ok(self.link.data.peek().is_some());
            }
        }
    }

    fn finish_sending(&mut self) -> Result<(), LinkError> {
        self.finished = true;
        for pause in AGAIN {
            self.hear()?;
            if self.heard || self.left || self.cut.is_done() {
                return Ok(());
            }
            self.link.say(Kind::End, self.sent, &[]).map_err(failed("end the sending"))?;
            let said = self.clock.now();
            while !(self.heard || self.left || self.cut.is_done()) {
                let left = pause.saturating_sub(self.clock.now().since(said));
                if left == Span::ZERO {
                    break;
                }
                // What is in the ring stays there: only the rest is listened to.
                let woken = self.link.listen(&self.cut, left).map_err(failed("end the sending"))?;
                if woken.control {
                    self.hear()?;
                }
            }
        }
        Ok(())
    }

    fn natural_message(&self) -> u64 {
        self.link.largest() as u64
    }

    fn granted(&self) -> Granted {
        let absent = "raw Ethernet has none";
        let [sndbuf, rcvbuf] = self.link.data.memory();
        Granted {
            sndbuf,
            rcvbuf,
            usable_window: Fact::unknown(absent),
            nodelay: Fact::unknown(absent),
            congestion: Fact::unknown(absent),
            mss: Fact::Known(self.link.largest() as u64),
            path_mtu: Fact::Known(self.link.mtu() as u64),
            dscp: Fact::unknown(absent),
            busy_poll: Fact::Known(u32::try_from(self.spin.as_ps() / 1_000_000).unwrap_or(u32::MAX)),
            timestamps: Fact::unknown(absent),
            ..Granted::default()
        }
    }

    fn handle(&self) -> io::Result<Box<dyn ChannelHandle>> {
        Ok(Box::new(Arc::clone(&self.cut)))
    }

    fn send_bulk(&mut self, out: &mut Outgoing<'_>) -> Result<(), LinkError> {
        bulk::send(self, out)
    }

    fn receive_bulk(&mut self, into: &mut Incoming<'_>) -> Result<(), LinkError> {
        bulk::receive(self, into)
    }
}

impl<P: Plane> Drop for EthernetChannel<P> {
    fn drop(&mut self) {
        if !self.left {
            // Twice, as nobody answers it; the host may be unable to send at all by now.
            for _ in 0..2 {
                self.link.say(Kind::Leave, self.sent, &[]).unwrap_or(());
            }
        }
    }
}

/// For `map_err`: what was being done when the host refused.
pub(super) fn failed(operation: &'static str) -> impl FnOnce(Errno) -> LinkError {
    move |errno| LinkError::System { operation, source: errno.into() }
}
