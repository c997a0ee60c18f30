//! Boundaries for a known number of looks, by the share of false alarms that each look may spend.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::experiment::distribution::{normal_beyond, normal_limit};

/// Intervals of the grid on which the density of what was not decided is kept; even, for Simpson's rule.
const GRID: usize = 240;
/// A one-sided test has no boundary below; its density is kept down to so many standard deviations.
const DEPTH: f64 = 8.0;
/// No boundary is further out, in standard deviations.
const FAR: f64 = 38.0;
/// The most looks: each costs as much as the square of the grid.
const MOST_LOOKS: usize = 100;

/// How much of the false alarms may have been spent after the share t of the looks.
/// Source: Lan and DeMets, Discrete sequential boundaries for clinical trials, Biometrika 70 (1983).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spending {
    /// Like O'Brien and Fleming: almost nothing at the first looks. On each side, for `a` of it,
    /// 2 - 2 Phi(z(a/2) / sqrt t): the convention of the usual tables.
    ObrienFleming,
    /// The same function on both sides together, 2 - 2 Phi(z(alpha/2) / sqrt t): a convention that some
    /// programs have. On one side it is the same as the other.
    ObrienFlemingOfBoth,
    /// Like Pocock: nearly equal boundaries. alpha ln(1 + (e - 1) t).
    Pocock,
}

/// In which directions a boundary is crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sides {
    /// Upwards: alpha is that of this side.
    One,
    /// Upwards and downwards, half of alpha each.
    Two,
}

/// What is asked of boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Boundaries {
    /// How much each look may spend.
    pub spending: Spending,
    /// In which directions.
    pub sides: Sides,
    /// The share of false alarms over all looks together.
    pub alpha: f64,
    /// How many looks, after equal numbers of measurements.
    pub looks: usize,
}

/// Why there are no boundaries. The text fits after "failed to compute boundaries: ".
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BoundaryError {
    /// No look, or too many.
    #[error("{0} looks were asked for: ask for 1 to {MOST_LOOKS}")]
    Looks(usize),
    /// Not a share.
    #[error("the share of false alarms is {0}: give one above 0 and below 0.5")]
    Alpha(f64),
}

impl Boundaries {
    /// For each look the z at which it stops.
    ///
    /// # Errors
    ///
    /// If there is no look or more than 100, or if alpha is not above 0 and below a half.
    pub fn values(&self) -> Result<Vec<f64>, BoundaryError> {
        if self.looks == 0 || self.looks > MOST_LOOKS {
            return Err(BoundaryError::Looks(self.looks));
        }
        if !(self.alpha > 0.0 && self.alpha < 0.5) {
            return Err(BoundaryError::Alpha(self.alpha));
        }
        let mut undecided = Undecided::new(self.sides, 1.0 / self.looks as f64);
        let mut spent = 0.0;
        let mut values = Vec::with_capacity(self.looks);
        for look in 1..=self.looks {
            let share = look as f64 / self.looks as f64;
            let due = self.spent(share);
            let reach = undecided.boundary(due - spent);
            values.push(reach / share.sqrt());
            undecided.go_on(reach);
            spent = due;
        }
        Ok(values)
    }

    /// What may have been spent, in all, after this share of the looks.
    fn spent(&self, share: f64) -> f64 {
        let tail = |alpha: f64| 2.0 * normal_beyond(normal_limit(alpha / 2.0) / share.sqrt());
        match (self.spending, self.sides) {
            (Spending::ObrienFleming, Sides::Two) => 2.0 * tail(self.alpha / 2.0),
            (Spending::ObrienFleming | Spending::ObrienFlemingOfBoth, _) => tail(self.alpha),
            (Spending::Pocock, _) => self.alpha * (1.0 + (std::f64::consts::E - 1.0) * share).ln(),
        }
    }
}

/// The sum of increments where no boundary was crossed: a Brownian motion at equal times up to 1.
/// Source: Armitage, McPherson and Rowe, Repeated significance tests on accumulating data, J. Royal
/// Statistical Society A 132 (1969).
struct Undecided {
    sides: Sides,
    /// Variance of an increment.
    step: f64,
    /// Looks taken.
    looks: f64,
    /// Points of the sum, and their probability. At first all of it is at 0.
    points: Vec<(f64, f64)>,
}

