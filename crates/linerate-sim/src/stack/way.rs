//! One direction of a flow: the bytes between a writing and a reading application.

use std::collections::VecDeque;

use super::{Kind, Parameters};

/// One direction of a flow. Positions count bytes from the flow's beginning:
/// taken <= arrived <= written, acknowledged <= arrived, and acknowledged <= sent <= written.
#[derive(Debug, Default)]
pub(super) struct Way {
    /// The bytes from `taken` to `written`.
    bytes: VecDeque<u8>,
    /// Ends of messages that are not all sent; kept for datagrams only.
    ends: VecDeque<u64>,
    written: u64,
    sent: u64,
    pub(super) arrived: u64,
    pub(super) taken: u64,
    /// What the receiver has acknowledged.
    acknowledged: u64,
    /// Up to where the sender may send.
    edge: u64,
    /// The application is in the middle of a message that the send buffer has no room for.
    more: bool,
}

impl Way {
    pub(super) fn new(parameters: &Parameters) -> Self {
        Self { edge: parameters.window_bytes, ..Self::default() }
    }

    /// Accepts what the send buffer has room for; returns how much. `data` is the rest of its
    /// message.
    pub(super) fn write(&mut self, data: &[u8], parameters: &Parameters) -> usize {
        let len = self.accept(data.len(), parameters);
        self.bytes.extend(&data[..len]);
        len
    }

    /// The same for `len` bytes that are only counted.
    pub(super) fn write_blank(&mut self, len: usize, parameters: &Parameters) -> usize {
        let len = self.accept(len, parameters);
        self.bytes.resize(self.bytes.len() + len, 0);
        len
    }

    /// Counts as written as much of the `asked` remaining bytes of a message as there is room for.
    fn accept(&mut self, asked: usize, parameters: &Parameters) -> usize {
        let kept = match parameters.kind {
            Kind::Stream => self.written - self.acknowledged,
            Kind::Datagram => self.written - self.sent,
        };
        let room = parameters.send_buffer_bytes.saturating_sub(kept);
        let len = asked.min(usize::try_from(room).unwrap_or(usize::MAX));
        self.written += len as u64;
        self.more = len < asked;
        if !self.more && parameters.kind == Kind::Datagram {
            self.ends.push_back(self.written);
        }
        len
    }

    /// Reads what has arrived into `data`; returns how much.
    pub(super) fn read(&mut self, data: &mut [u8]) -> usize {
        let there = usize::try_from(self.arrived - self.taken).unwrap_or(usize::MAX);
        let len = there.min(data.len());
        let (front, back) = self.bytes.as_slices();
        let from_front = len.min(front.len());
        data[..from_front].copy_from_slice(&front[..from_front]);
        data[from_front..len].copy_from_slice(&back[..len - from_front]);
        self.skip(len)
    }

    /// Takes up to `most` bytes that have arrived, only counted; returns how much.
    pub(super) fn skip(&mut self, most: usize) -> usize {
        let len = usize::try_from(self.arrived - self.taken).unwrap_or(usize::MAX).min(most);
        self.bytes.drain(..len);
        self.taken += len as u64;
        len
    }

    /// Whether everything written was taken.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// How many bytes of payload the next packet has, or zero if there is nothing to send now.
    ///
    /// A packet is full, or it ends a message: never cut short because a buffer or a window
    /// happens to end there (RFC 9293, 3.8.6.2.1).
    pub(super) fn sendable(&self, parameters: &Parameters) -> u32 {
        let full = u64::from(parameters.payload_bytes);
        let (most, ends_message) = match parameters.kind {
            Kind::Stream => {
                let unsent = self.written - self.sent;
                let allowed = unsent.min(self.edge.saturating_sub(self.sent));
                (allowed, allowed == unsent && !self.more)
            }
            Kind::Datagram => match self.ends.front() {
                Some(end) => (end - self.sent, true),
                None => (self.written - self.sent, false),
            },
        };
        if most >= full {
            parameters.payload_bytes
        } else if ends_message {
            u32::try_from(most).unwrap_or(parameters.payload_bytes)
        } else {
            0
        }
    }

    /// Counts `len` bytes as sent; returns where they begin.
    pub(super) fn send(&mut self, len: u32) -> u64 {
        let offset = self.sent;
        self.sent += u64::from(len);
        while self.ends.front().is_some_and(|end| *end <= self.sent) {
            self.ends.pop_front();
        }
        offset
    }

    /// Accepts the new, contiguous bytes of a packet; returns how many. A packet after a gap has
    /// none.
    pub(super) fn arrive(&mut self, offset: u64, len: u32) -> u64 {
        let before = self.arrived;
        if offset <= before {
            self.arrived = before.max(offset + u64::from(len));
        }
        self.arrived - before
    }

    /// Goes back to the first unacknowledged byte.
    pub(super) fn go_back(&mut self) {
        self.sent = self.acknowledged;
    }

    /// Takes up the other end's acknowledgement and window.
    pub(super) fn acknowledge(&mut self, acknowledged: u64, edge: u64) {
        self.acknowledged = self.acknowledged.max(acknowledged);
        self.sent = self.sent.max(self.acknowledged);
        self.edge = self.edge.max(edge);
    }
}
