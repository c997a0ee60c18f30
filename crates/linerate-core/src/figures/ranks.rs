//! The figures of many ranks.

use super::{Figure, Key, Value};
use crate::report::{MeshResult, MeshUnit};
use crate::units::Size;

/// The figures of a mesh: of each matrix its median and its worst pair, of what all did at once the mean, of each
/// collective the time. A subject is the schedule or collective, and the size: `pairs 1 B`.
pub(super) fn of_mesh(mesh: &MeshResult) -> Vec<Value> {
    let mut values = Vec::new();
    let mut add = |subject: String, figure: Figure, value: f64, interval: Option<[f64; 2]>| {
        if value.is_finite() && value > 0.0 {
            values.push(Value { key: Key { subject, figure }, value, interval });
        }
    };
    for view in &mesh.views {
        let subject = || format!("{} {}", view.schedule, Size(view.probe.size));
        let [median, worst] = match view.unit {
            MeshUnit::Microseconds => [Figure::PairTime, Figure::WorstPairTime],
            MeshUnit::Mbps => [Figure::PairRate, Figure::WorstPairRate],
        };
        add(subject(), median, view.median, None);
        add(subject(), worst, view.worst.value, None);
    }
    for all in &mesh.together {
        add(
            format!("{} {}", all.schedule, Size(all.size)),
            Figure::TogetherRate,
            all.mean_mbps,
            all.interval_mbps,
        );
    }
    for row in &mesh.collectives {
        let subject = format!("{}:{} {}", row.collective, row.algorithm, Size(row.bytes));
        add(subject, Figure::CallTime, row.slowest_mean_us.unwrap_or(0.0), None);
    }
    values
}
