//! The bytes that pass between this process and its programs in the kernel, as `bpf/trace.bpf.c` lays them out.

use std::net::{IpAddr, SocketAddr};

use linerate_core::trace::Point;

/// Length of a `struct connection`. Unit: bytes.
pub(super) const CONNECTION_BYTES: usize = 56;
/// Length of a `struct event`. Unit: bytes.
const EVENT_BYTES: usize = 24;

/// What a program saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Bytes pass this point: those of a packet, or, accepted and ready, all before a number; or the thread of the
    /// connection is woken or runs.
    At(Point),
    /// A send call is over, and TCP's next byte has this number.
    Returned,
    /// TCP sends something again.
    Retransmitted,
}

impl Kind {
    /// Number `nth` of the programs' `enum kind`: the points between the two calls in their order, then the others.
    fn of(nth: u32) -> Option<Self> {
        let [_call, points @ .., _taken] = Point::ALL;
        let others = [Self::Returned, Self::Retransmitted];
        points.into_iter().map(Self::At).chain(others).nth(nth as usize)
    }
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// When. Unit: nanoseconds, of `CLOCK_MONOTONIC` in the kernel's events.
    pub(super) ns: u64,
    /// The TCP number of its first byte, or of the byte that [`Kind`] names.
    pub(super) sequence: u32,
    /// Payload. Unit: bytes.
    pub(super) length: u32,
    /// What.
    pub(super) kind: Kind,
}

impl Event {
    /// Reads an event. Absent if the bytes are none.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; EVENT_BYTES] = bytes.try_into().ok()?;
        let (ns, rest) = bytes.split_first_chunk()?;
        let mut words = rest.as_chunks().0.iter().map(|word| u32::from_ne_bytes(*word));
        let (sequence, length, _processor, kind) =
            (words.next()?, words.next()?, words.next()?, words.next()?);
        let kind = Kind::of(kind)?;
        Some(Self { ns: u64::from_ne_bytes(*ns), sequence, length, kind })
    }
}

/// A `struct connection`: which socket, and from where to where the packets go that arrive for it.
pub(super) fn connection(cookie: u64, from: SocketAddr, to: SocketAddr) -> [u8; CONNECTION_BYTES] {
    let version: u32 = if from.is_ipv4() { 4 } else { 6 };
    let mut bytes = [0; CONNECTION_BYTES];
    let mut at = 0;
    let mut put = |part: &[u8]| {
        bytes[at..at + part.len()].copy_from_slice(part);
        at += part.len();
    };
    put(&version.to_ne_bytes());
    // The thread, which the programs learn.
    put(&[0; 4]);
    put(&cookie.to_ne_bytes());
    put(&address(from));
    put(&address(to));
    put(&from.port().to_be_bytes());
    put(&to.port().to_be_bytes());
    bytes
}

/// As it stands in a packet, filled up with zeros.
fn address(of: SocketAddr) -> [u8; 16] {
    match of.ip() {
        IpAddr::V6(ip) => ip.octets(),
        IpAddr::V4(ip) => {
            let mut bytes = [0; 16];
            bytes[..4].copy_from_slice(&ip.octets());
            bytes
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_read_as_the_programs_write_it() {
        let mut bytes = 9_876_543_210_u64.to_ne_bytes().to_vec();
        for word in [u32::MAX, 1448, 3, 5] {
            bytes.extend(u32::to_ne_bytes(word));
        }
        let event =
            Event { ns: 9_876_543_210, sequence: u32::MAX, length: 1448, kind: Kind::At(Point::Segment) };
        assert_eq!(Event::read(&bytes), Some(event));
        assert_eq!(Event::read(&bytes[1..]), None);
        bytes[20..].copy_from_slice(&11_u32.to_ne_bytes());
        assert_eq!(Event::read(&bytes), None, "there is no such kind");
    }

    #[test]
    fn a_connection_is_written_as_packets_have_it() {
        let [from, to] = ["192.0.2.7:8000", "192.0.2.1:40000"].map(|text| text.parse().expect("an address"));
        let bytes = connection(0x0102_0304_0506_0708, from, to);
        assert_eq!(bytes[..4], 4_u32.to_ne_bytes());
        assert_eq!(bytes[8..16], 0x0102_0304_0506_0708_u64.to_ne_bytes());
        assert_eq!(bytes[16..20], [192, 0, 2, 7]);
        assert_eq!(bytes[20..32], [0; 12]);
        assert_eq!(bytes[32..36], [192, 0, 2, 1]);
        assert_eq!(bytes[48..52], [0x1f, 0x40, 0x9c, 0x40]);
        assert_eq!(bytes[52..], [0; 4]);
    }
}
