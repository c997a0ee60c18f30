//! Least squares where columns may depend on each other.

use std::ops::Range;

/// A column is taken for a sum of those before it if less than this share of its length is left.
const DEPENDENT: f64 = 1e-7;
/// What is less than this share of all values is the rounding of sums: equal values have no noise.
const ROUNDING: f64 = 1e-12;

/// A least-squares fit. Columns that depend on those before them are left out.
/// Source: Bjorck, Numerical Methods for Least Squares Problems (1996), section 2.4: modified Gram-Schmidt,
/// done twice.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    /// Orthonormal columns, one for each column kept.
    basis: Vec<Vec<f64>>,
    /// For each column kept its index, and what it has of each basis column up to its own.
    kept: Vec<(usize, Vec<f64>)>,
    /// For each column left out its index, and what it has of each basis column.
    dropped: Vec<(usize, Vec<f64>)>,
    /// What the values have of each basis column.
    parts: Vec<f64>,
    /// What no column explains.
    pub(super) residuals: Vec<f64>,
}

/// A weighted sum of coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Contrast {
    pub(super) estimate: f64,
    /// Its variance, in variances of one value.
    pub(super) variance: f64,
}

impl Fit {
    /// Fits `values` by `columns`, each as long as the values.
    pub(super) fn new(columns: &[Vec<f64>], values: &[f64]) -> Self {
        let mut fit = Self {
            basis: Vec::new(),
            kept: Vec::new(),
            dropped: Vec::new(),
            parts: Vec::new(),
            residuals: values.to_vec(),
        };
        for (index, column) in columns.iter().enumerate() {
            fit.add(index, column);
        }
        let least = ROUNDING * dot(values, values).sqrt();
        let numbers = fit.parts.iter_mut().chain(&mut fit.residuals);
        numbers.filter(|number| number.abs() <= least).for_each(|number| *number = 0.0);
        fit
    }

    fn add(&mut self, index: usize, column: &[f64]) {
        let mut left = column.to_vec();
        let mut parts = vec![0.0; self.basis.len()];
        // Once leaves rounding errors that grow where columns nearly depend on each other.
        for _ in 0..2 {
            for (part, direction) in parts.iter_mut().zip(&self.basis) {
                *part += take_out(&mut left, direction);
            }
        }
        let length = dot(&left, &left).sqrt();
        if length <= DEPENDENT * dot(column, column).sqrt() {
            self.dropped.push((index, parts));
            return;
        }
        left.iter_mut().for_each(|value| *value /= length);
        parts.push(length);
        self.parts.push(take_out(&mut self.residuals, &left));
        self.basis.push(left);
        self.kept.push((index, parts));
    }

    /// Degrees of freedom that are left.
    pub(super) fn freedom(&self) -> usize {
        self.residuals.len() - self.basis.len()
    }

    /// The sum of the squared residuals.
    pub(super) fn squares(&self) -> f64 {
        dot(&self.residuals, &self.residuals)
    }

    /// Adds columns if none of them depends on the others; whether it did. Their numbers begin at `first`.
    pub(super) fn add_independent(&mut self, first: usize, columns: &[Vec<f64>]) -> bool {
        let before = self.basis.len();
        for (nth, column) in columns.iter().enumerate() {
            self.add(first + nth, column);
        }
        let all = self.basis.len() == before + columns.len();
        if !all {
            for (direction, part) in self.basis.drain(before..).zip(self.parts.drain(before..)) {
                let put_back = self.residuals.iter_mut().zip(&direction);
                put_back.for_each(|(residual, unit)| *residual += part * unit);
            }
            self.kept.truncate(before);
            self.dropped.retain(|(index, _)| *index < first);
        }
        all
    }

    /// What the columns from `first` on explain beyond those before: squares and degrees of freedom.
    pub(super) fn explained_from(&self, first: usize) -> (f64, usize) {
        let own = self.kept.iter().zip(&self.parts).filter(|((index, _), _)| *index >= first);
        own.fold((0.0, 0), |(squares, count), (_, part)| (squares + part * part, count + 1))
    }

    /// What these columns explain beyond all others: the squares of a fit with them less those of one
    /// without, and degrees of freedom. Absent if one of them depends on others.
    pub(super) fn explained_by(&self, columns: Range<usize>) -> Option<(f64, usize)> {
        let each: Option<Vec<Vec<f64>>> = columns.map(|column| self.solve(&[(column, 1.0)])).collect();
        // Those vectors span what no other column has.
        Some(Self::new(&each?, &self.parts).explained_from(0))
    }

    /// The weighted sum of the coefficients of some columns. Absent if the values leave it open, since
    /// columns depend on each other.
    pub(super) fn contrast(&self, weights: &[(usize, f64)]) -> Option<Contrast> {
        let solved = self.solve(weights)?;
        let (sum, variance) = (dot(&solved, &self.parts), dot(&solved, &solved));
        let least = ROUNDING * (variance * dot(&self.parts, &self.parts)).sqrt();
        Some(Contrast { estimate: if sum.abs() <= least { 0.0 } else { sum }, variance })
    }

