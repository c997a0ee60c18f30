//! Correction of probabilities for the number of questions.

/// Each probability for the whole family, in the order given.
/// Source: Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statistics 6 (1979).
#[must_use]
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|one, other| p[*one].total_cmp(&p[*other]));
    let mut adjusted = vec![1.0; p.len()];
    let mut least = 0.0_f64;
    for (rank, index) in order.into_iter().enumerate() {
        least = least.max((p.len() - rank) as f64 * p[index]).min(1.0);
        adjusted[index] = least;
    }
    adjusted
}

/// The share of false discoveries among those with a p as small or smaller, in the order given:
/// keeping all that have at most 5 % bounds the share of false ones by 5 %, for independent and for
/// positively dependent questions.
/// Source: Benjamini and Hochberg, Controlling the false discovery rate, J. Royal Statistical Society B
/// 57 (1995).
#[must_use]
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|one, other| p[*one].total_cmp(&p[*other]));
    let mut adjusted = vec![1.0; p.len()];
    let mut least = 1.0_f64;
    for (rank, index) in order.into_iter().enumerate().rev() {
        least = least.min(p.len() as f64 * p[index] / (rank + 1) as f64);
        adjusted[index] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with statsmodels, and given here in another order.
    #[test]
    fn holm_gives_published_values_in_the_order_of_the_question() {
        let p = [0.216, 0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212];
        let expected = [0.615, 0.01, 0.072, 0.312, 0.312, 0.312, 0.312, 0.312, 0.615, 0.615];
        for (found, expected) in holm(&p).into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
        assert!(holm(&[]).is_empty());
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0], "never above 1");
    }

    /// The same questions, computed with statsmodels.
    #[test]
    fn benjamini_hochberg_gives_published_values() {
        let p = [0.216, 0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212];
        let expected = [0.216, 0.01, 0.04, 0.084, 0.084, 0.084, 0.1, 0.105_714_285_7, 0.216, 0.216];
        for (found, expected) in benjamini_hochberg(&p).into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
        }
        assert!(benjamini_hochberg(&[]).is_empty());
    }
}
