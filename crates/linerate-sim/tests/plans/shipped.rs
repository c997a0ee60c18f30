//! The shipped plans, and small changes of them.

use std::path::PathBuf;

use linerate_sim::fabric::Loss;
use linerate_sim::load::LoadOutcome;
use linerate_sim::model;
use linerate_sim::plan::ModelPlan;
use toml::{Table, Value};

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../plans"))
}

/// The names of all plans, without `.toml`; those of the papers' experiments begin with `papers/`.
pub(crate) fn names() -> Vec<String> {
    let mut names: Vec<String> = ["", "papers/"].into_iter().flat_map(within).collect();
    names.sort();
    names
}

fn within(inner: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder().join(inner)).expect("the folder of plans");
    let entries = entries.map(|entry| entry.expect("an entry"));
    entries
        .filter(|entry| entry.path().is_file())
        .map(|entry| entry.file_name().into_string().expect("a name in UTF-8"))
        .map(|name| name.strip_suffix(".toml").unwrap_or_else(|| panic!("{name} is no plan")).to_owned())
        .map(|name| format!("{inner}{name}"))
        .collect()
}

pub(crate) fn text(name: &str) -> String {
    let path = folder().join(format!("{name}.toml"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn table(name: &str) -> Table {
    text(name).parse().unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub(crate) fn parsed(table: &Table) -> ModelPlan {
    let text = toml::to_string(table).expect("a table has a TOML form");
    ModelPlan::from_toml(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The plan with values in place of its own, as `--sweep KEY=VALUE` puts them.
pub(crate) fn changed(name: &str, changes: &[(&str, Value)]) -> ModelPlan {
    let mut table = table(name);
    for (key, value) in changes {
        let (path, last) = key.rsplit_once('.').unwrap_or(("", key));
        let mut at = &mut table;
        for part in path.split('.').filter(|part| !part.is_empty()) {
            let inner = at.entry(part).or_insert_with(|| Value::Table(Table::new()));
            at = inner.as_table_mut().expect("a table of keys");
        }
        at.insert(last.to_owned(), value.clone());
    }
    parsed(&table)
}

/// What the plan's load gives with those changes.
pub(crate) fn load(name: &str, changes: &[(&str, Value)]) -> LoadOutcome {
    let plan = changed(name, changes);
    let outcome = model::load(&plan, None).unwrap_or_else(|error| panic!("{name}: {error}")).outcome;
    println!(
        "{name} {changes:?}: efficiency {:.5}, mean delay {:?}, lost {:?}",
        outcome.efficiency(),
        outcome.delay.mean,
        outcome.lost
    );
    outcome
}

pub(crate) fn lost(outcome: &LoadOutcome, loss: Loss) -> u64 {
    outcome.lost.get(&loss).copied().unwrap_or(0)
}

/// Whether `value` is `expected` or off by no more than `share` of it.
#[track_caller]
pub(crate) fn assert_near(value: f64, expected: f64, share: f64) {
    let off = (value / expected - 1.0).abs();
    assert!(off <= share, "{value} is {:.3} % off {expected}", off * 100.0);
}
