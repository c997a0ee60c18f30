//! From the history to what is shown of it.

use std::collections::{BTreeMap, BTreeSet};

use linerate_analysis::changes::{ChangeId, FigureValues, Path, PathChanges, Run, changes, match_changes};
use linerate_analysis::figures::Key;
use linerate_analysis::identity::{Field, Role};
use linerate_core::pattern::Pattern;
use linerate_report::history::{Course, PathHistory, RunRow};
use linerate_store::{ChangeState, Filter, PathSummary, Recent, Store, StoredRun};

use super::failed;
use crate::history::pack::unpack;
use crate::trouble::Trouble;

/// At most this many curves make a page.
const CURVES: usize = 400;

/// The path that `text` means, or every path, with the runs that meet `filter` and what changed.
///
/// False discoveries are bounded over all of them together.
pub(super) fn histories(
    store: &mut Store,
    path: Option<&str>,
    filter: &Filter,
) -> Result<Vec<PathHistory>, Trouble> {
    let wanted = path.map(|text| store.find_path(text)).transpose().map_err(failed)?;
    let mut found = Vec::new();
    for summary in store.paths(filter, &Recent::default()).map_err(failed)? {
        let id = summary.fingerprint.id();
        if wanted.as_ref().is_none_or(|wanted| *wanted == id || summary.merged.contains(wanted)) {
            let runs = store.runs(&id, filter).map_err(failed)?;
            found.push((summary, runs));
        }
    }
    let said = said(store)?;
    let paths: Vec<Path> = found.iter().map(|(summary, runs)| searched(summary, runs)).collect();
    let all: Vec<PathChanges> = changes(&paths);
    let histories = found.into_iter().zip(&paths).zip(all);
    Ok(histories
        .map(|(((summary, runs), path), changes)| history(summary, runs, (path, changes), &said))
        .collect())
}

/// What people said of changes.
fn said(store: &mut Store) -> Result<Vec<(ChangeId, &'static str)>, Trouble> {
    let word = |state| match state {
        ChangeState::Confirmed => "confirmed",
        ChangeState::Muted => "muted",
    };
    let states = store.changes().map_err(failed)?;
    Ok(states.into_iter().filter_map(|(id, state)| Some((id.parse().ok()?, word(state)))).collect())
}

/// The path as the search for changes takes it.
fn searched(summary: &PathSummary, runs: &[StoredRun]) -> Path {
    let run = |stored: &StoredRun| Run {
        id: stored.record.id.clone(),
        started_us: stored.record.started_us,
        facts: fields(stored),
    };
    let figure = |key: Key| {
        let name = key.to_string();
        FigureValues { values: runs.iter().map(|run| value(run, &name)).collect(), key }
    };
    let figures = keys(runs).into_iter().map(figure).collect();
    Path::new(&summary.fingerprint.id().to_string(), runs.iter().map(run).collect(), figures)
        .unwrap_or_else(|error| unreachable!("each figure has a value for each run: {error}"))
}

/// The figures of these runs.
fn keys(runs: &[StoredRun]) -> BTreeSet<Key> {
    let names: BTreeSet<&str> =
        runs.iter().flat_map(|run| run.record.figures.iter().map(|row| row.key.as_str())).collect();
    names.into_iter().filter_map(|name| name.parse().ok()).collect()
}

fn value(run: &StoredRun, key: &str) -> Option<f64> {
    run.record.figures.iter().find(|row| row.key == key).map(|row| row.value)
}

/// What may vary between runs: settings and tags.
fn fields(stored: &StoredRun) -> Vec<Field> {
    let field = |name: String, value: &String| Field { name, value: value.clone(), role: Role::Setting };
    let facts = stored.record.facts.iter().map(|(name, value)| field(name.clone(), value));
    let tags = stored.record.tags.iter().filter(|(name, _)| *name != super::confirm::TAG);
    facts.chain(tags.map(|(name, value)| field(format!("tag {name}"), value))).collect()
}

fn history(
    summary: PathSummary,
    runs: Vec<StoredRun>,
    (path, changes): (&Path, PathChanges),
    said: &[(ChangeId, &'static str)],
) -> PathHistory {
    let course = |figure: &FigureValues| {
        let name = figure.key.to_string();
        let interval = |run: &StoredRun| {
            let row = run.record.figures.iter().find(|row| row.key == name)?;
            Some([row.low?, row.high?])
        };
        Course {
            key: figure.key.clone(),
            values: figure.values.clone(),
            intervals: runs.iter().map(interval).collect(),
        }
    };
    let figures = path.figures().iter().map(course).collect();
    let said = said_of(path, &changes, said);
    let row = |stored: StoredRun| RunRow {
        facts: fields(&stored),
        id: stored.record.id,
        started_us: stored.record.started_us,
        file: stored.record.file,
        tags: stored.record.tags,
        baseline: stored.baseline,
    };
    let id = summary.fingerprint.id().to_string();
    PathHistory {
        name: summary.fingerprint.name,
        id,
        fields: summary.fingerprint.fields,
        figures,
        runs: runs.into_iter().map(row).collect(),
        changes,
        said,
        curves: BTreeMap::new(),
    }
}

/// What people said of the changes of a path, by the ids that these have now.
fn said_of(
    path: &Path,
    changes: &PathChanges,
    said: &[(ChangeId, &'static str)],
) -> BTreeMap<String, String> {
    let members = changes.events.iter().flat_map(|event| &event.members);
    let now: Vec<ChangeId> = members.map(|member| member.id.clone()).collect();
    let (earlier, words): (Vec<ChangeId>, Vec<&str>) = said.iter().cloned().unzip();
    let matched = now.iter().zip(match_changes(path, &earlier, &now));
    matched.filter_map(|(id, earlier)| Some((id.to_string(), words[earlier?].to_owned()))).collect()
}

/// Adds the curves of at most 400 runs: the last 100, and of the others evenly.
pub(super) fn add_curves(store: &mut Store, history: &mut PathHistory) -> Result<(), Trouble> {
    let count = history.runs.len();
    let recent = count.saturating_sub(CURVES / 4);
    let step = (recent as f64 / (CURVES - CURVES / 4) as f64).max(1.0);
    let early = (0..).map(|nth: u32| (f64::from(nth) * step) as usize).take_while(|nth| *nth < recent);
    let chosen: Vec<usize> = early.chain(recent..count).collect();
    let ids: Vec<&str> = chosen.iter().map(|nth| history.runs[*nth].id.as_str()).collect();
    let packed = store.curves(&ids).map_err(failed)?;
    for nth in chosen {
        let Some(bytes) = packed.get(&history.runs[nth].id) else { continue };
        for (pattern, times) in times(&unpack(bytes)?) {
            history.curves.entry(pattern).or_default().push((nth, times));
        }
    }
    Ok(())
}

/// The one-way time of every size. Unit: us.
fn times(run: &linerate_core::run::Run) -> BTreeMap<Pattern, BTreeMap<u64, f64>> {
    let curve = |series: &linerate_core::series::Series| {
        let timed = series.timed().filter_map(|point| Some((point.size, point.time()?.median / 1e6)));
        (series.pattern, timed.filter(|(_, us)| *us > 0.0).collect())
    };
    run.series.iter().map(curve).collect()
}
