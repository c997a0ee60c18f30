//! The frames of raw Ethernet.
//!
//! | at | bytes | what |
//! |---|---|---|
//! | 0 | 6, 6, 2 | receiver, sender, EtherType 0x88B5 |
//! | 14 | 8 | token: the first half of the load's token |
//! | 22 | 4 | number of the flow |
//! | 26 | 1 | kind |
//! | 27 | 1 | side that sent it |
//! | 28 | 2 | length of the payload: short frames are padded on the way |
//! | 30 | 8 | sequence number |
//! | 38 | 8 | time of sending on the sender's clock, ns; 0 is none |
//! | 46 | | payload |
//!
//! Everything is in network byte order.

use crate::control::Side;

/// An address of an Ethernet station.
pub(super) type Mac = [u8; 6];

/// The first of the two EtherTypes that are kept for local experiments: no protocol of the network
/// takes such a frame for its own.  Source: IEEE 802, clause 9.2.4, table "local experimental".
pub(super) const ETHERTYPE: u16 = 0x88B5;
/// Length of an Ethernet header. Unit: bytes.
pub(super) const ETHERNET_LEN: usize = 14;
/// Length of our own header, which the MTU counts. Unit: bytes.
pub(super) const HEADER_LEN: usize = 32;
/// Length of both. Unit: bytes.
pub(super) const HEAD_LEN: usize = ETHERNET_LEN + HEADER_LEN;
/// The longest payload of a frame that is no data. Unit: bytes.
pub(super) const MOST_CONTROL: usize = 32;

/// Where the filter looks. Unit: bytes from the start of the frame.
pub(super) const SENDER_AT: usize = 6;
pub(super) const TOKEN_AT: usize = 14;
pub(super) const FLOW_AT: usize = 22;
pub(super) const KIND_AT: usize = 26;
pub(super) const SIDE_AT: usize = 27;
const LENGTH_AT: usize = 28;
const SEQUENCE_AT: usize = 30;

/// What a frame is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// A message of the load.
    Data = 0,
    /// The initiator wants to talk: token, own nonce.
    Hello = 1,
    /// The responder heard it: the nonce, own nonce.
    Echo = 2,
    /// The initiator is where it says: the other's nonce.
    Proof = 3,
    /// The channel stands: the same nonce.
    Accept = 4,
    /// Nothing more will be sent; the sequence number is how many messages were.
    End = 5,
    /// The end was heard.
    EndSeen = 6,
    /// The sender is gone: it sends nothing more, as `End`, and takes nothing more.
    Leave = 7,
}

/// Our own header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) token: [u8; 8],
    pub(super) flow: u32,
    pub(super) kind: Kind,
    pub(super) side: Side,
    /// Length of the payload. Unit: bytes.
    pub(super) length: u16,
    pub(super) sequence: u64,
    /// Unit: nanoseconds on the sender's clock. 0 means that there is no time.
    pub(super) sent_ns: u64,
}

impl Kind {
    const ALL: [Self; 8] = [
        Self::Data,
        Self::Hello,
        Self::Echo,
        Self::Proof,
        Self::Accept,
        Self::End,
        Self::EndSeen,
        Self::Leave,
    ];
}

impl Header {
    /// The frame up to its payload.
    pub(super) fn encode(&self, to: Mac, from: Mac) -> [u8; HEAD_LEN] {
        let mut head = [0; HEAD_LEN];
        head[..6].copy_from_slice(&to);
        head[SENDER_AT..12].copy_from_slice(&from);
        head[12..14].copy_from_slice(&ETHERTYPE.to_be_bytes());
        head[TOKEN_AT..FLOW_AT].copy_from_slice(&self.token);
        head[FLOW_AT..KIND_AT].copy_from_slice(&self.flow.to_be_bytes());
        head[KIND_AT] = self.kind as u8;
        head[SIDE_AT] = self.side as u8;
        head[LENGTH_AT..SEQUENCE_AT].copy_from_slice(&self.length.to_be_bytes());
        stamp(&mut head, self.sequence, self.sent_ns);
        head
    }

