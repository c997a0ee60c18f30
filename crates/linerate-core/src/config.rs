//! The configuration of a user or a host: defaults, profiles and hosts by name, as TOML.
//!
//! Pure: which file it is, and who asks for which profile, the binary knows.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use crate::plan::{Layer, line_of};

/// Keys of a section that are no part of a plan.
const HABITS: [&str; 4] = ["quiet", "progress", "record", "key-file"];
/// Keys of a host.
const OF_HOST: [&str; 2] = ["address", "key-file"];
/// Keys of a plan that a host may have: they say how it is reached.
const PLAN_OF_HOST: [&str; 5] = ["transport", "socket", "memory", "local", "remote"];

/// A configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// `[defaults]`: what every command begins with.
    pub defaults: Section,
    /// `[profile.NAME]`: what `--profile NAME` puts over it.
    pub profiles: BTreeMap<String, Section>,
    /// `[host.NAME]`: how a host is reached.
    pub hosts: BTreeMap<String, Host>,
}

/// What a command is asked beforehand: some keys of a plan, and how it is run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// The keys of a plan.
    pub plan: Layer,
    /// The others.
    pub habits: Habits,
}

/// How a command is run, which no plan says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Habits {
    /// As `--quiet`.
    pub quiet: Option<bool>,
    /// As `--progress`.
    pub progress: Option<Showing>,
    /// As `--record`.
    pub record: Option<bool>,
    /// As `--key-file`.
    pub key_file: Option<PathBuf>,
}

/// What standard error shows while a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Showing {
    /// A line on a terminal.
    Auto,
    /// Nothing.
    None,
    /// A JSON object a line for every event.
    Ndjson,
}

/// How a host is reached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Host {
    /// `HOST` or `HOST:PORT`. If absent, the name of the entry.
    pub address: Option<String>,
    /// The file with the key of its server.
    pub key_file: Option<PathBuf>,
    /// What a plan says of the path to it.
    pub plan: Layer,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct HostText {
    address: Option<String>,
    key_file: Option<PathBuf>,
}

/// What is wrong with a configuration, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigError {
    message: String,
    /// The place in the text. Unit: bytes.
    pub span: Range<usize>,
    /// Its line, from 1.
    pub line: usize,
}

impl Config {
    /// Reads a configuration.
    ///
    /// # Errors
    ///
    /// When it is not TOML, has a key that does not exist (the message lists those that do) or a value of another kind.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        let reader = Reader { text };
        let root = DeTable::parse(text).map_err(|error| reader.of_toml(&error))?;
        let mut config = Self::default();
        for (name, value) in root.into_inner() {
            match &**name.get_ref() {
                "defaults" => config.defaults = reader.section(reader.table(value)?)?,
                "profile" => config.profiles = reader.named(value, Reader::section)?,
                "host" => config.hosts = reader.named(value, Reader::host)?,
                other => {
                    let what = format!(
                        "unknown table `{other}`, expected `defaults`, `profile.NAME` or `host.NAME`"
                    );
                    return Err(reader.wrong(what, name.span()));
                }
            }
        }
        Ok(config)
    }
}

/// Reads the parts of a text.
#[derive(Clone, Copy)]
struct Reader<'a> {
    text: &'a str,
}

impl<'i> Reader<'i> {
    fn section(self, mut table: Spanned<DeTable<'i>>) -> Result<Section, ConfigError> {
        let habits = Habits::deserialize(taken(&mut table, &HABITS)).map_err(|error| self.of_toml(&error))?;
        // The parser knows the keys of a plan only.
        let at_top: Vec<Range<usize>> = table.get_ref().keys().map(Spanned::span).collect();
        let plan = Layer::read(table, self.text).map_err(|error| {
            let mut error = self.of_toml(&error);
            if error.message.starts_with("unknown field") && at_top.contains(&error.span) {
                error.message += &format!(", or {}", listed(&HABITS));
            }
            error
        })?;
        Ok(Section { plan, habits })
    }

    fn host(self, mut table: Spanned<DeTable<'i>>) -> Result<Host, ConfigError> {
        let text =
            HostText::deserialize(taken(&mut table, &OF_HOST)).map_err(|error| self.of_toml(&error))?;
        if let Some(odd) = table.get_ref().keys().find(|key| !PLAN_OF_HOST.contains(&&**key.get_ref())) {
            let keys = [&OF_HOST[..], &PLAN_OF_HOST].concat();
            let what =
                format!("unknown key `{}` of a host, expected one of {}", odd.get_ref(), listed(&keys));
            return Err(self.wrong(what, odd.span()));
        }
        let plan = Layer::read(table, self.text).map_err(|error| self.of_toml(&error))?;
        Ok(Host { address: text.address, key_file: text.key_file, plan })
    }

