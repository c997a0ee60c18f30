//! The messages about settings of the server's host.

use linerate_core::environment::Fact;
use linerate_core::units::Span;
use serde::{Deserialize, Serialize};

/// The first version of the conversation that has these messages.
pub const SETTINGS_SINCE: u16 = 5;
/// The longest name of a setting that a server takes, with its interface. Unit: bytes.
pub const LONGEST_NAME: usize = 256;
/// The longest value of a setting that is set or sent. Unit: bytes.
///
/// Three of them fit into one frame.
pub const LONGEST_VALUE: usize = 16 << 10;
/// The most settings that one connection changes.
pub const MOST_SETTINGS: usize = 64;

/// What a client says of settings.
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SettingAsk {
    /// In place of a plan: it wants to change settings, for this purpose, and to have them put back when the connection
    /// ends.
    Hold(String),
    /// What this setting has.
    Read(String),
    /// Change a setting.
    Set {
        /// Which.
        setting: String,
        /// To what.
        value: String,
    },
    /// Which settings somebody else has changed since they were set here.
    Check,
    /// The client is there and needs nothing. Not answered.
    Stay,
}

/// What a server says of settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SettingReply {
    /// This client, and nobody else, may change settings now.
    Held {
        /// The interface that is meant where none is named: that of the connection. Absent if it is not known.
        interface: Option<String>,
        /// What may be set, as the operator wrote it.
        allowed: Vec<String>,
        /// The longest that the client may be silent.
        patience: Span,
    },
    /// What a setting has.
    Value {
        /// Which, with its interface.
        setting: String,
        /// Its value.
        value: String,
    },
    /// A setting was set.
    Changed {
        /// Which, with its interface.
        setting: String,
        /// What it was before it was first set on this connection.
        original: String,
        /// What is read back.
        granted: String,
    },
    /// Somebody else has changed this setting.
    Foreign {
        /// Which.
        setting: String,
        /// What it was given on this connection.
        ours: String,
        /// What it has.
        theirs: Fact<String>,
    },
    /// What became of a setting at the end.
    Restored {
        /// Which.
        setting: String,
        /// What it was before it was first set.
        original: String,
        /// What became of it.
        end: SettingEnd,
    },
    /// No more of these follow.
    Done,
    /// The operator does not allow this setting to be read or set; its name, as the operator would write it.
    NotAllowed(String),
    /// It was not done, and why; the connection goes on.
    Failed(String),
}

/// What became of a setting that was to be put back on the server's host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SettingEnd {
    /// It has its original value again.
    Back,
    /// It had its original value.
    Unchanged,
    /// Somebody else has changed it since, and it was left alone.
    Foreign {
        /// What it was given on this connection.
        ours: String,
        /// What it has.
        theirs: String,
    },
    /// What had the setting has gone, and how.
    Void(String),
    /// It could not be put back, and why.
    Failed(String),
}

impl SettingEnd {
    /// Whether nothing is left to be done about it.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        matches!(self, Self::Back | Self::Unchanged | Self::Void(_))
    }
}
