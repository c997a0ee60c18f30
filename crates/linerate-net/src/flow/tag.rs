//! The number that a request on a datagram carries, and its response repeats.

/// A number and its complement. Unit: bytes.
pub(super) const TAG: usize = linerate_core::traffic::DATAGRAM_TAG as usize;

/// A number and its complement, in network byte order.
pub(super) fn tag(number: u64) -> [u8; TAG] {
    let mut bytes = [0; TAG];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    bytes[8..].copy_from_slice(&(!number).to_be_bytes());
    bytes
}

/// The number at the start of `message`, if the two belong together.
pub(super) fn untag(message: &[u8]) -> Option<u64> {
    let (number, rest) = message.split_first_chunk::<8>()?;
    let (complement, _) = rest.split_first_chunk::<8>()?;
    let number = u64::from_be_bytes(*number);
    (*complement == (!number).to_be_bytes()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_that_was_changed_or_cut_is_none() {
        assert_eq!(untag(&tag(7)), Some(7));
        assert_eq!(untag(&[7; TAG]), None);
        assert_eq!(untag(&tag(7)[..15]), None);
    }
}
