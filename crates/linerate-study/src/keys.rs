//! The keys of a model's plan, and changing the value of one.

use std::collections::BTreeSet;

use linerate_core::tables;
use linerate_sim::plan::{ModelError, ModelPlan};
use toml::{Table, Value};

use crate::error::GridError;
use crate::study::value_text;

/// The key that says which others the network has.
const MEDIUM: &str = "network.medium";
/// Keys that choose what else their table means, with the keys of that table that mean the same
/// whatever is chosen.
const CHOICES: [(&str, &str, &[&str]); 4] = [
    (MEDIUM, "network", &["stations"]),
    ("host.profile", "host", &[]),
    ("peer.profile", "peer", &[]),
    ("tcp.personality", "tcp", &["receive-buffer", "send-buffer", "nodelay", "mss"]),
];
/// A key that no plan has: the parser's error lists the valid keys.
const NOBODY: &str = "?";
/// The tables that every plan may have, also where all of it is default and left out.
const TABLES: [&str; 5] = ["", "network", "transport", "load", "measure"];

/// Whether a key chooses what others its table has.
pub(super) fn chooses(key: &str) -> bool {
    CHOICES.iter().any(|(choice, _, _)| *choice == key)
}

/// A plan as a tree of keys and values, with what else it could hold.
#[derive(Debug)]
pub(super) struct Keys {
    plan: Table,
    /// Every key with its path, those that are optional and absent included.
    known: BTreeSet<String>,
}

impl Keys {
    /// Those of `plan`'s network and load.
    pub(super) fn of(plan: &ModelPlan) -> Self {
        let plan: Table = plan.to_toml().parse().expect("a plan's TOML is TOML");
        let mut tables: BTreeSet<String> = TABLES.map(str::to_owned).into();
        let mut known = BTreeSet::new();
        leaves(&plan, "", &mut known, &mut tables);
        for table in &tables {
            known.extend(allowed(&plan, table));
        }
        known.extend(CHOICES.map(|(choice, _, _)| choice.to_owned()));
        known.retain(|key| !tables.contains(key));
        Self { plan, known }
    }

    /// The path of the key that `key` means: itself, or the one whose last part it is.
    pub(super) fn resolve(&self, key: &str) -> Result<String, GridError> {
        if self.known.contains(key) {
            return Ok(key.to_owned());
        }
        let ends = |known: &&String| known.rsplit('.').next() == Some(key);
        // A load does not look at how a curve is measured: `time` is the load's.
        let (curve, load): (Vec<_>, Vec<_>) =
            self.known.iter().filter(ends).partition(|known| known.starts_with("measure."));
        match (&load[..], &curve[..]) {
            ([only], _) | ([], [only]) => Ok((*only).clone()),
            // What is inside an optional table is the parser's to judge.
            ([], []) if self.within_optional(key) => Ok(key.to_owned()),
            ([], []) => Err(GridError::UnknownKey { key: key.to_owned(), known: self.shown() }),
            (several, _) => {
                let several = several.iter().map(|key| (*key).clone()).collect();
                Err(GridError::Ambiguous { key: key.to_owned(), several })
            }
        }
    }

    fn within_optional(&self, key: &str) -> bool {
        key.rsplit_once('.').is_some_and(|(table, _)| self.known.contains(table))
    }

    /// The keys that there are, those of a curve's measurement left out.
    fn shown(&self) -> Vec<String> {
        self.known.iter().filter(|key| !key.starts_with("measure.")).cloned().collect()
    }

    /// The plan with other values at some paths. Another medium, host or kernel keeps of its table
    /// only what means the same there.
    pub(super) fn with(&self, changes: &[(&str, &Value)]) -> Result<ModelPlan, GridError> {
        let mut table = self.plan.clone();
        for (choice, of, kept) in CHOICES {
            let chosen = changes.iter().find(|(path, _)| *path == choice).map(|(_, value)| *value);
            let key = choice.rsplit('.').next();
            if let (Some(chosen), Some(Value::Table(inner)), Some(key)) = (chosen, table.get_mut(of), key)
                && inner.get(key) != Some(chosen)
            {
                inner.retain(|key, _| kept.contains(&key));
            }
        }
        for (path, value) in changes {
            place(&mut table, path, (*value).clone());
        }
        tables::read(&table).map_err(|error| {
            let changes: Vec<String> =
                changes.iter().map(|(path, value)| format!("{path} = {}", value_text(value))).collect();
            GridError::Model {
                with: format!(" with {}", changes.join(", ")),
                source: ModelError::from(error),
            }
        })
    }
}

