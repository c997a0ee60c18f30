//! What runs differ by beyond the levels and ramps that were fitted to them.

use super::pieces::{Piece, jump};
use super::significance::{two_sided, with_skewness};
use super::sums::{Fit, Sums};

/// Neighbouring residuals are taken to be no more alike than this.
const MOST_ALIKE: f64 = 0.9;
/// A difference of two values counts as no more than this many standard deviations.
const DIFFERENCE_BOUND: f64 = 4.0;
/// The noise is never taken to be less than a hundredth of what neighbours differ by: pieces of equal
/// values have none, and the rest of a sum is the rounding of its terms.
const LEAST_VARIANCE: f64 = 1e-4;

/// Standard normal deviates and weights by which the mean of a function over a normal distribution is
/// taken.
/// Source: Abramowitz and Stegun, Handbook of Mathematical Functions, table 25.10, n = 5, of exp(-x^2/2).
const GAUSS_HERMITE: [(f64, f64); 5] = [
    (-2.856_970_013_872_806, 0.011_257_411_327_720_69),
    (-1.355_626_179_974_266, 0.222_075_922_005_612_6),
    (0.0, 0.533_333_333_333_333_3),
    (1.355_626_179_974_266, 0.222_075_922_005_612_6),
    (2.856_970_013_872_806, 0.011_257_411_327_720_69),
];

/// By how much the variance of a mean of many runs is more if neighbours are this alike, and those
/// further apart accordingly (AR(1)).
fn inflation_of(correlation: f64) -> f64 {
    (1.0 + correlation) / (1.0 - correlation)
}

/// The noise around a set of pieces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise {
    /// Weighted variance of the residuals.
    pub(super) variance: f64,
    /// How alike neighbouring residuals are: the correlation with lag 1.
    correlation: f64,
    /// Its standard error.
    error: f64,
    /// By how much the variance of a mean grows because neighbouring runs resemble each other.
    pub(super) inflation: f64,
    /// Degrees of freedom of the variance.
    pub(super) degrees_of_freedom: f64,
    /// Skewness of the residuals, as far as it is more than chance.
    pub(super) skewness: f64,
}

impl Noise {
    /// Of residuals with this correlation and skewness.
    pub(super) fn around(sums: &Sums, pieces: &[Piece], [correlation, skewness]: [f64; 2]) -> Self {
        let count = sums.len() as f64;
        let squares: f64 = pieces.iter().map(|piece| piece.fit.rss).sum();
        let parameters = pieces.iter().map(Piece::parameters).sum::<usize>() as f64;
        let inflation = inflation_of(correlation);
        // A mean that is fitted takes as much of the squares as its own variance.
        let free = (count - parameters * inflation).max(count / 4.0).max(1.0);
        let degrees_of_freedom = (free / inflation).max(2.0);
        let variance = (squares / free).max(LEAST_VARIANCE);
        let error = ((1.0 - correlation * correlation) / count).sqrt();
        Self { variance, correlation, error, inflation, degrees_of_freedom, skewness }
    }

    /// Two-sided p of the slope of a ramp.
    pub(super) fn p_of_slope(&self, ramp: &Fit) -> f64 {
        self.p_of(ramp.slope, ramp.variance[1])
    }

    /// Two-sided p of a difference whose variance is `variance` for residuals of variance 1: the mean
    /// over what the correlation may be.
    pub(super) fn p_of(&self, difference: f64, variance: f64) -> f64 {
        if difference == 0.0 {
            return 1.0;
        }
        let t = difference / (self.variance * variance * self.inflation).sqrt();
        let at = |deviate: f64| {
            let correlation = (self.correlation + deviate * self.error).clamp(0.0, MOST_ALIKE);
            let more = inflation_of(correlation) / self.inflation;
            two_sided(t / more.sqrt(), self.degrees_of_freedom / more)
        };
        GAUSS_HERMITE.iter().map(|(deviate, weight)| weight * at(*deviate)).sum()
    }

    /// The p of the cut between the first two pieces. The mean of a few runs leans as they do.
    pub(super) fn p_between(&self, sums: &Sums, pieces: &[Piece]) -> f64 {
        let (left, right) = (&pieces[0], &pieces[1]);
        let (difference, variance) = jump(sums, left, right);
        let noise = Self { variance: self.variance.max(variance_as_one(sums, left, right)), ..*self };
        let cube = |place: usize, variance: f64| variance * variance * sums.weight[place].sqrt();
        let (before, after) = (left.to - 1, right.from);
        let of_right = cube(after, right.fit.variance_at(sums.run[after]));
        let of_left = cube(before, left.fit.variance_at(sums.run[before]));
        let skewness = self.skewness * (of_right - of_left) / variance.powf(1.5);
        with_skewness(noise.p_of(difference, variance), skewness * difference.signum())
    }
}

