//! What all ranks did together, by collective, algorithm and size.

use serde::Serialize;

use linerate_core::mesh::CollectiveTimes;
use linerate_core::units::Span;

/// A collective by one algorithm at one size.
#[derive(Clone, Debug, Serialize)]
pub struct CollectiveRow {
    /// Which, such as `allreduce`.
    pub collective: String,
    /// By which algorithm, such as `ring`.
    pub algorithm: String,
    /// Unit: bytes. See [`CollectiveTimes::bytes`].
    pub bytes: u64,
    /// Ranks that took part and have times.
    pub ranks: usize,
    /// The mean over the ranks of the mean time of a call. Unit: us.
    pub mean_us: Option<f64>,
    /// The same of the fastest rank. Unit: us.
    pub min_us: Option<f64>,
    /// The same of the slowest rank. Unit: us.
    pub max_us: Option<f64>,
    /// Calls.
    pub calls: u64,
    /// The time until the last rank was done, the mean over the calls. Unit: us. Absent without a call.
    pub slowest_mean_us: Option<f64>,
    /// The same for the 99th percentile. Unit: us.
    pub slowest_p99_us: Option<f64>,
    /// What the wire of a rank must carry. Unit: Mb/s. See [`CollectiveTimes::bus_mbps`].
    pub bus_mbps: Option<f64>,
    /// Messages that all ranks sent for one call. Absent if a library sent them.
    pub sent_messages: Option<u64>,
    /// Their payload. Unit: bytes.
    pub sent_bytes: Option<u64>,
}

/// The rows of all, in the order in which they were measured.
pub(super) fn rows(all: &[CollectiveTimes]) -> Vec<CollectiveRow> {
    all.iter().map(row).collect()
}

fn row(one: &CollectiveTimes) -> CollectiveRow {
    let over_ranks = one.over_ranks().map(|spans| spans.map(Span::as_us));
    let slowest = |span: Span| (one.slowest.messages > 0).then(|| span.as_us());
    CollectiveRow {
        collective: one.collective.clone(),
        algorithm: one.algorithm.clone(),
        bytes: one.bytes,
        ranks: one.means.iter().flatten().count(),
        mean_us: over_ranks.map(|[mean, _, _]| mean),
        min_us: over_ranks.map(|[_, min, _]| min),
        max_us: over_ranks.map(|[_, _, max]| max),
        calls: one.slowest.messages,
        slowest_mean_us: slowest(one.slowest.mean),
        slowest_p99_us: slowest(one.slowest.p99),
        bus_mbps: one.bus_mbps(),
        sent_messages: one.sent.map(|sent| sent.messages),
        sent_bytes: one.sent.map(|sent| sent.bytes),
    }
}
