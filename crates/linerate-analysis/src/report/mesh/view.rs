//! What was measured of each pair, as a matrix and as a list.

use std::collections::BTreeMap;

use serde::Serialize;

use super::unit::{in_unit, unit_of};
use super::{MeshUnit, PairStats, probe_name};
use linerate_core::mesh::matrix::Matrix;
use linerate_core::mesh::{Mesh, VisitStats};
use linerate_core::plan::{MeshSchedule, Probe};

/// The schedules that measure pairs.
pub(super) const SHOWN: [MeshSchedule; 5] = [
    MeshSchedule::Pairs,
    MeshSchedule::Serial,
    MeshSchedule::Shifts,
    MeshSchedule::FanIn,
    MeshSchedule::FanOut,
];

/// The pairs of all ranks at one size.
#[derive(Clone, Debug, Serialize)]
pub struct MeshView {
    /// When the pairs were measured.
    pub schedule: MeshSchedule,
    /// What was sent.
    pub probe: Probe,
    /// Such as `latency of 1 B`.
    pub title: String,
    /// What the values are.
    pub unit: MeshUnit,
    /// The rows send and the columns receive: the median over all repetitions.
    #[serde(serialize_with = "rows")]
    pub values: Matrix,
    /// The median of all pairs.
    pub median: f64,
    /// The pair with the worst value.
    pub worst: PairValue,
    /// The pair with the best value.
    pub best: PairValue,
    /// Every pair, the worst first.
    #[serde(skip)]
    pub sorted: Vec<PairValue>,
}

/// A value of a pair.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PairValue {
    /// Who sends.
    pub from: usize,
    /// Who receives.
    pub to: usize,
    /// In the unit of its view.
    pub value: f64,
    /// The tail of its times, and what was lost.
    #[serde(skip)]
    pub stats: PairStats,
}

/// A view for each schedule and probe that has values.
pub(super) fn views(mesh: &Mesh) -> Vec<MeshView> {
    let there = SHOWN.into_iter().filter(|schedule| mesh.phases_of(&[*schedule]).next().is_some());
    there
        .flat_map(|schedule| {
            let probes = mesh.probes.iter().enumerate();
            probes.filter_map(move |(place, probe)| view(mesh, schedule, place, probe))
        })
        .collect()
}

/// Absent if no pair has a value.
fn view(mesh: &Mesh, schedule: MeshSchedule, place: usize, probe: &Probe) -> Option<MeshView> {
    let times = Matrix::of(mesh, place, mesh.phases_of(&[schedule]));
    let mut values = Matrix::new(times.size());
    for (from, to, seconds) in times.iter() {
        // A file may say that a message took no time: then it has no rate.
        values.set(from, to, Some(in_unit(probe, seconds)).filter(|value| value.is_finite()));
    }
    let unit = unit_of(probe);
    let mut visits: BTreeMap<(usize, usize), Vec<VisitStats>> = BTreeMap::new();
    for pass in mesh.phases_of(&[schedule]).flat_map(|phase| &phase.rounds).flat_map(|round| &round.passes) {
        let pair = (pass.from as usize, pass.to as usize);
        visits.entry(pair).or_default().extend(pass.visits.get(place).copied().flatten());
    }
    let stats = |pair| visits.get(&pair).map(|visits| PairStats::of(visits)).unwrap_or_default();
    let mut sorted: Vec<PairValue> = values
        .iter()
        .map(|(from, to, value)| PairValue { from, to, value, stats: stats((from, to)) })
        .collect();
    let order = |one: &PairValue, other: &PairValue| match unit {
        MeshUnit::Microseconds => other.value.total_cmp(&one.value),
        MeshUnit::Mbps => one.value.total_cmp(&other.value),
    };
    sorted.sort_by(order);
    Some(MeshView {
        schedule,
        probe: *probe,
        title: probe_name(probe),
        unit,
        median: values.median()?,
        worst: *sorted.first()?,
        best: *sorted.last()?,
        values,
        sorted,
    })
}

fn rows<S: serde::Serializer>(values: &Matrix, to: S) -> Result<S::Ok, S::Error> {
    let row = |from| (0..values.size()).map(move |to| values.get(from, to)).collect::<Vec<_>>();
    to.collect_seq((0..values.size()).map(row))
}
