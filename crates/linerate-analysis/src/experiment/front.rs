//! Which of several choices are worth their price.

use serde::{Deserialize, Serialize};

/// A choice: what it gives and what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// What it gives; more is better.
    pub merit: f64,
    /// What it costs; less is better.
    pub cost: f64,
    /// The interval of the merit. Absent if the merit is taken for exact.
    pub interval: Option<[f64; 2]>,
}

/// Where a choice stands among the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// No other gives as much for as little. Equal choices are all on the front.
    OnFront,
    /// Others, by their positions, give at least as much for at most the price, and more or for less.
    Beaten(Vec<usize>),
    /// So it looks, but the intervals of the merit overlap: not for certain.
    PerhapsBeaten(Vec<usize>),
}

impl Choice {
    /// What a unit of cost gives. Infinite if it gives something for nothing; absent for nothing for
    /// nothing.
    #[must_use]
    pub fn merit_per_cost(&self) -> Option<f64> {
        let ratio = self.merit / self.cost;
        (!ratio.is_nan()).then_some(ratio)
    }

    fn beats(&self, other: &Self) -> bool {
        let as_good = self.merit >= other.merit && self.cost <= other.cost;
        as_good && (self.merit > other.merit || self.cost < other.cost)
    }

    /// Whether the merit of `other` is certainly not above that of this one.
    fn certainly_reaches(&self, other: &Self) -> bool {
        let low = self.interval.map_or(self.merit, |[low, _]| low);
        let high = other.interval.map_or(other.merit, |[_, high]| high);
        low >= high
    }
}

/// Where each choice stands, in the order given. A choice whose merit or cost is not a number is never
/// beaten and beats none: leave it out.
///
/// A choice is beaten for certain if the whole interval of its merit lies below that of one that beats it
/// (the intervals may touch). That is stricter than a test of the difference.
#[must_use]
pub fn standings(choices: &[Choice]) -> Vec<Standing> {
    choices.iter().map(|choice| standing(choice, choices)).collect()
}

fn standing(choice: &Choice, all: &[Choice]) -> Standing {
    let beating: Vec<usize> = (0..all.len()).filter(|other| all[*other].beats(choice)).collect();
    let certain: Vec<usize> =
        beating.iter().copied().filter(|other| all[*other].certainly_reaches(choice)).collect();
    match (beating.is_empty(), certain.is_empty()) {
        (true, _) => Standing::OnFront,
        (false, true) => Standing::PerhapsBeaten(beating),
        (false, false) => Standing::Beaten(certain),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(merit: f64, cost: f64) -> Choice {
        Choice { merit, cost, interval: None }
    }

    /// a to h of the vector.
    fn vector() -> Vec<Choice> {
        [
            (100.0, 10.0),
            (150.0, 20.0),
            (150.0, 25.0),
            (90.0, 10.0),
            (200.0, 40.0),
            (200.0, 40.0),
            (120.0, 20.0),
            (60.0, 5.0),
        ]
        .map(|(merit, cost)| choice(merit, cost))
        .to_vec()
    }

    #[test]
    fn the_front_is_that_of_the_vector() {
        let (a, b) = (0, 1);
        let front = Standing::OnFront;
        let expected = [
            front.clone(),
            front.clone(),
            Standing::Beaten(vec![b]),
            Standing::Beaten(vec![a]),
            front.clone(),
            front.clone(),
            Standing::Beaten(vec![b]),
            front,
        ];
        assert_eq!(standings(&vector()), expected);
        for (place, ratio) in [(7, 12.0), (a, 10.0), (b, 7.5), (4, 5.0)] {
            assert_eq!(vector()[place].merit_per_cost(), Some(ratio));
        }
        assert_eq!(choice(0.0, 0.0).merit_per_cost(), None);
    }

    #[test]
    fn a_merit_within_the_interval_of_another_is_not_beaten_for_certain() {
        let with = |merit: f64, reach: f64, cost: f64| Choice {
            interval: Some([merit - reach, merit + reach]),
            ..choice(merit, cost)
        };
        let near = [with(100.0, 5.0, 10.0), with(95.0, 5.0, 10.0)];
        assert_eq!(standings(&near)[1], Standing::PerhapsBeaten(vec![0]));
        let far = [with(100.0, 5.0, 10.0), with(85.0, 5.0, 10.0)];
        assert_eq!(standings(&far)[1], Standing::Beaten(vec![0]));
    }
}
