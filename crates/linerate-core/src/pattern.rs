//! Who sends when: the patterns by name, and what follows from each for a trial.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who sends when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// A message there, a message back; half the round trip is the one-way time.
    #[default]
    PingPong,
    /// Messages one way without a pause, timed where they arrive. The older name `stream` is still
    /// read.
    #[serde(alias = "stream")]
    OneWay,
    /// A message each way at once; the time until both have arrived.
    Exchange,
}

impl Pattern {
    /// Every pattern, for help texts and tests.
    pub const ALL: [Self; 3] = [Self::PingPong, Self::OneWay, Self::Exchange];

    /// The name on the command line and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PingPong => "ping-pong",
            Self::OneWay => "one-way",
            Self::Exchange => "exchange",
        }
    }

    /// Its older name, which is still read and never written.
    #[must_use]
    pub const fn older_name(self) -> Option<&'static str> {
        match self {
            Self::OneWay => Some("stream"),
            Self::PingPong | Self::Exchange => None,
        }
    }

    /// Whether the samples are timed on the responder's clock.
    #[must_use]
    pub const fn timed_by_responder(self) -> bool {
        matches!(self, Self::OneWay)
    }

    /// Whether messages follow each other without waiting for an answer: they coalesce on the way,
    /// so single arrival times mean nothing and they give no latency.
    #[must_use]
    pub const fn overlaps(self) -> bool {
        matches!(self, Self::OneWay)
    }

    /// Messages that pass one after the other within one timed message: two for a round trip.
    #[must_use]
    pub const fn legs(self) -> u64 {
        match self {
            Self::PingPong => 2,
            Self::OneWay | Self::Exchange => 1,
        }
    }

    /// Messages that pass before the first sample begins.
    #[must_use]
    pub const fn opening_messages(self) -> u64 {
        match self {
            Self::OneWay => 1,
            Self::PingPong | Self::Exchange => 0,
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Pattern {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|pattern| pattern.name() == text || pattern.older_name() == Some(text))
            .ok_or_else(|| format!("`{text}` is none of ping-pong, one-way, exchange"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_read_by_its_name_and_its_older_name() {
        for pattern in Pattern::ALL {
            let json = format!("\"{pattern}\"");
            assert_eq!(serde_json::to_string(&pattern).expect("it is text"), json);
            for name in std::iter::once(pattern.name()).chain(pattern.older_name()) {
                assert_eq!(name.parse(), Ok(pattern));
                let json = format!("\"{name}\"");
                assert_eq!(serde_json::from_str::<Pattern>(&json).expect("it is known"), pattern);
            }
        }
        assert_eq!("stream".parse(), Ok(Pattern::OneWay));
        assert!("streams".parse::<Pattern>().is_err_and(|why| !why.contains("stream,")));
    }
}
