//! A laboratory: hosts, switches, routers and the links between them, as people write it. What is built of it, on
//! this host or as a model, is its [`Layout`].

mod layout;
mod names;
mod routes;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use crate::units::{Size, Span, SpanText, optional_span};

pub use layout::{Address, Bucket, HEADER_BYTES, Layout, Link, Node, NodeKind, Port, Wire};
pub use routes::Route;

/// A laboratory as it is written, in TOML. `mtu`, `rate-mbps`, `burst`, `queue` and `delay` hold for every link that
/// has none of its own.
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
    /// Largest IP packet. If absent, 1500. Unit: bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<u32>,
    /// What each end of a link sends at most, by a token bucket that counts IP packets and 14 bytes of Ethernet
    /// header each. If absent, what the host can do. Unit: Mb/s (10^6 bit/s).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_mbps: Option<f64>,
    /// What an idle end sends at once, above its rate. If absent, what the rate gives in 4 ms, and at least four of the
    /// largest frames. Unit: bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub burst: Option<Size>,
    /// Room for what waits for the rate, at each end; what does not fit is lost. If absent, 128 KiB. Unit: bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<Size>,
    /// How much later each end sends. If absent, at once.
    #[serde(with = "optional_span", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<SpanText>")]
    pub delay: Option<Span>,
    /// The links.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub link: Vec<LinkPlan>,
}

/// A link of a laboratory, or several alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LinkPlan {
    /// The names of what it connects. With `h[1-3]` there are three links.
    pub between: [String; 2],
    /// See [`LabPlan::mtu`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mtu: Option<u32>,
    /// See [`LabPlan::rate_mbps`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_mbps: Option<f64>,
    /// See [`LabPlan::burst`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<Size>,
    /// See [`LabPlan::queue`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Size>,
    /// See [`LabPlan::delay`].
    #[serde(default, with = "optional_span", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<SpanText>")]
    pub delay: Option<Span>,
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
