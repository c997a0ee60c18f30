//! The figures of many ranks.

use super::{Figure, Key, Value};
use crate::report::{AppResult, MeshResult, MeshUnit};
use linerate_core::units::Size;

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

/// The figures of an application: on each number of ranks its merit, time and communication. A subject is the application
/// and the number: `md on 4 ranks`.
pub(super) fn of_app(app: &AppResult) -> Vec<Value> {
    let of_row = |row: &crate::report::AppRow| {
        let subject =
            format!("{} on {} {}", app.app, row.ranks, if row.ranks == 1 { "rank" } else { "ranks" });
        let value = |figure, value: f64, interval| {
            let key = Key { subject: subject.clone(), figure };
            value.is_finite().then_some(Value { key, value, interval })
        };
        let merit = value(Figure::Merit, row.merit, None).filter(|merit| merit.value > 0.0);
        let took = value(Figure::Took, row.seconds, None).filter(|took| took.value > 0.0);
        [merit, took, value(Figure::CommunicationShare, row.communication_share, None)]
    };
    app.rows.iter().flat_map(of_row).flatten().collect()
}
