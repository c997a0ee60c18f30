//! The prediction of a calibrated profile, and its uncertainty.

use linerate_core::units::Span;

use super::problem::log_ratio;
use super::{Calibration, reach};

/// A predicted time with the 95 % band in which a measurement of it should lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// With the fitted parameters.
    pub centre: Span,
    /// Lower end.
    pub low: Span,
    /// Upper end.
    pub high: Span,
}

impl Band {
    /// The band round `centre`, whose logarithm has this `variance` from the parameters; the model's
    /// own error and the host's drift, which are independent of them, are added.
    ///
    /// It does not hold the error of the measurement that it is compared with.
    #[must_use]
    pub fn new(centre: Span, variance: f64, calibration: &Calibration) -> Self {
        let apart = calibration.discrepancy.hypot(calibration.drift);
        let half = reach(calibration.freedom) * (variance + apart * apart).sqrt();
        let at = |log: f64| Span::from_seconds(centre.as_seconds() * log.exp());
        Self { centre, low: at(-half), high: at(half) }
    }

    /// The variance of a time's logarithm over the model's times for each of the equally likely
    /// sets of parameters.
    #[must_use]
    pub fn variance(centre: Span, drawn: &[Span]) -> f64 {
        let squares: f64 = drawn.iter().map(|time| log_ratio(*time, centre).powi(2)).sum();
        squares / drawn.len().max(1) as f64
    }

    /// How many times its lower end its upper end is.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.high.as_seconds() / self.low.as_seconds().max(1e-12)
    }

    /// Whether a measured time lies in it.
    #[must_use]
    pub fn holds(&self, time: Span) -> bool {
        (self.low..=self.high).contains(&time)
    }
}
