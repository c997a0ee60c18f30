//! What changed on paths, as text for people.

use linerate_analysis::changes::Verdict;

use super::super::text::{count, plain, wrap};
use super::shown::{Shown, ShownEvent, outliers};
use super::{PathHistory, dates, words};

/// At most this many outliers of a path are told one by one.
const OUTLIERS: usize = 8;

/// The changes of each path: when, which figures by how much, what is not the same beside them, and how
/// to measure again. Those that people muted are counted.
#[must_use]
pub fn changes_text(paths: &[PathHistory], width: u16) -> String {
    if paths.is_empty() {
        return "no path has a run that meets the filter\n".to_owned();
    }
    let width = usize::from(width);
    let mut blocks: Vec<String> = paths.iter().map(|path| one(path, width)).collect();
    if paths.iter().any(|path| Shown::of(path).events.iter().any(|shown| !shown.event.facts.is_empty())) {
        blocks.push(wrap("Beside a change does not mean because of it.", width, 0));
    }
    blocks.join("\n\n") + "\n"
}

fn one(path: &PathHistory, width: usize) -> String {
    let shown = Shown::of(path);
    let muted = match shown.muted {
        0 => String::new(),
        muted => format!("; {} muted and not shown", count(muted as u64, "change")),
    };
    let runs = path.runs.len();
    let what = match shown.events.len() {
        0 if shown.muted > 0 => format!("nothing else changed in {}", count(runs as u64, "run")),
        0 => words::nothing(runs, &path.changes),
        events => format!("{} in {}", count(events as u64, "event"), count(runs as u64, "run")),
    };
    let head = format!("{} ({}): {what}{muted}", plain(&path.name), words::short_path(&path.id));
    let mut lines = vec![wrap(&head, width, 2)];
    for shown in &shown.events {
        event(path, shown, width, &mut lines);
    }
    outlying(path, width, &mut lines);
    unusable(path, width, &mut lines);
    lines.join("\n")
}

/// `text` in lines behind so many blanks, those after the first a little further in.
fn indented(text: &str, width: usize, indent: usize) -> String {
    let lines = wrap(text, width.saturating_sub(indent), 2);
    lines.lines().map(|line| format!("{:indent$}{line}", "")).collect::<Vec<String>>().join("\n")
}

fn event(path: &PathHistory, shown: &ShownEvent<'_>, width: usize, lines: &mut Vec<String>) {
    let began = path.runs.get(shown.event.at).map_or(0, |run| run.started_us);
    let to = match path.runs.get(shown.to()) {
        Some(run) if shown.to() > shown.event.at => format!(" to {}", dates::minute(run.started_us)),
        _ => String::new(),
    };
    let run = path.runs.get(shown.event.at).map(|run| words::short_run(&run.id)).unwrap_or_default();
    lines.push(String::new());
    lines.push(indented(&format!("{}{to} UTC, run {run}", dates::minute(began)), width, 2));
    for it in &shown.members {
        let said = it.said.map(|said| format!(", people say: {}", plain(said))).unwrap_or_default();
        let direction = match it.member.worse {
            Some(_) => format!(", {}", words::direction(it.member.worse)),
            None => String::new(),
        };
        let text = format!(
            "{}: {} {}{direction}, p {}, {}{said}",
            words::name(it.key()),
            words::kind(it.member.kind),
            words::size(it),
            words::p(it.member.p),
            words::standing(it, path.runs.len()),
        );
        lines.push(indented(&text, width, 4));
    }
    for fact in words::beside(shown) {
        lines.push(indented(&format!("beside it {fact}"), width, 4));
    }
    // Not wrapped: it is copied whole.
    lines.push(format!("    {}", words::confirm(shown.lead())));
}

fn outlying(path: &PathHistory, width: usize, lines: &mut Vec<String>) {
    let all = outliers(path);
    if all.is_empty() {
        return;
    }
    lines.push(String::new());
    for (key, outlier) in all.iter().take(OUTLIERS) {
        let when = path.runs.get(outlier.first).map_or(0, |run| run.started_us);
        let runs = count((outlier.last - outlier.first + 1) as u64, "run");
        let text = format!(
            "outlier {}: {} {}, {runs}",
            dates::minute(when),
            words::name(key),
            words::by(key, outlier.change)
        );
        lines.push(indented(&text, width, 2));
    }
    if all.len() > OUTLIERS {
        lines.push(format!("  and {}", count((all.len() - OUTLIERS) as u64, "other outlier")));
    }
}

fn unusable(path: &PathHistory, width: usize, lines: &mut Vec<String>) {
    let few = |verdict| verdict == Verdict::TooFew && path.changes.verdict != Verdict::TooFew;
    for figure in path.changes.figures.iter().filter(|figure| !figure.unusable.is_empty()) {
        let values = count(figure.unusable.len() as u64, "value");
        let text = format!("{}: {values} not above zero, left out of the search", words::name(&figure.key));
        lines.push(indented(&text, width, 2));
    }
    let short = path.changes.figures.iter().filter(|figure| few(figure.verdict));
    let short: Vec<String> = short.map(|figure| words::name(&figure.key)).collect();
    if !short.is_empty() {
        lines.push(indented(&format!("too few values to tell: {}", short.join(", ")), width, 2));
    }
}
