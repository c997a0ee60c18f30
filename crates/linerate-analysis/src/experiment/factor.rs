//! What varies in an experiment: factors and their levels.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Value;

use super::prices::Count;
use linerate_core::tables;

/// Something that varies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Factor {
    /// What to call it.
    pub name: String,
    /// What its plain levels set: `task.KEY`, `model`, `model.KEY`, `lab`, `lab.KEY`, `here.SETTING` or
    /// `there.SETTING`. If absent, each level says so itself, or `{name}` in a command stands for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Its levels. The first is the base.
    pub levels: Vec<Level>,
    /// Whether it is expensive to change (a reboot): it varies slowest, and is tested against what repeats of that
    /// change say.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hard: bool,
    /// What a person has to do for a level, with `{level}` for its name. Such a factor is hard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manual: Option<String>,
}

/// One value of a factor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Value", into = "Value")]
#[schemars(with = "serde_json::Value")]
pub struct Level {
    /// What to call it.
    pub name: String,
    /// Its value for the factor's key.
    pub value: Option<Value>,
    /// What it sets beside that, by key.
    pub set: BTreeMap<String, Value>,
    /// What the environment says when it is in force: a field of a run (`initiator kernel`) and what its value
    /// contains.
    pub expect: BTreeMap<String, String>,
    /// The parts that it needs.
    pub parts: BTreeMap<String, Count>,
    /// How many hosts the parts are for, instead of what the prices say.
    pub hosts: Option<u32>,
}

/// A level with all its keys, as it is written.
#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct LevelText {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    set: BTreeMap<String, Value>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    expect: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    parts: BTreeMap<String, Count>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hosts: Option<u32>,
}

impl TryFrom<Value> for Level {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let Value::Table(table) = value else {
            return Ok(Self { name: text(&value), value: Some(value), ..Self::default() });
        };
        let LevelText { name, value, set, expect, parts, hosts } =
            tables::read(&table).map_err(|error| error.message().to_owned())?;
        let name = name
            .or_else(|| value.as_ref().map(text))
            .ok_or("a level needs a name or a value, such as { name = \"jumbo\", value = 9000 }")?;
        Ok(Self { name, value, set, expect, parts, hosts })
    }
}

impl From<Level> for Value {
    fn from(level: Level) -> Self {
        let Level { name, value, set, expect, parts, hosts } = level;
        let plain = set.is_empty() && expect.is_empty() && parts.is_empty() && hosts.is_none();
        match value {
            Some(value) if plain && text(&value) == name => value,
            value => {
                let written = LevelText { name: Some(name), value, set, expect, parts, hosts };
                Self::try_from(written).expect("every field has a TOML form")
            }
        }
    }
}

/// A value as a level is called: a text without its quotes.
#[must_use]
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl Factor {
    /// Whether any of its levels sets this key.
    #[must_use]
    pub fn sets(&self, key: &str) -> bool {
        self.key.as_deref() == Some(key) || self.levels.iter().any(|level| level.set.contains_key(key))
    }

    /// Whether it is expensive to change.
    #[must_use]
    pub const fn is_hard(&self) -> bool {
        self.hard || self.manual.is_some()
    }

    /// What a level sets, by key.
    pub fn assignments(&self, level: usize) -> impl Iterator<Item = (&str, &Value)> {
        let level = &self.levels[level];
        let own = self.key.as_deref().zip(level.value.as_ref());
        own.into_iter().chain(level.set.iter().map(|(key, value)| (key.as_str(), value)))
    }
}
