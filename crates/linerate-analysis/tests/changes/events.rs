//! What belongs together: several figures, and what changed beside them.

use linerate_analysis::changes::{FigureValues, Kind, Path, PathChanges, Run, Standing, Verdict, changes};
use linerate_analysis::identity::{Field, Role};

use super::noise::{Normal, white};
use super::{days, figure, key, one_percent, path};

pub(super) fn stepped(seed: u64, at: usize, ratio: f64) -> Vec<f64> {
    let mut values = one_percent(&white(&mut Normal::new(seed), 80));
    values[at..].iter_mut().for_each(|value| *value *= ratio);
    values
}

/// 80 runs with what is known of each.
fn with_facts(facts: impl Fn(usize) -> Vec<(&'static str, String)>) -> Vec<Run> {
    let field = |(name, value): (&str, String)| Field { name: name.to_owned(), value, role: Role::Setting };
    let facts_of = |run: usize| facts(run).into_iter().map(field).collect();
    days(80).into_iter().enumerate().map(|(index, run)| Run { facts: facts_of(index), ..run }).collect()
}

fn one(runs: Vec<Run>, figures: Vec<FigureValues>) -> PathChanges {
    changes(&[Path::new("1:5f1c", runs, figures).expect("as many values as runs")]).remove(0)
}

#[test]
fn figures_that_change_within_two_runs_are_one_event() {
    let figures = vec![
        figure("ping-pong/latency", &stepped(1, 30, 1.2)),
        figure("ping-pong/band-1KiB", &stepped(2, 31, 0.9)),
        figure("ping-pong/band-16KiB", &stepped(3, 50, 0.9)),
        figure("ping-pong/peak", &stepped(4, 80, 0.9)),
    ];
    let kernel = |run: usize| if run < 30 { "6.1" } else { "6.8" }.to_owned();
    let facts = |run: usize| {
        let mut facts =
            vec![("kernel", kernel(run)), ("boot", format!("b{run}")), ("mtu", "1500".to_owned())];
        if run > 45 && run.is_multiple_of(2) {
            facts.push(("governor", "powersave".to_owned()));
        }
        facts
    };
    let changes = one(with_facts(facts), figures);
    let [first, second] = &changes.events[..] else { panic!("{:#?}", changes.events) };
    assert!(first.at.abs_diff(30) <= 1 && second.at == 50);
    let members: Vec<(usize, Option<bool>)> =
        first.members.iter().map(|member| (member.figure, member.worse)).collect();
    assert_eq!(members, [(0, Some(true)), (1, Some(false))], "times: more is worse");
    assert_eq!(first.standing, Standing::Confirmed);
    let [kernel] = &first.facts[..] else { panic!("{:?}", first.facts) };
    assert_eq!(kernel.name, "kernel");
    assert_eq!(kernel.values, [vec!["6.1".to_owned()], vec!["6.8".to_owned()]]);
    assert!(kernel.is_clear());
    assert!(second.facts.is_empty(), "some runs have the governor, on one side only: {:?}", second.facts);
    assert!(changes.figures[3].steps.is_empty());
    assert_eq!(changes.verdict, Verdict::Steady);
}

#[test]
fn a_fact_of_some_runs_only_does_not_differ_for_certain() {
    let facts = |run: usize| {
        let powersave = run >= 40 && run.is_multiple_of(3);
        let mut facts = vec![("governor", if powersave { "powersave" } else { "performance" }.to_owned())];
        if run >= 40 {
            facts.push(("driver", "ice 1.2".to_owned()));
        }
        facts
    };
    let changes = one(with_facts(facts), vec![figure("ping-pong/latency", &stepped(5, 40, 1.2))]);
    let facts: Vec<_> =
        changes.events[0].facts.iter().map(|fact| (fact.name.as_str(), fact.is_clear())).collect();
    assert_eq!(facts, [("driver", false), ("governor", false)], "a driver that was not read is no other");
}

#[test]
fn a_path_says_the_most_that_one_of_its_figures_says() {
    let mut last = stepped(11, 80, 1.0);
    last[79] *= 1.5;
    let changes = one(
        days(80),
        vec![figure("ping-pong/latency", &stepped(12, 80, 1.0)), figure("ping-pong/peak", &last)],
    );
    assert_eq!(changes.verdict, Verdict::Unconfirmed);
    let [event] = &changes.events[..] else { panic!("{:?}", changes.events) };
    assert_eq!((event.standing, event.at), (Standing::Unconfirmed, 79));
    assert_eq!(event.members[0].worse, Some(false), "a rate: more is better");
    assert_eq!(one(Vec::new(), Vec::new()).verdict, Verdict::TooFew);
}

/// Steps of 1 to 4 % where runs differ by 1 %: the figure has them all, and only what is sure may raise an alarm.
#[test]
fn what_is_found_may_not_be_sure_enough_for_an_alarm() {
    let mut seen = [0, 0];
    for seed in 0..60 {
        let values = stepped(seed, 60, 1.01 + 0.0005 * seed as f64);
        let changes = one(days(80), vec![figure("ping-pong/latency", &values)]);
        for member in changes.events.iter().flat_map(|event| &event.members) {
            let after = changes.figures[0].runs_after(member.at);
            if after.is_none_or(|after| after < 10) {
                continue;
            }
            // Between 6 and 75 searches had at least five runs after it.
            match member.standing {
                Standing::Confirmed => assert!(member.p <= 0.05 / (6.0 * 7.0), "seed {seed}: {member:?}"),
                Standing::Unconfirmed => assert!(member.p > 0.05 / (75.0 * 76.0), "seed {seed}: {member:?}"),
            }
            seen[usize::from(member.standing == Standing::Confirmed)] += 1;
        }
    }
    assert!(seen.iter().all(|seen| *seen >= 5), "{seen:?} unconfirmed and confirmed");
}

#[test]
fn order_is_by_time_and_then_as_given() {
    let values = stepped(6, 40, 1.2);
    let mut runs = days(80);
    runs[10].started_us = runs[11].started_us;
    let mixed: Vec<usize> = (0..40).flat_map(|run| [run, 79 - run]).collect();
    let shuffled = FigureValues {
        key: key("ping-pong/latency"),
        values: mixed.iter().map(|run| Some(values[*run])).collect(),
    };
    let given = mixed.iter().map(|run| runs[*run].clone()).collect();
    let path = Path::new("1:5f1c", given, vec![shuffled]).expect("as many values as runs");
    assert_eq!(path.runs()[10].id, "r10");
    assert_eq!(path.runs()[11].id, "r11");
    assert_eq!(changes(&[path])[0].figures[0].steps[0].at, 40);
}

#[test]
fn a_figure_without_a_value_for_each_run_is_refused() {
    let error = Path::new("1:5f1c", days(3), vec![figure("ping-pong/latency", &[1.0, 2.0])])
        .expect_err("two for three");
    assert_eq!(error.to_string(), "ping-pong/latency of the path 1:5f1c has 2 values for 3 runs");
}

#[test]
fn the_same_input_gives_the_same_output() {
    let figures = ["peak", "latency", "band-1B", "band-64B", "band-1KiB", "band-16KiB"];
    let figures: Vec<FigureValues> = (0u64..)
        .zip(figures)
        .map(|(seed, name)| figure(&format!("ping-pong/{name}"), &stepped(seed, 40, 1.02)))
        .collect();
    let first = changes(&[path(figures.clone())]);
    assert!(!first[0].events.is_empty());
    assert_eq!(first, changes(&[path(figures)]));
}

/// A drift of one figure and a step of another at its beginning are two things.
#[test]
fn a_drift_is_an_event_of_its_own() {
    let mut drift = stepped(21, 80, 1.0);
    drift
        .iter_mut()
        .enumerate()
        .for_each(|(run, value)| *value *= 1.0 + 0.002 * run.saturating_sub(20) as f64);
    let figures = vec![figure("ping-pong/latency", &drift), figure("ping-pong/peak", &stepped(22, 20, 0.9))];
    let changes = one(days(80), figures);
    let kinds: Vec<Kind> = changes.events.iter().map(|event| event.members[0].kind).collect();
    assert!(kinds.contains(&Kind::Step) && kinds.contains(&Kind::Drift) && kinds.len() == 2, "{kinds:?}");
    assert_eq!(changes.verdict, Verdict::Drifting);
}
