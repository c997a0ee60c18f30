//! Nonlinear least squares with few parameters.
//!
//! The method of Levenberg (Quart. Appl. Math. 2, 1944) and Marquardt (SIAM J. Appl. Math. 11, 1963) with a trust
//! region: each step minimises the linearised sum of squares within a radius. In its norm each parameter is multiplied
//! by its largest slope so far, so that units do not matter. Source of the algorithm and its constants: Moré, "The
//! Levenberg-Marquardt algorithm: implementation and theory", Lecture Notes in Mathematics 630, 1978. The refinement
//! of the damping starts as in Moré, Garbow, Hillstrom, "User guide for MINPACK-1", ANL-80-74, 1980.
//!
//! A vector is a slice, a matrix is its columns.

use std::iter::zip;

#[cfg(test)]
mod tests;

/// First radius, as a multiple of the start's scaled length.
const FIRST_RADIUS: f64 = 100.0;
/// A step's length may differ from the radius by this share.
const SLACK: f64 = 0.1;
/// The damping of a step is refined at most this many times.
const REFINEMENTS: usize = 10;
/// A step is taken if it gains at least this share of what the linearised squares promise.
const WORTH_TAKING: f64 = 1e-4;
/// Up to this share the radius shrinks, to between a tenth and a half.
const POOR: f64 = 0.25;
/// From this share on the radius is twice the step.
const GOOD: f64 = 0.75;

/// When [`minimize`] ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Once the sum of squares or the scaled parameters change by less than this share.
    pub(super) tolerance: f64,
    /// Once the residuals were computed this many times; slopes are not counted.
    pub(super) evaluations: usize,
}

/// What [`minimize`] found.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Minimum {
    /// The parameters.
    pub(super) at: Vec<f64>,
    /// The sum of the squared residuals.
    pub(super) squares: f64,
}

/// Changes the parameters `at` until the sum of squares of `residuals` is least. `slopes` has a column for
/// each parameter: the change of every residual with it.
///
/// A step to where the residuals are absent or not finite counts as too long. Absent if they are so at the start.
pub(super) fn minimize(
    mut at: Vec<f64>,
    limits: Limits,
    residuals: impl Fn(&[f64]) -> Option<Vec<f64>>,
    slopes: impl Fn(&[f64]) -> Option<Vec<Vec<f64>>>,
) -> Option<Minimum> {
    let finite = |values: &Vec<f64>| norm(values).is_finite();
    let mut here = residuals(&at).filter(finite)?;
    let tolerance = limits.tolerance.max(f64::EPSILON);
    let mut left = limits.evaluations.saturating_sub(1);
    let (mut columns, mut scale) = (Vec::new(), vec![0.0; at.len()]);
    let (mut radius, mut damping, mut taken) = (None, 0.0, true);
    while left > 0 && norm(&here) > f64::MIN_POSITIVE {
        if taken {
            let Some(found) = slopes(&at) else { break };
            columns = found;
            widen(&mut scale, &columns);
        }
        let linear = Linear { slopes: &columns, residuals: &here, scale: &scale };
        let within = radius.unwrap_or_else(|| first_radius(&scale, &at));
        let Some(step) = linear.step(within, damping) else { break };
        let next = sum(&at, &step.change, 1.0);
        let there = residuals(&next).filter(finite);
        left -= 1;
        let gain = Gain::new(&linear, &step, there.as_deref());
        if gain.promised <= 0.0 {
            break;
        }
        let within = if radius.is_none() { within.min(step.length) } else { within };
        let (next_radius, next_damping) = gain.region(&step, within);
        (radius, damping) = (Some(next_radius), next_damping);
        taken = gain.share() >= WORTH_TAKING;
        if let Some(there) = there.filter(|_| taken) {
            (at, here) = (next, there);
        }
        let gained_little = gain.promised.max(gain.actual.abs()) <= tolerance && gain.share() <= 2.0;
        if gained_little || next_radius <= tolerance * norm(&product(&scale, &at)) {
            break;
        }
    }
    Some(Minimum { squares: dot(&here, &here), at })
}

