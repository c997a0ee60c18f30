//! Tables of the runs and of the levels of a path.

use std::collections::BTreeSet;

use linerate_analysis::explain::LIMITED_BY;
use linerate_analysis::figures::Key;

use super::super::columns::Column;
use super::super::section::TableView;
use super::super::text::{plain, shortened};
use super::level::Level;
use super::shown::{Shown, outliers};
use super::{Course, PathHistory, RunRow, dates, words};

/// In the short form this many of the last runs are shown.
const LAST: usize = 20;
/// The longest note of a row. Unit: characters.
const LONGEST_NOTE: usize = 60;
/// The longest list of tags. Unit: characters.
const LONGEST_TAGS: usize = 40;

/// Runs with the figures `keys`, without these the main ones. A short text has the last runs and those at which something
/// changed.
pub(super) fn runs(path: &PathHistory, keys: Option<&[Key]>) -> TableView {
    let notes = notes(path);
    let all = path.runs.len();
    let shown: Vec<usize> = (0..all).filter(|run| run + LAST >= all || !notes[*run].is_empty()).collect();
    let cells = |of: &dyn Fn(&RunRow) -> String| path.runs.iter().map(of).collect::<Vec<String>>();
    let mut columns = vec![
        Column::of_words("began (UTC)", 0, cells(&|run| dates::minute(run.started_us))),
        Column::of_words("run", 0, cells(&|run| words::short_run(&run.id))),
        Column::of_words("base", 4, cells(&|run| if run.baseline { "yes" } else { "-" }.to_owned())),
        Column::of_words("tags", 5, cells(&|run| shortened(&words::tags(&run.tags), LONGEST_TAGS))),
    ];
    for course in key_figures(path, keys) {
        let cell = |value: &Option<f64>| {
            value.map_or_else(|| "-".to_owned(), |value| words::quantity(&course.key, value))
        };
        let mut values: Vec<String> = course.values.iter().map(cell).collect();
        values.resize(all, "-".to_owned());
        columns.push(Column::new(words::name(&course.key), 3, values));
    }
    let notes = notes.iter().map(|note| shortened(note, LONGEST_NOTE)).collect();
    columns.push(Column::of_words("what is seen", 1, notes));
    let unknown = keys.unwrap_or_default().iter().filter(|key| path.figures.iter().all(|it| it.key != **key));
    let unknown: Vec<String> = unknown.map(words::name).collect();
    let unknown = (!unknown.is_empty()).then(|| format!("not recorded: {}", plain(&unknown.join(", "))));
    let table = TableView::new("Runs", columns).noted(unknown.into_iter().collect()).closed();
    match shown.len() < all {
        true => {
            let chosen = format!("{} of {all} runs: the last, and those with a change", shown.len());
            table.brief(shown, chosen)
        }
        false => table,
    }
}

/// The figures of the table of runs.
fn key_figures<'a>(path: &'a PathHistory, keys: Option<&[Key]>) -> Vec<&'a Course> {
    let wanted = |course: &&Course| match keys {
        Some(keys) => keys.contains(&course.key),
        None => course.key.figure.is_headline(),
    };
    path.figures.iter().filter(wanted).collect()
}

/// For each run what begins at it, and what is off in it.
fn notes(path: &PathHistory) -> Vec<String> {
    let mut notes = vec![Vec::new(); path.runs.len()];
    for shown in &Shown::of(path).events {
        let lead = shown.lead();
        let others = shown.members.len() - 1;
        let others = if others > 0 { format!(" and {others} more") } else { String::new() };
        if let Some(notes) = notes.get_mut(shown.event.at) {
            notes.push(format!("{} {}{others}", words::name(lead.key()), words::change(lead)));
        }
    }
    let mut off = vec![BTreeSet::new(); path.runs.len()];
    for (key, outlier) in outliers(path) {
        for run in off.iter_mut().take(outlier.last + 1).skip(outlier.first) {
            run.insert(words::name(key));
        }
    }
    for (run, [before, now]) in moved(&path.runs) {
        notes[run].push(format!("limited by {}, before by {}", plain(now), plain(before)));
    }
    for (notes, off) in notes.iter_mut().zip(off).filter(|(_, off)| !off.is_empty()) {
        notes.push(format!("outlier: {}", off.into_iter().collect::<Vec<String>>().join(", ")));
    }
    notes.into_iter().map(|notes| notes.join("; ")).collect()
}

