//! Relays, and the buffers of relays and receivers.

use linerate_core::units::Size;

use super::{Draft, phy};
use crate::ethernet::parameters::HEADER_AND_FCS_BYTES;
use crate::ethernet::pause::{Headroom, Watermarks};
use crate::ethernet::phy::Phy;
use crate::ethernet::topology::{Buffer, ReceiveSide, Relay, SwitchParameters};
use crate::pace::Pace;
use crate::plan::{ModelError, Pause, Receive, RelayKind, Shape, require};

impl Draft<'_> {
    pub(super) fn relay(&self, kind: RelayKind, phy: &Phy) -> Result<Relay, ModelError> {
        Ok(match kind {
            RelayKind::Hub => Relay::Hub { delay: self.repeater_delay(phy) },
            RelayKind::Distributor => Relay::Distributor(self.buffer()?),
            RelayKind::Switch => {
                let queue = self.plan.queue.bytes();
                let controlled = self.plan.pause != Pause::Off;
                // With PAUSE the inputs hold frames for which the outputs have no room.
                let outputs =
                    if controlled { queue.saturating_mul(u64::from(self.plan.stations)) } else { queue };
                let input = controlled.then(|| self.buffer()).transpose()?;
                Relay::Switch(SwitchParameters {
                    latency: self.plan.latency,
                    output_bytes: outputs,
                    input,
                    taught: true,
                    marking: self.marking()?,
                })
            }
        })
    }

    /// A port's buffer, with the plan's watermarks or those that leave enough headroom to lose
    /// nothing.
    pub(super) fn buffer(&self) -> Result<Buffer, ModelError> {
        let capacity = self.plan.queue.bytes();
        let longest = u64::from(self.plan.mtu) + HEADER_AND_FCS_BYTES;
        let least = format!("it must be at least one frame of {longest} B, and at most 1 GiB");
        require((longest..=1 << 30).contains(&capacity), "network.queue", capacity, &least)?;
        if self.plan.pause == Pause::Off {
            return Ok(Buffer::without_watermarks(capacity));
        }
        let headroom = self.headroom(longest)?;
        let high = match self.plan.high_watermark {
            Some(high) => high.bytes(),
            None => {
                let needed = headroom + longest;
                let reason = format!(
                    "PAUSE without loss needs {needed} B here; give that much, or network.high-watermark"
                );
                require(capacity >= needed, "network.queue", capacity, &reason)?;
                capacity - headroom
            }
        };
        let low = self.plan.low_watermark.map_or(high / 2, Size::bytes);
        watermarks("network.high-watermark", capacity, high, low)
    }

    /// The headroom of the cable that needs the most, for frames of `longest` bytes.
    pub(super) fn headroom(&self, longest: u64) -> Result<u64, ModelError> {
        let mut cables = Vec::new();
        if self.plan.topology == Shape::Graph {
            for cable in &self.plan.cable {
                cables.push((self.phy_of(cable)?, cable.length_m));
            }
        } else {
            cables.push((self.phy, None));
        }
        if let Some(name) = &self.plan.uplink_phy {
            cables.push((phy("network.uplink-phy", name)?, None));
        }
        let mut most = 0;
        for (phy, length_m) in cables {
            let delay = self.length(phy, length_m)?;
            most = most.max(Headroom::at_reaction_limit(longest, phy.pace, delay).bytes_by_frame());
        }
        Ok(most)
    }

    pub(super) fn slow_receivers(&mut self) -> Result<(), ModelError> {
        let Some(receive) = &self.plan.receive else { return Ok(()) };
        let Receive { buffer, drain_mbps, high_watermark, low_watermark, stations } = receive;
        let ok = (0.001..=1e6).contains(drain_mbps);
        require(ok, "network.receive.drain-mbps", *drain_mbps, "it must be from 0.001 to 1000000")?;
        let capacity = buffer.bytes();
        let high = high_watermark.map_or(capacity / 4 * 3, Size::bytes);
        let low = low_watermark.map_or(high / 2, Size::bytes);
        let buffer = watermarks("network.receive.high-watermark", capacity, high, low)?;
        let side = ReceiveSide { buffer, drain: Pace::of_bits_per_second((drain_mbps * 1e6) as u64) };
        let all = || (0..self.plan.stations).collect();
        for station in stations.clone().unwrap_or_else(all) {
            let there = station < self.plan.stations;
            require(
                there,
                "network.receive.stations",
                station,
                "there is no such station; they are counted from 0",
            )?;
            self.topology.stations[station as usize].receive = Some(side);
        }
        Ok(())
    }
}

fn watermarks(key: &'static str, capacity: u64, high: u64, low: u64) -> Result<Buffer, ModelError> {
    let fit = low < high && high <= capacity;
    let reason = format!("the watermarks must be low < high <= the buffer of {capacity} B, and low is {low}");
    require(fit, key, high, &reason)?;
    Ok(Buffer { capacity, watermarks: Some(Watermarks { high, low }) })
}
