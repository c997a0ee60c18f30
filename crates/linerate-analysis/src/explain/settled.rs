//! What moved when one thing was changed.

use std::ops::RangeInclusive;

use serde::Serialize;

use super::bound::Bound;
use super::change::{Change, Expected};
use super::verdict::Tried;
use crate::inference::Welch;
use linerate_core::run::{Changed, Turns};
use linerate_core::series::Point;
use linerate_core::stats::median;
use linerate_core::traffic::{Latency, Transfer};

/// An interval of a ratio holds it with this probability of being wrong.
const ALPHA: f64 = 0.05;
/// What changes by less than this part moves nothing that matters.
const MOVES: f64 = 0.05;

/// What moved when one thing was changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Settled {
    /// What was changed, as flags say it.
    pub change: String,
    /// What limits the part that was measured again, if the change can tell.
    pub bound: Option<Bound>,
    /// Whether that is so. Absent where the change cannot tell, or the turns differ too much.
    pub confirmed: Option<bool>,
    /// What was looked at.
    pub moved: Vec<Moved>,
    /// Why it ended before its time, if it did.
    pub failed: Option<String>,
}

/// What moved of one figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moved {
    /// What it is.
    pub figure: Figure,
    /// With the change over without.
    pub ratio: f64,
    /// Its 95 % interval from turn to turn. Absent with fewer than two turns.
    pub interval: Option<[f64; 2]>,
    /// What that is.
    pub outcome: Outcome,
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// The time of a message of so many bytes.
    Time {
        /// Unit: bytes.
        size_bytes: u64,
    },
    /// What passes in all flows of a load, both ways together.
    Throughput,
    /// The median of requests.
    Latency,
    /// The smoothed round trip of a load's flows.
    RoundTrip,
}

/// Whether a figure moved.
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

/// What moved in each change of a run, of which `changes` are those that settle something.
pub(super) fn settled(changed: &[Changed], changes: &[Change]) -> Vec<Settled> {
    let of = |changed: &Changed| {
        let moved = moved(&changed.usual, &changed.changed);
        let change = changes.iter().find(|change| change.to_string() == changed.change);
        Settled {
            change: changed.change.clone(),
            bound: change.map(|change| change.bound),
            confirmed: change.and_then(|change| is_confirmed(change.expected(), &moved)),
            moved,
            failed: changed.failed.clone(),
        }
    };
    changed.iter().map(of).collect()
}

/// Whether what was expected of a bound that binds has come. One of several sizes suffices: each has a bound of its own.
fn is_confirmed(expected: Expected, moved: &[Moved]) -> Option<bool> {
    let queue = |it: &&Moved| (it.figure == Figure::RoundTrip) == (expected == Expected::NoQueue);
    let outcomes: Vec<Outcome> = moved.iter().filter(queue).map(Moved::gain).collect();
    let all = |is: Outcome| !outcomes.is_empty() && outcomes.iter().all(|it| *it == is);
    match expected {
        Expected::Faster | Expected::NoQueue if outcomes.contains(&Outcome::Rose) => Some(true),
        Expected::Faster if all(Outcome::Same) => Some(false),
        Expected::NoFaster if outcomes.contains(&Outcome::Rose) => Some(false),
        _ => None,
    }
}

impl Settled {
    /// What came of the changes that are about this bottleneck: one that speaks against it outweighs those that confirm it. Absent if
    /// none could tell.
    pub(super) fn tried(all: &[Self], bottleneck: &str) -> Option<Tried> {
        let of_it = all.iter().filter(|it| it.bound.is_some_and(|bound| bound.id() == bottleneck));
        let told = of_it.filter_map(|it| Some((it.confirmed?, &it.change)));
        let (confirmed, change) = told.min_by_key(|(confirmed, _)| *confirmed)?;
        Some(Tried { change: change.clone(), confirmed })
    }

    /// By how much it moved what moved most, as the logarithm of the ratio.
    pub(super) fn moved_by(&self) -> f64 {
        self.moved.iter().map(|it| it.ratio.ln().abs()).fold(0.0, f64::max)
    }

    /// Whether it changed messages of such sizes, and no others. Unit: bytes.
    pub(super) fn is_about(&self, sizes: RangeInclusive<u64>) -> bool {
        self.moved.iter().all(|it| match it.figure {
            Figure::Time { size_bytes } => sizes.contains(&size_bytes),
            Figure::Throughput | Figure::Latency | Figure::RoundTrip => false,
        })
    }
}

impl Moved {
    /// What moved for the better has risen.
    fn gain(&self) -> Outcome {
        match (self.figure, self.outcome) {
            (Figure::Throughput, outcome) => outcome,
            (_, Outcome::Fell) => Outcome::Rose,
            (_, Outcome::Rose) => Outcome::Fell,
            (_, outcome) => outcome,
        }
    }
}

/// What moved of everything that both have.
fn moved(usual: &Turns, changed: &Turns) -> Vec<Moved> {
    match (usual, changed) {
        (Turns::Sizes(usual), Turns::Sizes(changed)) => {
            let pairs = usual.points.iter().filter_map(|point| {
                let other = changed.points.iter().find(|other| other.size == point.size)?;
                let times = [point, other].map(Point::medians_of_passes);
                Moved::of(Figure::Time { size_bytes: point.size }, times)
            });
            pairs.collect()
        }
        (Turns::Loads(usual), Turns::Loads(changed)) => {
            let moved = |figure, of: fn(&Transfer) -> Option<f64>| {
                Moved::of(figure, [usual, changed].map(|turns| turns.iter().filter_map(of).collect()))
            };
            let all = [
                moved(Figure::Throughput, throughput),
                moved(Figure::Latency, latency),
                moved(Figure::RoundTrip, round_trip),
            ];
            all.into_iter().flatten().collect()
        }
        (Turns::Sizes(_), Turns::Loads(_)) | (Turns::Loads(_), Turns::Sizes(_)) => Vec::new(),
    }
}

/// What passed of bulk, both ways together. Unit: bit/s.
fn throughput(transfer: &Transfer) -> Option<f64> {
    let rates = transfer.summaries().into_iter().map(|sum| Some(sum.rate?.bits_per_second()));
    rates.sum::<Option<f64>>().filter(|rate| *rate > 0.0)
}

/// The median of all requests. Unit: picoseconds.
fn latency(transfer: &Transfer) -> Option<f64> {
    let all = Latency::together(&transfer.latencies);
    Some(all.service.resolved(0.5)?.as_ps() as f64)
}

/// The median of the senders' looks at their round trips. Unit: picoseconds.
fn round_trip(transfer: &Transfer) -> Option<f64> {
    let looks = transfer.flows.iter().flat_map(|flow| &flow.sender.tcp);
    median(looks.map(|look| look.rtt.as_ps() as f64).filter(|rtt| *rtt > 0.0))
}

impl Moved {
    /// What is known of `figure`, in each turn without the change and in each with it. Absent unless both have turns.
    fn of(figure: Figure, turns: [Vec<f64>; 2]) -> Option<Self> {
        let [before, after] =
            turns.map(|turns| turns.iter().map(|it| it.max(1.0).ln()).collect::<Vec<f64>>());
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
        Some(Self { figure, ratio, interval, outcome })
    }
}
