//! A laboratory: hosts, switches, routers and the links between them, as people write it. What is built of it, on
//! this host or as a model, is its [`Layout`].

mod address;
mod direction;
pub mod emulator;
mod forwarded;
mod layout;
mod names;
mod numbering;
mod routes;

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use crate::units::{Size, Span, SpanText, optional_span};
use direction::table_with_direction;

pub use address::{Address, AddressTexts};
pub use direction::{Bucket, Direction, DirectionPlan, Impairment};
pub use forwarded::{Forwarded, Mechanism};
pub use layout::{Layout, Link, Node, NodeKind, Port};
pub use routes::Route;

/// What a bucket counts of a packet beside its bytes: the Ethernet header. Unit: bytes.
pub const HEADER_BYTES: u32 = 14;

table_with_direction! {
    /// A laboratory as it is written, in TOML. `mtu`, `rate-mbps` and all that follows it hold for every link that has
    /// none of its own.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
    pub struct LabPlan {
        /// One line about it, shown in lists.
        #[serde(skip_serializing_if = "String::is_empty")]
        pub about: String,
        /// Names of the hosts. `h[1-3]` is three of them.
        pub hosts: Vec<String>,
        /// Names of the switches (bridges).
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub switches: Vec<String>,
        /// Names of the routers.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub routers: Vec<String>,
        /// The links.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub link: Vec<LinkPlan>,
        /// Begin of the random numbers: with equal seeds the same frames are lost. If absent, 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub seed: Option<u32>,
        /// Largest IP packet. If absent, 1500. Unit: bytes.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub mtu: Option<u32>,
    }
}

table_with_direction! {
    /// A link of a laboratory, or several alike.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, rename_all = "kebab-case")]
    pub struct LinkPlan {
        /// The names of what it connects. With `h[1-3]` there are three links.
        pub between: [String; 2],
        /// The addresses of its ends, by the names of hosts and routers: `{ a = "10.0.0.1/24", b = ["10.0.0.2/24",
        /// "fd00::2/64"] }`. Who has none gets the lowest that is free in the same subnet.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        pub address: BTreeMap<String, AddressTexts>,
        /// What holds from the first to the second alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub forward: Option<DirectionPlan>,
        /// What holds from the second to the first alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub reverse: Option<DirectionPlan>,
        /// See [`LabPlan::mtu`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mtu: Option<u32>,
    }
}

/// Why a laboratory cannot be built. One sentence that names the key.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LabPlanError {
    /// It is no TOML, or has keys that a laboratory does not have.
    #[error(transparent)]
    Syntax(#[from] toml::de::Error),
    /// A value is not possible.
    #[error("{key} is {value}; {reason}")]
    Value {
        /// Such as `hosts`, or `link.rate-mbps`.
        key: &'static str,
        /// As written.
        value: String,
        /// What is wrong, or what is allowed.
        reason: String,
    },
}

impl LabPlanError {
    #[expect(clippy::needless_pass_by_value, reason = "callers give numbers and literals")]
    fn value(key: &'static str, value: impl ToString, reason: impl Into<String>) -> Self {
        Self::Value { key, value: value.to_string(), reason: reason.into() }
    }
}

/// An error unless `ok`.
fn require(
    ok: bool,
    key: &'static str,
    value: impl ToString,
    reason: impl Into<String>,
) -> Result<(), LabPlanError> {
    if ok { Ok(()) } else { Err(LabPlanError::value(key, value, reason)) }
}

impl LabPlan {
    /// Reads one.
    ///
    /// # Errors
    ///
    /// [`LabPlanError::Syntax`]. Whether it can be built, [`Layout::of`] says.
    pub fn from_toml(text: &str) -> Result<Self, LabPlanError> {
        Ok(toml::from_str(text)?)
    }

    /// The JSON Schema of a laboratory: the tables of the TOML form in JSON.
    #[must_use]
    pub fn schema() -> Schema {
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Self>()
    }

    /// It as TOML.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("every field has a TOML form")
    }
}
