//! The words and numbers of a history.

use std::collections::BTreeMap;

use linerate_analysis::changes::{
    FigureHistory, Kind, Member, PathChanges, Shift, Standing, Stretch, Verdict,
};
use linerate_analysis::figures::{Key, Unit};
use linerate_analysis::identity::Difference;

use super::super::text::{about, count, figure_value, plain, shortened, unit_name};
use super::dates;
use super::shown::{ShownEvent, ShownMember};

/// Runs on each side of a step that is confirmed.
const ENOUGH: usize = 5;
/// What is shown, but may be chance over a year of searches.
const WEAK: &str = "not yet sure enough for an alarm";
/// Runs without which nothing can be told.
const FEWEST: usize = 10;
/// At most this many values of a side are written out.
const VALUES: usize = 3;
/// The longest value. Unit: characters.
const LONGEST: usize = 60;
/// From this ratio on a change is told as a factor.
const TWICE: f64 = 2.0;
/// How much of the id of a path and of a run is enough for people to tell one from another: of a run the
/// part that is its time. Unit: characters.
const SHORT_PATH: usize = 10;
const SHORT_RUN: usize = 13;

/// `ping-pong latency`.
pub(super) fn name(key: &Key) -> String {
    format!("{} {}", plain(&key.subject), key.figure.title())
}

/// A value of a figure with its unit.
pub(super) fn quantity(key: &Key, value: f64) -> String {
    match key.figure.unit() {
        Unit::Bytes => about(value),
        unit => format!("{} {}", figure_value(value, unit), unit_name(unit)).trim_end().to_owned(),
    }
}

/// What a figure changed by: `+12.0 %`, `x2.31`; of a figure that is no ratio the difference.
pub(super) fn by(key: &Key, change: f64) -> String {
    match key.figure.is_ratio() {
        true if change >= TWICE => format!("x{}", factor(change)),
        true => format!("{:+.1} %", (change - 1.0) * 100.0),
        false if change < 0.0 => format!("-{}", quantity(key, -change)),
        false => format!("+{}", quantity(key, change)),
    }
}

/// With three significant digits.
fn factor(value: f64) -> String {
    let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.decimals$}")
}

/// What it changed by, with its 95 % interval.
pub(super) fn estimate(key: &Key, change: Shift) -> String {
    let Shift { value, low, high } = change;
    format!("{} ({} to {})", by(key, value), by(key, low), by(key, high))
}

pub(super) const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Step => "step",
        Kind::Drift => "drift",
        Kind::Spread => "spread",
    }
}

/// What a change is, in a few words: `step +12.0 %`.
pub(super) fn change(shown: &ShownMember<'_>) -> String {
    let what = kind(shown.member.kind);
    match (shown.member.change, shown.spread()) {
        (Some(change), _) => format!("{what} {}", by(shown.key(), change.value)),
        (None, Some(spread)) => match spread.ratio {
            Some(ratio) => format!("{what} x{}", factor(ratio)),
            None => format!("{what} from none"),
        },
        (None, None) => what.to_owned(),
    }
}

/// The same with its interval.
pub(super) fn size(shown: &ShownMember<'_>) -> String {
    match shown.member.change {
        Some(change) => estimate(shown.key(), change),
        None => change(shown).replacen("spread ", "", 1),
    }
}

pub(super) const fn direction(worse: Option<bool>) -> &'static str {
    match worse {
        Some(true) => "worse",
        Some(false) => "better",
        None => "-",
    }
}

pub(super) fn p(p: f64) -> String {
    if p < 0.0005 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

/// Whether a change may raise an alarm, of so many runs in all.
pub(super) fn standing(shown: &ShownMember<'_>, runs: usize) -> String {
    let after = shown.runs_after(runs);
    let of = count(after as u64, "run");
    match (shown.member.kind, shown.member.standing) {
        (Kind::Drift, standing) => {
            let over = count((shown.member.to - shown.member.at + 1) as u64, "run");
            let goes_on = if shown.ongoing() { ", goes on" } else { "" };
            let weak = if standing == Standing::Unconfirmed { format!(", {WEAK}") } else { String::new() };
            format!("over {over}{goes_on}{weak}")
        }
        (_, Standing::Confirmed) => format!("confirmed by {of}"),
        (_, Standing::Unconfirmed) if after >= ENOUGH => format!("{WEAK}: {of} after it"),
        (_, Standing::Unconfirmed) => format!("unconfirmed: {of} after it, {ENOUGH} are needed"),
    }
}

/// What is not the same beside a change: `kernel: 6.1 -> 6.12`.
pub(super) fn difference(difference: &Difference) -> String {
    let side = |values: &[String]| {
        let mut shown: Vec<String> =
            values.iter().take(VALUES).map(|value| shortened(&plain(value), LONGEST)).collect();
        if values.len() > VALUES {
            shown.push(format!("{} more", values.len() - VALUES));
        }
        if shown.is_empty() { "unknown".to_owned() } else { shown.join(" or ") }
    };
    let [before, after] = difference.values.each_ref().map(|values| side(values));
    let in_some = if difference.is_clear() { "" } else { " (in some runs)" };
    format!("{}: {before} -> {after}{in_some}", plain(&difference.name))
}

/// The change that an event is told by: of key figures before bands the surest.
pub(super) fn lead<'a>(
    members: impl Iterator<Item = &'a Member>,
    figures: &[FigureHistory],
) -> Option<&'a Member> {
    let is_band =
        |member: &Member| figures.get(member.figure).is_none_or(|it| it.key.figure.band().is_some());
    members.min_by(|one, other| is_band(one).cmp(&is_band(other)).then(one.p.total_cmp(&other.p)))
}

