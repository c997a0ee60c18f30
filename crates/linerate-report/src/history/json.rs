//! What changed on paths, as JSON.

use linerate_analysis::changes::{Kind, Shift, Standing, Verdict};
use linerate_analysis::figures::{Key, Unit};
use linerate_analysis::identity::Difference;
use linerate_core::generator::GENERATOR;
use serde::Serialize;

use super::shown::{Shown, ShownEvent, ShownMember, outliers};
use super::{PathHistory, dates};
use crate::error::RenderError;

/// The version of this form.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct View<'a> {
    format: u32,
    generator: &'static str,
    paths: Vec<PathView<'a>>,
}

#[derive(Serialize)]
struct PathView<'a> {
    path: &'a str,
    name: &'a str,
    runs: usize,
    verdict: Verdict,
    /// Changes that people muted: they are not among the events.
    muted: usize,
    events: Vec<EventView<'a>>,
    outliers: Vec<OutlierView<'a>>,
    levels: Vec<LevelView<'a>>,
}

#[derive(Serialize)]
struct EventView<'a> {
    run: Option<&'a str>,
    started: Option<String>,
    standing: Standing,
    changes: Vec<ChangeView<'a>>,
    /// What is not the same in the runs before and after it; not because of it.
    beside: &'a [Difference],
}

#[derive(Serialize)]
struct ChangeView<'a> {
    id: String,
    /// What people copy.
    short: String,
    figure: String,
    kind: Kind,
    /// A ratio of after to before, or a difference in the unit.
    scale: &'static str,
    unit: Unit,
    change: Option<Shift>,
    /// Of a change of spread: standard deviation after over that before.
    spread_ratio: Option<f64>,
    worse: Option<bool>,
    p: f64,
    standing: Standing,
    runs_after: usize,
    /// Of a drift, when its last run began.
    until: Option<String>,
    said: Option<&'a str>,
}

#[derive(Serialize)]
struct OutlierView<'a> {
    figure: String,
    first_run: Option<&'a str>,
    last_run: Option<&'a str>,
    scale: &'static str,
    change: f64,
}

#[derive(Serialize)]
struct LevelView<'a> {
    figure: String,
    unit: Unit,
    verdict: Verdict,
    /// The first run of the last stretch with enough runs.
    since_run: Option<&'a str>,
    level: Option<f64>,
    level_at_end: Option<f64>,
    runs: Option<usize>,
    /// Standard deviation of the natural logarithms of its values from run to run.
    spread: Option<f64>,
}

/// The changes of `paths` as indented JSON: changes are ratios of after to before, or differences in the
/// unit of the figure, with 95 % intervals.
///
/// # Errors
///
/// [`RenderError::Json`] when a field has no JSON form.
pub fn changes_json(paths: &[PathHistory]) -> Result<String, RenderError> {
    let view = View { format: FORMAT, generator: GENERATOR, paths: paths.iter().map(path_view).collect() };
    Ok(serde_json::to_string_pretty(&view)? + "\n")
}

fn path_view(path: &PathHistory) -> PathView<'_> {
    let shown = Shown::of(path);
    let run = |index: usize| path.runs.get(index).map(|run| run.id.as_str());
    let outlier = |(key, outlier): (&Key, &linerate_analysis::changes::Outlier)| OutlierView {
        figure: key.to_string(),
        first_run: run(outlier.first),
        last_run: run(outlier.last),
        scale: scale(key),
        change: outlier.change,
    };
    let level = |figure: &linerate_analysis::changes::FigureHistory| {
        let stable = figure.last_stable();
        LevelView {
            figure: figure.key.to_string(),
            unit: figure.key.figure.unit(),
            verdict: figure.verdict,
            since_run: stable.and_then(|stable| run(stable.first)),
            level: stable.map(|stable| stable.level),
            level_at_end: stable.map(|stable| stable.level_at_end),
            runs: stable.map(|stable| stable.runs),
            spread: stable.and_then(|stable| stable.spread).map(|spread| spread.deviation),
        }
    };
    PathView {
        path: &path.id,
        name: &path.name,
        runs: path.runs.len(),
        verdict: path.changes.verdict,
        muted: shown.muted,
        events: shown.events.iter().map(|shown| event_view(path, shown)).collect(),
        outliers: outliers(path).into_iter().map(outlier).collect(),
        levels: path.changes.figures.iter().map(level).collect(),
    }
}

fn event_view<'a>(path: &'a PathHistory, shown: &ShownEvent<'a>) -> EventView<'a> {
    let run = path.runs.get(shown.event.at);
    EventView {
        run: run.map(|run| run.id.as_str()),
        started: run.map(|run| dates::instant(run.started_us)),
        standing: shown.standing(),
        changes: shown.members.iter().map(|it| change_view(path, it)).collect(),
        beside: &shown.event.facts,
    }
}

fn change_view<'a>(path: &PathHistory, shown: &ShownMember<'a>) -> ChangeView<'a> {
    let (member, key) = (shown.member, shown.key());
    let until = path.runs.get(member.to).filter(|_| member.kind == Kind::Drift);
    ChangeView {
        id: member.id.to_string(),
        short: member.id.short(),
        figure: key.to_string(),
        kind: member.kind,
        scale: scale(key),
        unit: key.figure.unit(),
        change: member.change,
        spread_ratio: shown.spread().and_then(|spread| spread.ratio),
        worse: member.worse,
        p: member.p,
        standing: member.standing,
        runs_after: shown.runs_after(path.runs.len()),
        until: until.map(|run| dates::instant(run.started_us)),
        said: shown.said,
    }
}

const fn scale(key: &Key) -> &'static str {
    if key.figure.is_ratio() { "ratio" } else { "difference" }
}
