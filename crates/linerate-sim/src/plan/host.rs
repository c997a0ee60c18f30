//! A host in a plan: a shipped profile, or a full profile, or a shipped one with changes.

use std::borrow::Cow;

use linerate_core::tables;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value as Json;
use toml::{Table, Value};

use super::overlay;
use crate::machine::{Profile, SHIPPED};

/// The name of a shipped profile. The table's other keys override its values.
const PROFILE: &str = "profile";

/// A host in a plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct HostPlan(pub Profile);

impl<'de> Deserialize<'de> for HostPlan {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut over = Table::deserialize(from)?;
        let mut table = match over.remove(PROFILE) {
            None => Table::new(),
            Some(Value::String(name)) => shipped(&name).map_err(D::Error::custom)?,
            Some(other) => return Err(D::Error::custom(format!("profile is {other}; it must be a name"))),
        };
        overlay::lay(&mut table, over);
        tables::read(&table).map(Self).map_err(|error| {
            let text = error.message().to_owned();
            D::Error::custom(if text.starts_with("missing field") {
                format!("{text}; `{PROFILE}` names a host to start from")
            } else {
                text
            })
        })
    }
}

impl JsonSchema for HostPlan {
    fn schema_name() -> Cow<'static, str> {
        "HostPlan".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = overlay::schema::<Profile>();
        schema.insert(
            "description".to_owned(),
            "A host: the shipped one that `profile` names, with the other keys here overriding its values; or a complete profile.".into(),
        );
        let names: Vec<&str> = SHIPPED.iter().map(|shipped| shipped.name).collect();
        let profile = json_schema!({"description": "A host that comes with linerate.", "enum": names});
        if let Some(keys) = schema.get_mut("properties").and_then(Json::as_object_mut) {
            keys.insert(PROFILE.to_owned(), profile.to_value());
        }
        schema
    }
}

fn shipped(name: &str) -> Result<Table, String> {
    let found = SHIPPED.iter().find(|shipped| shipped.name == name).ok_or_else(|| {
        let names: Vec<&str> = SHIPPED.iter().map(|shipped| shipped.name).collect();
        format!("profile is `{name}`; it must be one of {}", names.join(", "))
    })?;
    Ok(found.text.parse().expect("shipped hosts are read in a test"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_plan_says_is_laid_over_a_shipped_host() {
        let text = "profile = 'pentium-ii-350'\n[adaptor]\nreceive-ring = 128";
        let HostPlan(host) = toml::from_str(text).expect("a host");
        assert_eq!(host.adaptor.receive_ring, 128);
        let shipped = Profile::find("pentium-ii-350").expect("it is shipped");
        assert_eq!((host.costs, host.adaptor.transmit_ring), (shipped.costs, shipped.adaptor.transmit_ring));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, said) in [
            ("profile = 'cray-1'", "pentium-ii-350"),
            ("profile = 1", "it must be a name"),
            ("about = 'x'", "`profile` names a host"),
            ("profile = 'pentium-ii-350'\n[adaptor]\nrings = 1", "unknown field `rings`"),
        ] {
            let error = toml::from_str::<HostPlan>(text).expect_err(text).to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
