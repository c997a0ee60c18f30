//! The scale on which the values of a figure are searched.

use super::figure_history::Shift;
use super::neighbours::local_medians;
use crate::figures::Figure;

/// What a value becomes before it is searched, so that runs differ by about as much at every level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// Its natural logarithm: a change is a ratio.
    Logarithm,
    /// Its square root, for shares and counts that are often 0: the variance of a count grows with its
    /// mean, that of its root does not.
    /// Source: Bartlett, The square root transformation in analysis of variance, Supplement to the J.
    /// Royal Statistical Society 3 (1936).
    Root,
}

/// Runs are taken to differ by no less than this share of how far apart the levels are: sums of squares
/// hold no more digits.
const LEAST_OF_RANGE: f64 = 1e-5;
/// Nor by less than this share of the values: what remains is how numbers were rounded.
const LEAST_OF_VALUE: f64 = 1e-6;

impl Scale {
    pub(super) fn of(figure: Figure) -> Self {
        if figure.is_ratio() { Self::Logarithm } else { Self::Root }
    }

    /// A value on this scale. Absent if it has no place there.
    pub(super) fn place(self, value: f64) -> Option<f64> {
        match self {
            Self::Logarithm => (value > 0.0 && value.is_finite()).then(|| value.ln()),
            Self::Root => (value >= 0.0 && value.is_finite()).then(|| value.sqrt()),
        }
    }

    /// The value at a place.
    pub(super) fn value(self, place: f64) -> f64 {
        match self {
            Self::Logarithm => place.exp(),
            Self::Root => place.max(0.0).powi(2),
        }
    }

    /// A change by `difference` from the place `before`: a ratio, or a difference of values.
    pub(super) fn change(self, before: f64, difference: f64) -> f64 {
        match self {
            Self::Logarithm => difference.exp(),
            Self::Root => self.value(before + difference) - self.value(before),
        }
    }

    /// The same with an interval of this half width.
    pub(super) fn shift(self, before: f64, difference: f64, half_width: f64) -> Shift {
        let change = |difference| self.change(before, difference);
        Shift {
            value: change(difference),
            low: change(difference - half_width),
            high: change(difference + half_width),
        }
    }

    /// What the places `x` differ by at the least.
    pub(super) fn least_noise(self, x: &[f64]) -> f64 {
        let around = local_medians(x);
        let (low, high) =
            around.iter().fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(*x), high.max(*x)));
        let of_value = match self {
            Self::Logarithm => LEAST_OF_VALUE,
            Self::Root => LEAST_OF_VALUE * high,
        };
        of_value.max(LEAST_OF_RANGE * (high - low))
    }
}
