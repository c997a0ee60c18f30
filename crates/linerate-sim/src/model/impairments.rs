//! What links do to frames besides carrying them.

use crate::frame::Station;
use crate::plan::{ModelError, ModelPlan, require};
use crate::stations::Stations;

/// Puts the plan's impairments at its stations.
///
/// # Errors
///
/// When a value is invalid, or names a station that does not exist.
pub(super) fn put(plan: &ModelPlan, stations: &mut Stations) -> Result<(), ModelError> {
    let count = plan.network.stations();
    for impair in &plan.impair {
        let law = impair.law()?;
        for station in impair.stations.iter().flatten() {
            let reason = format!("there is no such station; they are 0 to {}", count - 1);
            require(*station < count, "impair.stations", station, &reason)?;
        }
        for station in (0..count).filter(|station| impair.holds_for(*station)) {
            for link in 0..plan.network.links() {
                stations.impair(Station(station + link * count), law.clone(), plan.seed);
            }
        }
    }
    Ok(())
}
