//! What a key of an experiment sets.

use std::fmt;
use std::str::FromStr;

/// What a key sets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// `task.KEY`: a key of the task's plan, with dots between tables.
    Task(String),
    /// `model`: another model.
    Model,
    /// `model.KEY`: a key of the model, as `--set` knows it.
    ModelKey(String),
    /// `lab`: another laboratory.
    Lab,
    /// `lab.KEY`: a key of the laboratory, with dots between tables.
    LabKey(String),
    /// `here.SETTING`: a setting of this host.
    Here(String),
    /// `there.SETTING`: a setting of the other host.
    There(String),
}

/// A text that names nothing that an experiment can set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no key; write task.KEY, model, model.KEY, lab, lab.KEY, here.SETTING or there.SETTING, such as task.socket.sndbuf or here.mtu"
)]
pub struct ParseTargetError(String);

impl FromStr for Target {
    type Err = ParseTargetError;

    fn from_str(text: &str) -> Result<Self, ParseTargetError> {
        let wrong = || ParseTargetError(text.to_owned());
        let (place, key) = match text.split_once('.') {
            Some((_, "")) => return Err(wrong()),
            Some((place, key)) => (place, Some(key.to_owned())),
            None => (text, None),
        };
        match (place, key) {
            ("task", Some(key)) => Ok(Self::Task(key)),
            ("model", None) => Ok(Self::Model),
            ("model", Some(key)) => Ok(Self::ModelKey(key)),
            ("lab", None) => Ok(Self::Lab),
            ("lab", Some(key)) => Ok(Self::LabKey(key)),
            ("here", Some(key)) => Ok(Self::Here(key)),
            ("there", Some(key)) => Ok(Self::There(key)),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task(key) => write!(out, "task.{key}"),
            Self::Model => out.write_str("model"),
            Self::ModelKey(key) => write!(out, "model.{key}"),
            Self::Lab => out.write_str("lab"),
            Self::LabKey(key) => write!(out, "lab.{key}"),
            Self::Here(key) => write!(out, "here.{key}"),
            Self::There(key) => write!(out, "there.{key}"),
        }
    }
}

/// Puts `value` at `path` of a table; where a table on the way is missing, it is made. A number names an element of a
/// list.
///
/// # Errors
///
/// What stands in the way, as a reason.
pub fn put(table: &mut toml::Table, path: &str, value: toml::Value) -> Result<(), String> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let Some(rest) = rest else {
        table.insert(first.to_owned(), value);
        return Ok(());
    };
    match table.entry(first).or_insert_with(|| toml::Value::Table(toml::Table::new())) {
        toml::Value::Table(inner) => put(inner, rest, value),
        toml::Value::Array(list) => {
            let (number, rest) = rest
                .split_once('.')
                .ok_or_else(|| format!("{first} is a list; name its element too, such as {first}.0.KEY"))?;
            let count = list.len();
            let element = number.parse().ok().and_then(|number: usize| list.get_mut(number));
            match element {
                Some(toml::Value::Table(inner)) => put(inner, rest, value),
                _ => Err(format!("{first} has no element {number}: it has {count}, counted from 0")),
            }
        }
        _ => Err(format!("{first} is a value and has no keys")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        for text in ["task.time", "task.socket.sndbuf", "model", "model.host.kernel", "lab", "lab.link.0.mtu"]
        {
            assert_eq!(text.parse::<Target>().expect(text).to_string(), text);
        }
        for text in ["here.mtu", "there.sysctl.net.ipv4.tcp_rmem", "here.mtu@eth0"] {
            assert_eq!(text.parse::<Target>().expect(text).to_string(), text);
        }
        for text in ["", "task", "task.", "here", "mtu", "peer.mtu", ".x"] {
            assert!(text.parse::<Target>().is_err(), "{text}");
        }
    }

    #[test]
    fn values_are_put_where_a_path_says() {
        let mut table: toml::Table =
            toml::from_str("time = '1s'\n[[link]]\nmtu = 1500\n[[link]]\nmtu = 1500").expect("TOML");
        put(&mut table, "link.1.mtu", 9000.into()).expect("an element");
        put(&mut table, "socket.sndbuf", "64KiB".into()).expect("a new table");
        put(&mut table, "time", "2s".into()).expect("a value");
        let text = toml::to_string(&table).expect("TOML");
        assert_eq!(
            text,
            "time = \"2s\"\n\n[[link]]\nmtu = 1500\n\n[[link]]\nmtu = 9000\n\n[socket]\nsndbuf = \"64KiB\"\n"
        );
        assert!(put(&mut table, "link.2.mtu", 1.into()).expect_err("no third").contains("it has 2"));
        assert!(put(&mut table, "link.mtu", 1.into()).is_err());
        assert_eq!(put(&mut table, "time.unit", 1.into()), Err("time is a value and has no keys".to_owned()));
    }
}
