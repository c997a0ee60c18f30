//! What is told of a hit, in 24 bytes.

/// Bytes of a record.
pub(crate) const BYTES: usize = 24;

/// What a patch did with a photon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It left in any direction.
    Scattered,
    /// It left as from a mirror.
    Mirrored,
    /// It is gone.
    Absorbed,
}

/// A photon hit a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) patch: u32,
    /// u and v on the patch, the sine squared of the angle from its normal, and the direction around that in turns: each from
    /// 0 to below 1. If light comes from everywhere alike, all four are uniform.
    pub(crate) at: [f32; 4],
    /// How often the photon was reflected before.
    pub(crate) bounce: u32,
    pub(crate) fate: Fate,
}

impl Record {
    #[inline]
    pub(crate) fn to_bytes(self) -> [u8; BYTES] {
        let [u, v, s, phi] = self.at.map(f32::to_bits);
        let tag = self.bounce << 2 | self.fate as u32;
        let mut bytes = [0; BYTES];
        for (place, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip([self.patch, u, v, s, phi, tag]) {
            *place = word.to_le_bytes();
        }
        bytes
    }

    /// None if it is no record: a coordinate outside of its range, or an unknown fate.
    #[inline]
    pub(crate) fn from_bytes(bytes: &[u8; BYTES]) -> Option<Self> {
        let words = bytes.as_chunks::<4>().0;
        let word = |place: usize| u32::from_le_bytes(words[place]);
        let at = [1, 2, 3, 4].map(|place| f32::from_bits(word(place)));
        let inside = at.iter().all(|coordinate| (0.0..1.0).contains(coordinate));
        let tag = word(5);
        let fate = match tag & 3 {
            0 => Fate::Scattered,
            1 => Fate::Mirrored,
            2 => Fate::Absorbed,
            _ => return None,
        };
        inside.then_some(Self { patch: word(0), at, bounce: tag >> 2, fate })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_arrives_as_it_was_sent() {
        for fate in [Fate::Scattered, Fate::Mirrored, Fate::Absorbed] {
            let sent = Record { patch: 4_095, at: [0.0, 0.25, 0.999_999_9, 0.5], bounce: 20_000, fate };
            assert_eq!(Record::from_bytes(&sent.to_bytes()), Some(sent));
        }
    }

    #[test]
    fn what_is_no_record_is_refused() {
        let sent = Record { patch: 1, at: [0.5; 4], bounce: 1, fate: Fate::Absorbed };
        for at in [1.0, -0.1, f32::NAN, f32::INFINITY] {
            let wrong = Record { at: [0.5, at, 0.5, 0.5], ..sent };
            assert_eq!(Record::from_bytes(&wrong.to_bytes()), None, "{at}");
        }
        let mut bytes = sent.to_bytes();
        bytes[20] |= 3;
        assert_eq!(Record::from_bytes(&bytes), None);
    }
}
