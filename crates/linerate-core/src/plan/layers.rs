//! A plan from several sources: each gives some keys, a later one wins, and every value knows where it is from.

use std::collections::BTreeMap;

use serde::Deserialize as _;
use toml::de::DeTable;
use toml::{Deserializer, Spanned, Table, Value};

use super::text::{PlanText, is_of};
use super::{Plan, PlanError};
use crate::foreign::plain;
use crate::tables;

/// The way to a value: the names of its tables, and its own.
type Path = Vec<String>;

/// Some keys of a plan as one source gives them, and the line of each in its file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    table: Table,
    lines: BTreeMap<Path, usize>,
}

impl Layer {
    /// Reads the keys that a plan file gives.
    ///
    /// # Errors
    ///
    /// [`PlanError::Syntax`] with the place in the text.
    pub fn from_toml(text: &str) -> Result<Self, PlanError> {
        Ok(Self::read(DeTable::parse(text)?, text)?)
    }

    /// Reads the keys that `table`, a part of `text`, gives. Keys of several tasks may be there.
    pub(crate) fn read(table: Spanned<DeTable<'_>>, text: &str) -> Result<Self, toml::de::Error> {
        PlanText::deserialize(Deserializer::from(table.clone()))?;
        let mut lines = BTreeMap::new();
        note_lines(table.get_ref(), &[], text, &mut lines);
        Ok(Self { table: Table::deserialize(Deserializer::from(table))?, lines })
    }

    /// What `plan` has that `usual`, a plan of defaults, has not.
    #[must_use]
    pub fn beyond(plan: &Plan, usual: &Plan) -> Self {
        let mut layer = Self { table: table_of(plan), lines: BTreeMap::new() };
        remove_equal(&mut layer.table, &table_of(usual));
        layer
    }

    /// The same without what another task than that of `verb` has.
    #[must_use]
    pub fn of_task(mut self, verb: &str) -> Self {
        self.table.retain(|key, _| is_of(key, verb));
        self
    }

    /// The same without these keys of the top.
    #[must_use]
    pub fn without(mut self, keys: &[&str]) -> Self {
        self.table.retain(|key, _| !keys.contains(&key));
        self
    }

    /// Whether it gives the same values as another, wherever they are written.
    #[must_use]
    pub fn agrees_with(&self, other: &Self) -> bool {
        self.table == other.table
    }
}

/// A plan as layers make it.
#[derive(Clone, Debug)]
pub struct Layered {
    table: Table,
    sources: BTreeMap<Path, String>,
}

impl Layered {
    /// Nothing but the defaults that `plan` has.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        Self { table: table_of(plan), sources: BTreeMap::new() }
    }

    /// Puts a layer over what there is; `source` says in a word or two where it is from.
    pub fn lay(&mut self, layer: &Layer, source: &str) {
        for (path, value) in leaves(&layer.table) {
            let source = match layer.lines.get(&path) {
                Some(line) => format!("{source}:{line}"),
                None => source.to_owned(),
            };
            put(&mut self.table, &path, value.clone());
            self.sources.insert(path, source);
        }
    }

    /// Notes that what `plan` has and these layers do not is from `source`. Values that have no TOML form are left out.
    pub fn note(&mut self, plan: &Plan, source: &str) {
        let mut table = Table::try_from(plan).unwrap_or_default();
        remove_equal(&mut table, &self.table);
        self.lay(&Layer { table, lines: BTreeMap::new() }, source);
    }

    /// The plan.
    ///
    /// # Errors
    ///
    /// When the layers do not make one together.
    pub fn plan(&self) -> Result<Plan, PlanError> {
        Plan::try_from(tables::read::<PlanText>(&self.table)?)
    }

    /// `plan` as TOML, with the source of every value beside it.
    #[must_use]
    pub fn annotated(&self, plan: &Plan) -> String {
        let mut within = Vec::new();
        plan.to_toml().lines().map(|line| self.with_source(line, plan, &mut within)).collect()
    }

    /// A line of TOML with its source, if it has a value; a header changes the table `within` which the next are.
    fn with_source(&self, line: &str, plan: &Plan, within: &mut Path) -> String {
        let Ok(alone) = line.parse::<Table>() else { return format!("{line}\n") };
        let path = innermost(&alone);
        if line.starts_with('[') {
            *within = path;
            return format!("{line}\n");
        }
        let Some(key) = path.first() else { return format!("{line}\n") };
        let path: Path = within.iter().chain([key]).cloned().collect();
        let as_laid = get(&self.table, &path) == get(&table_of(plan), &path);
        let source = self.sources.get(&path).filter(|_| as_laid);
        format!("{line}  # {}\n", plain(source.map_or("default", |source| source)))
    }
}

/// A plan that was checked, as a table.
fn table_of(plan: &Plan) -> Table {
    Table::try_from(plan).expect("every field of a plan has a TOML form")
}

/// Every value that is no table, with its way.
fn leaves(table: &Table) -> Vec<(Path, &Value)> {
    let mut found = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) => {
                found.extend(leaves(inner).into_iter().map(|(mut path, value)| {
                    path.insert(0, key.clone());
                    (path, value)
                }));
                // A table without a value is asked for all the same: `[stream]` makes a plan one of bulk.
                if inner.is_empty() {
                    found.push((vec![key.clone()], value));
                }
            }
            value => found.push((vec![key.clone()], value)),
        }
    }
    found
}

