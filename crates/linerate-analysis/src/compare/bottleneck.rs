//! Whether the bottleneck moved from one side to the other.

use serde::{Deserialize, Serialize};

use super::sides::Sides;
use crate::explain::{Band, Bound, explain};
use crate::figures::{Better, Key};
use crate::report::NamedRun;

/// What limits each side at the figure by which they are compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bottlenecks {
    /// Of each side, what it is called.
    pub names: [String; 2],
    /// Whether it is another one.
    pub moved: bool,
}

/// The bottlenecks of both sides at the figure `key`. Absent if it cannot be told of one of them.
pub(super) fn bottlenecks(sides: &Sides<'_>, key: &Key) -> Option<Bottlenecks> {
    let [base, candidate] = sides.runs.each_ref().map(|runs| of_side(runs, key));
    let (base, candidate) = (base?, candidate?);
    Some(Bottlenecks { moved: !base.is_like(candidate), names: [base, candidate].map(|it| it.to_string()) })
}

/// What limits the runs of a side: at least half of them say so, and none says anything else.
fn of_side(runs: &[&NamedRun], key: &Key) -> Option<Bound> {
    let told: Vec<Bound> = runs.iter().filter_map(|named| of_run(named, key)).collect();
    let first = *told.first()?;
    let agreed = told.iter().all(|bound| bound.is_like(first));
    (agreed && 2 * told.len() >= runs.len()).then_some(first)
}

/// Of a curve that of its largest sizes where more is better, and otherwise that of its smallest.
fn of_run(named: &NamedRun, key: &Key) -> Option<Bound> {
    let explained = explain(&named.run).ok()?;
    if let Some(curve) = explained.curves.iter().find(|curve| curve.pattern.name() == key.subject) {
        let largest = key.figure.better() == Better::More;
        let band: Option<&Band> = if largest { curve.bands.last() } else { curve.bands.first() };
        return band?.verdict;
    }
    let is_subject = |name: &str| name == key.subject || name.is_empty();
    explained.loads.iter().find(|load| is_subject(&load.name))?.verdict
}