    /// Who sent the frame, its header and its payload without padding, or `None` if it is no frame of ours.
    pub(super) fn decode(frame: &[u8]) -> Option<(Mac, Self, &[u8])> {
        let (head, rest) = frame.split_first_chunk::<HEAD_LEN>()?;
        let kind = Kind::ALL.into_iter().find(|kind| *kind as u8 == head[KIND_AT])?;
        let side =
            [Side::Beginning, Side::Answering].into_iter().find(|side| *side as u8 == head[SIDE_AT])?;
        let length = u16::from_be_bytes(field(head, LENGTH_AT));
        let payload = rest.get(..usize::from(length))?;
        let header = Self {
            token: field(head, TOKEN_AT),
            flow: u32::from_be_bytes(field(head, FLOW_AT)),
            kind,
            side,
            length,
            sequence: u64::from_be_bytes(field(head, SEQUENCE_AT)),
            sent_ns: u64::from_be_bytes(field(head, SEQUENCE_AT + 8)),
        };
        Some((field(head, SENDER_AT), header, payload))
    }
}

/// Puts another number and time into a head.
#[inline]
pub(super) fn stamp(head: &mut [u8; HEAD_LEN], sequence: u64, sent_ns: u64) {
    head[SEQUENCE_AT..SEQUENCE_AT + 8].copy_from_slice(&sequence.to_be_bytes());
    head[SEQUENCE_AT + 8..].copy_from_slice(&sent_ns.to_be_bytes());
}

#[inline]
fn field<const N: usize>(head: &[u8; HEAD_LEN], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&head[at..at + N]);
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HERE: Mac = [2, 0, 0, 0, 0, 1];
    const THERE: Mac = [2, 0, 0, 0, 0, 2];

    proptest! {
        #[test]
        fn a_frame_survives_with_its_padding_taken_away(
            token: [u8; 8], flow: u32, kind in 0_usize..8, sequence: u64, sent_ns: u64,
            payload in proptest::collection::vec(any::<u8>(), 0..200), padding in 0_usize..60,
        ) {
            let (kind, length) = (Kind::ALL[kind], u16::try_from(payload.len()).expect("short"));
            let header = Header { token, flow, kind, side: Side::Answering, length, sequence, sent_ns };
            let mut frame = [header.encode(THERE, HERE).as_slice(), &payload].concat();
            frame.resize(frame.len() + padding, 0);
            prop_assert_eq!(Header::decode(&frame), Some((HERE, header, payload.as_slice())));
            frame.truncate(HEAD_LEN + payload.len());
            prop_assert_eq!(frame.pop().and_then(|_| Header::decode(&frame)), None);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(Header::decode(&bytes), None, "random bytes are no frame of ours");
        }

        #[test]
        fn a_changed_frame_is_refused_or_has_what_it_says(place in 0..HEAD_LEN, byte: u8, room in 0_usize..60) {
            let (kind, side) = (Kind::Data, Side::Answering);
            let header = Header { token: [7; 8], flow: 0, kind, side, length: 20, sequence: 1, sent_ns: 2 };
            let mut frame = [header.encode(THERE, HERE).as_slice(), &vec![0; room]].concat();
            frame[place] = byte;
            let decoded = Header::decode(&frame);
            let whole = decoded.map(|(_, header, payload)| (payload.len(), usize::from(header.length)));
            prop_assert!(whole.is_none_or(|(len, said)| len == said), "{whole:?}");
            // Tokens, numbers and stations may be any.
            let any = place < SENDER_AT + 6 || (TOKEN_AT..KIND_AT).contains(&place) || place >= SEQUENCE_AT;
            prop_assert!(!any || decoded.is_some() == (room >= 20), "{place}: {decoded:?}");
        }
    }

    #[test]
    fn kinds_and_sides_that_are_not_are_refused() {
        let header = Header {
            token: [7; 8],
            flow: 0,
            kind: Kind::Leave,
            side: Side::Answering,
            length: 0,
            sequence: 0,
            sent_ns: 0,
        };
        for at in [KIND_AT, SIDE_AT] {
            let mut frame = header.encode(THERE, HERE);
            assert!(Header::decode(&frame).is_some());
            frame[at] += 1;
            assert_eq!(Header::decode(&frame), None, "byte {at}");
        }
    }
}