/// Makes each scale as large as its parameter's slopes; one without slopes gets 1.
fn widen(scale: &mut [f64], slopes: &[Vec<f64>]) {
    for (scale, column) in zip(scale, slopes) {
        let widest = scale.max(norm(column));
        *scale = if widest > 0.0 { widest } else { 1.0 };
    }
}

fn first_radius(scale: &[f64], at: &[f64]) -> f64 {
    let length = norm(&product(scale, at));
    FIRST_RADIUS * if length > 0.0 { length } else { 1.0 }
}

/// What a step gains. Unit: shares of the sum of squares.
struct Gain {
    actual: f64,
    promised: f64,
    /// Where the parabola through both sums of squares, with its slope at the first, is least: a share of the step.
    shrink: f64,
}

impl Gain {
    /// Of a step to the residuals `there`, if there are any.
    fn new(linear: &Linear<'_>, step: &Step, there: Option<&[f64]>) -> Self {
        let before = norm(linear.residuals);
        let bent = (norm(&linear.moved(&step.change)) / before).powi(2);
        let damped = step.damping * (step.length / before).powi(2);
        let actual = 1.0 - (there.map_or(f64::INFINITY, norm) / before).powi(2);
        let shrink = 0.5 * (bent + damped) / (bent + damped - 0.5 * actual.min(0.0));
        Self { actual, promised: bent + 2.0 * damped, shrink: shrink.clamp(0.1, 0.5) }
    }

    fn share(&self) -> f64 {
        self.actual / self.promised
    }

    /// The radius and the first damping for the step after `step`, which was within `radius`.
    fn region(&self, step: &Step, radius: f64) -> (f64, f64) {
        if self.share() <= POOR {
            (self.shrink * radius.min(10.0 * step.length), step.damping / self.shrink)
        } else if step.damping == 0.0 || self.share() >= GOOD {
            (2.0 * step.length, step.damping / 2.0)
        } else {
            (radius, step.damping)
        }
    }
}

/// The linearised problem.
struct Linear<'a> {
    slopes: &'a [Vec<f64>],
    residuals: &'a [f64],
    scale: &'a [f64],
}

/// A change of the parameters.
struct Step {
    change: Vec<f64>,
    /// Of the scaled change.
    length: f64,
    /// With which it is the least squares.
    damping: f64,
    /// How much to add to the damping so that the length approaches the radius: Newton's step for its reciprocal.
    correction: f64,
}

impl Linear<'_> {
    /// The step to the least squares within `radius`. Its damping is looked for from `damping` on. Absent if the slopes
    /// are not finite.
    fn step(&self, radius: f64, damping: f64) -> Option<Step> {
        // Parameters that are not told apart by the residuals are held by the least damping that counts.
        let mut step = self.damped(0.0, radius).or_else(|| self.damped(f64::EPSILON, radius))?;
        if step.length <= radius * (1.0 + SLACK) {
            return Some(step);
        }
        let mut lower = step.damping + step.correction;
        let gradient =
            self.slopes.iter().zip(self.scale).map(|(column, scale)| dot(column, self.residuals) / scale);
        let upper = norm(&gradient.collect::<Vec<_>>()) / radius;
        let mut damping = damping.max(lower).min(upper);
        for _ in 0..REFINEMENTS {
            step = self.damped(damping, radius)?;
            if (step.length - radius).abs() <= radius * SLACK {
                break;
            }
            if step.length > radius {
                lower = lower.max(damping);
            }
            damping = lower.max(damping + step.correction);
        }
        Some(step)
    }

    /// The step with this damping. Absent if that leaves it undetermined.
    fn damped(&self, damping: f64, radius: f64) -> Option<Step> {
        let count = self.scale.len();
        let columns = self.slopes.iter().zip(self.scale).enumerate().map(|(nth, (column, scale))| {
            let mut held = vec![0.0; count];
            held[nth] = damping.sqrt() * scale;
            [column.as_slice(), &held].concat()
        });
        let factors = Qr::new(columns.collect())?;
        let change: Vec<f64> = factors.solve(self.residuals).iter().map(|change| -change).collect();
        let scaled = product(self.scale, &change);
        let length = norm(&scaled);
        // The derivative of the length with the damping is minus this, over the length.
        let falls = norm(&factors.solve_transposed(&product(self.scale, &scaled))).powi(2);
        let correction = (length - radius) / radius * length.powi(2) / falls;
        length.is_finite().then_some(Step { change, length, damping, correction })
    }

    /// By how much a change moves the residuals.
    fn moved(&self, change: &[f64]) -> Vec<f64> {
        let nothing = vec![0.0; self.residuals.len()];
        zip(self.slopes, change).fold(nothing, |moved, (column, change)| sum(&moved, column, *change))
    }
}