/// Where values are few, such as 0 and 1, and the same occur in both pieces, how much they differ follows
/// from their level, and the noise is at least that around both as one. What was left out as an outlier counts too, but
/// is no further off than these levels are: of counts that are mostly 0, the others may all be outliers. Zero elsewhere.
fn variance_as_one(sums: &Sums, left: &Piece, right: &Piece) -> f64 {
    let Some(all) = &sums.few_values else { return 0.0 };
    let range = |values: &[f64]| {
        values.iter().fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(*x), high.max(*x)))
    };
    let (low, high) = range(&sums.x[left.from..right.to]);
    let [first, cut, last] = [left.from, right.from, right.to - 1].map(|place| sums.run[place]);
    let values: Vec<f64> = all[first..=last].iter().map(|value| value.clamp(low, high)).collect();
    let (before, after) = values.split_at(cut - first);
    let (before, after) = (range(before), range(after));
    if before.1 < after.0 || after.1 < before.0 {
        return 0.0;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let weight = sums.weight[left.from..right.to].iter().sum::<f64>() / (left.len() + right.len()) as f64;
    squares * weight / (count - 1.0)
}

/// Skewness of the residuals around pieces, less what chance makes of none (variance 6 / n). Where values
/// are few, at least that around one level: pieces of one value have no residuals.
pub(super) fn skewness(sums: &Sums, pieces: &[Piece]) -> f64 {
    let around_pieces = skewness_around(sums, pieces);
    if sums.few_values.is_none() {
        return around_pieces;
    }
    let around_one = skewness_around(sums, &[Piece::level(sums, 0, sums.len())]);
    if around_one.abs() > around_pieces.abs() { around_one } else { around_pieces }
}

fn skewness_around(sums: &Sums, pieces: &[Piece]) -> f64 {
    let count = sums.len() as f64;
    let (mut squares, mut cubes) = (0.0, 0.0);
    for piece in pieces {
        for place in piece.from..piece.to {
            let residual = piece.residual(sums, place);
            squares += residual.powi(2);
            cubes += residual.powi(3);
        }
    }
    if squares <= LEAST_VARIANCE * count {
        return 0.0;
    }
    let seen = cubes / count / (squares / count).powf(1.5);
    seen * (1.0 - 6.0 / count / (seen * seen).max(f64::MIN_POSITIVE)).max(0.0)
}

/// How alike neighbouring residuals are: the correlation with lag 1, between 0 and [`MOST_ALIKE`].
pub(super) fn correlation(sums: &Sums, pieces: &[Piece]) -> f64 {
    let (mut products, mut squares, mut pairs) = (0.0, 0.0, 0usize);
    for piece in pieces {
        let residual = |place: usize| piece.residual(sums, place);
        squares += (piece.from..piece.to).map(|place| residual(place).powi(2)).sum::<f64>();
        products +=
            (piece.from + 1..piece.to).map(|place| residual(place) * residual(place - 1)).sum::<f64>();
        pairs += piece.len() - 1;
    }
    if pairs == 0 || squares <= LEAST_VARIANCE * sums.len() as f64 {
        return 0.0;
    }
    let seen = products / squares;
    // The mean of each piece is fitted too, which makes residuals look less alike.
    let parameters: usize = pieces.iter().map(Piece::parameters).sum();
    let unbiased = seen + (1.0 + 3.0 * seen) * parameters as f64 / sums.len() as f64;
    unbiased.clamp(0.0, MOST_ALIKE)
}

/// The same from differences of neighbours and of every second run within the pieces, which do not
/// depend on what was fitted to them: pieces that follow correlated noise cannot hide it.
/// For residuals r^k alike, var(x2 - x0) / var(x1 - x0) = 1 + r.
pub(super) fn correlation_of_differences(sums: &Sums, pieces: &[Piece]) -> f64 {
    let mean_square = |lag: usize| {
        let (mut squares, mut count) = (0.0, 0usize);
        for piece in pieces {
            for place in piece.from + lag..piece.to {
                let difference = (sums.x[place] - sums.x[place - lag]) * sums.weight[place].sqrt();
                squares += difference.clamp(-DIFFERENCE_BOUND, DIFFERENCE_BOUND).powi(2);
                count += 1;
            }
        }
        (squares / count.max(1) as f64, count)
    };
    let ((one, _), (two, count)) = (mean_square(1), mean_square(2));
    if one <= 0.0 || count == 0 {
        return 0.0;
    }
    (two / one - 1.0).clamp(0.0, MOST_ALIKE)
}

/// The noise around pieces that are final.
pub(super) fn noise_around(sums: &Sums, pieces: &[Piece]) -> Noise {
    let alike = correlation_of_differences(sums, pieces).max(correlation(sums, pieces));
    Noise::around(sums, pieces, [alike, skewness(sums, pieces)])
}
