//! What holds of every plan.

use linerate_core::caution::Caution;
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

/// What paths do besides carrying frames, each by itself and all at once.
const IMPAIRMENTS: [&str; 6] = [
    "delay = '3ms'",
    "delay = '50us'\njitter = '200us'",
    "loss = 0.1",
    "duplicate = 0.3\ndelay = '10us'",
    "reorder = 0.2\nreorder-by = '1ms'",
    "loss = 0.05\nduplicate = 0.1\nreorder = 0.1\nreorder-by = '2ms'\ndelay = '1ms'\njitter = '100us'",
];

#[test]
fn what_every_plan_offers_over_impaired_paths_is_delivered_lost_or_on_its_way() {
    for name in names() {
        for impair in IMPAIRMENTS {
            let impair: Table = impair.parse().expect("an impairment");
            let list = Value::Array(vec![Value::Table(impair.clone())]);
            // Ended in the middle of things, and by time: frames are under way everywhere.
            let plan = changed(
                &name,
                &[("impair", list), ("load.time", "4ms".into()), ("load.warm-up", "1ms".into())],
            );
            let outcome = model::load(&plan, None).unwrap_or_else(|error| panic!("{name}: {error}")).outcome;
            let ended = outcome.delivered + outcome.all_lost() + outcome.queued;
            assert_eq!(outcome.offered, ended, "{name}, {impair}: {outcome:?}");
            let doubled = impair.contains_key("duplicate") && outcome.delivered > 100;
            assert!(!doubled || outcome.repeated > 0, "{name}, {impair}: copies are counted");
        }
    }
}

/// 488 offered, 324 delivered, none lost, 2 waiting: what was on a path of 10 ms was in no count.
#[test]
fn frames_that_a_path_delays_are_on_their_way() {
    let list = Value::Array(vec![Value::Table("delay = '10ms'".parse().expect("an impairment"))]);
    let changes = [("impair", list), ("load.time", "30ms".into()), ("load.warm-up", "1ms".into())];
    let outcome = model::load(&changed("fast-ethernet", &changes), None).expect("it can be built").outcome;
    // Two lines of 8127 frames a second each, for 10 ms.
    assert!((150..=170).contains(&outcome.queued), "{outcome:?}");
}

/// A path that repeats a third of the frames delivers each once, and says how many copies came.
#[test]
fn copies_are_counted_by_themselves() {
    let list = Value::Array(vec![Value::Table("duplicate = 0.3".parse().expect("an impairment"))]);
    let changes = [("impair", list), ("load.time", "500ms".into())];
    let outcome = model::load(&changed("fast-ethernet", &changes), None).expect("it can be built").outcome;
    let share = outcome.repeated as f64 / outcome.delivered as f64;
    assert!((share - 0.3).abs() < 0.03, "{share}");
    assert!(outcome.efficiency() < 1.98, "copies are no throughput: {}", outcome.efficiency());
}

#[test]
fn a_load_that_loses_much_says_so_and_one_that_does_not_is_silent() {
    let run = |name: &str, changes: &[(&str, Value)]| {
        model::load(&changed(name, changes), None).expect("it can be built").outcome.cautions
    };
    let stations = [("network.stations", Value::from(60)), ("load.time", "2s".into())];
    let [Caution::FramesLost { lost, offered, cause }] = &run("ten-base-t", &stations)[..] else {
        panic!("60 stations give up many frames")
    };
    assert!(*lost * 100 >= *offered && cause == "excessive collisions", "{lost} of {offered}: {cause}");
    assert_eq!(run("direct", &[]), []);
}

#[test]
fn keys_that_a_plan_does_not_use_are_named() {
    let keys = |name: &str, changes: &[(&str, Value)]| -> Vec<String> {
        let changes = changes.iter().cloned().chain([("load.frames", Value::from(10))]).collect::<Vec<_>>();
        let outcome = model::load(&changed(name, &changes), None).expect("it can be built").outcome;
        let key = |caution| match caution {
            Caution::WithoutEffect { key, .. } => Some(key),
            _ => None,
        };
        outcome.cautions.into_iter().filter_map(key).collect()
    };
    for (name, key, value) in [
        ("fast-ethernet-hub", "network.queue", Value::from(4096)),
        ("fast-ethernet-hub", "network.latency", "1us".into()),
        ("fast-ethernet-hub", "network.uplink-phy", "1G".into()),
        ("switch-queue", "network.high-watermark", Value::from(4096)),
        ("direct", "network.bursting", false.into()),
        ("direct", "network.station-delay-bits", 1.0.into()),
        ("direct", "network.repeater-delay-bits", 1.0.into()),
        ("direct", "load.on", "1ms".into()),
        ("direct", "load.burst", Value::from(4096)),
        ("direct", "load.arrivals", "periodic".into()),
        ("direct", "load.queue-frames", Value::from(7)),
    ] {
        assert_eq!(keys(name, &[(key, value)]), [key], "{name}");
    }
    let cells = ("network.queue-cells", Value::from(64));
    let discard = ("network.early-discard-cells", Value::from(32));
    let named = keys("atm-oc3c", &[cells.clone(), discard.clone()]);
    assert_eq!(named, ["network.queue-cells", "network.early-discard-cells"]);
    let switched = ("network.stations", Value::from(4));
    assert!(keys("atm-oc3c", &[cells, discard, switched]).is_empty(), "a switch has them");
    assert!(keys("gigabit-half-duplex", &[("network.bursting", false.into())]).is_empty());
    assert!(keys("on-off", &[("load.on", "1ms".into())]).is_empty());
}

#[test]
fn only_the_plans_of_faults_are_doubtful() {
    let doubtful: Vec<String> = names()
        .into_iter()
        .filter(|name| !model::build(&parsed(&table(name))).expect(name).cautions.is_empty())
        .collect();
    assert_eq!(doubtful, ["duplex-mismatch", "illegal-diameter"]);
}
