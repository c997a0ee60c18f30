//! What all ranks did at once.

use serde::Serialize;

use linerate_core::mesh::{Mesh, Phase};
use linerate_core::plan::MeshSchedule;

/// The half-width of a 95 % interval in standard errors (normal).
const INTERVAL: f64 = 1.96;

/// What all ranks did at once.
#[derive(Clone, Debug, Serialize)]
pub struct Together {
    /// What.
    pub schedule: MeshSchedule,
    /// Message size. Unit: bytes.
    pub size: u64,
    /// Rounds in which they did it.
    pub rounds: usize,
    /// Mean rate of a message's way over all ways and rounds. Unit: Mb/s.
    pub mean_mbps: f64,
    /// Its 95 % interval over the rounds. Absent if there are fewer than three.
    pub interval_mbps: Option<[f64; 2]>,
    /// The slowest way of all. Unit: Mb/s.
    pub slowest_mbps: f64,
    /// The mean of the round with the least. Unit: Mb/s.
    pub worst_round_mbps: f64,
}

/// What they did by `schedule`. Absent if they did not.
pub(super) fn together(mesh: &Mesh, schedule: MeshSchedule) -> Option<Together> {
    if schedule.is_of_pairs() || schedule == MeshSchedule::Victim {
        return None;
    }
    let place = mesh.probes.len().checked_sub(1)?;
    let probe = &mesh.probes[place];
    let mbps = |seconds: f64| probe.size as f64 * 8.0 / 1e6 / seconds;
    let rates = |phase: &Phase| {
        let of_round = |round: &linerate_core::mesh::Round| {
            let times = round.passes.iter().filter_map(|pass| pass.times.get(place).copied().flatten());
            times.map(|time| mbps(time.as_seconds())).collect::<Vec<f64>>()
        };
        phase.rounds.iter().map(of_round).filter(|round| !round.is_empty()).collect::<Vec<_>>()
    };
    let schedules = [schedule];
    let rounds: Vec<Vec<f64>> = mesh.phases_of(&schedules).flat_map(rates).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let means: Vec<f64> = rounds.iter().map(|round| mean(round)).collect();
    if means.is_empty() {
        return None;
    }
    let all = mean(&means);
    let interval = (means.len() >= 3).then(|| {
        let squares: f64 = means.iter().map(|one| (one - all).powi(2)).sum();
        let error = (squares / (means.len() - 1) as f64 / means.len() as f64).sqrt();
        [INTERVAL.mul_add(-error, all), INTERVAL.mul_add(error, all)]
    });
    Some(Together {
        schedule,
        size: probe.size,
        rounds: means.len(),
        mean_mbps: all,
        interval_mbps: interval,
        slowest_mbps: rounds.iter().flatten().copied().fold(f64::INFINITY, f64::min),
        worst_round_mbps: means.iter().copied().fold(f64::INFINITY, f64::min),
    })
}
