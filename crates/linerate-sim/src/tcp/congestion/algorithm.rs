//! The algorithms by name.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::CongestionControl;
use crate::tcp::CongestionRules;

/// A congestion control algorithm: a row of the table, which stands in the algorithm's file.
#[derive(Clone, Copy)]
pub struct Algorithm {
    /// Its name in a kernel and in a plan.
    pub name: &'static str,
    /// Where it is specified.
    pub source: &'static str,
    /// It has to know which segments were marked: its SYN asks for ECN whatever the rules say, and what
    /// it acknowledges it acknowledges as marked or not (RFC 8257, 3.2).
    pub exact_ecn: bool,
    /// Its state at the start of a connection, with the payload of a full segment in bytes.
    pub build: fn(mss: u64, rules: &CongestionRules) -> Box<dyn CongestionControl>,
}

impl Algorithm {
    /// Every one that a plan can name.
    pub const ALL: [Self; 4] = [Self::RENO, Self::CUBIC, Self::BBR, Self::DCTCP];

    const NAMES: [&'static str; Self::ALL.len()] = {
        let mut names = [""; Self::ALL.len()];
        let mut place = 0;
        while place < names.len() {
            names[place] = Self::ALL[place].name;
            place += 1;
        }
        names
    };

    /// The algorithm of that name, if there is one.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name == name)
    }
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Algorithm {}

impl fmt::Debug for Algorithm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

impl Serialize for Algorithm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl<'de> Deserialize<'de> for Algorithm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Self::find(&name).ok_or_else(|| de::Error::unknown_variant(&name, &Self::NAMES))
    }
}

impl JsonSchema for Algorithm {
    fn schema_name() -> Cow<'static, str> {
        "Algorithm".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let rows = Self::ALL
            .map(|row| json_schema!({"description": row.source, "type": "string", "const": row.name}));
        json_schema!({"description": "A congestion control algorithm.", "oneOf": rows})
    }
}
