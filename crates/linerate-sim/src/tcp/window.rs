//! Windows: the one that an end offers, and the one that the peer offers.

mod offer;
mod peer;
mod sizing;

pub(super) use offer::Offer;
pub(super) use peer::PeerWindow;
pub(super) use sizing::Sizing;

/// The largest shift of window scaling. Source: RFC 7323, 2.3.
const LARGEST_SCALE: u8 = 14;

/// The least shift by which `bytes` fit into 16 bits.
pub(super) fn scale_for(bytes: u64) -> u8 {
    (0..LARGEST_SCALE).find(|scale| bytes >> scale <= u64::from(u16::MAX)).unwrap_or(LARGEST_SCALE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_the_least_that_fits_rfc_7323_2_2() {
        let scales = [65_535, 65_536, 131_070, 6_291_456, u64::MAX].map(scale_for);
        assert_eq!(scales, [0, 1, 1, 7, 14]);
    }
}