    /// The w with R'w = weights: the weighted sum of coefficients is w times the parts.
    fn solve(&self, weights: &[(usize, f64)]) -> Option<Vec<f64>> {
        let weight = |column: usize| {
            weights.iter().find(|(index, _)| *index == column).map_or(0.0, |(_, weight)| *weight)
        };
        let mut solved: Vec<f64> = Vec::with_capacity(self.kept.len());
        for (column, parts) in &self.kept {
            let (length, above) = parts.split_last().expect("a kept column has a length");
            solved.push((weight(*column) - dot(above, &solved)) / length);
        }
        // A column left out is a sum of others: exchanging it for them must not change the weighted sum.
        let all: f64 = weights.iter().map(|(_, weight)| weight.abs()).sum();
        let is_open = |(column, parts): &(usize, Vec<f64>)| {
            (dot(parts, &solved) - weight(*column)).abs() > DEPENDENT * all
        };
        (!self.dropped.iter().any(is_open)).then_some(solved)
    }

    /// How much of each residual the fit itself has taken: 1 where a value is fitted exactly.
    pub(super) fn leverage(&self, row: usize) -> f64 {
        self.basis.iter().map(|direction| direction[row] * direction[row]).sum()
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(left, right)| left * right).sum()
}

/// Takes out of `values` what they have of a direction of length 1; how much that was.
fn take_out(values: &mut [f64], direction: &[f64]) -> f64 {
    let part = dot(values, direction);
    values.iter_mut().zip(direction).for_each(|(value, unit)| *value -= part * unit);
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y = 1, 3, 4, 8 at x = 0 to 3: slope 2.2, intercept 0.7, squares 1.8; sd factor of the slope 1/5.
    #[test]
    fn a_line_has_the_slope_worked_out_by_hand() {
        let fit = Fit::new(&[vec![1.0; 4], vec![0.0, 1.0, 2.0, 3.0]], &[1.0, 3.0, 4.0, 8.0]);
        let slope = fit.contrast(&[(1, 1.0)]).expect("a slope");
        assert!((slope.estimate - 2.2).abs() < 1e-12 && (slope.variance - 0.2).abs() < 1e-12, "{slope:?}");
        let start = fit.contrast(&[(0, 1.0)]).expect("an intercept");
        assert!((start.estimate - 0.7).abs() < 1e-12 && (start.variance - 0.7).abs() < 1e-12, "{start:?}");
        assert!((fit.squares() - 1.8).abs() < 1e-12);
        assert_eq!(fit.freedom(), 2);
        assert!((fit.leverage(0) - 0.7).abs() < 1e-12);
        let (squares, freedom) = fit.explained_from(1);
        assert!((squares - 24.2).abs() < 1e-12 && freedom == 1, "{squares}");
        // Without the intercept the squares are 90 - 35^2/14.
        let (squares, freedom) = fit.explained_by(0..1).expect("an intercept");
        let expected = 90.0 - 35.0 * 35.0 / 14.0 - 1.8;
        assert!((squares - expected).abs() < 1e-12 && freedom == 1, "{squares} is not {expected}");
    }

    /// c = 2 + b: neither has a slope of its own, but the slope of b once and of c once more is known.
    #[test]
    fn what_columns_that_depend_on_each_other_leave_open_is_absent() {
        let columns = [vec![1.0; 4], vec![1.0, 2.0, 4.0, 5.0], vec![3.0, 4.0, 6.0, 7.0]];
        let fit = Fit::new(&columns, &[2.0, 4.0, 8.0, 10.0]);
        assert_eq!(fit.freedom(), 2);
        assert_eq!((fit.contrast(&[(1, 1.0)]), fit.contrast(&[(2, 1.0)])), (None, None));
        assert_eq!(fit.explained_by(1..2), None);
        let both = fit.contrast(&[(1, 1.0), (2, 1.0)]).expect("the slope");
        assert!((both.estimate - 2.0).abs() < 1e-12, "{both:?}");
    }

    #[test]
    fn columns_that_depend_on_others_are_not_added() {
        let mut fit = Fit::new(&[vec![1.0; 3]], &[1.0, 2.0, 4.0]);
        let before = fit.squares();
        assert!(!fit.add_independent(1, &[vec![0.0, 0.0, 1.0], vec![2.0, 2.0, 5.0]]));
        assert!((fit.squares() - before).abs() < 1e-12 && fit.freedom() == 2);
        assert!(fit.add_independent(1, &[vec![0.0, 0.0, 1.0]]));
        assert!((fit.squares() - 0.5).abs() < 1e-12 && fit.freedom() == 1);
    }
}
