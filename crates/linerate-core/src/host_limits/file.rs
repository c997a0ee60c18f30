//! The file that `linerate host` writes.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use super::HostLimits;
use crate::environment::Environment;
use crate::generator::GENERATOR;

/// The version of the file that this linerate writes. It reads every version up to this.
pub const FORMAT: u32 = 1;
/// What the file says it is, so that it is not taken for a run.
pub const KIND: &str = "host-limits";

/// What a host could reach, as a file of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostLimitsFile {
    /// What the file is: `host-limits`.
    pub kind: String,
    /// Version of the file's form.
    pub format: u32,
    /// What wrote it, such as `linerate 0.1.0`.
    pub generator: String,
    /// When the measurement began: RFC 3339, with the zone.
    pub started: String,
    /// What the host reports about itself.
    pub environment: Environment,
    /// What it could reach.
    pub limits: HostLimits,
}

/// Why a file does not hold the limits of a host. Displayed after "failed to read FILE: ".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostLimitsFileError {
    /// It is something else.
    #[error("it says that it is of kind `{0}`, and not {KIND}")]
    Kind(String),
    /// A later linerate wrote it.
    #[error("it has format {0}, and this linerate reads up to {FORMAT}; read it with a newer linerate")]
    Later(u32),
    /// It has the wrong content.
    #[error("it says that it holds the limits of a host, but its content is not: {0}")]
    Content(serde_json::Error),
}

#[derive(Deserialize)]
struct Header {
    kind: String,
    format: u32,
}

/// Whether `text` says that it holds the limits of a host.
#[must_use]
pub fn is_host_limits(text: &str) -> bool {
    serde_json::from_str(text).is_ok_and(|header: Header| header.kind == KIND)
}

impl HostLimitsFile {
    /// The file of limits that were measured from `started` on.
    #[must_use]
    pub fn new(started: String, environment: Environment, limits: HostLimits) -> Self {
        let generator = GENERATOR.to_owned();
        Self { kind: KIND.to_owned(), format: FORMAT, generator, started, environment, limits }
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// When the text is something else, from a later version, or not what its version promises.
    pub fn from_json(text: &str) -> Result<Self, HostLimitsFileError> {
        let header: Header = serde_json::from_str(text).map_err(HostLimitsFileError::Content)?;
        match header {
            Header { kind, .. } if kind != KIND => Err(HostLimitsFileError::Kind(kind)),
            Header { format, .. } if format > FORMAT => Err(HostLimitsFileError::Later(format)),
            _ => serde_json::from_str(text).map_err(HostLimitsFileError::Content),
        }
    }

    /// The file as JSON, indented.
    ///
    /// # Panics
    ///
    /// Never: every field has a JSON form.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("every field of the limits has a JSON form") + "\n"
    }

    /// The form of the file, as JSON Schema.
    #[must_use]
    pub fn schema() -> Schema {
        SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Self>()
    }
}
