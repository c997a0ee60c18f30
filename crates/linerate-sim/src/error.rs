//! Why a model cannot be built.

/// Why a model cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
    /// The laboratory that it is the model of.
    #[error(transparent)]
    Lab(#[from] linerate_core::lab::LabPlanError),
    /// The measurement's part of the plan.
    #[error("measure.{0}")]
    Measure(#[from] linerate_core::plan::PlanError),
}

impl ModelError {
    /// Why, in words, without a position: it would refer to a text that the user may never have seen.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Syntax(error) => plainly(error.message()),
            error => error.to_string(),
        }
    }

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

/// What a value of another kind should have been, as people say it. Serde names the types of the
/// program.
fn plainly(message: &str) -> String {
    let wrong = ["invalid type: ", "invalid value: "].iter().find_map(|start| message.strip_prefix(start));
    let Some((_, wanted)) = wrong.and_then(|wrong| wrong.split_once(", expected ")) else {
        return message.to_owned();
    };
    let wanted = match wanted {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number from 0 to 9223372036854775807",
        "f64" => "a number, such as 0.5",
        "a string" => "text",
        "a boolean" => "true or false",
        "a sequence" => "a list, such as [0, 1]",
        other => other,
    };
    format!("it must be {wanted}")
}
