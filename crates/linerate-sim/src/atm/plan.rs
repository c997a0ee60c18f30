//! ATM in a plan: RFC 2684, RFC 2225.

use linerate_core::caution::Caution;
use linerate_core::units::{Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Atm, CELL_BYTES, CELL_PAYLOAD_BYTES, Encapsulation, Line, Parameters, Switch, Topology};
use crate::error::ModelError;
use crate::framing::Framing;
use crate::medium_plan::{Assembled, FIBRE_PS_PER_METRE, delay, refused, without_effect};

/// ATM: two stations back to back, or more on one switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AtmPlan {
    /// How many stations.
    pub stations: u32,
    /// The physical layer, such as `OC-3c`.
    pub phy: String,
    /// Length of every cable. Unit: metres.
    pub length_m: f64,
    /// Largest IP packet. Unit: bytes. Source of the default: RFC 2225.
    pub mtu: u32,
    /// LLC/SNAP encapsulation (RFC 2684), 8 B a packet.
    pub llc_snap: bool,
    /// Cells that wait at each output of the switch.
    pub queue_cells: u32,
    /// An output that holds this many cells refuses whole packets. If absent, each cell is admitted
    /// on its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub early_discard_cells: Option<u32>,
}

impl Default for AtmPlan {
    fn default() -> Self {
        Self {
            stations: 2,
            phy: "OC-3c".to_owned(),
            length_m: 100.0,
            mtu: 9180,
            llc_snap: true,
            queue_cells: 8192,
            early_discard_cells: None,
        }
    }
}

impl AtmPlan {
    /// What it is, in a few words.
    pub(crate) fn words(&self) -> String {
        format!("ATM: {}, {} m of cable each", self.phy, self.length_m)
    }

    /// Builds it.
    pub(crate) fn build(&self) -> Result<Assembled<Atm>, ModelError> {
        let lines = [("OC-3c", Line::OC3C), ("OC-12c", Line::OC12C), ("DS3", Line::DS3), ("E3", Line::E3)];
        let line = lines.iter().find(|(name, _)| name.eq_ignore_ascii_case(&self.phy));
        let unknown = || ModelError::value("network.phy", &self.phy, "it must be OC-3c, OC-12c, DS3 or E3");
        let (_, line) = *line.ok_or_else(unknown)?;
        let encapsulation = if self.llc_snap { Encapsulation::LlcSnap } else { Encapsulation::VcMultiplexed };
        let switch = Switch {
            queue_cells: self.queue_cells,
            early_packet_discard: self.early_discard_cells,
            latency: Span::ZERO,
        };
        let topology = match self.stations {
            2 => Topology::BackToBack,
            stations => Topology::Switched { stations, switch },
        };
        let parameters = Parameters {
            line,
            encapsulation,
            mtu_bytes: self.mtu,
            delay: delay(self.length_m, FIBRE_PS_PER_METRE)?,
            topology,
        };
        Ok(Assembled {
            fabric: Atm::new(parameters).map_err(refused)?,
            line_rate: Rate::from_bits_per_second(line.payload_bits_per_second as f64),
            // What counts is the AAL5 PDU: LLC/SNAP, packet, padding and trailer, which is 48 B of each cell.
            framing: Framing::new(
                move |packet| u64::from(encapsulation.cells(packet)) * u64::from(CELL_PAYLOAD_BYTES),
                move |packet| u64::from(encapsulation.cells(packet)) * u64::from(CELL_BYTES),
            ),
            shares_line: false,
            cautions: self.cautions(),
        })
    }

    /// About keys without effect: two stations are back to back, without a switch.
    fn cautions(&self) -> Vec<Caution> {
        let alone = self.stations == 2;
        let why = "it is of a switch, which two stations do not have; give network.stations";
        let changed = self.queue_cells != Self::default().queue_cells;
        without_effect([
            ("network.queue-cells", why, alone && changed),
            ("network.early-discard-cells", why, alone && self.early_discard_cells.is_some()),
        ])
    }
}
