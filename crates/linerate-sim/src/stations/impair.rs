//! What a path does to the frames that come in at a station, besides carrying them: losing,
//! repeating, delaying and reordering.

use linerate_core::units::Span;
use rand::RngExt as _;
use rand_pcg::Pcg64;

use crate::random::{Purpose, stream};

/// What is done to frames that come in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impairment {
    /// Share of frames that are lost, independently of each other.
    pub loss: f64,
    /// One frame in this many is lost; zero is never.
    pub lose_every: u64,
    /// These are lost, counted from 1.
    pub lose: Vec<u64>,
    /// Share of frames that come twice.
    pub duplicate: f64,
    /// Share of frames that come later than those behind them, by `reorder_by`.
    pub reorder: f64,
    /// See `reorder`.
    pub reorder_by: Span,
    /// Every frame is delayed by this much.
    pub delay: Span,
    /// Additional delay, uniform from zero to this; frames may overtake each other.
    pub jitter: Span,
    /// Frames with less data than this pass unharmed, and are not counted: acknowledgements. Unit:
    /// bytes of IP packet.
    pub spare_below: u32,
}

/// An impairment under way.
#[derive(Debug)]
pub(super) struct Impairing {
    law: Impairment,
    counted: u64,
    random: Pcg64,
}

/// What becomes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is lost.
    Lost,
    /// It comes, once or twice.
    Comes {
        /// After this time.
        after: Span,
        /// And a copy after this time.
        twice: bool,
    },
}

impl Impairing {
    pub(super) fn new(law: Impairment, seed: u64, station: u32) -> Self {
        Self { law, counted: 0, random: stream(seed, station, Purpose::Path) }
    }

    pub(super) fn fate(&mut self, data_bytes: u32) -> Fate {
        if data_bytes < self.law.spare_below {
            return Fate::Comes { after: self.law.delay, twice: false };
        }
        self.counted += 1;
        let law = &self.law;
        let listed = law.lose.contains(&self.counted);
        let due = law.lose_every > 0 && self.counted.is_multiple_of(law.lose_every);
        // Random numbers are drawn only for impairments that are on, so one that is off changes
        // nothing.
        if listed || due || (law.loss > 0.0 && self.random.random::<f64>() < law.loss) {
            return Fate::Lost;
        }
        let mut delay = law.delay;
        if law.jitter > Span::ZERO {
            delay += Span::from_ps(self.random.random_range(0..=law.jitter.as_ps()));
        }
        if law.reorder > 0.0 && self.random.random::<f64>() < law.reorder {
            delay += law.reorder_by;
        }
        let twice = law.duplicate > 0.0 && self.random.random::<f64>() < law.duplicate;
        Fate::Comes { after: delay, twice }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fates(law: Impairment, count: usize) -> Vec<Fate> {
        let mut impairing = Impairing::new(law, 1, 0);
        (0..count).map(|_| impairing.fate(1500)).collect()
    }

    #[test]
    fn what_is_listed_or_due_is_lost_and_nothing_else() {
        let law = Impairment { lose: vec![2, 3], lose_every: 5, ..Impairment::default() };
        let lost: Vec<usize> = (1..=10)
            .zip(fates(law, 10))
            .filter(|(_, fate)| *fate == Fate::Lost)
            .map(|(number, _)| number)
            .collect();
        assert_eq!(lost, [2, 3, 5, 10]);
    }

    #[test]
    fn shares_are_kept() {
        let law = Impairment { loss: 0.1, duplicate: 0.2, ..Impairment::default() };
        let fates = fates(law, 10_000);
        let lost = fates.iter().filter(|fate| **fate == Fate::Lost).count();
        let twice = fates.iter().filter(|fate| matches!(fate, Fate::Comes { twice: true, .. })).count();
        // Five standard deviations.
        assert!(lost.abs_diff(1000) < 150, "{lost} lost");
        assert!(twice.abs_diff(1800) < 200, "{twice} twice");
    }

    #[test]
    fn acknowledgements_are_spared() {
        let law = Impairment { lose_every: 1, spare_below: 100, ..Impairment::default() };
        let mut impairing = Impairing::new(law, 1, 0);
        assert_eq!(impairing.fate(52), Fate::Comes { after: Span::ZERO, twice: false });
        assert_eq!(impairing.fate(1500), Fate::Lost);
    }
}