/// A matrix with at least as many rows as columns as the product of an orthogonal one, Q, and a triangular one, R, by
/// Householder's reflections. Source: Golub, Van Loan, "Matrix Computations", 5.2.
pub(super) struct Qr {
    /// Above the diagonal R, from it downwards the vectors of the reflections, each with norm sqrt(2).
    columns: Vec<Vec<f64>>,
    /// That of R.
    diagonal: Vec<f64>,
}

impl Qr {
    /// Absent if a column is a combination of those before it, but for rounding, or is not finite.
    pub(super) fn new(mut columns: Vec<Vec<f64>>) -> Option<Self> {
        let rounding = columns.len() as f64 * f64::EPSILON;
        let mut diagonal = Vec::with_capacity(columns.len());
        for nth in 0..columns.len() {
            let (before, [column, ..]) = columns.split_at_mut(nth) else { break };
            let whole = norm(column);
            for (from, vector) in before.iter().enumerate() {
                reflect(&mut column[from..], &vector[from..]);
            }
            let vector = &mut column[nth..];
            let length = norm(vector);
            if !(length > rounding * whole && length.is_finite()) {
                return None;
            }
            let corner = -length.copysign(vector[0]);
            vector[0] -= corner;
            let divisor = (length * vector[0].abs()).sqrt();
            vector.iter_mut().for_each(|it| *it /= divisor);
            diagonal.push(corner);
        }
        Some(Self { columns, diagonal })
    }

    /// What the columns must be multiplied by for a sum that comes closest to `values`. Missing values are zero.
    pub(super) fn solve(&self, values: &[f64]) -> Vec<f64> {
        let mut solution = values.to_vec();
        solution.resize(self.columns.first().map_or(0, Vec::len), 0.0);
        for (from, vector) in self.columns.iter().enumerate() {
            reflect(&mut solution[from..], &vector[from..]);
        }
        solution.truncate(self.columns.len());
        for (nth, (column, corner)) in zip(&self.columns, &self.diagonal).enumerate().rev() {
            solution[nth] /= corner;
            let found = solution[nth];
            zip(&mut solution[..nth], column).for_each(|(it, factor)| *it -= factor * found);
        }
        solution
    }

    /// The solution of R transposed for `values`. If these are a row of the matrix, its squared norm is the row's
    /// leverage.
    pub(super) fn solve_transposed(&self, values: &[f64]) -> Vec<f64> {
        let mut solution: Vec<f64> = Vec::with_capacity(values.len());
        for ((value, column), corner) in zip(zip(values, &self.columns), &self.diagonal) {
            solution.push((value - dot(&solution, column)) / corner);
        }
        solution
    }
}

/// Reflects `values` at the plane that is normal to `vector`, whose norm is sqrt(2).
fn reflect(values: &mut [f64], vector: &[f64]) {
    let along = dot(values, vector);
    zip(values, vector).for_each(|(value, it)| *value -= along * it);
}

/// The sum of products; the longer vector's rest is ignored.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    zip(one, other).map(|(one, other)| one * other).sum()
}

/// The Euclidean norm.
pub(super) fn norm(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

/// `one + factor * other`.
pub(super) fn sum(one: &[f64], other: &[f64], factor: f64) -> Vec<f64> {
    zip(one, other).map(|(one, other)| one + factor * other).collect()
}

/// The product of each pair of elements.
fn product(one: &[f64], other: &[f64]) -> Vec<f64> {
    zip(one, other).map(|(one, other)| one * other).collect()
}