/// The last change that the verdict of a path is of, with its figure.
fn last(changes: &PathChanges) -> Option<(&Member, &Key)> {
    let wanted = |member: &&Member| match changes.verdict {
        Verdict::Unconfirmed => member.standing == Standing::Unconfirmed,
        Verdict::Drifting => member.kind == Kind::Drift,
        Verdict::TooFew | Verdict::Steady => member.kind != Kind::Spread,
    };
    changes.events.iter().rev().find_map(|event| {
        let lead = lead(event.members.iter().filter(wanted), &changes.figures)?;
        Some((lead, &changes.figures.get(lead.figure)?.key))
    })
}

/// What the end of a path says, in a few words.
pub(super) fn verdict(changes: &PathChanges) -> String {
    let by = last(changes)
        .map(|(member, key)| member.change.map(|change| by(key, change.value)).unwrap_or_default());
    match (changes.verdict, by) {
        (Verdict::TooFew, _) => "too few runs".to_owned(),
        (Verdict::Steady, None) => "steady".to_owned(),
        (Verdict::Steady, Some(change)) => format!("steady after {change}"),
        (Verdict::Drifting, None) => "drifting".to_owned(),
        (Verdict::Drifting, Some(change)) => format!("drifting, {change}"),
        (Verdict::Unconfirmed, None) => "off, unconfirmed".to_owned(),
        (Verdict::Unconfirmed, Some(change)) => format!("{change}, unconfirmed"),
    }
}

/// Since which day it says so.
pub(super) fn since(changes: &PathChanges) -> Option<String> {
    let (member, _) = last(changes)?;
    let since = match changes.verdict {
        Verdict::TooFew => return None,
        Verdict::Steady => member.id.until_us,
        Verdict::Drifting | Verdict::Unconfirmed => member.id.started_us,
    };
    Some(dates::day(since))
}

/// The same with the day and the figure.
pub(super) fn at_length(changes: &PathChanges) -> String {
    let figure = last(changes).map(|(_, key)| name(key));
    match (figure, since(changes)) {
        (Some(figure), Some(since)) => format!("{} since {since} ({figure})", verdict(changes)),
        _ => verdict(changes),
    }
}

/// That nothing changed, or that nobody can tell yet.
pub(super) fn nothing(runs: usize, changes: &PathChanges) -> String {
    let figures = count(changes.figures.len() as u64, "figure");
    match changes.verdict {
        Verdict::TooFew => format!("too few runs to tell: {runs}, and {FEWEST} are needed"),
        _ => format!("nothing changed in {} of {figures}", count(runs as u64, "run")),
    }
}

/// How much runs differ in a stretch: `1.2 %`.
pub(super) fn spread(stretch: &Stretch) -> Option<String> {
    let spread = stretch.spread?;
    Some(format!("{:.1} %", spread.deviation.exp_m1() * 100.0))
}

/// `kernel=6.12 site=lab`.
pub(super) fn tags(tags: &BTreeMap<String, String>) -> String {
    let tag = |(name, value): (&String, &String)| match value.is_empty() {
        true => plain(name),
        false => format!("{}={}", plain(name), plain(value)),
    };
    tags.iter().map(tag).collect::<Vec<String>>().join(" ")
}

/// Enough of the id of a path for people.
pub(super) fn short_path(id: &str) -> String {
    plain(id).chars().take(SHORT_PATH).collect()
}

/// Enough of the id of a run for people.
pub(super) fn short_run(id: &str) -> String {
    plain(id).chars().take(SHORT_RUN).collect()
}

/// The command that measures a change again, to be copied into a shell.
pub(super) fn confirm(shown: &ShownMember<'_>) -> String {
    format!("linerate history confirm {}", shown.member.id.short())
}

/// The differences beside an event, for certain ones first.
pub(super) fn beside(shown: &ShownEvent<'_>) -> Vec<String> {
    shown.event.facts.iter().map(difference).collect()
}
