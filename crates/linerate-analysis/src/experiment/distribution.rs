//! Probabilities of the distributions that tests refer to.

use statrs::distribution::{ContinuousCDF, FisherSnedecor, Normal, StudentsT};

/// P(|T| > |t|) for Student's t. 1 without degrees of freedom.
pub(super) fn student_p(t: f64, freedom: f64) -> f64 {
    (2.0 * student_beyond(t.abs(), freedom)).min(1.0)
}

/// P(T > t) for Student's t. 1 without degrees of freedom.
pub(super) fn student_beyond(t: f64, freedom: f64) -> f64 {
    if t.is_infinite() {
        return if t > 0.0 { 0.0 } else { 1.0 };
    }
    StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |student| student.sf(t))
}

/// The t that is exceeded, in either direction, with probability `alpha`. Infinite without degrees of
/// freedom.
pub(super) fn student_limit(alpha: f64, freedom: f64) -> f64 {
    let student = StudentsT::new(0.0, 1.0, freedom);
    student.map_or(f64::INFINITY, |student| -student.inverse_cdf(alpha / 2.0))
}

/// P(F > f) for Fisher's F.
pub(super) fn fisher_p(f: f64, freedom: [f64; 2]) -> f64 {
    if f.is_infinite() {
        return 0.0;
    }
    FisherSnedecor::new(freedom[0], freedom[1]).map_or(1.0, |fisher| fisher.sf(f))
}

/// P(Z > z) for the standard normal distribution.
pub(super) fn normal_beyond(z: f64) -> f64 {
    Normal::standard().sf(z)
}

/// The z that is exceeded with probability `tail`.
pub(super) fn normal_limit(tail: f64) -> f64 {
    -Normal::standard().inverse_cdf(tail)
}
