//! Random numbers that depend on who draws them and for what, never on the order of draws.

use rand_pcg::Pcg64;

/// What random numbers are drawn for: each purpose of each station has a stream of its own, so that
/// an additional draw for one does not change another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Purpose {
    /// Backoff after a collision.
    Backoff,
    /// When a source offers its next frame.
    Arrival,
    /// How large that frame is.
    Size,
    /// To whom it goes.
    Destination,
    /// Where a station begins, such as the phase of a periodic source.
    Phase,
    /// What a path loses, repeats and delays.
    Path,
    /// How long a source is on and off.
    Period,
    /// What the clock of a host says when the model begins.
    Clock,
    /// Which packets a queue marks.
    Mark,
}

/// The stream of `station` for `purpose` in the simulation with `seed`.
#[must_use]
pub fn stream(seed: u64, station: u32, purpose: Purpose) -> Pcg64 {
    Pcg64::new(u128::from(seed), u128::from(station) << 8 | u128::from(purpose as u8))
}

#[cfg(test)]
mod tests {
    use rand::Rng as _;

    use super::*;

    #[test]
    fn streams_differ_by_seed_station_and_purpose_and_repeat() {
        let first = |seed, station, purpose| stream(seed, station, purpose).next_u64();
        let draws = [
            first(1, 0, Purpose::Backoff),
            first(2, 0, Purpose::Backoff),
            first(1, 1, Purpose::Backoff),
            first(1, 0, Purpose::Arrival),
        ];
        for (index, draw) in draws.iter().enumerate() {
            assert!(!draws[..index].contains(draw), "{draws:?}");
        }
        assert_eq!(draws[0], first(1, 0, Purpose::Backoff));
    }
}
