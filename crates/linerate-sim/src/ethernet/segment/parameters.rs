//! What a collision domain and its seats are like.

use rand::Rng as _;
use rand_pcg::Pcg64;

use crate::ethernet::parameters::{BACKOFF_LIMIT, BURST_LIMIT_BITS, GIGABIT_SLOT_BITS, SLOT_BITS};
use crate::ethernet::phy::Duplex;
use crate::ethernet::topology::is_gigabit;
use crate::frame::Station;
use crate::pace::Pace;

/// What is the same for every seat of a collision domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Time of a bit of the MAC's data, after line coding.
    pub pace: Pace,
    /// Slot time: the window in which a collision can still be heard.
    ///
    /// Unit: bit times, preamble included.  Source: IEEE 802.3, table 4-2.
    pub slot_bits: u64,
    /// A burst's first frame is extended until its carrier has lasted for the slot time, counted
    /// from the destination address: the preamble does not count.  Source: IEEE 802.3, 4.2.3.4.
    pub extend: bool,
    /// Within a burst a frame may begin until this much has passed since the first preamble began.
    /// If absent, every frame is sent alone.
    ///
    /// Unit: bit times.  Source: IEEE 802.3, 4.2.3.2.7 and table 4-2.
    pub burst_bits: Option<u64>,
    /// A late collision is tried again like any other (up to 100 Mb/s); else its frame is lost
    /// (1 Gb/s).  Source: IEEE 802.3, 4.2.8 (TransmitLinkMgmt).
    pub retry_late: bool,
}

impl Parameters {
    /// The standard's parameters for a pace: up to 100 Mb/s the plain MAC, above it the one of 1
    /// Gb/s with carrier extension and bursting.
    #[must_use]
    pub const fn of_pace(pace: Pace) -> Self {
        let gigabit = is_gigabit(pace);
        Self {
            pace,
            slot_bits: if gigabit { GIGABIT_SLOT_BITS } else { SLOT_BITS },
            extend: gigabit,
            burst_bits: if gigabit { Some(BURST_LIMIT_BITS) } else { None },
            retry_late: !gigabit,
        }
    }

    /// [`Self::of_pace`] for `bits_per_second`.
    ///
    /// # Panics
    ///
    /// If `bits_per_second` is zero.
    #[must_use]
    pub const fn of_rate(bits_per_second: u64) -> Self {
        Self::of_pace(Pace::of_bits_per_second(bits_per_second))
    }

    /// The same, but every frame is sent alone: bursting is an option of the standard.
    #[must_use]
    pub const fn without_bursting(self) -> Self {
        Self { burst_bits: None, ..self }
    }

    /// The same, but frames are not extended. No standard allows it: it shows what extension costs.
    #[must_use]
    pub const fn without_extension(self) -> Self {
        Self { extend: false, ..self }
    }
}

/// How long a MAC waits after a collision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backoff {
    /// After the n-th collision of a frame, 0 to 2^min(n, 10) - 1 slots, each as likely.
    ///
    /// Source: IEEE 802.3, 4.2.3.2.5.
    #[default]
    TruncatedBinaryExponential,
}

impl Backoff {
    /// Draws how many slots to wait after a frame collided for the `attempts`-th time.
    pub(super) fn slots(self, attempts: u32, random: &mut Pcg64) -> u64 {
        match self {
            // The upper bits of a draw, so that every number of slots is exactly as likely.
            Self::TruncatedBinaryExponential => random.next_u64() >> (64 - attempts.clamp(1, BACKOFF_LIMIT)),
        }
    }
}

/// What sits at a port of a collision domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Half: it takes turns. Full: it sends when it likes and receives meanwhile, which in a
    /// collision domain is the wrong half of a duplex mismatch.
    pub duplex: Duplex,
    /// It gets every whole frame, whoever it is for: the port of a bridge.
    pub promiscuous: bool,
    /// The station whose frames it accepts besides those for everyone. Absent for a bridge.
    pub station: Option<Station>,
    /// Number of its stream of random numbers: no two seats of a simulation should have the same.
    pub stream: u32,
    /// How long it waits after a collision.
    pub backoff: Backoff,
}

impl Seat {
    /// A half-duplex station, with its own number as the number of its stream.
    #[must_use]
    pub const fn of_station(station: Station) -> Self {
        Self {
            duplex: Duplex::Half,
            promiscuous: false,
            station: Some(station),
            stream: station.0,
            backoff: Backoff::TruncatedBinaryExponential,
        }
    }

    /// A half-duplex port that gets every frame and has no address.
    #[must_use]
    pub const fn of_bridge(stream: u32) -> Self {
        Self {
            duplex: Duplex::Half,
            promiscuous: true,
            station: None,
            stream,
            backoff: Backoff::TruncatedBinaryExponential,
        }
    }

    /// The same, set to full duplex.
    #[must_use]
    pub const fn full_duplex(self) -> Self {
        Self { duplex: Duplex::Full, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    #[test]
    fn the_range_of_the_backoff_doubles_ten_times_and_then_grows_no_more() {
        let mut random = stream(1, 0, Purpose::Backoff);
        for attempts in 1..16 {
            let range = 1 << attempts.min(10);
            let mut seen = vec![0_u32; range];
            for _ in 0..range * 20 {
                seen[Backoff::default().slots(attempts, &mut random) as usize] += 1;
            }
            assert!(seen.iter().all(|times| *times > 0), "{attempts}: {seen:?}");
        }
    }
}
