//! One look at the differences of pairs.

use crate::experiment::distribution::{normal_beyond, student_beyond, student_limit};

/// What a look sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    /// Whether a boundary was crossed, and whether in the good direction.
    pub(super) crossed: Option<bool>,
    pub(super) estimate: Option<f64>,
    pub(super) interval: Option<[f64; 2]>,
}

impl Look {
    /// Compares the mean difference with a boundary on z.
    ///
    /// The spread is estimated from few pairs, so a t is compared: that of the same probability.
    /// Differences that are all equal and not 0 cross every boundary: so it is in a model.
    /// Source: Jennison and Turnbull, Group Sequential Methods (2000), section 3.8: significance levels.
    pub(super) fn at(differences: &[f64], boundary: Option<f64>) -> Self {
        let Some((mean, error, freedom)) = moments(differences) else {
            return Self { crossed: None, estimate: differences.first().copied(), interval: None };
        };
        let Some(tail) = boundary.map(normal_beyond) else {
            return Self { crossed: None, estimate: Some(mean), interval: None };
        };
        let t = if mean == 0.0 { 0.0 } else { mean / error };
        let crossed = if student_beyond(t, freedom) <= tail {
            Some(true)
        } else {
            (student_beyond(-t, freedom) <= tail).then_some(false)
        };
        let reach = student_limit(2.0 * tail, freedom) * error;
        let interval = reach.is_finite().then_some([mean - reach, mean + reach]);
        Self { crossed, estimate: Some(mean), interval }
    }
}

/// The mean of pairs that decide nothing, and its interval. There are at least two pairs.
pub(super) fn fresh(differences: &[f64], alpha: f64) -> (f64, [f64; 2]) {
    let (mean, error, freedom) = moments(differences).expect("a final comparison has at least two pairs");
    let reach = student_limit(alpha, freedom) * error;
    (mean, [mean - reach, mean + reach])
}

/// Mean, its standard error and degrees of freedom. Absent below two values.
fn moments(values: &[f64]) -> Option<(f64, f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((mean, (squares / (count - 1.0) / count).sqrt(), count - 1.0))
}