/// Collects the keys of `table`, which lies at `path`, and of the tables in it.
fn leaves(table: &Table, path: &str, keys: &mut BTreeSet<String>, tables: &mut BTreeSet<String>) {
    for (key, value) in table {
        let path = join(path, key);
        match value {
            Value::Table(table) => {
                tables.insert(path.clone());
                leaves(table, &path, keys, tables);
            }
            _ => {
                keys.insert(path);
            }
        }
    }
}

/// The keys that the parser allows in the table at `path`.
fn allowed(plan: &Table, path: &str) -> Vec<String> {
    let mut table = plan.clone();
    place(&mut table, &join(path, NOBODY), Value::Integer(0));
    let Err(error) = tables::read::<ModelPlan>(&table) else { return Vec::new() };
    let Some((_, expected)) = error.message().split_once("expected") else { return Vec::new() };
    expected.split('`').skip(1).step_by(2).map(|key| join(path, key)).collect()
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Puts `value` at `path`, with the tables on the way there.
fn place(table: &mut Table, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            table.insert(path.to_owned(), value);
        }
        Some((first, rest)) => {
            let entry = table.entry(first).or_insert_with(|| Value::Table(Table::new()));
            if !entry.is_table() {
                *entry = Value::Table(Table::new());
            }
            if let Value::Table(inner) = entry {
                place(inner, rest, value);
            }
        }
    }
}

/// A TOML value; a bare word is text.
pub(super) fn value(text: &str) -> Result<Value, GridError> {
    let text = text.trim();
    let parsed = format!("value = {text}").parse::<Table>().ok().filter(|table| table.len() == 1);
    let parsed = parsed.and_then(|mut table| table.remove("value"));
    if let (None, Some(number)) = (&parsed, too_large(text)) {
        return Err(GridError::TooLarge { number });
    }
    match parsed {
        Some(value) => Ok(value),
        None if text.is_empty() => Err(GridError::Empty),
        None if text.starts_with(['"', '\'', '[', '{']) => Err(GridError::NotToml { text: text.to_owned() }),
        None => Ok(Value::String(text.to_owned())),
    }
}

