//! What a setting takes.

use std::fmt;

use super::Value;

/// The values that a setting takes, as far as the kernel says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// One of these.
    Choices(Vec<String>),
    /// A whole number from `least` to `most`.
    Range {
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// A text of this form, such as "a CPU mask in hexadecimal digits".
    Form(&'static str),
}

impl Allowed {
    /// Why `value` is not among them. A form is checked when it is set.
    pub(super) fn objection(&self, value: &Value) -> Option<String> {
        let fits = match self {
            Self::Choices(choices) => choices.iter().any(|choice| choice == value.as_str()),
            Self::Range { least, most } => {
                value.number().is_some_and(|number| (*least..=*most).contains(&number))
            }
            Self::Form(_) => true,
        };
        (!fits).then(|| format!("it takes {self}"))
    }

    /// `on` or `off`.
    pub(super) fn switch() -> Self {
        Self::Choices(["on", "off"].map(str::to_owned).into())
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Choices(choices) => write!(out, "one of {}", choices.join(", ")),
            Self::Range { least, most } => write!(out, "a number from {least} to {most}"),
            Self::Form(form) => out.write_str(form),
        }
    }
}
