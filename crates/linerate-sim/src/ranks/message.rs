//! A message between two ranks, as the flows on their links carry it.
//!
//! A long message is cut into equal parts, one for each link; short ones go by the links in turn. Each part has the
//! length of the whole before it.

use std::ops::Range;

use linerate_core::comm::CommError;

use crate::stack::Side;

/// What goes before every part: the length of its message. Unit: bytes.
pub const HEADER_BYTES: usize = 8;
/// A message of so many bytes or more is cut. Unit: bytes.
const CUT_FROM: usize = 4096;

/// What one link carries of a message.
#[derive(Debug)]
pub(super) struct Part {
    /// Which link.
    pub(super) link: u32,
    /// Header and bytes.
    pub(super) bytes: Vec<u8>,
    /// How many of them have passed.
    pub(super) moved: usize,
}

impl Part {
    pub(super) fn is_done(&self) -> bool {
        self.moved == self.bytes.len()
    }

    /// Refuses a message of another length than was asked for, as soon as its header is there.
    pub(super) fn check(&self, from: usize, asked: usize) -> Result<(), CommError> {
        let header = self.bytes.first_chunk::<HEADER_BYTES>().filter(|_| self.moved >= HEADER_BYTES);
        let sent = header.map(|header| usize::try_from(u64::from_le_bytes(*header)).unwrap_or(usize::MAX));
        match sent.filter(|sent| *sent != asked) {
            Some(sent) => Err(CommError::Length { peer: from, asked, sent }),
            None => Ok(()),
        }
    }
}

/// Which bytes of a message each link carries; it is the `nth` from one rank to another.
fn cut(length: usize, nth: u64, links: u32) -> impl Iterator<Item = (u32, Range<usize>)> {
    let whole = links == 1 || length < CUT_FROM;
    let used = if whole { 1 } else { links };
    (0..used).map(move |part| {
        let at = |part: u32| length * part as usize / used as usize;
        // Below the number of links, which is 32 bits wide.
        let link = if whole { (nth % u64::from(links)) as u32 } else { part };
        (link, at(part)..at(part + 1))
    })
}

/// The first flow between two ranks, and a rank's side of it.
pub(super) type Way = (u32, Side);

/// Memory of parts that have passed, for the next ones: the last is the likeliest to lie in a cache.
pub(super) type Spare = Vec<Vec<u8>>;

/// A message that is being sent.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) to: usize,
    /// Once all its flows are connected.
    pub(super) way: Option<Way>,
    pub(super) parts: Vec<Part>,
}

impl Outgoing {
    /// The `nth` message to that rank, over this many links.
    pub(super) fn new(to: usize, data: &[u8], nth: u64, links: u32, spare: &mut Spare) -> Self {
        let part = |(link, range): (u32, Range<usize>)| {
            let mut bytes = spare.pop().unwrap_or_default();
            bytes.clear();
            bytes.extend_from_slice(&(data.len() as u64).to_le_bytes());
            bytes.extend_from_slice(&data[range]);
            Part { link, bytes, moved: 0 }
        };
        Self { to, way: None, parts: cut(data.len(), nth, links).map(part).collect() }
    }

    pub(super) fn is_done(&self) -> bool {
        self.parts.iter().all(Part::is_done)
    }
}

/// A message that is awaited.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) from: usize,
    /// Once all its flows are connected.
    pub(super) way: Option<Way>,
    pub(super) length: usize,
    pub(super) parts: Vec<Part>,
}

impl Incoming {
    /// The `nth` message from that rank, over this many links.
    pub(super) fn new(from: usize, length: usize, nth: u64, links: u32, spare: &mut Spare) -> Self {
        let part = |(link, range): (u32, Range<usize>)| {
            // What is there already does not matter: all of it is written over.
            let mut bytes = spare.pop().unwrap_or_default();
            bytes.resize(HEADER_BYTES + range.len(), 0);
            Part { link, bytes, moved: 0 }
        };
        Self { from, way: None, length, parts: cut(length, nth, links).map(part).collect() }
    }

    pub(super) fn is_done(&self) -> bool {
        self.parts.iter().all(Part::is_done)
    }

    /// Copies the message, which has arrived.
    pub(super) fn copy_to(&self, mut into: &mut [u8]) {
        for part in &self.parts {
            let (here, rest) = into.split_at_mut(part.bytes.len() - HEADER_BYTES);
            here.copy_from_slice(&part.bytes[HEADER_BYTES..]);
            into = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_cut_and_short_ones_take_turns() {
        let of = |length, nth, links| cut(length, nth, links).collect::<Vec<_>>();
        assert_eq!(of(10_000, 7, 1), [(0, 0..10_000)]);
        assert_eq!(of(10_000, 7, 3), [(0, 0..3_333), (1, 3_333..6_666), (2, 6_666..10_000)]);
        assert_eq!([of(0, 0, 2), of(4_095, 1, 2), of(8, 2, 2)], [[(0, 0..0)], [(1, 0..4_095)], [(0, 0..8)]]);
    }

    #[test]
    fn what_was_cut_is_put_together() {
        let data: Vec<u8> = (0..9_001_u32).map(|byte| byte as u8).collect();
        for links in 1..=5 {
            let out = Outgoing::new(1, &data, 3, links, &mut Spare::new());
            let mut into = Incoming::new(0, data.len(), 3, links, &mut vec![vec![9; 20_000]]);
            for (sent, received) in out.parts.into_iter().zip(&mut into.parts) {
                assert_eq!(sent.link, received.link);
                received.bytes.copy_from_slice(&sent.bytes);
                received.moved = sent.bytes.len();
            }
            let mut found = vec![0; data.len()];
            for part in &into.parts {
                part.check(0, data.len()).expect("the length is right");
            }
            into.copy_to(&mut found);
            assert!(into.is_done() && found == data, "{links} links");
        }
    }

    #[test]
    fn another_length_is_refused_by_the_first_header() {
        let out = Outgoing::new(1, &[1; 100], 1, 2, &mut Spare::new());
        let mut into = Incoming::new(0, 5_000, 1, 2, &mut Spare::new());
        let part = &mut into.parts[1];
        part.check(0, 5_000).expect("nothing is there yet");
        part.bytes[..HEADER_BYTES].copy_from_slice(&out.parts[0].bytes[..HEADER_BYTES]);
        part.moved = HEADER_BYTES;
        let found = part.check(0, 5_000);
        assert!(matches!(found, Err(CommError::Length { peer: 0, asked: 5_000, sent: 100 })), "{found:?}");
    }
}
