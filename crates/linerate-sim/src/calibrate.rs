//! The profile of a host from observations of a real one, and what that profile predicts.
//!
//! Pure: observations go in, a [`Profile`](crate::machine::Profile) with intervals comes out. The
//! model is a function argument, `Fn(&Profile, &[Conditions]) -> Result<Vec<Predicted>, E>`: the
//! one-way time of a message under each of the conditions, and what both ends work for it.
//!
//! Source of the split between what is fitted and what is held out: docs/models/host.md.

mod band;
mod evidence;
mod fit;
#[cfg(test)]
mod fixture;
mod gap;
mod host_file;
mod least_squares;
mod parameter;
mod posterior;
mod problem;
#[cfg(test)]
mod tests;

pub use band::Band;
pub use evidence::{Belief, Conditions, Evidence, Measured, Predicted};
pub use fit::{Fit, FitError, fit};
pub use host_file::{Calibration, Estimate, HostFile, HostFileError, Identity, PointRecord, ProbeRecord};
pub use parameter::Parameter;

use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// What is left on either side of an interval of 95 %.
const TAIL: f64 = 0.025;

/// By how many standard deviations a 95 % interval reaches to either side, when the standard
/// deviation itself was estimated with this many degrees of freedom (Student's t).
///
/// Unit: standard deviations; at least 1.96.
#[must_use]
pub fn reach(freedom: f64) -> f64 {
    // Fewer than one degree is no estimate at all; one gives 12.7. Beyond the upper bound the
    // distribution is the normal one, and the quantile function fails.
    let freedom = if freedom.is_nan() { 1.0 } else { freedom.clamp(1.0, 1e6) };
    let student = StudentsT::new(0.0, 1.0, freedom).expect("location 0, scale 1, freedom at least 1");
    student.inverse_cdf(1.0 - TAIL)
}
