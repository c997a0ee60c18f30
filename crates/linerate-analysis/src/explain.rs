//! Which bound binds: what the time of messages of each size, or of a load, went into.
//!
//! Everything is computed from a stored run: an old file is explained without its hosts. For every size each
//! bound has a share of the time that it accounts for, or the reason why that is not known. Sizes with the same
//! bound are a [`Band`]. A verdict names its evidence, the rivals and what would settle it; where two bounds
//! account for about as much, there is no verdict.

mod band;
mod bound;
mod candidate;
mod change;
mod facts;
mod loads;
mod pipelined;
mod processors;
mod serial;
mod settle;
mod settled;
mod tcp;
#[cfg(test)]
mod tests;
mod unobserved;
mod verdict;
mod words;

use serde::Serialize;

use linerate_core::pattern::Pattern;
use linerate_core::run::Run;
use linerate_core::series::Series;

pub use band::{Band, Certainty};
pub use bound::{Bound, Cost, Which};
pub use candidate::Candidate;
pub use change::{Change, Part};
pub use loads::ExplainedLoad;
pub use settle::Advice;
pub use settled::{Figure, Moved, Outcome, Settled};
pub use verdict::{LIMITED_BY, Reached, Rival, RunVerdict, Tried, trouble};

use facts::{Facts, Setting, Timed};

/// What explains a run.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// Its curves, in their order.
    pub curves: Vec<ExplainedCurve>,
    /// What moved when one thing was changed, if that was tried.
    pub settled: Vec<Settled>,
    /// Its loads.
    pub loads: Vec<ExplainedLoad>,
}

/// What explains a curve.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedCurve {
    /// Who sent when.
    pub pattern: Pattern,
    /// From small to large sizes.
    pub bands: Vec<Band>,
    /// What the file does not say and would have helped, in short sentences.
    pub missing: Vec<String>,
}

/// Why a run cannot be explained. Displayed after "failed to explain it: ...".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unexplained {
    /// It is of another kind.
    #[error("it holds {0}, and what can be explained are curves, streams and requests")]
    Other(&'static str),
    /// Nothing was timed.
    #[error("it timed nothing")]
    Nothing,
}

/// Explains the curves and loads of `run`.
///
/// # Errors
///
/// If it holds neither, or nothing was timed.
pub fn explain(run: &Run) -> Result<Explanation, Unexplained> {
    let other = match (&run.mesh, &run.app) {
        (Some(_), _) => Some("a mesh"),
        (None, Some(_)) => Some("an application on ranks"),
        (None, None) => None,
    };
    if let Some(other) = other {
        return Err(Unexplained::Other(other));
    }
    let curves: Vec<_> = run.series.iter().filter_map(|series| explain_curve(run, series)).collect();
    let loads: Vec<_> = run.transfers.iter().map(|transfer| loads::explain_load(run, transfer)).collect();
    if curves.is_empty() && loads.is_empty() {
        return Err(Unexplained::Nothing);
    }
    let changes = if run.changed.is_empty() { Vec::new() } else { changes_of(run, &curves, &loads) };
    Ok(Explanation { settled: settled::settled(&run.changed, &changes), curves, loads })
}

/// What can be changed to settle what limits `run`: one thing each, for the middle size of the bands of its curve that it is
/// about, or for the load that its verdict is about.
#[must_use]
pub fn changes(run: &Run) -> Vec<Change> {
    explain(run)
        .map_or_else(|_| Vec::new(), |Explanation { curves, loads, .. }| changes_of(run, &curves, &loads))
}

fn changes_of(run: &Run, curves: &[ExplainedCurve], loads: &[ExplainedLoad]) -> Vec<Change> {
    // Where it cannot be told, the first two are on trial.
    let on_trial = |verdict: Option<Bound>, candidates: &[Candidate]| match verdict {
        Some(bound) => vec![bound],
        None => candidates.iter().filter(|it| it.share.is_some()).take(2).map(|it| it.bound).collect(),
    };
    let bands = curves.iter().flat_map(|curve| &curve.bands);
    let of_bands =
        bands.map(|band| (Part::Sizes(vec![band.middle_bytes]), on_trial(band.verdict, &band.candidates)));
    let load = verdict::chosen(run, loads).map(|place| (place, &loads[place]));
    let of_load = load.map(|(place, load)| (Part::Load(place), on_trial(load.verdict, &load.candidates)));
    let mut changes: Vec<Change> = Vec::new();
    for (part, bounds) in of_bands.chain(of_load) {
        for change in bounds.into_iter().flat_map(|bound| Change::all(bound, run, &part)) {
            match changes.iter_mut().find(|known| known.is_like(&change)) {
                Some(known) => known.of.add(&part),
                None => changes.push(change),
            }
        }
    }
    changes
}

/// Absent if no size was timed.
fn explain_curve(run: &Run, series: &Series) -> Option<ExplainedCurve> {
    let mut setting = Setting::of(run, series.pattern);
    setting.path_byte = if series.pattern.overlaps() { None } else { path_byte(run) };
    let facts = facts::facts(&setting, Timed::points(series));
    let sizes = facts.iter().map(|facts| (facts.size, candidates(&setting, facts)));
    let bands = band::bands(sizes.collect());
    (!bands.is_empty()).then(|| ExplainedCurve {
        pattern: series.pattern,
        bands,
        missing: facts::missing(&setting, &facts),
    })
}

/// The share of every bound in the time of a message.
fn candidates(setting: &Setting<'_>, facts: &Facts) -> Vec<Candidate> {
    match &facts.observed {
        None => unobserved::candidates(setting, facts),
        Some(_) if facts.in_bursts => pipelined::in_bursts(facts),
        Some(observed) if setting.pattern.overlaps() => pipelined::candidates(setting, facts, observed),
        Some(observed) => serial::candidates(setting, facts, observed),
    }
}

/// What a byte takes of the path at the rate that it sustains one way, where that was measured and was the path's own. Unit: picoseconds.
fn path_byte(run: &Run) -> Option<f64> {
    let sustained = run.sustained.as_ref()?;
    let bands = explain_curve(run, sustained)?.bands;
    let is_the_path = bands.iter().all(|band| matches!(band.verdict, Some(Bound::PathRate | Bound::Link)));
    let times =
        sustained.points.iter().filter_map(|point| Some(point.time()?.median / point.size.max(1) as f64));
    times.reduce(f64::min).filter(|_| is_the_path)
}
