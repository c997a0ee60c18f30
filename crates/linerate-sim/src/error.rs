//! Why a model cannot be built.

/// Why a model cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The text is not TOML, or a key is unknown or of the wrong kind.
    #[error(transparent)]
    Syntax(#[from] toml::de::Error),
    /// A value is outside its range, or conflicts with another.
    #[error("{key} is {value}; {reason}")]
    Value {
        /// The key in the plan, with its table.
        key: &'static str,
        /// The value.
        value: String,
        /// Why it is invalid, and what is allowed.
        reason: String,
    },
    /// The measurement's part of the plan.
    #[error("measure.{0}")]
    Measure(#[from] linerate_core::plan::PlanError),
}

impl ModelError {
    /// An invalid value.
    #[expect(clippy::needless_pass_by_value, reason = "callers give numbers and literals")]
    pub(crate) fn value(key: &'static str, value: impl ToString, reason: impl Into<String>) -> Self {
        Self::Value { key, value: value.to_string(), reason: reason.into() }
    }
}

/// Refuses a value unless `ok`.
pub(crate) fn require(
    ok: bool,
    key: &'static str,
    value: impl ToString,
    reason: &str,
) -> Result<(), ModelError> {
    if ok { Ok(()) } else { Err(ModelError::value(key, value, reason)) }
}
