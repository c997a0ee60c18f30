//! Errors as shown to the user: one sentence, and what to do.

use std::fmt;

use crate::sys::MpiError;

/// An error, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    what: String,
    help: String,
}

impl Trouble {
    /// What failed, and what to do.
    pub fn new(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { what: what.into(), help: help.into() }
    }

    /// What could not be done, to stand behind "failed to".
    #[must_use]
    pub fn reason(&self) -> &str {
        self.what.strip_prefix("failed to ").unwrap_or(&self.what)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "  × {}\n  help: {}", self.what, self.help)
    }
}

impl From<MpiError> for Trouble {
    fn from(error: MpiError) -> Self {
        Self::new(
            format!("failed to {error}"),
            "another rank may have ended; its own error stands above, and what was measured is kept",
        )
    }
}