impl Undecided {
    fn new(sides: Sides, step: f64) -> Self {
        Self { sides, step, looks: 0.0, points: vec![(0.0, 1.0)] }
    }

    /// The sum that the next look exceeds with this probability.
    fn boundary(&self, probability: f64) -> f64 {
        let (mut low, mut high) = (0.0, FAR * ((self.looks + 1.0) * self.step).sqrt());
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if self.crossing(middle) > probability { low = middle } else { high = middle }
        }
        high
    }

    fn crossing(&self, reach: f64) -> f64 {
        let deviation = self.step.sqrt();
        let beyond = |point: f64| {
            let up = normal_beyond((reach - point) / deviation);
            match self.sides {
                Sides::One => up,
                Sides::Two => up + normal_beyond((reach + point) / deviation),
            }
        };
        self.points.iter().map(|(point, weight)| weight * beyond(*point)).sum()
    }

    /// Takes the next look, and leaves what is within `reach`.
    fn go_on(&mut self, reach: f64) {
        self.looks += 1.0;
        let low = match self.sides {
            Sides::One => -DEPTH * (self.looks * self.step).sqrt(),
            Sides::Two => -reach,
        };
        let width = (reach - low) / GRID as f64;
        let scale = width / 3.0 / (2.0 * std::f64::consts::PI * self.step).sqrt();
        let point = |nth: usize| {
            let place = low + nth as f64 * width;
            let density: f64 = self
                .points
                .iter()
                .map(|(before, weight)| weight * (-(place - before).powi(2) / (2.0 * self.step)).exp())
                .sum();
            // Simpson's rule.
            let weight = if nth == 0 || nth == GRID {
                1.0
            } else if nth % 2 == 1 {
                4.0
            } else {
                2.0
            };
            (place, density * weight * scale)
        };
        self.points = (0..=GRID).map(point).collect();
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::three_looks(Spending::ObrienFleming, &[3.7103, 2.5114, 1.9930])]
    #[case::five_looks(Spending::ObrienFleming, &[4.8769, 3.3570, 2.6803, 2.2898, 2.0310])]
    #[case::of_both(Spending::ObrienFlemingOfBoth, &[4.3826, 3.0997, 2.5534, 2.2538, 2.0635])]
    #[case::pocock(Spending::Pocock, &[2.4380, 2.4268, 2.4102, 2.3966, 2.3860])]
    fn two_sided_boundaries_are_those_of_the_tables(#[case] spending: Spending, #[case] expected: &[f64]) {
        let asked = Boundaries { spending, sides: Sides::Two, alpha: 0.05, looks: expected.len() };
        for (found, expected) in asked.values().expect("boundaries").into_iter().zip(expected) {
            assert!((found - expected).abs() < 6e-5, "{found} is not {expected}");
        }
    }

    /// Each side of a two-sided test is nearly a test of its own: both are hardly ever crossed.
    #[test]
    fn one_side_is_half_of_two() {
        let asked =
            Boundaries { spending: Spending::ObrienFleming, sides: Sides::One, alpha: 0.025, looks: 5 };
        let two = Boundaries { sides: Sides::Two, alpha: 0.05, ..asked };
        let pairs = asked.values().expect("boundaries").into_iter().zip(two.values().expect("boundaries"));
        for (one, two) in pairs {
            assert!((one - two).abs() < 2e-4, "{one} and {two}");
        }
    }

    /// One look is an ordinary test.
    #[test]
    fn one_look_spends_everything() {
        for (sides, z) in [(Sides::One, 1.644_854), (Sides::Two, 1.959_964)] {
            let asked = Boundaries { spending: Spending::Pocock, sides, alpha: 0.05, looks: 1 };
            let found = asked.values().expect("boundaries")[0];
            assert!((found - z).abs() < 1e-5, "{found} is not {z}");
        }
    }

    #[test]
    fn looks_and_shares_that_make_no_sense_are_refused() {
        let asked = Boundaries { spending: Spending::Pocock, sides: Sides::Two, alpha: 0.05, looks: 0 };
        assert_eq!(asked.values(), Err(BoundaryError::Looks(0)));
        assert_eq!(Boundaries { alpha: 0.0, looks: 3, ..asked }.values(), Err(BoundaryError::Alpha(0.0)));
        assert!(Boundaries { alpha: f64::NAN, looks: 3, ..asked }.values().is_err());
    }
}
