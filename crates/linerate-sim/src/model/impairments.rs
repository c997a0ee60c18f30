//! What links do to frames besides carrying them.

use crate::frame::Station;
use crate::hosts::Hosts;
use crate::plan::{ModelError, ModelPlan, require};

/// Puts the plan's impairments at its stations.
///
/// # Errors
///
/// When a value cannot be, or names a station that is not there.
pub(super) fn put(plan: &ModelPlan, hosts: &mut Hosts) -> Result<(), ModelError> {
    let stations = plan.network.stations();
    for impair in &plan.impair {
        let law = impair.law()?;
        for station in impair.stations.iter().flatten() {
            let reason = format!("there is no such station; they are 0 to {}", stations - 1);
            require(*station < stations, "impair.stations", station, &reason)?;
        }
        for station in (0..stations).filter(|station| impair.holds_for(*station)) {
            hosts.impair(Station(station), law.clone(), plan.seed);
        }
    }
    Ok(())
}
