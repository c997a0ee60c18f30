//! What the datagrams of a flow begin with.

/// Length of the header of a bulk flow's datagrams, and so the smallest message. Unit: bytes.
pub const HEADER_LEN: usize = 24;
const _: () = assert!(HEADER_LEN as u64 == linerate_core::traffic::DATAGRAM_HEADER, "plans refuse less");
/// Length of a datagram that carries no payload. Unit: bytes.
pub const CONTROL_LEN: usize = HEADER_LEN + 16;
/// Length of a datagram that counts less than its header is long. Unit: bytes.
pub const SHORT_LEN: usize = HEADER_LEN + 1;
/// Numbers are below this: they have 56 bits, the kind has the 8 above.
const NUMBERS: u64 = 1 << 56;
/// The number of an end that counts nothing: its sender goes away in the middle.
pub const GONE: u64 = NUMBERS - 1;

/// Sixteen random bytes that both ends of a channel know and nobody else does who has not seen
/// its datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cookie(pub [u8; 16]);

/// What a datagram is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Payload of a bulk flow. Its number counts from 0.
    Data,
    /// Payload shorter than a header; its length is in the byte after the header.
    Short,
    /// Nothing more will be sent. Its number says how many datagrams were.
    End,
    /// The end was heard. Its number says how many datagrams arrived.
    EndHeard,
    /// The address is the right one and the flow may begin.
    Ready,
}

/// The header of a bulk flow's datagrams, in network byte order: 8 bytes of the cookie, the kind in
/// the highest byte of the number, the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What it is for.
    pub kind: Kind,
    /// Its number, below 2^56.
    pub number: u64,
    /// When it was sent. Unit: nanoseconds of the sender's clock.
    pub sent_ns: u64,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Data, Self::Short, Self::End, Self::EndHeard, Self::Ready];

    const fn code(self) -> u64 {
        match self {
            Self::Data => 1,
            Self::Short => 2,
            Self::End => 3,
            Self::EndHeard => 4,
            Self::Ready => 5,
        }
    }
}

impl Cookie {
    fn short(&self) -> &[u8] {
        &self.0[..8]
    }
}

impl Header {
    /// Writes the header.
    #[inline]
    #[must_use]
    pub fn encode(&self, cookie: &Cookie) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..8].copy_from_slice(cookie.short());
        let number = (self.kind.code() << 56) | (self.number % NUMBERS);
        bytes[8..16].copy_from_slice(&number.to_be_bytes());
        bytes[16..].copy_from_slice(&self.sent_ns.to_be_bytes());
        bytes
    }

    /// Reads the header of a datagram, or `None` if it is no datagram of this channel.
    #[inline]
    #[must_use]
    pub fn decode(datagram: &[u8], cookie: &Cookie) -> Option<Self> {
        let (theirs, rest) = datagram.split_first_chunk::<8>()?;
        let (number, rest) = rest.split_first_chunk::<8>()?;
        let sent_ns = rest.first_chunk::<8>()?;
        if theirs != cookie.short() {
            return None;
        }
        let number = u64::from_be_bytes(*number);
        let kind = Kind::ALL.into_iter().find(|kind| kind.code() == number >> 56)?;
        Some(Self { kind, number: number % NUMBERS, sent_ns: u64::from_be_bytes(*sent_ns) })
    }

    /// Writes a datagram that carries no payload: the header and the whole cookie.
    #[must_use]
    pub fn seal(&self, cookie: &Cookie) -> [u8; CONTROL_LEN] {
        let mut bytes = [0; CONTROL_LEN];
        bytes[..HEADER_LEN].copy_from_slice(&self.encode(cookie));
        bytes[HEADER_LEN..].copy_from_slice(&cookie.0);
        bytes
    }

    /// Reads a datagram that carries no payload, or `None` if it is anything else. A message of a curve
    /// has no header, and is taken for one of these only if it holds the cookie twice.
    #[inline]
    #[must_use]
    pub fn open(datagram: &[u8], cookie: &Cookie) -> Option<Self> {
        if datagram.len() != CONTROL_LEN || datagram[HEADER_LEN..] != cookie.0 {
            return None;
        }
        let header = Self::decode(datagram, cookie)?;
        matches!(header.kind, Kind::End | Kind::EndHeard | Kind::Ready).then_some(header)
    }

    /// How many bytes of payload a datagram of a bulk flow counts, whose real length is `len` and
    /// of which `datagram` is the beginning, or `None` if it carries no payload or is invalid.
    #[inline]
    #[must_use]
    pub fn payload(&self, datagram: &[u8], len: usize) -> Option<usize> {
        match self.kind {
            Kind::Data => Some(len),
            Kind::Short => {
                let counted = usize::from(*datagram.get(HEADER_LEN)?);
                (len == SHORT_LEN && counted < HEADER_LEN).then_some(counted)
            }
            Kind::End | Kind::EndHeard | Kind::Ready => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const COOKIE: Cookie = Cookie(*b"0123456789abcdef");

    fn header() -> impl Strategy<Value = Header> {
        (prop::sample::select(Kind::ALL.to_vec()), 0..NUMBERS, any::<u64>())
            .prop_map(|(kind, number, sent_ns)| Header { kind, number, sent_ns })
    }

    proptest! {
        #[test]
        fn a_header_is_read_as_it_was_written(header in header()) {
            prop_assert_eq!(Header::decode(&header.encode(&COOKIE), &COOKIE), Some(header));
            let sealed = header.seal(&COOKIE);
            let carries = matches!(header.kind, Kind::Data | Kind::Short);
            prop_assert_eq!(Header::open(&sealed, &COOKIE), (!carries).then_some(header));
        }

        #[test]
        fn another_cookie_another_length_and_noise_are_nothing(
            header in header(), bytes in prop::collection::vec(any::<u8>(), 0..64), place in 0..CONTROL_LEN
        ) {
            let mut sealed = header.seal(&COOKIE);
            prop_assert_eq!(Header::open(&sealed[..CONTROL_LEN - 1], &COOKIE), None);
            prop_assert_eq!(Header::decode(&bytes, &COOKIE), None);
            // A flipped bit of either copy of the cookie.
            if !(8..HEADER_LEN).contains(&place) {
                sealed[place] ^= 1;
                prop_assert_eq!(Header::open(&sealed, &COOKIE), None);
            }
        }
    }

    #[test]
    fn a_short_datagram_counts_what_it_says_and_never_more_than_a_header() {
        let header = Header { kind: Kind::Short, number: 7, sent_ns: 1 };
        let mut bytes = [&header.encode(&COOKIE)[..], &[5]].concat();
        assert_eq!(header.payload(&bytes, SHORT_LEN), Some(5));
        assert_eq!(header.payload(&bytes, SHORT_LEN + 1), None, "too long");
        assert_eq!(header.payload(&bytes[..HEADER_LEN], HEADER_LEN), None, "no length");
        bytes[HEADER_LEN] = 24;
        assert_eq!(header.payload(&bytes, SHORT_LEN), None, "that would have had a header of its own");
    }
}
