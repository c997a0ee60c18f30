//! A series cut into pieces, each a level or a ramp.

use super::significance::two_sided;
use super::sums::{Fit, Sums};

/// A level has at least this many runs; fewer are outliers, or not yet a level.
pub(super) const LEAST: usize = 5;
/// The shortest stretch that may be cut in two.
pub(super) const SHORTEST: usize = 2 * LEAST;

/// Values from `from` to before `to`, and what was fitted to them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) fit: Fit,
}

impl Piece {
    pub(super) fn level(sums: &Sums, from: usize, to: usize) -> Self {
        Self { from, to, fit: sums.level(from, to) }
    }

    pub(super) fn len(&self) -> usize {
        self.to - self.from
    }

    /// Distance of a value from the fit, in the unit of its spread.
    pub(super) fn residual(&self, sums: &Sums, place: usize) -> f64 {
        (sums.x[place] - self.fit.value(sums.run[place])) * sums.weight[place].sqrt()
    }

    /// Parameters of its shape.
    pub(super) fn parameters(&self) -> usize {
        if self.fit.is_ramp() { 2 } else { 1 }
    }
}

/// The difference between two adjacent pieces where they meet, and its variance for residuals of
/// variance 1.
pub(super) fn jump(sums: &Sums, left: &Piece, right: &Piece) -> (f64, f64) {
    let (before, after) = (sums.run[left.to - 1], sums.run[right.from]);
    let difference = right.fit.value(after) - left.fit.value(before);
    (difference, left.fit.variance_at(before) + right.fit.variance_at(after))
}

/// Levels between the cuts.
pub(super) fn levels(sums: &Sums, cuts: impl IntoIterator<Item = usize>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for cut in cuts {
        pieces.push(Piece::level(sums, from, cut));
        from = cut;
    }
    pieces.push(Piece::level(sums, from, sums.len()));
    pieces
}

/// Welch's test of the first two pieces if they are levels, each with the spread of its own values.
pub(super) fn welch(sums: &Sums, pieces: &[Piece], inflation: f64) -> f64 {
    if pieces[..2].iter().any(|piece| piece.fit.is_ramp()) {
        return 0.0;
    }
    let (variance, degrees_of_freedom) = welch_variance(pieces, inflation);
    let (difference, _) = jump(sums, &pieces[0], &pieces[1]);
    two_sided(difference / variance.sqrt(), degrees_of_freedom)
}

/// Variance of the difference of the first two levels, and its degrees of freedom.
pub(super) fn welch_variance(pieces: &[Piece], inflation: f64) -> (f64, f64) {
    let part = |piece: &Piece| {
        let free = (piece.len() as f64 - 1.0).max(1.0);
        let variance = inflation * piece.fit.variance[0] * piece.fit.rss / free;
        (variance, variance * variance / free)
    };
    let ((left, left_share), (right, right_share)) = (part(&pieces[0]), part(&pieces[1]));
    let variance = left + right;
    (variance, variance * variance / (left_share + right_share))
}
