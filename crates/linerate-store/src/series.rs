//! The figures of all runs as series, for charts and for the search for changes.

use std::collections::BTreeMap;

use crate::database::Session;
use crate::error::StoreError;
use crate::filter::Condition;
use crate::path::load as load_paths;
use crate::record::{Better, Fingerprint};

/// A path with its runs and the course of its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct PathSeries {
    /// What its runs have in common.
    pub fingerprint: Fingerprint,
    /// Its runs, in the order in which they began.
    pub runs: Vec<RunMark>,
    /// Its figures, by name.
    pub series: Vec<Series>,
}

/// A run of a series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunMark {
    /// Its id.
    pub id: String,
    /// When it began. Unit: microseconds since the epoch.
    pub started_us: i64,
    /// Changes whenever a fact does: kernel, driver, settings. Means nothing by itself.
    pub environment: i64,
}

/// One figure over the runs of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The figure.
    pub key: String,
    /// Which values are better, as the latest run has it.
    pub better: Option<Better>,
    /// Its values, in the order of the runs. Runs without it are left out.
    pub points: Vec<Point>,
}

/// The value of a figure in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Which of [`PathSeries::runs`].
    pub run: usize,
    /// The value.
    pub value: f64,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end of its interval.
    pub high: Option<f64>,
}

/// A figure of one run, before it is sorted.
struct Given {
    path: usize,
    name: i64,
    point: Point,
    better: Option<Better>,
}

/// The course of every figure of the runs that meet `condition`. Five statements in all.
pub(crate) fn load(
    session: &mut dyn Session,
    condition: &Condition<'_>,
) -> Result<Vec<PathSeries>, StoreError> {
    let (mut paths, places) = runs(session, condition)?;
    let names = session
        .all("SELECT number, name FROM figure_name", &[], |row| Ok((row.integer(0)?, row.text(1)?)))?;
    let names: BTreeMap<i64, String> = names.into_iter().collect();
    let mut given = Vec::new();
    let sql = format!(
        "SELECT run, name, value, low, high, better FROM figure WHERE run IN (SELECT r.number FROM run r WHERE {})",
        condition.sql
    );
    session.each(&sql, &condition.values, &mut |row| {
        if let Some(&(path, run)) = places.get(&row.integer(0)?) {
            let (low, high) = (row.maybe_real(3)?, row.maybe_real(4)?);
            let point = Point { run, value: row.real(2)?, low, high };
            given.push(Given { path, name: row.integer(1)?, point, better: Better::of(row.integer(5)?) });
        }
        Ok(())
    })?;
    given.sort_unstable_by_key(|given| (given.path, given.name, given.point.run));
    for same in given.chunk_by(|a, b| (a.path, a.name) == (b.path, b.name)) {
        let last = &same[same.len() - 1];
        paths[last.path].series.push(Series {
            key: names.get(&last.name).cloned().unwrap_or_default(),
            better: last.better,
            points: same.iter().map(|given| given.point).collect(),
        });
    }
    for path in &mut paths {
        path.series.sort_by(|a, b| a.key.cmp(&b.key));
    }
    Ok(paths)
}

/// The place of a run: of its path in the list, and among the runs of that path.
type Places = BTreeMap<i64, (usize, usize)>;

/// The runs that meet `condition`, by path and in their order; and where each of them is.
fn runs(
    session: &mut dyn Session,
    condition: &Condition<'_>,
) -> Result<(Vec<PathSeries>, Places), StoreError> {
    let sql = format!(
        "SELECT r.number, r.shown, r.id, r.started_us, r.environment FROM run r WHERE {}",
        condition.sql
    );
    let mut rows = session.all(&sql, &condition.values, |row| {
        let mark = RunMark { id: row.text(2)?, started_us: row.integer(3)?, environment: row.integer(4)? };
        Ok((row.integer(1)?, mark, row.integer(0)?))
    })?;
    let fingerprints = load_paths(session)?;
    let name = |number: i64| fingerprints.get(&number).map(|path| (path.name.as_str(), path.id()));
    rows.sort_by(|(a, one, _), (b, other, _)| {
        let (of_a, of_b) = if a == b { (None, None) } else { (name(*a), name(*b)) };
        (of_a, one.started_us, &one.id).cmp(&(of_b, other.started_us, &other.id))
    });
    let (mut paths, mut places) = (Vec::new(), Places::new());
    for same in rows.chunk_by(|(a, ..), (b, ..)| a == b) {
        let fingerprint = fingerprints.get(&same[0].0).cloned().unwrap_or_default();
        let marks = same.iter().map(|(_, mark, _)| mark.clone()).collect();
        places.extend(same.iter().enumerate().map(|(run, (_, _, number))| (*number, (paths.len(), run))));
        paths.push(PathSeries { fingerprint, runs: marks, series: Vec::new() });
    }
    Ok((paths, places))
}
