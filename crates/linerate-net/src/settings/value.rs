//! The value of a setting, as text.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The most bytes of a value.
pub(super) const LONGEST: usize = 64 << 10;

/// The value of a setting, as a user writes it: words with one space between each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Value(String);

impl Value {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value as a number, if it is one.
    pub(super) fn number(&self) -> Option<u64> {
        self.0.parse().ok()
    }
}

impl From<&str> for Value {
    /// Whatever separates the words, line ends and tabs too, becomes one space.
    fn from(text: &str) -> Self {
        let mut end = text.len().min(LONGEST);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        Self(text[..end].split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<Value> for String {
    fn from(value: Value) -> Self {
        value.0
    }
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.0.is_empty() { "(empty)" } else { &self.0 })
    }
}
