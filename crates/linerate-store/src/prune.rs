//! Old curves are dropped by a stated rule.

use std::collections::{BTreeMap, BTreeSet};

use crate::database::{Session, Value};
use crate::error::StoreError;

/// The rule by which runs lose their curves. Figures, facts and tags stay.
///
/// Of the runs of a path that are older than the limit, one in each period keeps its curve: the one whose
/// content hash is the least, which does not depend on what was measured and stays the same however often
/// the rule is applied. So do runs that are protected, tagged by hand, or of a baseline, and the first and
/// the last run of each environment (between two of which some fact changed). Tags that a run brought with
/// it do not count: whoever labels every run would never prune one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thinning {
    /// Only runs that began before. Unit: microseconds since the epoch.
    pub before_us: i64,
    /// The period. Unit: microseconds; at least 1.
    pub period_us: i64,
    /// Ids of runs that keep their curves: those beside a change.
    pub protected: BTreeSet<String>,
}

/// A run that lost its curve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pruned {
    /// Its id.
    pub id: String,
    /// When it began. Unit: microseconds since the epoch.
    pub started_us: i64,
    /// Its run file, which is left alone.
    pub file: String,
    /// How long the curve was. Unit: bytes.
    pub curve_bytes: u64,
}

/// A run as the rule sees it.
#[derive(Clone, Debug)]
struct Candidate {
    number: i64,
    path: i64,
    environment: i64,
    content: String,
    marked: bool,
    /// What would be said of it. Without a curve, nothing.
    pruned: Pruned,
}

/// The runs that lose their curves by `rule`, with their numbers.
pub(crate) fn plan(session: &mut dyn Session, rule: &Thinning) -> Result<Vec<(i64, Pruned)>, StoreError> {
    let sql = "SELECT r.number, r.shown, r.environment, r.content, r.id, r.started_us, r.file, \
               coalesce(CAST(length(k.bytes) AS BIGINT), 0), CAST(CASE WHEN b.run IS NOT NULL OR EXISTS (SELECT \
               1 FROM tag t WHERE t.run = r.number AND t.by_hand = 1) THEN 1 ELSE 0 END AS BIGINT) FROM run r \
               LEFT JOIN curve k ON k.run = r.number LEFT JOIN baseline b ON b.run = r.number ORDER BY r.shown, r.started_us, r.id";
    let runs = session.all(sql, &[], |row| {
        let pruned = Pruned {
            id: row.text(4)?,
            started_us: row.integer(5)?,
            file: row.text(6)?,
            curve_bytes: row.count(7)?,
        };
        Ok(Candidate {
            number: row.integer(0)?,
            path: row.integer(1)?,
            environment: row.integer(2)?,
            content: row.text(3)?,
            marked: row.integer(8)? != 0,
            pruned,
        })
    })?;
    Ok(runs.chunk_by(|a, b| a.path == b.path).flat_map(|path| of_path(path, rule)).collect())
}

/// The runs of one path, in their order, that lose their curves.
fn of_path(runs: &[Candidate], rule: &Thinning) -> Vec<(i64, Pruned)> {
    let period = |run: &Candidate| run.pruned.started_us.div_euclid(rule.period_us.max(1));
    let mut kept: BTreeMap<i64, &Candidate> = BTreeMap::new();
    for run in runs {
        let least = kept.entry(period(run)).or_insert(run);
        if run.content < least.content {
            *least = run;
        }
    }
    let changes_at = |place: usize| runs.get(place).map(|run| run.environment);
    let at_an_end = |place: usize| {
        let own = changes_at(place);
        place == 0 || changes_at(place - 1) != own || changes_at(place + 1) != own
    };
    let goes = |(place, run): &(usize, &Candidate)| {
        run.pruned.curve_bytes > 0
            && run.pruned.started_us < rule.before_us
            && !run.marked
            && !rule.protected.contains(&run.pruned.id)
            && !at_an_end(*place)
            && kept.get(&period(run)).is_some_and(|kept| kept.number != run.number)
    };
    runs.iter().enumerate().filter(goes).map(|(_, run)| (run.number, run.pruned.clone())).collect()
}

/// Drops the curves of the runs that `rule` chooses; says which.
pub(crate) fn prune(session: &mut dyn Session, rule: &Thinning) -> Result<Vec<Pruned>, StoreError> {
    let chosen = plan(session, rule)?;
    for chunk in chosen.chunks(RUNS_AT_ONCE) {
        let places = (1..=chunk.len()).map(|place| format!("?{place}")).collect::<Vec<_>>().join(", ");
        let values: Vec<_> = chunk.iter().map(|(number, _)| Value::Integer(*number)).collect();
        session.execute(&format!("DELETE FROM curve WHERE run IN ({places})"), &values)?;
    }
    Ok(chosen.into_iter().map(|(_, pruned)| pruned).collect())
}

/// How many runs one statement names.
const RUNS_AT_ONCE: usize = 500;