fn get<'a>(table: &'a Table, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    let value = table.get(first)?;
    if rest.is_empty() { Some(value) } else { get(value.as_table()?, rest) }
}

fn put(table: &mut Table, path: &[String], value: Value) {
    let Some((first, rest)) = path.split_first() else { return };
    if !rest.is_empty() {
        let inner = table.entry(first.clone()).or_insert_with(|| Value::Table(Table::new()));
        if !inner.is_table() {
            *inner = Value::Table(Table::new());
        }
        if let Value::Table(inner) = inner {
            put(inner, rest, value);
        }
    } else if !(value.is_table() && table.get(first).is_some_and(Value::is_table)) {
        table.insert(first.clone(), value);
    }
}

/// Takes out of `table` what `other` has too.
fn remove_equal(table: &mut Table, other: &Table) {
    table.retain(|key, value| match (value, other.get(key)) {
        (Value::Table(inner), Some(Value::Table(others))) => {
            remove_equal(inner, others);
            !inner.is_empty()
        }
        (value, Some(others)) => value != others,
        (_, None) => true,
    });
}

/// The names on the only way into a table that one line makes.
fn innermost(table: &Table) -> Path {
    let Some((key, value)) = table.iter().next() else { return Vec::new() };
    let mut path = vec![key.clone()];
    if let Value::Table(inner) = value {
        path.extend(innermost(inner));
    }
    path
}

fn note_lines(table: &DeTable<'_>, above: &[String], text: &str, lines: &mut BTreeMap<Path, usize>) {
    for (key, value) in table.iter() {
        let path: Path = above.iter().cloned().chain([key.get_ref().to_string()]).collect();
        if let Some(inner) = value.get_ref().as_table() {
            note_lines(inner, &path, text, lines);
        }
        lines.insert(path, line_of(text, key.span().start));
    }
}

/// The number of the line in which byte `place` of `text` is, from 1.
pub(crate) fn line_of(text: &str, place: usize) -> usize {
    let before = text.as_bytes().get(..place).unwrap_or(text.as_bytes());
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(text: &str) -> Layer {
        Layer::from_toml(text).expect("a layer")
    }

    /// As a plan says it: without sources, the later of two values.
    #[test]
    fn a_later_layer_wins_key_by_key() {
        let mut layers = Layered::new(&Plan::default());
        layers.lay(&layer("time = '5s'\nseed = 4\n[socket]\nsndbuf = 1000\nmss = 900"), "a");
        layers.lay(&layer("seed = 6\n[socket]\nmss = 1200\n[output.labels]\nkernel = '6'"), "b");
        let wanted =
            "time = '5s'\nseed = 6\n[socket]\nsndbuf = 1000\nmss = 1200\n[output.labels]\nkernel = '6'";
        assert_eq!(layers.plan().expect("a plan"), Plan::from_toml(wanted).expect("a plan"));
    }

    #[test]
    fn every_value_says_where_it_is_from() {
        let mut layers = Layered::new(&Plan::default());
        layers.lay(&layer("time = '5s'\n\n[socket]\nsndbuf = 1000\n"), "a.toml");
        let mut plan = layers.plan().expect("a plan");
        plan.common.seed = 7;
        layers.note(&plan, "flag");
        plan.common.socket.mss = Some(900);
        let said = layers.annotated(&plan);
        for line in [
            "time = \"5s\"  # a.toml:1",
            "sndbuf = 1000  # a.toml:4",
            "seed = 7  # flag",
            "nodelay = true  # default",
            // Filled in after everything that was asked.
            "mss = 900  # default",
        ] {
            assert!(said.lines().any(|found| found == line), "{line} in\n{said}");
        }
        assert_eq!(Plan::from_toml(&said).expect("TOML with comments"), plan);
    }

    #[test]
    fn tables_of_other_tasks_are_left_out_and_one_without_values_counts() {
        let both = layer("time = '5s'\nrounds = 3\n[stream]\nflows = 4\n[rr]\n");
        let made = |verb| {
            let mut layers = Layered::new(&Plan::default());
            layers.lay(&both.clone().of_task(verb), "a");
            layers.plan().expect("one task")
        };
        assert_eq!(made("stream").stream().map(|stream| stream.bulk.flows), Some(4));
        assert!(made("rr").requests().is_some());
        assert_eq!(made("measure").curve().map(|curve| curve.rounds), Some(3));
        let mesh = made("mesh");
        assert_eq!(
            (mesh.common.time, mesh.curve().map(|curve| curve.rounds)),
            (Plan::from_toml("time = '5s'").expect("a plan").common.time, Some(9))
        );
    }

    #[test]
    fn what_no_plan_has_is_refused_with_its_place() {
        let error = Layer::from_toml("time = '1s'\n[socket]\nbufer = 1").expect_err("no such key");
        let PlanError::Syntax(error) = error else { panic!("{error}") };
        assert_eq!(line_of("time = '1s'\n[socket]\nbufer = 1", error.span().expect("a place").start), 3);
    }

    #[test]
    fn a_plan_without_its_defaults_makes_the_same_plan_again() {
        let plan = Plan::from_toml("time = '3s'\n[rr]\ndepth = 3\n[output]\nformat = 'csv'").expect("a plan");
        let beyond = Layer::beyond(&plan, &Plan::default());
        let mut layers = Layered::new(&Plan::default());
        layers.lay(&beyond, "model");
        assert_eq!(layers.plan().expect("a plan"), plan);
        assert!(!beyond.table.contains_key("seed"));
    }
}
