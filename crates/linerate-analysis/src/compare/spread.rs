//! How much runs of one path differ from each other, by its history.

use std::collections::BTreeMap;

use crate::figures::{Key, Sheet};
use crate::inference::Prior;
use linerate_core::pattern::Pattern;

/// With fewer differences nothing is said.
const LEAST: usize = 4;
/// A difference of more than this many usual ones is a change or an outlier, and no chance.
const FAR: f64 = 4.0;
const MAD_TO_SIGMA: f64 = 1.4826;

/// How much runs of one path differ from each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spread {
    /// How many runs say so.
    pub runs: usize,
    figures: BTreeMap<Key, Prior>,
    sizes: BTreeMap<(Pattern, u64), Prior>,
}

impl Spread {
    /// That of the runs `history`, in the order in which they began. Absent with fewer than five.
    ///
    /// It is taken from the differences of neighbours, so that a slow drift and a step between two of
    /// them hardly count. Differences of more than four usual ones are left out.
    /// Source: von Neumann, Kent, Bellinson and Hart, The mean square successive difference, Annals of
    /// Mathematical Statistics 12 (1941).
    #[must_use]
    pub fn of(history: &[Sheet]) -> Option<Self> {
        if history.len() <= LEAST {
            return None;
        }
        let mut figures: BTreeMap<&Key, Vec<f64>> = BTreeMap::new();
        let mut sizes: BTreeMap<(Pattern, u64), Vec<f64>> = BTreeMap::new();
        for sheet in history {
            for value in &sheet.figures {
                let scaled = if value.key.figure.is_ratio() { value.value.ln() } else { value.value };
                figures.entry(&value.key).or_default().push(scaled);
            }
            for (pattern, curve) in &sheet.curves {
                for (size, times) in curve {
                    sizes.entry((*pattern, *size)).or_default().push(times.us.ln());
                }
            }
        }
        Some(Self {
            runs: history.len(),
            figures: figures
                .into_iter()
                .filter_map(|(key, values)| Some((key.clone(), prior(&values)?)))
                .collect(),
            sizes: sizes.into_iter().filter_map(|(size, values)| Some((size, prior(&values)?))).collect(),
        })
    }

    pub(super) fn figure(&self, key: &Key) -> Option<Prior> {
        self.figures.get(key).copied()
    }

    pub(super) fn size(&self, pattern: Pattern, size: u64) -> Option<Prior> {
        self.sizes.get(&(pattern, size)).copied()
    }
}

fn prior(values: &[f64]) -> Option<Prior> {
    let differences: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    let usual = linerate_core::stats::median(differences.iter().copied())? * MAD_TO_SIGMA;
    let near: Vec<f64> = differences.into_iter().filter(|it| usual == 0.0 || *it <= FAR * usual).collect();
    if near.len() < LEAST {
        return None;
    }
    let count = near.len() as f64;
    let square = near.iter().map(|difference| difference.powi(2)).sum::<f64>() / (2.0 * count);
    // Neighbouring differences share a run: as much is known as from so many free values.
    let freedom = 2.0 * count.powi(2) / (3.0 * count - 1.0);
    (square > 0.0).then(|| Prior { deviation: square.sqrt(), freedom })
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_pcg::Pcg64;

    use super::*;

    /// Standard normal values (Box and Muller).
    fn normal(count: u32) -> Vec<f64> {
        let mut random = Pcg64::new(3, 4);
        let mut draw = || {
            let (one, other): (f64, f64) = (random.random(), random.random());
            (-2.0 * (1.0 - one).ln()).sqrt() * (std::f64::consts::TAU * other).cos()
        };
        (0..count).map(|_| draw()).collect()
    }

    #[test]
    fn it_is_the_standard_deviation_whatever_the_level_does() {
        let noise = normal(200);
        let flat = prior(&noise).expect("many values");
        assert!((flat.deviation - 1.0).abs() < 0.15, "{flat:?}");
        assert!((flat.freedom - 133.0).abs() < 2.0, "two thirds of the differences count: {flat:?}");
        let level = |nth: usize| if nth > 90 { 30.0 } else { nth as f64 * 0.05 };
        let moved: Vec<f64> = noise.iter().enumerate().map(|(nth, value)| value + level(nth)).collect();
        let moved = prior(&moved).expect("many values");
        assert!((moved.deviation / flat.deviation - 1.0).abs() < 0.05, "{moved:?} {flat:?}");
    }

    #[test]
    fn few_or_equal_values_say_nothing() {
        assert_eq!(prior(&[1.0, 2.0, 1.0, 2.0]), None);
        assert_eq!(prior(&[1.0; 9]), None);
        assert_eq!(prior(&[]), None);
        assert!(prior(&[1.0, 2.0, 1.0, 2.0, 1.0]).is_some());
    }
}
