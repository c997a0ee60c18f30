//! The file of a calibrated host: its profile under `[host]`, and everything else that a prediction
//! needs under `[calibration]`.

mod notes;

use linerate_core::units::Span;
use serde::{Deserialize, Serialize};

use super::problem::profile_at;
use super::{Conditions, Fit, Parameter};
use crate::machine::Profile;

/// The version of the record that this linerate writes. It reads the earlier one too.
const FORMAT: u32 = 2;
/// Format 1 has the first of the parameters only: of hosts whose ends were modelled apart.
const FIRST_FORMAT: u32 = 1;
/// No cost has a larger logarithm in its unit: that would be 213 days.
const MOST_LOG: f64 = 40.0;

/// A calibrated host. `[host]` is exactly a profile, as a model's plan takes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostFile {
    /// The costs of its stages.
    pub host: Profile,
    /// How that was found.
    pub calibration: Calibration,
}

/// How a profile was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Calibration {
    /// Version of this record.
    pub format: u32,
    /// When: RFC 3339, with the zone.
    pub made: String,
    /// Of which host.
    pub of: Identity,
    /// Standard deviation of the model itself, of a time's logarithm: 0.1 is about 10 %.
    pub discrepancy: f64,
    /// Standard deviation of a time's logarithm between connections a little while apart: the
    /// effect of the host's other work.
    pub drift: f64,
    /// Degrees of freedom of the model's.
    pub freedom: f64,
    /// Equally likely sets of the natural logarithms of the fitted values, in the order of `value`.
    pub draws: Vec<Vec<f64>>,
    /// The fitted values.
    pub value: Vec<Estimate>,
    /// The micro-measurements.
    #[serde(default)]
    pub probe: Vec<ProbeRecord>,
    /// The messages whose times were fitted. Messages under these conditions are not held out.
    #[serde(default)]
    pub point: Vec<PointRecord>,
}

/// The host, as far as known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Identity {
    /// Its name.
    pub hostname: String,
    /// Operating system and release.
    pub kernel: String,
    /// Processor model.
    pub processor: String,
}

/// A fitted value with its 95 % interval, in the parameter's unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Estimate {
    /// Of which.
    pub parameter: Parameter,
    /// The value, as in the profile.
    pub fitted: f64,
    /// Both ends of its interval.
    pub interval: [f64; 2],
    /// Its evidence besides the curve.
    pub source: String,
}

/// A micro-measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProbeRecord {
    /// What was measured.
    pub name: String,
    /// Unit of the numbers.
    pub unit: String,
    /// How many samples.
    pub samples: u32,
    /// Their median.
    pub median: f64,
    /// The median's 95 % interval between two order statistics.
    pub interval: [f64; 2],
}

/// A message whose time was fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PointRecord {
    /// Median one-way time. Unit: us.
    pub measured_us: f64,
    /// Its 95 % interval. Unit: us.
    pub interval_us: [f64; 2],
    /// The model's time with the fitted values. Unit: us.
    pub fitted_us: f64,
    /// The conditions.
    pub conditions: Conditions,
}

/// Why a text is not a calibrated host. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostFileError {
    /// It is not TOML, or a key is unknown, missing or of the wrong kind.
    #[error(transparent)]
    Syntax(#[from] toml::de::Error),
    /// A later linerate wrote it.
    #[error("calibration.format is {0}, and this linerate reads {FORMAT}")]
    Later(u32),
    /// A value is invalid.
    #[error("{key} {reason}")]
    Content {
        /// The key.
        key: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
}

impl Calibration {
    /// The record of `fit`, without drift, probes and points.
    #[must_use]
    pub fn of(fit: &Fit, made: String, of: Identity, source: impl Fn(Parameter) -> String) -> Self {
        let value = |parameter: Parameter| {
            let fitted = parameter.of(&fit.profile);
            let [low, high] = fit.interval(parameter);
            // A profile keeps whole picoseconds, so rounding may move a value out of a narrow
            // interval.
            let interval = [low.min(fitted), high.max(fitted)];
            Estimate { parameter, fitted, interval, source: source(parameter) }
        };
        Self {
            format: FORMAT,
            made,
            of,
            discrepancy: fit.discrepancy,
            drift: 0.0,
            freedom: fit.freedom,
            draws: fit.draws.iter().map(|set| set.iter().map(|log| rounded(*log)).collect()).collect(),
            value: Parameter::ALL.map(value).into(),
            probe: Vec::new(),
            point: Vec::new(),
        }
    }

    /// Whether a time under these conditions was fitted, so that it is not held out.
    #[must_use]
    pub fn used(&self, conditions: &Conditions) -> bool {
        self.point.iter().any(|point| point.conditions == *conditions)
    }

    /// The parameters that a file of its format has.
    #[must_use]
    pub fn parameters(&self) -> &'static [Parameter] {
        let count = if self.format == FIRST_FORMAT { Parameter::FIRST } else { Parameter::ALL.len() };
        &Parameter::ALL[..count]
    }

    fn check(&self) -> Result<(), HostFileError> {
        let require = |ok: bool, key, reason| {
            if ok { Ok(()) } else { Err(HostFileError::Content { key, reason }) }
        };
        if !(FIRST_FORMAT..=FORMAT).contains(&self.format) {
            return Err(HostFileError::Later(self.format));
        }
        let positive = |value: f64| value.is_finite() && value >= 0.0;
        require(positive(self.discrepancy), "calibration.discrepancy", "is negative or no number")?;
        require(positive(self.drift), "calibration.drift", "is negative or no number")?;
        require(positive(self.freedom), "calibration.freedom", "is negative or no number")?;
        let named: Vec<Parameter> = self.value.iter().map(|value| value.parameter).collect();
        let expected = self.parameters();
        require(named == expected, "calibration.value", "does not name every fitted value in order")?;
        let size = expected.len();
        let whole = |set: &Vec<f64>| set.len() == size && set.iter().all(|log| log.abs() < MOST_LOG);
        let whole = !self.draws.is_empty() && self.draws.iter().all(whole);
        require(whole, "calibration.draws", "has no sets, or one without a number for each value")
    }
}

/// A logarithm to five decimals: a value to 0.001 %.
fn rounded(log: f64) -> f64 {
    (log * 1e5).round() / 1e5
}

impl HostFile {
    /// Profiles that are as likely as the fitted one.
    #[must_use]
    pub fn draws(&self) -> Vec<Profile> {
        self.calibration.draws.iter().map(|logs| profile_at(&self.host, logs)).collect()
    }

    /// Reads a host from TOML.
    ///
    /// # Errors
    ///
    /// [`HostFileError`]: the place in the text, or the key.
    pub fn from_toml(text: &str) -> Result<Self, HostFileError> {
        let file: Self = toml::from_str(text)?;
        file.calibration.check()?;
        for parameter in file.calibration.parameters() {
            let value = parameter.of(&file.host);
            if !(value.is_finite() && value > 0.0) {
                return Err(HostFileError::Content { key: parameter.key(), reason: "is not above zero" });
            }
        }
        Ok(file)
    }

    /// The host as TOML, each value with its interval and its source beside it.
    #[must_use]
    pub fn to_toml(&self) -> String {
        notes::annotated(self)
    }
}

impl PointRecord {
    /// The record of a time.
    #[must_use]
    pub fn new(conditions: Conditions, time: Span, interval: [Span; 2], fitted: Span) -> Self {
        Self {
            measured_us: time.as_us(),
            interval_us: interval.map(Span::as_us),
            fitted_us: fitted.as_us(),
            conditions,
        }
    }
}