/// The runs at which the bottleneck moved, and from what to what: it was one in two runs and another one in the two that
/// follow, of those in which it is known.
fn moved(runs: &[RunRow]) -> Vec<(usize, [&str; 2])> {
    let mut known: Vec<(usize, &str)> = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let fact = run.facts.iter().find(|fact| fact.name == LIMITED_BY);
        known.extend(fact.map(|fact| (index, fact.value.as_str())));
    }
    let moves = known.windows(4).filter_map(|four| {
        let [before, last, next, after] = [0, 1, 2, 3].map(|nth| four[nth].1);
        (before == last && next == after && last != next).then_some((four[2].0, [last, next]))
    });
    moves.collect()
}

/// A row for each figure: its last value, its last stable level and how much runs differ there.
pub(super) fn levels(path: &PathHistory) -> TableView {
    let cells = |of: &dyn Fn(&Course, Option<&Level>) -> Option<String>| {
        let figures = path.figures.iter().zip(&path.changes.figures);
        let cell = |(course, history)| {
            of(course, Level::of(course, history).as_ref()).unwrap_or_else(|| "-".to_owned())
        };
        figures.map(cell).collect::<Vec<String>>()
    };
    let last = |course: &Course| {
        course.values.iter().rev().find_map(|value| *value).map(|value| words::quantity(&course.key, value))
    };
    let since = |level: &Level| path.runs.get(level.since).map(|run| dates::day(run.started_us));
    let columns = vec![
        Column::of_words("figure", 0, cells(&|course, _| Some(words::name(&course.key)))),
        Column::new("last", 1, cells(&|course, _| last(course))),
        Column::new("stable level", 0, cells(&|_, level| Some(level?.text.clone()))),
        Column::new("since", 2, cells(&|_, level| since(level?))),
        Column::new("runs", 4, cells(&|_, level| Some(level?.runs.to_string()))),
        Column::new("run to run", 3, cells(&|_, level| level?.spread.clone())),
    ];
    TableView::new("", columns)
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use linerate_analysis::identity::{Field, Role};

    /// One that flickers is no news; one that stays is, once.
    #[test]
    fn a_bottleneck_that_stays_elsewhere_is_seen_at_the_run_where_it_moved() {
        let bottleneck =
            |value: &str| Field { name: LIMITED_BY.to_owned(), value: value.to_owned(), role: Role::Setting };
        for seed in 0..200_u64 {
            let mut path = fixture::history(30, 0);
            let at = 2 + (seed as usize * 7) % 26;
            // Now and then it is not known, or another one for a run.
            let odd = (seed as usize * 13) % 30;
            for (nth, run) in path.runs.iter_mut().enumerate() {
                let usual = if nth < at { "the link rate and framing" } else { "the receiver window" };
                let known = if nth == odd { "retransmissions" } else { usual };
                let is_known = seed % 3 > 0 || nth != odd;
                run.facts.extend(is_known.then(|| bottleneck(known)));
            }
            let found = moved(&path.runs);
            let near = odd.abs_diff(at) <= 2;
            assert!(found.len() <= 1 && (near || found.len() == 1), "seed {seed}: {found:?}");
            if let ([(run, change)], false) = (&found[..], near) {
                assert_eq!(
                    (*run, *change),
                    (at, ["the link rate and framing", "the receiver window"]),
                    "seed {seed}"
                );
                assert!(notes(&path)[at].contains("limited by the receiver window, before by the link"));
            }
        }
    }
}
