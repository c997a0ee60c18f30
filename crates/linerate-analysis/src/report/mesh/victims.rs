//! What a load does to those who ask beside it.

use serde::Serialize;

use linerate_core::mesh::Victim;

/// How much later answers come beside a load.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Victims {
    /// How many pairs asked.
    pub pairs: usize,
    /// The median over the pairs of how many times as long the mean takes beside the load.
    pub mean_slowdown: f64,
    /// The same for the 99th percentile.
    pub p99_slowdown: f64,
    /// The pair whose 99th percentile grew most, by how many times.
    pub worst_p99_slowdown: f64,
}

/// Absent if none were measured.
pub(super) fn victims(all: &[Victim]) -> Option<Victims> {
    let ratio = |of: fn(&linerate_core::mesh::Tail) -> linerate_core::units::Span| {
        all.iter()
            .map(move |one| of(&one.loaded).as_seconds() / of(&one.alone).as_seconds().max(f64::MIN_POSITIVE))
    };
    let (means, tails) = (ratio(|tail| tail.mean), ratio(|tail| tail.p99));
    Some(Victims {
        pairs: all.len(),
        mean_slowdown: linerate_core::stats::median(means)?,
        p99_slowdown: linerate_core::stats::median(tails.clone())?,
        worst_p99_slowdown: tails.max_by(f64::total_cmp)?,
    })
}
