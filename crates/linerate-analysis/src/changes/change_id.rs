//! Which change of a later search is one of an earlier: with new runs a change may move a little.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use super::event::Kind;
use super::path::Path;
use crate::figures::Key;

/// A change is the same if it is at most this many runs from where it was.
const REACH: usize = 3;

/// What a change is known by, as it is kept with a decision about it. As text a JSON list, such as
/// `["step","ping-pong/latency","1:5f1c93…","0199c0de-…",1735689600000000,1735689600000000]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeId {
    /// What kind of change.
    pub kind: Kind,
    /// The figure.
    pub figure: Key,
    /// The path, as [`Path::id`] has it.
    pub path: String,
    /// The first run after it, or of a drift.
    pub run: String,
    /// When that run began, should it be deleted one day. Unit: microseconds since 1970-01-01 UTC.
    pub started_us: i64,
    /// When the last run of a drift began. The same as `started_us` for other changes.
    pub until_us: i64,
}

impl ChangeId {
    /// Eight hexadecimal digits of its SHA-256, for people to copy.
    #[must_use]
    pub fn short(&self) -> String {
        Sha256::digest(self.to_string()).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
    }

    /// That of a change of a figure, with its first and last run.
    pub(super) fn new(path: &Path, figure: &Key, kind: Kind, [from, to]: [usize; 2]) -> Self {
        let runs = path.runs();
        Self {
            kind,
            figure: figure.clone(),
            path: path.id().to_owned(),
            run: runs[from].id.clone(),
            started_us: runs[from].started_us,
            until_us: runs[to].started_us,
        }
    }
}

impl fmt::Display for ChangeId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, figure, path, run, started_us, until_us } = self;
        let list = (kind, figure.to_string(), path, run, started_us, until_us);
        out.write_str(&serde_json::to_string(&list).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for ChangeId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A text that names no change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' names no change")]
pub struct ParseChangeIdError(String);

impl FromStr for ChangeId {
    type Err = ParseChangeIdError;

    fn from_str(text: &str) -> Result<Self, ParseChangeIdError> {
        let wrong = || ParseChangeIdError(text.to_owned());
        let list: (Kind, String, String, String, i64, i64) =
            serde_json::from_str(text).map_err(|_| wrong())?;
        let (kind, figure, path, run, started_us, until_us) = list;
        Ok(Self { kind, figure: figure.parse().map_err(|_| wrong())?, path, run, started_us, until_us })
    }
}

/// For each of the `later` changes of a path the index of the earlier one that it is, if any.
///
/// The same figure, and at most three runs away as the runs of `path` are now; drifts also if they share
/// some time. A step may turn out to be a drift, but a change of spread is another thing. Each is matched
/// once, the nearest first. An earlier one of another path counts if its run is now on this one: paths
/// were merged.
#[must_use]
pub fn match_changes(path: &Path, earlier: &[ChangeId], later: &[ChangeId]) -> Vec<Option<usize>> {
    let mut pairs = Vec::new();
    let earlier_at: Vec<_> = earlier.iter().map(|id| place_on(path, id)).collect();
    let later_at: Vec<_> = later.iter().map(|id| place_on(path, id)).collect();
    for (new, (later, at)) in later.iter().zip(&later_at).enumerate() {
        for (old, (earlier, was)) in earlier.iter().zip(&earlier_at).enumerate() {
            let (Some(at), Some(was)) = (at, was) else { continue };
            if may_be_same(earlier, later, at.abs_diff(*was)) {
                pairs.push((at.abs_diff(*was), new, old));
            }
        }
    }
    pairs.sort_unstable();
    let (mut matched, mut taken) = (vec![None; later.len()], vec![false; earlier.len()]);
    for (_, new, old) in pairs {
        if matched[new].is_none() && !taken[old] {
            matched[new] = Some(old);
            taken[old] = true;
        }
    }
    matched
}

/// Whether two changes, this many runs apart, may be the same.
fn may_be_same(one: &ChangeId, other: &ChangeId, apart: usize) -> bool {
    let spread = [one, other].map(|id| id.kind == Kind::Spread);
    if one.figure != other.figure || spread[0] != spread[1] {
        return false;
    }
    let drifts = one.kind == Kind::Drift && other.kind == Kind::Drift;
    let overlap = one.started_us <= other.until_us && other.started_us <= one.until_us;
    apart <= REACH || (drifts && overlap)
}

/// Where a change is among the runs of the path, or where its run would be. Absent on another path.
fn place_on(path: &Path, id: &ChangeId) -> Option<usize> {
    let runs = path.runs();
    let found = runs.iter().position(|run| run.id == id.run);
    found.or_else(|| {
        (id.path == path.id()).then(|| runs.partition_point(|run| run.started_us < id.started_us))
    })
}
