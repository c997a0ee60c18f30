//! A flow between two applications: two ways, and the acknowledgements between them.

use super::way::Way;
use super::{Kind, Parameters};
use crate::frame::Packet;

/// An end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The initiator.
    First,
    /// The responder.
    Second,
}

impl Side {
    /// The other end.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    const fn index(self) -> usize {
        self as usize
    }
}

/// A flow between two applications.
#[derive(Debug)]
pub struct Flow {
    parameters: Parameters,
    /// By the side that sends.
    ways: [Way; 2],
    /// By the side that receives.
    owed: [Owed; 2],
}

/// What a receiver has not acknowledged.
#[derive(Clone, Copy, Debug, Default)]
struct Owed {
    segments: u32,
    /// An acknowledgement is to be sent at once.
    due: bool,
    /// The window's edge as last sent to the peer.
    edge: u64,
}

impl Flow {
    /// A new flow.
    #[must_use]
    pub fn new(parameters: Parameters) -> Self {
        let way = || Way::new(&parameters);
        let owed = Owed { edge: parameters.window_bytes, ..Owed::default() };
        Self { ways: [way(), way()], owed: [owed; 2], parameters }
    }

    /// What it is like.
    #[must_use]
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Accepts from `side` what its send buffer has room for; returns how much. Each call is for
    /// the rest of one message.
    pub fn write(&mut self, side: Side, data: &[u8]) -> usize {
        self.ways[side.index()].write(data, &self.parameters)
    }

    /// The same for `len` bytes that are only counted.
    pub fn write_blank(&mut self, side: Side, len: usize) -> usize {
        self.ways[side.index()].write_blank(len, &self.parameters)
    }

    /// Reads what has arrived at `side` into `data`; returns how much.
    ///
    /// A window update goes out at once when it is as large as the segments that are acknowledged
    /// together, or half a window (RFC 9293, 3.8.6.2.2).
    pub fn read(&mut self, side: Side, data: &mut [u8]) -> usize {
        let len = self.ways[side.other().index()].read(data);
        self.told_of_room(side);
        len
    }

    /// Takes up to `most` bytes that have arrived at `side`, only counted; returns how much.
    pub fn skip(&mut self, side: Side, most: usize) -> usize {
        let len = self.ways[side.other().index()].skip(most);
        self.told_of_room(side);
        len
    }

    /// Owes the sender a window update if `side` has read enough.
    fn told_of_room(&mut self, side: Side) {
        let way = &self.ways[side.other().index()];
        let owed = &mut self.owed[side.index()];
        let gained = way.taken + self.parameters.window_bytes - owed.edge;
        let together = u64::from(self.parameters.acknowledge_every.max(2) * self.parameters.payload_bytes);
        let worth = together.min(self.parameters.window_bytes / 2).max(1);
        owed.due |= self.parameters.kind == Kind::Stream && gained >= worth;
    }

    /// Whether `side` has taken everything that was written for it.
    #[must_use]
    pub fn is_drained(&self, side: Side) -> bool {
        self.ways[side.other().index()].is_empty()
    }

    /// Whether `side` has a packet to send.
    #[must_use]
    pub fn has_packet(&self, side: Side) -> bool {
        self.owed[side.index()].due || self.ways[side.index()].sendable(&self.parameters) > 0
    }

    /// The next packet of `side`, with the number `flow`.
    pub fn packet(&mut self, side: Side, flow: u32) -> Option<Packet> {
        let length = self.ways[side.index()].sendable(&self.parameters);
        let owed = &mut self.owed[side.index()];
        if length == 0 && !owed.due {
            return None;
        }
        let other = &self.ways[side.other().index()];
        let edge = other.taken + self.parameters.window_bytes;
        *owed = Owed { segments: 0, due: false, edge };
        let acknowledged = other.arrived;
        let offset = self.ways[side.index()].send(length);
        Some(Packet { flow, forward: side == Side::First, offset, length, acknowledged, edge })
    }

    /// A packet arrived at `side`; how many bytes of it are new. A packet after a gap is discarded,
    /// and answered at once with an acknowledgement of what is missing.
    pub fn arrived(&mut self, side: Side, packet: &Packet) -> u64 {
        let new = self.ways[side.other().index()].arrive(packet.offset, packet.length);
        if packet.length > 0 && self.parameters.kind == Kind::Stream {
            let owed = &mut self.owed[side.index()];
            owed.segments += 1;
            owed.due |= new == 0 || owed.segments >= self.parameters.acknowledge_every;
        }
        self.ways[side.index()].acknowledge(packet.acknowledged, packet.edge);
        new
    }

    /// Sends again what `side` has no acknowledgement of, and what it acknowledged last.
    pub fn resend(&mut self, side: Side) {
        self.ways[side.index()].go_back();
        self.owed[side.index()].due = true;
    }
}

#[cfg(test)]
mod tests {
    use linerate_core::units::Span;

    use super::*;

    const SIDES: [Side; 2] = [Side::First, Side::Second];

    fn stream(window_bytes: u64) -> Parameters {
        Parameters {
            kind: Kind::Stream,
            payload_bytes: 100,
            header_bytes: 40,
            window_bytes,
            send_buffer_bytes: window_bytes,
            acknowledge_every: 2,
            retransmit_after: Span::from_ms(200),
        }
    }

