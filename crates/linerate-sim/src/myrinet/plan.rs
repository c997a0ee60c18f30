//! Myrinet in a plan: ANSI/VITA 26.

use linerate_core::units::{Rate, Size, Span, SpanText, span_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Myrinet;
use super::parameters::{Arbitration, Parameters, Slack, Topology, check_packet, packet_bytes};
use crate::error::{ModelError, require};
use crate::framing::Framing;
use crate::medium_plan::{Assembled, FIBRE_PS_PER_METRE, delay, latency, refused};

/// Cut-through switches with STOP and GO.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MyrinetPlan {
    /// How many stations.
    pub stations: u32,
    /// Line rate. Unit: Mb/s (10^6 bit/s).
    pub mbps: f64,
    /// Length of every cable. Unit: metres.
    pub length_m: f64,
    /// Largest IP packet. Unit: bytes.
    pub mtu: u32,
    /// What each switch adds.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub hop_latency: Span,
    /// Room for a stopped packet at each input of a switch; STOP is sent when half of it is full.
    pub slack: Size,
    /// Stations of each switch below a common one. If absent, all are on one switch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stations_per_switch: Option<u32>,
}

impl Default for MyrinetPlan {
    fn default() -> Self {
        Self {
            stations: 2,
            mbps: 1280.0,
            length_m: 10.0,
            mtu: 8432,
            hop_latency: Span::from_ns(500),
            slack: Size(288),
            stations_per_switch: None,
        }
    }
}

impl MyrinetPlan {
    /// What it is, in a few words.
    pub(crate) fn words(&self) -> String {
        format!("Myrinet: {} Mb/s", self.mbps)
    }

    /// Builds it.
    pub(crate) fn build(&self) -> Result<Assembled<Myrinet>, ModelError> {
        let ok = self.mbps >= 1.0 && self.mbps <= 1e6;
        require(ok, "network.mbps", self.mbps, "it must be from 1 to 1000000")?;
        check_packet(self.mtu)
            .map_err(|error| ModelError::value("network.mtu", self.mtu, error.to_string()))?;
        let cable = delay(self.length_m, FIBRE_PS_PER_METRE)?;
        let (topology, hops) = match self.stations_per_switch {
            None => (Topology::Crossbar, 1),
            Some(stations_per_switch) => (Topology::Tree { stations_per_switch }, 3),
        };
        let slack = self.slack.bytes();
        let parameters = Parameters {
            stations: self.stations,
            topology,
            byte: Span::from_seconds(8e-6 / self.mbps),
            latency: latency("network.hop-latency", self.hop_latency)?,
            cable,
            trunk: cable,
            slack: Slack { bytes: slack, stop: slack / 2, go: slack / 2 * 8 / 9 },
            arbitration: Arbitration::RoundRobin,
        };
        Ok(Assembled {
            fabric: Myrinet::new(&parameters).map_err(refused)?,
            line_rate: Rate::from_mbps(self.mbps),
            // What counts is type to check, without the route bytes, which switches strip.
            framing: Framing::new(|packet| packet_bytes(packet, 0), move |packet| packet_bytes(packet, hops)),
            shares_line: false,
            cautions: Vec::new(),
        })
    }
}
