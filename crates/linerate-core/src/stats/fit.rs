//! The line `time = latency + size x cost` through a curve.

/// `time = a + b x size`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// Time of a message without bytes. Unit: that of the times.
    pub a: f64,
    /// Time per byte. Unit: that of the times per byte.
    pub b: f64,
}

impl Affine {
    /// The size at which the bytes take as long as the fixed part. Unit: bytes.
    #[must_use]
    pub fn knee(self) -> f64 {
        self.a / self.b
    }
}

/// Iterations of the re-weighting; the weights settle in fewer.
const ITERATIONS: usize = 20;
/// Huber's constant: residuals of more than this many sigma count less.
const HUBER: f64 = 1.345;
const MAD_TO_SIGMA: f64 = 1.4826;

/// Fits `points` of (size, time) so that relative errors count, large ones less.
///
/// Iteratively re-weighted least squares on `(time - a - b x size) / time` with Huber weights, so
/// that every octave counts alike and a dip does not bend the line. Absent with fewer than three
/// distinct sizes, or when the best line has no positive latency and cost.
#[must_use]
pub fn fit_affine(points: &[(f64, f64)]) -> Option<Affine> {
    let usable: Vec<_> = points.iter().copied().filter(|(size, time)| *size > 0.0 && *time > 0.0).collect();
    let mut weights = vec![1.0; usable.len()];
    let mut line = None;
    for _ in 0..ITERATIONS {
        let fitted = solve(&usable, &weights)?;
        line = Some(fitted);
        let residuals: Vec<f64> =
            usable.iter().map(|(size, time)| (time - fitted.a - fitted.b * size) / time).collect();
        let reach = super::median(residuals.iter().map(|residual| residual.abs()))? * MAD_TO_SIGMA * HUBER;
        for (weight, residual) in weights.iter_mut().zip(&residuals) {
            *weight = if residual.abs() > reach { reach / residual.abs() } else { 1.0 };
        }
        if reach <= f64::EPSILON {
            break;
        }
    }
    line.filter(|line| line.a > 0.0 && line.b > 0.0)
}

/// Weighted least squares on relative errors: the two normal equations.
fn solve(points: &[(f64, f64)], weights: &[f64]) -> Option<Affine> {
    let (mut s_uu, mut s_uv, mut s_vv, mut s_u, mut s_v) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for ((size, time), weight) in points.iter().zip(weights) {
        let (u, v) = (1.0 / time, size / time);
        s_uu += weight * u * u;
        s_uv += weight * u * v;
        s_vv += weight * v * v;
        s_u += weight * u;
        s_v += weight * v;
    }
    let determinant = s_uu * s_vv - s_uv * s_uv;
    let well_posed = points.len() >= 3 && determinant > 1e-12 * s_uu * s_vv;
    well_posed.then(|| Affine {
        a: (s_u * s_vv - s_v * s_uv) / determinant,
        b: (s_v * s_uu - s_u * s_uv) / determinant,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(dip_at: Option<usize>) -> Vec<(f64, f64)> {
        let times = (0..24).map(|k| (f64::from(1 << k), 50.0 + 0.008 * f64::from(1 << k)));
        times.enumerate().map(|(i, (n, t))| (n, if Some(i) == dip_at { t * 3.0 } else { t })).collect()
    }

    #[test]
    fn an_exact_line_is_found_exactly_and_a_dip_does_not_bend_it() {
        let line = fit_affine(&curve(None)).expect("a line");
        assert!((line.a - 50.0).abs() < 1e-6 && (line.b - 0.008).abs() < 1e-9, "{line:?}");
        let bent = fit_affine(&curve(Some(12))).expect("a line");
        assert!((bent.knee() / line.knee() - 1.0).abs() < 0.05, "{bent:?}");
    }

    #[test]
    fn what_is_no_line_has_no_fit() {
        assert_eq!(fit_affine(&[]), None);
        assert_eq!(fit_affine(&[(1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]), None);
        assert_eq!(fit_affine(&[(1.0, 9.0), (2.0, 5.0), (3.0, 1.0)]), None);
        assert_eq!(fit_affine(&[(1.0, 1.0), (2.0, 1.5)]), None, "two points fit any line");
    }

    #[test]
    fn a_line_without_latency_or_without_cost_is_none() {
        assert_eq!(fit_affine(&[(1.0, 1.0), (2.0, 2.0), (4.0, 4.0)]), None);
        assert_eq!(fit_affine(&[(1.0, 4.0), (2.0, 4.0), (4.0, 4.0)]), None);
    }

    #[test]
    fn points_without_a_size_or_a_time_are_left_out() {
        let line = fit_affine(&curve(None));
        for (place, nothing) in [(0, (0.0, 7.0)), (5, (64.0, 0.0)), (24, (-1.0, 50.0)), (24, (9.0, -50.0))] {
            let mut points = curve(None);
            points.insert(place, nothing);
            assert_eq!(fit_affine(&points), line, "{nothing:?}");
        }
    }

    #[test]
    fn the_knee_is_where_the_bytes_take_as_long_as_the_rest() {
        assert_eq!(Affine { a: 50.0, b: 0.008 }.knee(), 6_250.0);
    }

    #[test]
    fn large_errors_count_less_than_small_ones() {
        // Times 5 % too long and too short in turn, and one four times too short.
        let factor = |i: usize| if i == 4 { 0.25 } else { [1.05, 0.95][i % 2] };
        let points = curve(None).into_iter().enumerate().map(|(i, (n, t))| (n, t * factor(i)));
        let line = fit_affine(&points.collect::<Vec<_>>()).expect("a line");
        // As the same method gives in another language; plain least squares has a latency of 27.277.
        assert!((line.a - 47.763_073_372).abs() < 1e-6, "{line:?}");
        assert!((line.b - 0.007_986_496_879).abs() < 1e-9, "{line:?}");
    }
}
