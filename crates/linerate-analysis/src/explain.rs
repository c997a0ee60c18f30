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
pub use change::Change;
pub use loads::ExplainedLoad;
pub use settle::Advice;
pub use settled::{Moved, Outcome, Settled};
pub use verdict::{LIMITED_BY, Reached, Rival, RunVerdict, trouble};

use facts::Setting;

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
    Ok(Explanation { curves, settled: settled::settled(run), loads })
}

/// What can be changed to settle the bands of the curve of `run`: one thing each, for the middle size of the bands
/// that it is about.
#[must_use]
pub fn changes(run: &Run) -> Vec<Change> {
    let curves: Vec<ExplainedCurve> =
        run.series.iter().filter_map(|series| explain_curve(run, series)).collect();
    let mut changes: Vec<Change> = Vec::new();
    for band in curves.iter().flat_map(|curve| &curve.bands) {
        // Where it cannot be told, the first two are on trial.
        let bounds = match band.verdict {
            Some(bound) => vec![bound],
            None => band.candidates.iter().take(2).map(|it| it.bound).collect(),
        };
        for change in bounds.into_iter().filter_map(|bound| Change::of(bound, run, band.middle_bytes)) {
            match changes.iter_mut().find(|known| known.is_like(&change)) {
                Some(known) if known.sizes.contains(&band.middle_bytes) => {}
                Some(known) => known.sizes.push(band.middle_bytes),
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
    let facts = facts::facts(&setting, series);
    let sizes = facts.iter().map(|facts| {
        let candidates = match &facts.observed {
            None => unobserved::candidates(&setting, facts),
            Some(_) if facts.in_bursts => pipelined::in_bursts(facts),
            Some(observed) if series.pattern.overlaps() => pipelined::candidates(&setting, facts, observed),
            Some(observed) => serial::candidates(&setting, facts, observed),
        };
        (facts.size, candidates)
    });
    let bands = band::bands(sizes.collect());
    (!bands.is_empty()).then(|| ExplainedCurve {
        pattern: series.pattern,
        bands,
        missing: facts::missing(&setting, &facts),
    })
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