    /// Delivers packets at once until no packet is left; returns the payload lengths of `First`'s.
    fn settle(flow: &mut Flow) -> Vec<u32> {
        let mut lengths = Vec::new();
        while let Some(side) = SIDES.into_iter().find(|side| flow.has_packet(*side)) {
            let packet = flow.packet(side, 0).expect("it has one");
            if side == Side::First {
                lengths.push(packet.length);
            }
            flow.arrived(side.other(), &packet);
        }
        lengths
    }

    #[test]
    fn a_window_lets_so_many_full_segments_go_and_no_partial_one() {
        let mut flow = Flow::new(stream(250));
        assert_eq!(flow.write(Side::First, &[7; 1000]), 250, "the send buffer is full");
        let mut lengths = Vec::new();
        while let Some(packet) = flow.packet(Side::First, 0) {
            lengths.push(packet.length);
        }
        assert_eq!(lengths, [100, 100], "50 bytes of the window are not worth a segment");
    }

    #[test]
    fn the_rest_of_a_message_goes_at_once() {
        let mut flow = Flow::new(stream(1000));
        flow.write(Side::First, &[7; 130]);
        assert_eq!(settle(&mut flow), [100, 30]);
        let mut got = [0; 130];
        assert_eq!(flow.read(Side::Second, &mut got), 130);
        assert_eq!(got, [7; 130]);
    }

    #[test]
    fn every_second_segment_is_acknowledged_and_what_is_owed_travels_with_data() {
        let mut flow = Flow::new(stream(1000));
        flow.write(Side::First, &[1; 300]);
        for expected in [false, true, false] {
            let packet = flow.packet(Side::First, 0).expect("a segment");
            flow.arrived(Side::Second, &packet);
            assert_eq!(flow.has_packet(Side::Second), expected);
            if expected {
                let acknowledgement = flow.packet(Side::Second, 0).expect("it is due");
                assert_eq!((acknowledgement.length, acknowledgement.acknowledged), (0, 200));
                flow.arrived(Side::First, &acknowledgement);
            }
        }
        flow.write(Side::Second, &[2; 10]);
        let reply = flow.packet(Side::Second, 0).expect("data");
        assert_eq!((reply.length, reply.acknowledged), (10, 300));
    }

    #[test]
    fn a_stalled_reader_stops_the_sender_and_is_heard_when_it_reads() {
        let mut flow = Flow::new(stream(300));
        let data = [3; 900];
        let mut written = flow.write(Side::First, &data);
        settle(&mut flow);
        written += flow.write(Side::First, &data[written..]);
        assert!(!flow.has_packet(Side::First), "the window is used up by what nobody reads");
        let mut got = [0; 300];
        assert_eq!(flow.read(Side::Second, &mut got), 300);
        assert!(flow.has_packet(Side::Second), "the window's update");
        settle(&mut flow);
        assert_eq!(flow.read(Side::Second, &mut got), 300);
        assert_eq!(written, 600);
    }

    #[test]
    fn what_was_lost_is_sent_again_with_all_that_came_after() {
        let mut flow = Flow::new(stream(1000));
        flow.write(Side::First, &(0..250).map(|byte| byte as u8).collect::<Vec<_>>());
        let packets: Vec<Packet> = std::iter::from_fn(|| flow.packet(Side::First, 0)).collect();
        assert_eq!(packets.len(), 3);
        flow.arrived(Side::Second, &packets[0]);
        // The second is lost, the third comes after a gap.
        flow.arrived(Side::Second, &packets[2]);
        let answer = flow.packet(Side::Second, 0).expect("what is missing");
        assert_eq!((answer.length, answer.acknowledged), (0, 100));
        flow.arrived(Side::First, &answer);
        assert!(!flow.has_packet(Side::First), "nothing before the time is up");
        flow.resend(Side::First);
        assert_eq!(settle(&mut flow), [100, 50]);
        let mut got = [0; 250];
        assert_eq!(flow.read(Side::Second, &mut got), 250);
        assert!((0..250).eq(got.iter().map(|byte| i32::from(*byte))));
    }

    #[test]
    fn what_arrived_and_is_sent_again_is_taken_once() {
        let mut flow = Flow::new(stream(1000));
        flow.write(Side::First, &[1; 200]);
        for _ in 0..2 {
            let packet = flow.packet(Side::First, 0).expect("a segment");
            flow.arrived(Side::Second, &packet);
        }
        // The acknowledgement is lost.
        assert!(flow.packet(Side::Second, 0).is_some());
        flow.write(Side::First, &[2; 30]);
        flow.resend(Side::First);
        settle(&mut flow);
        let mut got = [0; 300];
        assert_eq!(flow.read(Side::Second, &mut got), 230);
        assert_eq!((got[199], got[200]), (1, 2));
    }

    #[test]
    fn no_datagram_holds_two_messages() {
        let parameters = Parameters { kind: Kind::Datagram, send_buffer_bytes: 10_000, ..stream(0) };
        let mut flow = Flow::new(parameters);
        for len in [150, 30, 100] {
            assert_eq!(flow.write(Side::First, &vec![0; len]), len);
        }
        assert_eq!(settle(&mut flow), [100, 50, 30, 100]);
    }
}
