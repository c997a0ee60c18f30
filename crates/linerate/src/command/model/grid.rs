//! The points of a sweep: every combination of the values of some keys.

use linerate_sim::model::check_load;
use linerate_sim::plan::ModelPlan;
use linerate_study::value_text;
use toml::Value;

use super::keys::{Keys, chooses, value};
use crate::trouble::Trouble;

/// Most runs of one command: more is a mistake more often than a wish.
pub(super) const MOST_RUNS: usize = 10_000;

/// A plan at every point of a sweep.
#[derive(Debug)]
pub(super) struct Grid {
    /// What is swept, as paths in the plan.
    pub(super) keys: Vec<String>,
    /// The last key changes first. Without a key there is one.
    pub(super) points: Vec<Cell>,
}

/// A point of the grid.
#[derive(Debug)]
pub(super) struct Cell {
    /// A value for each key.
    pub(super) set: Vec<Value>,
    pub(super) plan: ModelPlan,
}

/// `plan` with the values of `--set`. After another medium, host or kernel come its keys.
pub(in crate::command) fn changed(plan: &ModelPlan, settings: &[String]) -> Result<ModelPlan, Trouble> {
    let mut keys = Keys::of(plan);
    let mut changes: Vec<(String, Value)> = Vec::new();
    let apply = |keys: &Keys, changes: &[(String, Value)]| {
        let changes: Vec<(&str, &Value)> = changes.iter().map(|(key, value)| (key.as_str(), value)).collect();
        keys.with(&changes)
    };
    for setting in settings {
        let (key, text) = split(setting, "--set", "KEY=VALUE")?;
        let key = keys.resolve(key)?;
        let chooses = chooses(&key);
        changes.push((key, value(text)?));
        if chooses {
            keys = Keys::of(&apply(&keys, &changes)?);
            changes.clear();
        }
    }
    apply(&keys, &changes)
}

impl Grid {
    /// Every combination of the values of `--sweep`, each checked; `seeds` runs of each are meant.
    pub(super) fn of(plan: &ModelPlan, sweeps: &[String], seeds: usize) -> Result<Self, Trouble> {
        let known = Keys::of(plan);
        let mut axes: Vec<(String, Vec<Value>)> = Vec::new();
        for sweep in sweeps {
            let (key, list) = split(sweep, "--sweep", "KEY=A,B,..")?;
            let key = known.resolve(key)?;
            if axes.iter().any(|(other, _)| *other == key) {
                let help = "give all its values in one --sweep";
                return Err(Trouble::new(format!("failed to sweep: `{key}` is swept twice"), help));
            }
            let values = items(list).into_iter().map(value).collect::<Result<Vec<_>, _>>()?;
            axes.push((key, values));
        }
        let runs = axes.iter().try_fold(seeds, |runs, (_, values)| runs.checked_mul(values.len()));
        if runs.is_none_or(|runs| runs > MOST_RUNS) {
            let count = runs.map_or_else(|| "countless".to_owned(), |runs| runs.to_string());
            return Err(Trouble::new(
                format!("failed to sweep: that is {count} runs, and {MOST_RUNS} are the most"),
                "give fewer values or --seeds, or several commands",
            ));
        }
        let keys: Vec<String> = axes.iter().map(|(key, _)| key.clone()).collect();
        let points = combinations(&axes).into_iter().map(|set| cell(&known, &keys, set));
        Ok(Self { points: points.collect::<Result<_, _>>()?, keys })
    }
}

fn cell(known: &Keys, keys: &[String], set: Vec<Value>) -> Result<Cell, Trouble> {
    let changes: Vec<(&str, &Value)> = keys.iter().map(String::as_str).zip(&set).collect();
    let plan = known.with(&changes)?;
    check_load(&plan).map_err(|error| Trouble::model(&error, &with(keys, &set)))?;
    Ok(Cell { set, plan })
}

/// ` with stations = 4`, for a message; nothing of nothing.
pub(super) fn with(keys: &[String], set: &[Value]) -> String {
    let pairs: Vec<String> =
        keys.iter().zip(set).map(|(key, value)| format!("{key} = {}", value_text(value))).collect();
    if pairs.is_empty() { String::new() } else { format!(" with {}", pairs.join(", ")) }
}

fn split<'a>(text: &'a str, flag: &str, form: &str) -> Result<(&'a str, &'a str), Trouble> {
    let halves = text.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
    halves.filter(|(key, value)| !key.is_empty() && !value.is_empty()).ok_or_else(|| {
        Trouble::new(
            format!("failed to understand {flag} `{text}`"),
            format!("write {form}, such as stations=4"),
        )
    })
}

/// What stands between the commas of `list`, those within brackets and quotes left alone.
fn items(list: &str) -> Vec<&str> {
    let (mut depth, mut quote, mut from) = (0_i32, None, 0);
    let mut items = Vec::new();
    for (at, c) in list.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                items.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    items.push(&list[from..]);
    items
}

/// One value of each axis in every combination, the last axis changing first.
fn combinations(axes: &[(String, Vec<Value>)]) -> Vec<Vec<Value>> {
    axes.iter().fold(vec![Vec::new()], |points, (_, values)| {
        let extended = points.iter().flat_map(|point| {
            values.iter().map(move |value| {
                let mut point = point.clone();
                point.push(value.clone());
                point
            })
        });
        extended.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(sweeps: &[&str]) -> Vec<String> {
        let sweeps: Vec<String> = sweeps.iter().map(|sweep| (*sweep).to_owned()).collect();
        let grid = Grid::of(&ModelPlan::default(), &sweeps, 1).expect("a grid");
        grid.points
            .iter()
            .map(|point| point.set.iter().map(value_text).collect::<Vec<_>>().join(" "))
            .collect()
    }

    #[test]
    fn the_last_key_changes_first() {
        assert_eq!(sets(&["frame=64,1518", "seed=1,2"]), ["64 1", "64 2", "1518 1", "1518 2"]);
        assert_eq!(sets(&[]), [""]);
    }

    #[test]
    fn after_another_medium_its_own_keys_are_known() {
        let plan = changed(&ModelPlan::default(), &["medium=atm".to_owned(), "queue-cells=64".to_owned()]);
        let plan = plan.expect("a plan").to_toml();
        assert!(plan.contains("queue-cells = 64"), "{plan}");
        assert!(changed(&ModelPlan::default(), &["queue-cells=64".to_owned()]).is_err());
    }

    #[test]
    fn commas_within_a_value_do_not_part_it() {
        assert_eq!(sets(&["frame=64,[[64, 7], [1518, 1]]"]), ["64", "[[64, 7], [1518, 1]]"]);
        assert_eq!(sets(&["about='a, b',c"]), ["a, b", "c"]);
    }
}
