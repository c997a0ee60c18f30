//! How far the best fit of the model still is from the measurements.

/// The standard deviation of the model itself, of a time's logarithm, and its degrees of freedom:
/// the measured times less those that the parameters used.
///
/// Each residual is `ln(model / measured)`, with the standard deviation of its measurement and its
/// leverage in the fit (0 to 1). The estimate is the one with which the weighted squares add up to
/// their expected value (method of moments: DerSimonian and Laird, Controlled Clinical Trials 7,
/// 1986, with leverages for a regression).
pub(super) fn gap(residuals: &[f64], sigmas: &[f64], leverages: &[f64]) -> (f64, f64) {
    let freedom = leverages.iter().map(|leverage| 1.0 - leverage.clamp(0.0, 1.0)).sum::<f64>();
    let excess = |gap: f64| {
        let squares = residuals.iter().zip(sigmas);
        squares.map(|(it, sigma)| it * it / (sigma * sigma + gap * gap).max(1e-18)).sum::<f64>() - freedom
    };
    // The sum falls as the gap grows, and no gap is larger than all residuals together.
    let mut low = 0.0;
    let mut high = residuals.iter().map(|it| it * it).sum::<f64>().sqrt() / freedom.max(0.5).sqrt();
    if excess(low) <= 0.0 || high <= 0.0 {
        return (0.0, freedom);
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if excess(middle) > 0.0 { low = middle } else { high = middle }
    }
    (high, freedom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_errors_of_measurement_it_is_the_standard_deviation() {
        let (gap, freedom) = gap(&[0.1, -0.1, 0.1, -0.1], &[0.0; 4], &[0.25; 4]);
        assert!((freedom - 3.0).abs() < 1e-12);
        // 4 x 0.01 over 3.
        assert!((gap - (0.04_f64 / 3.0).sqrt()).abs() < 1e-9, "{gap}");
    }

    #[test]
    fn what_measurement_explains_is_no_gap() {
        assert_eq!(gap(&[0.01, -0.02, 0.01], &[0.05; 3], &[0.0; 3]), (0.0, 3.0));
        let (partly, _) = gap(&[0.1, -0.1, 0.1, -0.1], &[0.08; 4], &[0.0; 4]);
        assert!((partly - 0.06).abs() < 1e-6, "0.1^2 less 0.08^2: {partly}");
    }
}