    /// The tables by name in a table.
    fn named<T>(
        self,
        value: Spanned<DeValue<'i>>,
        read: impl Fn(Self, Spanned<DeTable<'i>>) -> Result<T, ConfigError>,
    ) -> Result<BTreeMap<String, T>, ConfigError> {
        let table = self.table(value)?.into_inner();
        let each = table
            .into_iter()
            .map(|(name, value)| Ok((name.into_inner().into_owned(), read(self, self.table(value)?)?)));
        each.collect()
    }

    fn table(self, value: Spanned<DeValue<'i>>) -> Result<Spanned<DeTable<'i>>, ConfigError> {
        let span = value.span();
        match value.into_inner() {
            DeValue::Table(table) => Ok(Spanned::new(span, table)),
            other => Err(self.wrong(format!("expected a table, found {}", other.type_str()), span)),
        }
    }

    fn of_toml(self, error: &toml::de::Error) -> ConfigError {
        self.wrong(error.message().to_owned(), error.span().unwrap_or_default())
    }

    fn wrong(self, message: String, span: Range<usize>) -> ConfigError {
        ConfigError { message, line: line_of(self.text, span.start), span }
    }
}

/// These keys, taken out of a table.
fn taken<'i>(table: &mut Spanned<DeTable<'i>>, keys: &[&str]) -> ValueDeserializer<'i> {
    let span = table.span();
    let mut found = DeTable::new();
    let whole = std::mem::take(table.get_mut());
    for (key, value) in whole {
        let chosen = keys.contains(&&**key.get_ref());
        (if chosen { &mut found } else { table.get_mut() }).insert(key, value);
    }
    ValueDeserializer::from(Spanned::new(span, DeValue::Table(found)))
}

fn listed(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "\
[defaults]
time = '5s'
record = true
[defaults.socket]
sndbuf = 4096
[profile.ci]
quiet = true
progress = 'ndjson'
key-file = 'k'
output.report = 'none'
[host.lab1]
address = '10.0.0.7:6000'
key-file = '/etc/linerate/lab.key'
transport = 'quic'
[host.lab2]
";

    #[test]
    fn every_part_is_read() {
        let config = Config::from_toml(WHOLE).expect("a configuration");
        assert_eq!(config.defaults.habits, Habits { record: Some(true), ..Habits::default() });
        assert!(
            config
                .defaults
                .plan
                .agrees_with(&Layer::from_toml("time = '5s'\nsocket.sndbuf = 4096").expect("keys of a plan"))
        );
        let ci = &config.profiles["ci"];
        let habits = Habits {
            quiet: Some(true),
            progress: Some(Showing::Ndjson),
            record: None,
            key_file: Some("k".into()),
        };
        assert_eq!(ci.habits, habits);
        assert!(ci.plan.agrees_with(&Layer::from_toml("[output]\nreport = 'none'").expect("keys")));
        let lab = &config.hosts["lab1"];
        assert_eq!(lab.address.as_deref(), Some("10.0.0.7:6000"));
        assert!(lab.plan.agrees_with(&Layer::from_toml("transport = 'quic'").expect("keys")));
        assert_eq!(config.hosts["lab2"], Host::default());
        assert_eq!(Config::from_toml("").expect("nothing"), Config::default());
    }

    #[test]
    fn what_does_not_exist_is_refused_with_its_line_and_with_what_does() {
        for (text, line, said) in [
            ("\n[default]", 2, "unknown table `default`, expected `defaults`, `profile.NAME` or `host.NAME`"),
            ("[defaults]\ntme = 1", 2, "`remote`, `output`, or `quiet`, `progress`, `record`, `key-file`"),
            ("[profile.x.socket]\n\nbufer = 1", 3, "unknown field `bufer`, expected one of `sndbuf`"),
            (
                "[host.x]\naddress = 'a'\nport = 3",
                3,
                "unknown key `port` of a host, expected one of `address`",
            ),
            ("[host.x]\ntransport = 'tpc'", 2, "tpc"),
            ("[profile.x]\nquiet = 'yes'", 2, "invalid type: string \"yes\", expected a boolean"),
            ("[profile.x]\nprogress = 'loud'", 2, "expected one of `auto`, `none`, `ndjson`"),
            ("profile = 3", 1, "expected a table, found integer"),
            ("[defaults]\ntime = ", 2, "expected"),
        ] {
            let error = Config::from_toml(text).expect_err(text);
            assert!(error.to_string().contains(said), "{text}: {error}");
            assert_eq!(error.line, line, "{text}: {error}");
        }
        let deep = Config::from_toml("[defaults.socket]\nbufer = 1").expect_err("no such key").to_string();
        assert!(!deep.contains("key-file"), "{deep}");
    }
}
