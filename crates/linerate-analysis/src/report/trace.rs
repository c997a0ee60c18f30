//! Where messages were, as a reader is shown it.

use serde::Serialize;

use super::NamedRun;
use linerate_core::stages::Clocks;
use linerate_core::trace::{
    Means, Message, Overhead, Point, Stage, TracedSize, Way, common_points, complete, middle, rank, stages,
};

/// The traced messages of a run.
#[derive(Clone, Debug, Serialize)]
pub struct TraceResult {
    /// What to call it.
    pub name: String,
    /// The index of its run.
    pub run: usize,
    /// What told of the messages: at the initiator and at the responder.
    pub means: Vec<Means>,
    /// The messages by size and way, sizes in the order in which they were traced.
    pub rows: Vec<TraceRow>,
}

/// The messages of one size and way.
#[derive(Clone, Debug, Serialize)]
pub struct TraceRow {
    /// Message size. Unit: bytes.
    pub size: u64,
    /// Which way they went.
    pub way: Way,
    /// How many were asked for.
    pub asked: u32,
    /// How many are in the stages: those with every point that the others have.
    pub messages: usize,
    /// During how many something was retransmitted.
    pub retransmitted: usize,
    /// From the call that sent a message to the one that had it; as the stages.
    pub whole: Option<Stage>,
    /// Mean of the whole over the middle ones of these. Unit: nanoseconds.
    pub mean_ns: f64,
    /// The stages in the order of the way.
    pub stages: Vec<Stage>,
    /// When the sender's call was over: median since it began. Unit: nanoseconds.
    pub returned_ns: Option<i64>,
    /// How the clocks of the ends are compared.
    pub clocks: Clocks,
    /// What the trace itself costs a round trip.
    pub overhead: Option<Overhead>,
    /// Events that were lost at both ends.
    pub lost_events: u64,
    /// What the kernel's timestamps of the same messages show more: medians on entry into the queueing discipline, at
    /// the driver and on arrival. Unit: nanoseconds.
    pub stamped_ns: [Option<i64>; 3],
}

/// The traced messages of every run, with stages between the points that all of them have: those of a model and of a
/// real host can be laid one over the other.
pub(super) fn results(runs: &[NamedRun]) -> Vec<TraceResult> {
    let traced =
        || runs.iter().enumerate().filter_map(|(run, named)| Some((run, named, named.run.trace.as_ref()?)));
    let points_of = |sizes: &[TracedSize]| -> Vec<Point> {
        let all: Vec<Vec<Point>> = sizes
            .iter()
            .flat_map(|size| [&size.there, &size.back].map(|messages| common_points(messages)))
            .collect();
        Point::ALL.into_iter().filter(|point| all.iter().any(|points| points.contains(point))).collect()
    };
    let known: Vec<Vec<Point>> = traced().map(|(_, _, trace)| points_of(&trace.sizes)).collect();
    let common: Vec<Point> =
        Point::ALL.into_iter().filter(|point| known.iter().all(|points| points.contains(point))).collect();
    traced()
        .map(|(run, named, trace)| TraceResult {
            name: named.name.clone(),
            run,
            means: trace.ends.iter().map(|end| end.means).collect(),
            rows: trace
                .sizes
                .iter()
                .flat_map(|size| [Way::There, Way::Back].map(|way| row(size, way, &common)))
                .collect(),
        })
        .collect()
}

fn row(size: &TracedSize, way: Way, allowed: &[Point]) -> TraceRow {
    let messages = size.messages(way);
    let points: Vec<Point> =
        common_points(messages).into_iter().filter(|point| allowed.contains(point)).collect();
    let complete = complete(messages, &points);
    let stamped = size.stamped.as_ref();
    let of = |pick: fn(&linerate_core::trace::Stamped) -> &Vec<i64>| {
        median(stamped.map_or(&[][..], |all| pick(all)))
    };
    TraceRow {
        size: size.size,
        way,
        asked: size.asked,
        messages: complete.len(),
        retransmitted: messages.iter().filter(|message| message.retransmitted).count(),
        whole: stages(complete.iter().copied(), &[Point::Call, Point::Taken]).pop(),
        mean_ns: mean_of(&middle(&complete)),
        stages: stages(complete.iter().copied(), &points),
        returned_ns: median(
            &messages.iter().filter_map(|message: &Message| message.returned_ns).collect::<Vec<_>>(),
        ),
        clocks: size.clocks,
        overhead: Overhead::of(&size.turns),
        lost_events: size.lost_events.iter().sum(),
        stamped_ns: [of(|all| &all.queued_ns), of(|all| &all.driven_ns), of(|all| &all.arrived_ns)],
    }
}

fn mean_of(messages: &[&Message]) -> f64 {
    messages.iter().map(|message| message.taken_ns as f64).sum::<f64>() / messages.len().max(1) as f64
}

fn median(values: &[i64]) -> Option<i64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    rank(&sorted, 0.5)
}
