//! `linerate history`, `linerate history show`.

use std::collections::BTreeMap;
use std::process::ExitCode;

use linerate_analysis::changes::{FigureValues, Path, PathChanges, Run, changes};
use linerate_analysis::figures::Key;
use linerate_core::plan::Rows;
use linerate_report::history as render;
use linerate_store::{Filter, PathSeries, PathSummary, Recent, RunMark, Store};

use super::{failed, load, opened};
use crate::cli::Conditions;
use crate::context::Context;
use crate::screen::{columns, note, show as print};
use crate::trouble::Trouble;

/// How many values a sparkline has.
const RECENT: usize = 30;
/// Of so many runs of a path the list says whether they changed.
const LATEST: u32 = 60;

/// Every path.
pub(super) fn list(conditions: &Conditions, context: &Context) -> Result<ExitCode, Trouble> {
    let Some(mut store) = context.history.existing()? else {
        note("nothing is recorded yet; add --record to `linerate measure`, `stream` or `rr`");
        return Ok(ExitCode::SUCCESS);
    };
    let listed = listed(&mut store, &conditions.filter())?;
    if listed.is_empty() {
        note("no run meets these conditions; `linerate history` without any lists all");
    } else {
        print(&render::list(&listed).text(columns(), Rows::Short))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Every path as the list shows it: of the latest runs, and of one figure, so that it is there at once.
fn listed(store: &mut Store, filter: &Filter) -> Result<Vec<render::Listed>, Trouble> {
    let summaries = store.paths(filter, &Recent::default()).map_err(failed)?;
    let latest = Filter { newest: Some(LATEST), ..filter.clone() };
    let all = store.series(None, &latest).map_err(failed)?;
    let searched: Vec<Path> = all.iter().map(path).collect();
    let found = searched.iter().zip(changes(&searched));
    let mut by_path: BTreeMap<String, (&Path, PathChanges)> =
        found.map(|(path, changes)| (path.id().to_owned(), (path, changes))).collect();
    let row = |summary: PathSummary| {
        let id = summary.fingerprint.id().to_string();
        let (recent, changes) = by_path
            .remove(&id)
            .map(|(path, changes)| (path.figures().first().map(recent), Some(changes)))
            .unwrap_or_default();
        render::Listed {
            name: summary.fingerprint.name,
            id,
            runs: summary.runs,
            began_us: [summary.first_us, summary.last_us],
            baseline: summary.baseline,
            recent,
            changes,
        }
    };
    Ok(summaries.into_iter().map(row).collect())
}

/// The shown figure of a path, as the search for changes takes it.
fn path(series: &PathSeries) -> Path {
    let run = |mark: &RunMark| Run { id: mark.id.clone(), started_us: mark.started_us, facts: Vec::new() };
    let keys: Vec<Key> = series.series.iter().filter_map(|course| course.key.parse().ok()).collect();
    let figure = Key::headline(&keys).and_then(|key| {
        let course = series.series.iter().find(|course| course.key == key.to_string())?;
        let mut values = vec![None; series.runs.len()];
        course.points.iter().for_each(|point| values[point.run] = Some(point.value));
        Some(FigureValues { key: key.clone(), values })
    });
    Path::new(
        &series.fingerprint.id().to_string(),
        series.runs.iter().map(run).collect(),
        figure.into_iter().collect(),
    )
    .unwrap_or_else(|error| unreachable!("the figure has a value for each run: {error}"))
}

/// The last values of a figure; runs without one leave a gap.
fn recent(figure: &FigureValues) -> (Key, Vec<f64>) {
    let from = figure.values.len().saturating_sub(RECENT);
    (figure.key.clone(), figure.values[from..].iter().map(|value| value.unwrap_or(f64::NAN)).collect())
}

/// The runs of one path.
pub(super) fn show(
    path: &str,
    figures: &[Key],
    (rows, conditions): (Option<Rows>, &Conditions),
    context: &Context,
) -> Result<ExitCode, Trouble> {
    let mut store = opened(context)?;
    store.find_path(path).map_err(failed)?;
    let keys = (!figures.is_empty()).then_some(figures);
    for history in load::histories(&mut store, Some(path), &conditions.filter())? {
        print(&render::document(&history, keys).text(columns(), rows.unwrap_or_default()))?;
    }
    Ok(ExitCode::SUCCESS)
}
