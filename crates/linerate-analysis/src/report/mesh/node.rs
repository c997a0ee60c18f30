//! What each rank saw: the tails of its pairs, and what was lost.

use linerate_core::mesh::{Mesh, VisitStats};
use linerate_core::plan::{MeshSchedule, Probe};
use linerate_core::stats::median;

use super::view::SHOWN;
use super::{MeshUnit, probe_name};

/// The tail of the times of a pair or a rank, over all visits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairStats {
    /// Mean of the visits' means. Unit: microseconds.
    pub mean_us: Option<f64>,
    /// Median of the visits' 99th percentiles. Unit: microseconds.
    pub p99_us: Option<f64>,
    /// The longest of all. Unit: microseconds.
    pub longest_us: Option<f64>,
    /// Packets with payload that were sent.
    pub sent: Option<u64>,
    /// Those that were sent again because one was lost.
    pub retransmitted: Option<u64>,
}

impl PairStats {
    /// Of these visits.
    pub(super) fn of(visits: &[VisitStats]) -> Self {
        // A single time is the mean of many messages, and has no tail.
        let timed = || visits.iter().filter(|visit| visit.times > 1);
        let us = |seconds: f64| seconds * 1e6;
        let count = timed().count() as f64;
        let mean = timed().map(|visit| visit.mean.as_seconds()).sum::<f64>() / count;
        let segments = || visits.iter().filter_map(|visit| visit.segments);
        let is_known = segments().next().is_some();
        Self {
            mean_us: (count > 0.0).then(|| us(mean)),
            p99_us: median(timed().map(|visit| visit.p99.as_seconds())).map(us),
            longest_us: timed().map(|visit| visit.longest).max().map(|longest| us(longest.as_seconds())),
            sent: is_known.then(|| segments().map(|segments| segments.sent).sum()),
            retransmitted: is_known.then(|| segments().map(|segments| segments.retransmitted).sum()),
        }
    }

    /// The share of the packets that was lost.
    #[must_use]
    pub fn lost_share(&self) -> Option<f64> {
        let (sent, lost) = (self.sent.filter(|sent| *sent > 0)?, self.retransmitted?);
        Some(lost as f64 / sent as f64)
    }
}

/// All that a rank sent and received of a probe.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshNode {
    /// Its name.
    pub name: String,
    /// When its pairs were measured.
    pub schedule: MeshSchedule,
    /// What was sent.
    pub probe: Probe,
    /// Such as `latency of 1 B`.
    pub title: String,
    /// What `value` is.
    pub unit: MeshUnit,
    /// The median of its pairs.
    pub value: f64,
    /// The tail of the times, and what was lost both ways.
    pub stats: PairStats,
}

/// Of every rank, schedule and probe that has visits.
pub(super) fn nodes(mesh: &Mesh) -> Vec<MeshNode> {
    let mut nodes = Vec::new();
    for schedule in SHOWN {
        let passes: Vec<_> = mesh
            .phases_of(&[schedule])
            .flat_map(|phase| &phase.rounds)
            .flat_map(|round| &round.passes)
            .collect();
        for (place, probe) in mesh.probes.iter().enumerate() {
            let mut values: Vec<Vec<f64>> = vec![Vec::new(); mesh.ranks.len()];
            let mut visits: Vec<Vec<VisitStats>> = vec![Vec::new(); mesh.ranks.len()];
            for pass in &passes {
                let Some(visit) = pass.visits.get(place).copied().flatten() else { continue };
                let time = pass.times.get(place).copied().flatten();
                let value = time.map(|time| super::unit::in_unit(probe, time.as_seconds()));
                for rank in [pass.from, pass.to].map(|rank| rank as usize) {
                    if rank < mesh.ranks.len() {
                        values[rank].extend(value.filter(|value| value.is_finite()));
                        visits[rank].push(visit);
                    }
                }
            }
            for (rank, (values, visits)) in mesh.ranks.iter().zip(values.into_iter().zip(&visits)) {
                let Some(value) = median(values) else { continue };
                nodes.push(MeshNode {
                    name: rank.name.clone(),
                    schedule,
                    probe: *probe,
                    title: probe_name(probe),
                    unit: super::unit::unit_of(probe),
                    value,
                    stats: PairStats::of(visits),
                });
            }
        }
    }
    nodes
}