/// A whole number, alone or within brackets, that has no place in 64 bits.
fn too_large(text: &str) -> Option<String> {
    let list = text.starts_with(['[', '{']);
    let alone =
        text.trim_start_matches(['+', '-']).chars().all(|digit| digit.is_ascii_digit() || digit == '_');
    let mut numbers = text.split(|letter: char| !letter.is_ascii_digit());
    let number = numbers.find(|number| !number.is_empty() && number.parse::<i64>().is_err());
    number.filter(|_| list || alone).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> Keys {
        Keys::of(&ModelPlan::default())
    }

    #[test]
    fn keys_that_are_optional_and_absent_are_known() {
        let known = keys().known;
        for key in
            ["about", "seed", "network.medium", "network.stations", "network.diameter-bits", "load.frames"]
        {
            assert!(known.contains(key), "{key} is not in {known:?}");
        }
        assert!(known.contains("measure.rounds") && known.contains("transport.mss"), "{known:?}");
        assert!(!known.contains("load") && !known.iter().any(|key| key.contains(NOBODY)), "{known:?}");
    }

    #[test]
    fn the_last_part_is_enough_where_it_says_which() {
        let keys = keys();
        for (short, path) in [
            ("stations", "network.stations"),
            ("frame", "load.frame"),
            ("time", "load.time"),
            ("seed", "seed"),
            ("station-load", "load.station-load"),
            ("receive.buffer", ""),
            ("network.receive.buffer", "network.receive.buffer"),
        ] {
            let found = keys.resolve(short).unwrap_or_default();
            assert_eq!(found, path, "{short}");
        }
    }

    #[test]
    fn a_change_reaches_the_plan() {
        let changes = [("network.stations", &Value::Integer(7)), ("load.total-load", &Value::Float(0.5))];
        let plan = keys().with(&changes).expect("a plan");
        assert_eq!((plan.network.stations(), plan.load.total_load), (7, Some(0.5)));
        let atm = Value::String("atm".to_owned());
        let plan = keys().with(&[("network.stations", &Value::Integer(7)), (MEDIUM, &atm)]).expect("a plan");
        assert_eq!((plan.network.stations(), plan.network.mtu()), (7, 9180), "ATM's own default");
        assert!(keys().with(&[("network.stations", &Value::String("many".to_owned()))]).is_err());
    }

    #[test]
    fn bare_words_are_text() {
        for (text, wanted) in [
            ("4", Value::Integer(4)),
            ("0.5", Value::Float(0.5)),
            ("true", Value::Boolean(true)),
            ("\"4\"", Value::String("4".to_owned())),
            ("1000BASE-T", Value::String("1000BASE-T".to_owned())),
            ("station 1", Value::String("station 1".to_owned())),
            ("10ms", Value::String("10ms".to_owned())),
        ] {
            assert_eq!(value(text).expect(text), wanted, "{text}");
        }
        assert!(value("").is_err() && value("[1").is_err() && value("\"x").is_err());
        assert!(value("1\nother = 2").is_ok_and(|value| value.is_str()), "no second key comes in");
    }

    #[test]
    fn a_key_that_could_be_several_or_none_is_refused_with_the_choice() {
        let keys = keys();
        let Err(GridError::UnknownKey { key, known }) = keys.resolve("speed") else {
            panic!("there is none")
        };
        assert_eq!(key, "speed");
        assert!(known.iter().any(|key| key == "load.frame"), "{known:?}");
        assert!(known.iter().all(|key| !key.starts_with("measure.")), "a load does not look at these");
        assert_eq!(keys.resolve("rounds").expect("only a curve has it"), "measure.rounds");
        let tcp = ModelPlan::from_toml("tcp = { mss = '1000' }").expect("a plan");
        let several = Keys::of(&tcp).resolve("mss").expect_err("two have it").to_string();
        assert_eq!(several, "choose a key: `mss` could be tcp.mss or transport.mss");
    }

    #[test]
    fn the_same_choice_again_keeps_its_table() {
        let plan = ModelPlan::from_toml("network = { medium = 'atm', queue-cells = 64, stations = 3 }");
        let keys = Keys::of(&plan.expect("a plan"));
        let with = |medium: &str| {
            let plan = keys.with(&[(MEDIUM, &Value::String(medium.to_owned()))]).expect("a plan");
            (plan.network.stations(), plan.to_toml().contains("queue-cells = 64"))
        };
        assert_eq!((with("atm"), with("fddi")), ((3, true), (3, false)));
    }

    #[test]
    fn a_value_within_a_table_that_was_none_makes_it_one() {
        let mut table: Table = "a = 1\n[b]\nc = 2".parse().expect("TOML");
        place(&mut table, "a.x", Value::Integer(3));
        place(&mut table, "b.d.e", Value::Integer(4));
        let expected: Table = "[a]\nx = 3\n[b]\nc = 2\n[b.d]\ne = 4".parse().expect("TOML");
        assert_eq!(table, expected);
    }

    #[test]
    fn a_number_beyond_64_bits_is_said_to_be_too_large() {
        let most = i64::MAX.to_string();
        assert_eq!(value(&most).expect("it fits"), Value::Integer(i64::MAX));
        let beyond = "9223372036854775808";
        for text in
            [beyond, "-99223372036854775808", "[1, 9223372036854775808]", "{ a = 9223372036854775808 }"]
        {
            let said = value(text).expect_err(text).to_string();
            assert!(said.ends_with("9223372036854775808: it is too large"), "{text}: {said}");
        }
        for text in ["9223372036854775808B", "x 9223372036854775808"] {
            assert_eq!(value(text).expect(text), Value::String(text.to_owned()), "a word that has digits");
        }
    }

    #[test]
    fn what_is_no_value_says_why() {
        let said = |text: &str| value(text).expect_err(text).to_string();
        assert_eq!(said(" "), "read a value: it is empty");
        for text in ["[1", "{ a", "\"x", "'x"] {
            assert_eq!(said(text), format!("read the value `{text}`: it is not TOML"));
        }
    }
}
