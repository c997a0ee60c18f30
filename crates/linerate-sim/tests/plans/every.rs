//! What holds of every plan.

use linerate_sim::model;
use linerate_sim::plan::ModelPlan;
use toml::{Table, Value};

use super::shipped::{changed, names, parsed, table, text};

#[test]
fn every_plan_can_be_measured_and_loaded_and_says_in_its_head_how() {
    let names = names();
    assert!(names.len() >= 25, "{names:?}");
    for name in names {
        let text = text(&name);
        let plan = ModelPlan::from_toml(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        model::check(&plan).unwrap_or_else(|error| panic!("{name}: {error}"));
        let kebab = name
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-./".contains(letter));
        assert!(kebab, "{name} is not kebab-case");
        assert!(!plan.about.is_empty() && plan.about.len() <= 90 && !plan.about.contains('\n'), "{name}");
        let head: Vec<&str> = text.lines().take_while(|line| line.starts_with('#')).collect();
        assert!(
            head.iter().any(|line| line.contains(&format!(" plans/{name}.toml"))),
            "{name}: how is it run?"
        );
        assert!(text.lines().all(|line| line.len() <= 120), "{name} has long lines");
    }
}

#[test]
fn no_plan_repeats_a_default() {
    for name in names() {
        let whole = table(&name);
        let plan = parsed(&whole);
        for path in leaves(&whole) {
            let mut less = whole.clone();
            remove(&mut less, &path);
            let text = toml::to_string(&less).expect("a table has a TOML form");
            let same = ModelPlan::from_toml(&text).is_ok_and(|less| less == plan);
            assert!(!same, "{name}: {} is the default", path.join("."));
        }
    }
}

/// The keys that have a value, as paths; what is in a list of tables is left out.
fn leaves(table: &Table) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) => found.extend(leaves(inner).into_iter().map(|mut path| {
                path.insert(0, key.clone());
                path
            })),
            _ => found.push(vec![key.clone()]),
        }
    }
    found
}

fn remove(table: &mut Table, path: &[String]) {
    let Some((last, outer)) = path.split_last() else { return };
    let mut at = table;
    for key in outer {
        at = at.get_mut(key).and_then(Value::as_table_mut).expect("a table on the way");
    }
    at.remove(last);
}

#[test]
fn what_every_plan_offers_is_delivered_lost_or_queued() {
    for name in names() {
        let plan = changed(&name, &[("load.frames", Value::from(300))]);
        let outcome = model::load(&plan, None).unwrap_or_else(|error| panic!("{name}: {error}")).outcome;
        let ended = outcome.delivered + outcome.all_lost() + outcome.queued;
        assert_eq!(outcome.offered, ended, "{name}: {outcome:?}");
        assert!(outcome.delivered > 50, "{name}: {} frames", outcome.delivered);
    }
}

#[test]
fn only_the_plans_of_faults_are_doubtful() {
    let doubtful: Vec<String> = names()
        .into_iter()
        .filter(|name| !model::build(&parsed(&table(name))).expect(name).cautions.is_empty())
        .collect();
    assert_eq!(doubtful, ["duplex-mismatch", "illegal-diameter"]);
}
