//! How a direction of a datagram channel ends: an end message that is repeated until it is
//! confirmed.

use linerate_core::endpoint::LinkError;
use linerate_core::units::{Span, Time};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use std::os::fd::AsFd as _;

use super::header::{GONE, Header, Kind};
use super::{CONTROL_LEN, DatagramChannel};
use crate::sys::NO_SIGNAL;
use crate::sys::outq::waiting;
use crate::wait::{Interest, poll, retry};

/// The first pause before an end is sent again; each is twice the one before, up to the longest.
const FIRST_PAUSE: Span = Span::from_ms(10);
const LONGEST_PAUSE: Span = Span::from_ms(200);
/// How often a channel that is dropped without an end sends one. It does not wait for an answer:
/// dropping a thousand channels must not wait a thousand times.
const PARTINGS: u32 = 3;
/// How long the datagrams before it may take to leave this host's queues, and how often they are
/// looked at.
const LEAVING: Span = Span::from_ms(1_000);
const LOOK: Span = Span::from_ms(1);
/// Messages that are kept while waiting for the end.
const STASH: usize = 64;

/// What is known of the two ends of a channel.
#[derive(Debug, Default)]
pub(super) struct Closing {
    /// Datagrams of the flow that this end sent, if it sent one.
    pub(super) sent: Option<u64>,
    /// Datagrams of the flow that this end received, if it received one to its end.
    pub(super) settled: Option<u64>,
    /// Whether this end has sent its end message.
    said: bool,
    /// Whether the peer has confirmed it.
    heard: bool,
    /// Whether the peer has said so; how many datagrams it counted.
    pub(super) theirs: Option<u64>,
}

impl Closing {
    /// Whether the peer sends no more.
    pub(super) const fn is_over(&self) -> bool {
        self.theirs.is_some()
    }

    pub(super) const fn has_sent_flow(&self) -> bool {
        self.sent.is_some()
    }

    /// What the end of this direction says: datagrams that were sent or, of a direction without a
    /// flow, received.
    fn count(&self) -> u64 {
        self.sent.or(self.settled).unwrap_or(0)
    }
}

/// The result of sending the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Heard,
    /// The peer's socket is gone.
    Gone,
    /// Nobody answered in time.
    Unanswered,
}

impl DatagramChannel {
    /// Says that no more will be sent. The end of a flow must be confirmed, because the account
    /// needs it. Any other end is not worth an error, because the peer may have gone.
    pub(super) fn close(&mut self) -> Result<(), LinkError> {
        let flow = self.closing.has_sent_flow();
        if flow && !self.closing.said {
            self.let_leave();
        }
        let within = if flow { self.patience } else { self.loss() };
        match self.say_end(within) {
            Said::Heard => Ok(()),
            _ if self.is_cut() => Err(LinkError::Reset),
            Said::Gone if flow => Err(LinkError::Closed),
            Said::Unanswered if flow => Err(LinkError::Stalled(within)),
            Said::Gone | Said::Unanswered => Ok(()),
        }
    }

    /// Says the end, if it was not said, because the channel goes away.
    pub(super) fn part(&mut self) {
        if self.closing.said || self.is_cut() {
            return;
        }
        for _ in 0..PARTINGS {
            match self.say(Kind::End, GONE) {
                // A Unix peer's queue is full; it may take something soon.
                Some(Errno::AGAIN) => {
                    poll(self.socket.as_fd(), Interest::Send, FIRST_PAUSE).map(drop).unwrap_or(());
                }
                Some(_) => return,
                None => {}
            }
        }
    }

    /// Takes what a datagram without payload says; whether it is the end of what the peer sends.
    pub(super) fn heard(&mut self, header: &Header) -> bool {
        match header.kind {
            Kind::End => {
                self.closing.theirs.get_or_insert(header.number);
                self.say(Kind::EndHeard, self.closing.settled.unwrap_or(0));
                true
            }
            Kind::EndHeard => {
                self.closing.heard = true;
                false
            }
            Kind::Data | Kind::Short | Kind::Ready => false,
        }
    }

    /// Sends a datagram without payload, if it can go at once: it is sent again anyway.
    pub(super) fn say(&self, kind: Kind, number: u64) -> Option<Errno> {
        let header = Header { kind, number, sent_ns: self.now_ns() };
        let sealed = header.seal(&self.cookie);
        let flags = NO_SIGNAL | SendFlags::DONTWAIT;
        retry(|| rustix::net::send(&self.socket, &sealed, flags)).err()
    }

    /// Waits until the flow has left this host's queues: an end that meets a full queue would be
    /// dropped, and the queue's count would be of one more than the flow lost.
    fn let_leave(&self) {
        let begun = self.clock.now();
        while waiting(self.socket.as_fd()).is_ok_and(|bytes| bytes > 0)
            && self.clock.now().since(begun) < LEAVING
            && !self.is_cut()
        {
            std::thread::sleep(LOOK.to_duration());
        }
    }

    /// The sender's clock as the datagrams state it.
    pub(super) fn now_ns(&self) -> u64 {
        self.clock.now().as_ps() / 1000
    }

    fn say_end(&mut self, within: Span) -> Said {
        self.closing.said = true;
        let begun = self.clock.now();
        let mut pause = FIRST_PAUSE;
        loop {
            if let Some(said) = self.conclusion() {
                return said;
            }
            if self.is_cut() || self.clock.now().since(begun) >= within {
                return Said::Unanswered;
            }
            if self.say(Kind::End, self.closing.count()) == Some(Errno::CONNREFUSED) {
                return Said::Gone;
            }
            match self.listen(self.clock.now() + pause) {
                Ok(true) => {}
                Ok(false) => return Said::Unanswered,
                Err(_) => return Said::Gone,
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// How saying the end went, once that is known. Who received a flow says its own end only when it
    /// has heard the sender's, unless it goes away in the middle.
    const fn conclusion(&self) -> Option<Said> {
        match self.closing.theirs {
            _ if self.closing.heard => Some(Said::Heard),
            Some(GONE) => Some(Said::Gone),
            Some(_) if self.closing.has_sent_flow() => Some(Said::Heard),
            _ => None,
        }
    }

    /// Takes what comes until `until` or the conclusion, and keeps messages; false when there is no
    /// more room for them. The peer's pulls and pushes then say what is left to say.
    fn listen(&mut self, until: Time) -> Result<bool, Errno> {
        while self.conclusion().is_none() {
            let now = self.clock.now();
            if now >= until || !poll(self.socket.as_fd(), Interest::Receive, until.since(now))? {
                return Ok(true);
            }
            let mut room = match self.take(&mut [], RecvFlags::PEEK | RecvFlags::DONTWAIT) {
                Ok(len) => vec![0; len.max(CONTROL_LEN)],
                Err(Errno::AGAIN) => continue,
                Err(errno) => return Err(errno),
            };
            match self.take_message(&mut room, RecvFlags::DONTWAIT) {
                Ok((_, Some(header))) => {
                    self.heard(&header);
                }
                Ok((0, None)) if self.is_cut() => return Ok(false),
                Ok((0, None)) => {}
                Ok(_) if self.closing.has_sent_flow() => {}
                Ok((len, None)) => {
                    self.stash.push_back({
                        room.truncate(len);
                        room
                    });
                    if self.stash.len() >= STASH {
                        return Ok(false);
                    }
                }
                Err(Errno::AGAIN) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(true)
    }
}
