//! What tracing itself costs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stats::median;

/// The round trips of one turn, without the trace and with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundTrips {
    /// Without. Unit: nanoseconds.
    pub untraced_ns: Vec<u64>,
    /// With. Unit: nanoseconds.
    pub traced_ns: Vec<u64>,
}

/// How much longer a round trip takes with the trace, as a share: 0.02 is 2 % longer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Overhead {
    /// The median over the turns.
    pub median: f64,
    /// The least and the most of a turn.
    pub range: [f64; 2],
    /// How many turns.
    pub turns: usize,
}

impl Overhead {
    /// From the medians of each of `turns`. Absent if no turn has both.
    #[must_use]
    pub fn of(turns: &[RoundTrips]) -> Option<Self> {
        let mut ratios: Vec<f64> = turns
            .iter()
            .filter_map(|turn| Some(middle(&turn.traced_ns)? / middle(&turn.untraced_ns)? - 1.0))
            .collect();
        ratios.sort_by(f64::total_cmp);
        let (low, high) = (*ratios.first()?, *ratios.last()?);
        Some(Self { median: median(ratios.iter().copied())?, range: [low, high], turns: ratios.len() })
    }
}

fn middle(times: &[u64]) -> Option<f64> {
    median(times.iter().map(|ns| *ns as f64)).filter(|ns| *ns > 0.0)
}
