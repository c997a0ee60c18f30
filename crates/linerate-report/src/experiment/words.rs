//! The words and numbers of an experiment.

mod limits;
mod numbers;
mod sentence;

use linerate_analysis::experiment::{
    CellFound, EffectFound, FigureName, Findings, Stairs, StepFound, StepVerdict,
};
use linerate_analysis::figures::Better;

pub(super) use limits::{drift, limits, outliers};
pub(super) use numbers::{change, estimate, interval, money, number, p, p_is, range, value};
pub(super) use sentence::{elsewhere, goal_of, sentences, total, winner};

use crate::text::{count, shortened};

/// At most this many counters are named beside an effect, unless all is asked for.
const COUNTERS: usize = 3;

/// The longest unit in the heading of a column. Unit: characters.
const LONGEST_UNIT: usize = 10;
/// From here on a name is long. Unit: characters.
const BRIEF: usize = 28;
/// With more factors than these a cell is named by what differs from the base.
const FEW: usize = 3;
/// At most this many cells are named in a sentence.
const NAMES: usize = 4;

/// The name of cell `index`: with many factors only what differs from the base.
pub(super) fn cell(findings: &Findings, index: usize) -> String {
    named(findings, index, findings.factors.len() > FEW)
}

/// The same where there is little room: of a long name only what differs from the base.
pub(super) fn brief(findings: &Findings, index: usize) -> String {
    let is_long = findings.cells.get(index).is_some_and(|cell| cell.name.chars().count() > BRIEF);
    named(findings, index, is_long)
}

fn named(findings: &Findings, index: usize, is_short: bool) -> String {
    let Some(cell) = findings.cells.get(index) else { return "an unknown cell".to_owned() };
    if !is_short {
        return cell.name.clone();
    }
    let levels = cell.levels.iter().zip(&findings.factors).filter(|(level, _)| **level > 0);
    let levels: Vec<String> = levels
        .filter_map(|(level, factor)| Some(format!("{} = {}", factor.name, factor.levels.get(*level)?)))
        .collect();
    if levels.is_empty() { "the base".to_owned() } else { levels.join(", ") }
}

/// How cells are named, where that has to be said.
pub(super) fn naming(findings: &Findings) -> Option<&'static str> {
    (findings.factors.len() > FEW).then_some("cells are named by what differs from the base")
}

/// The names of these cells, of many the first ones.
pub(super) fn cells(findings: &Findings, indices: &[usize]) -> String {
    let mut names: Vec<String> = indices.iter().take(NAMES).map(|index| cell(findings, *index)).collect();
    if indices.len() > NAMES {
        names.push(format!("and {} more", indices.len() - NAMES));
    }
    names.join("; ")
}

/// The cell with the first level of every factor, by its index.
pub(super) fn base(findings: &Findings) -> Option<usize> {
    let is_base = |cell: &CellFound| cell.levels.iter().all(|level| *level == 0);
    findings.cells.iter().position(is_base)
}

/// `full design, 6 cells, 5 blocks, 30 of 30 runs`.
pub(super) fn extent(findings: &Findings) -> String {
    let mut parts = vec![format!("{} design", findings.design), counted(findings.cells.len(), "cell")];
    if findings.blocks > 1 {
        parts.push(counted(findings.blocks as usize, "block"));
    }
    parts.push(match findings.planned {
        Some(planned) => format!("{} of {}", findings.done, counted(planned, "run")),
        None => counted(findings.done, "run"),
    });
    parts.join(", ")
}

fn counted(number: usize, what: &str) -> String {
    count(number as u64, what)
}

/// The title of a figure with its unit: `ping-pong peak (Mb/s)`.
pub(super) fn titled(title: &str, unit: &str) -> String {
    match unit {
        "" | "share" => title.to_owned(),
        unit => format!("{title} ({unit})"),
    }
}

/// Which way a figure is better.
pub(super) const fn better(figure: &FigureName) -> &'static str {
    match figure.better {
        Better::More => "more is better",
        Better::Less => "less is better",
        Better::Neither => "neither way is better",
    }
}

/// What an effect is against: a factor's base, or what both factors do by themselves.
pub(super) fn change_of(figure: &FigureName, effect: &EffectFound) -> String {
    effect.change.map_or_else(|| "-".to_owned(), |it| change(it, figure))
}

/// The interval of an effect.
pub(super) fn interval_of(figure: &FigureName, effect: &EffectFound) -> String {
    match (effect.change, effect.interval) {
        (Some(change), Some(ends)) => interval(change, ends, figure),
        _ => "-".to_owned(),
    }
}

/// What became of a step.
pub(super) const fn step(verdict: &StepVerdict) -> &'static str {
    match verdict {
        StepVerdict::Kept => "better, kept",
        StepVerdict::Worse => "worse, dropped",
        StepVerdict::Small => "too small to matter, dropped",
        StepVerdict::Inconclusive => "inconclusive, dropped",
        StepVerdict::Failed(_) => "failed",
        StepVerdict::UnderWay => "under way",
    }
}

/// The steps that could not be measured, and why.
pub(super) fn failures(stairs: &Stairs) -> Vec<String> {
    let failure = |step: &StepFound| match &step.verdict {
        StepVerdict::Failed(why) => Some(format!("{} failed: {why}.", step.change)),
        _ => None,
    };
    stairs.steps.iter().filter_map(failure).collect()
}

/// A unit, or a currency, as the heading of a column.
pub(super) fn heading(unit: &str) -> String {
    if unit.is_empty() || unit == "share" { "value".to_owned() } else { shortened(unit, LONGEST_UNIT) }
}

/// What stands below a table of effects: why some are not tested, what they cannot be told from, and the counters
/// that changed with them.
pub(super) fn notes(effects: &[&EffectFound], all: bool) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for effect in effects {
        let Some(why) = &effect.untested else { continue };
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, whats)) => whats.push(&effect.what),
            None => reasons.push((why, vec![&effect.what])),
        }
    }
    let reason = |(why, whats): (&str, Vec<&str>)| match whats.len() == effects.len() {
        true => format!("Not tested: {why}."),
        false => format!("Not tested: {why} ({}).", whats.join("; ")),
    };
    let mut notes: Vec<String> = reasons.into_iter().map(reason).collect();
    let aliased = effects.iter().filter(|effect| !effect.aliases.is_empty());
    notes
        .extend(aliased.map(|it| format!("{} cannot be separated from {}.", it.what, it.aliases.join(", "))));
    notes.extend(effects.iter().filter_map(|effect| explained(effect, all)));
    notes
}

/// The counters that changed with an effect. It does not follow that they are the reason.
fn explained(effect: &EffectFound, all: bool) -> Option<String> {
    let most = if all { usize::MAX } else { COUNTERS };
    let counter = |it: &linerate_analysis::experiment::Explanation| {
        let [from, to] = it.means;
        let ratio = to / from;
        let by = (ratio.is_finite() && ratio > 0.0).then(|| numbers::factor(ratio));
        let how: Vec<String> = by.into_iter().chain(it.p.map(p_is)).collect();
        let how = if how.is_empty() { String::new() } else { format!(" ({})", how.join(", ")) };
        format!("{} {} to {}{how}", it.counter, number(from), number(to))
    };
    let counters: Vec<String> = effect.explained_by.iter().take(most).map(counter).collect();
    (!counters.is_empty()).then(|| format!("With {} also changed: {}.", effect.what, counters.join("; ")))
}
