//! What delays a bit on its way: cables, and in a collision domain the stations and repeaters too.
//!
//! Full-duplex links take no PHYs into account: there a delay costs latency and no throughput.

use linerate_core::units::Span;

use super::{Draft, phy};
use crate::ethernet::phy::{PathDelays, Phy};
use crate::medium_plan::delay;
use crate::plan::{EthernetPlan, ModelError, Relay, Shape, require};

/// Checks the delays that are given in bit times.
pub(super) fn check(plan: &EthernetPlan) -> Result<(), ModelError> {
    let parts = [
        ("network.station-delay-bits", plan.station_delay_bits),
        ("network.repeater-delay-bits", plan.repeater_delay_bits),
    ];
    let whole = ("network.diameter-bits", plan.diameter_bits);
    for (key, bits) in parts.into_iter().chain([whole]) {
        let bits = bits.unwrap_or(0.0);
        require((0.0..=1e9).contains(&bits), key, bits, "it must be from 0 to 1e9 bit times")?;
    }
    for (key, bits) in parts {
        let reason = "network.diameter-bits is the delay of the whole way; give only one of them";
        require(bits.is_none() || plan.diameter_bits.is_none(), key, bits.unwrap_or(0.0), reason)?;
    }
    Ok(())
}

impl Draft<'_> {
    /// The delay of every cable, one way.
    pub(super) fn delay(&self) -> Result<Span, ModelError> {
        let by_length = self.length(self.phy, None)?;
        let Some(bits) = self.plan.diameter_bits else { return Ok(by_length) };
        let whole = bit_times(bits, self.phy);
        // Between two stations of a hub lie two cables.
        Ok(if self.plan.topology == Shape::Hub { whole / 2 } else { whole })
    }

    /// The delay of a cable of `length_m`, or of the plan's length.
    pub(super) fn length(&self, phy: &Phy, length_m: Option<f64>) -> Result<Span, ModelError> {
        delay(length_m.unwrap_or(self.plan.length_m), phy.cable.delay_per_metre_ps as f64)
    }

    /// What one station adds to a path, one way: half of what two of them do.
    pub(super) fn station_delay(&self, phy: &Phy) -> Span {
        let allowed = |delays: PathDelays| delays.stations_bits;
        self.equipment(self.plan.station_delay_bits, phy, allowed) / 2
    }

    /// What a repeater adds to a path, one way.
    pub(super) fn repeater_delay(&self, phy: &Phy) -> Span {
        self.equipment(self.plan.repeater_delay_bits, phy, |delays| delays.repeater_bits)
    }

    /// The delay one way: as given, or half of what the standard allows there and back.
    fn equipment(&self, given: Option<f64>, phy: &Phy, allowed: fn(PathDelays) -> u64) -> Span {
        if self.plan.diameter_bits.is_some() {
            return Span::ZERO;
        }
        let there_and_back = || phy.path_delays.map_or(0.0, |delays| allowed(delays) as f64);
        bit_times(given.unwrap_or_else(|| there_and_back() / 2.0), phy)
    }

    /// The physical layer of the cables at a relay of a graph: that of the first of them.
    pub(super) fn phy_at(&self, relay: &Relay) -> Result<&'static Phy, ModelError> {
        let at = self.plan.cable.iter().find(|cable| cable.between.contains(&relay.name));
        let name = at.and_then(|cable| cable.phy.as_ref());
        name.map_or(Ok(self.phy), |name| phy("network.cable.phy", name))
    }
}

fn bit_times(bits: f64, phy: &Phy) -> Span {
    Span::from_seconds(bits / phy.pace.bits_per_second())
}
