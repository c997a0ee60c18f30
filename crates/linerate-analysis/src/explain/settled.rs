//! What moved when one thing was changed.

use serde::Serialize;

use crate::inference::Welch;
use linerate_core::run::{Changed, Run};
use linerate_core::series::Point;

/// An interval of a ratio of times holds it with this probability of being wrong.
const ALPHA: f64 = 0.05;
/// A time that changes by less than this part moves nothing that matters.
const MOVES: f64 = 0.05;

/// What moved when one thing was changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Settled {
    /// What was changed, as flags say it.
    pub change: String,
    /// By size.
    pub sizes: Vec<Moved>,
    /// Why it ended before its time, if it did.
    pub failed: Option<String>,
}

/// What moved at one size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moved {
    /// Message size. Unit: bytes.
    pub size_bytes: u64,
    /// The time with the change over the time without.
    pub ratio: f64,
    /// Its 95 % interval from turn to turn. Absent with fewer than two turns.
    pub interval: Option<[f64; 2]>,
    /// What that is.
    pub outcome: Outcome,
}

/// Whether a time moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It fell by more than 5 %, chance apart.
    Fell,
    /// It rose by more than 5 %, chance apart.
    Rose,
    /// It moved by less than 5 %, chance apart.
    Same,
    /// The turns differ too much to tell.
    CannotTell,
}

/// What moved in each change of `run`.
pub(super) fn settled(run: &Run) -> Vec<Settled> {
    run.changed.iter().map(of).collect()
}

fn of(changed: &Changed) -> Settled {
    let pairs = changed.usual.points.iter().filter_map(|point| {
        let other = changed.changed.points.iter().find(|other| other.size == point.size)?;
        moved(point, other)
    });
    Settled { change: changed.change.clone(), sizes: pairs.collect(), failed: changed.failed.clone() }
}

fn moved(usual: &Point, changed: &Point) -> Option<Moved> {
    let [before, after] = [usual, changed].map(by_turn);
    let mean = |logs: &[f64]| (!logs.is_empty()).then(|| logs.iter().sum::<f64>() / logs.len() as f64);
    let ratio = (mean(&after)? - mean(&before)?).exp();
    let several = before.len() >= 2 && after.len() >= 2;
    let welch = several.then(|| Welch::new(&before, &after, None)).flatten();
    let interval = welch.map(|welch| welch.interval(ALPHA).map(f64::exp));
    let outcome = match interval {
        Some([_, high]) if high < 1.0 && ratio < 1.0 - MOVES => Outcome::Fell,
        Some([low, _]) if low > 1.0 && ratio > 1.0 + MOVES => Outcome::Rose,
        Some([low, high]) if low > 1.0 - MOVES && high < 1.0 + MOVES => Outcome::Same,
        _ => Outcome::CannotTell,
    };
    Some(Moved { size_bytes: usual.size, ratio, interval, outcome })
}

/// The logarithm of the time in each turn.
fn by_turn(point: &Point) -> Vec<f64> {
    point.medians_of_passes().into_iter().map(|time| time.max(1.0).ln()).collect()
}
