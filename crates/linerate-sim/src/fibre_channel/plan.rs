//! Fibre Channel in a plan: FC-PH, RFC 2625.

use linerate_core::units::{Rate, Size, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Baud, Encapsulation, FibreChannel, GAP_BYTES, Parameters, Switch, Topology, frame_bytes};
use crate::error::{ModelError, require};
use crate::framing::Framing;
use crate::medium_plan::{Assembled, FIBRE_PS_PER_METRE, delay, refused};

/// Start and end of frame, a word each. Unit: bytes. Source: FC-PH, 17.
const DELIMITERS_BYTES: u64 = 8;

/// Fibre Channel: two stations point to point, or more on one switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FibreChannelPlan {
    /// How many stations.
    pub stations: u32,
    /// Line rate before 8B/10B. Unit: Mbaud, such as 1062.5.
    pub mbaud: f64,
    /// Length of every cable. Unit: metres.
    pub length_m: f64,
    /// Largest IP packet. Unit: bytes. Source of the default: RFC 2625.
    pub mtu: u32,
    /// Payload of a frame. Unit: bytes.
    pub payload: Size,
    /// Buffer-to-buffer credits: frames that may be sent before the receiver returns a credit.
    pub credits: u32,
}

impl Default for FibreChannelPlan {
    fn default() -> Self {
        Self { stations: 2, mbaud: 1062.5, length_m: 100.0, mtu: 65_280, payload: Size(2048), credits: 16 }
    }
}

impl FibreChannelPlan {
    /// What it is, in a few words.
    pub(crate) fn words(&self) -> String {
        let credits =
            if self.credits == 1 { "one credit".to_owned() } else { format!("{} credits", self.credits) };
        format!("Fibre Channel: {} Mbaud, {credits}", self.mbaud)
    }

    /// Builds it.
    pub(crate) fn build(&self) -> Result<Assembled<FibreChannel>, ModelError> {
        let ok = self.mbaud > 0.0 && self.mbaud <= 1e6;
        require(ok, "network.mbaud", self.mbaud, "it must be above 0 and at most 1000000")?;
        let credits = u16::try_from(self.credits)
            .map_err(|_| ModelError::value("network.credits", self.credits, "it must be from 1 to 65535"))?;
        let payload_bytes = u32::try_from(self.payload.bytes()).unwrap_or(u32::MAX);
        let topology = match self.stations {
            2 => Topology::PointToPoint,
            stations => Topology::Switched { stations, switch: Switch { credits, ..Switch::default() } },
        };
        let baud = Baud((self.mbaud * 1e6).round() as u64);
        let parameters = Parameters {
            baud,
            payload_bytes,
            encapsulation: Encapsulation::Ip,
            mtu_bytes: self.mtu,
            delay: delay(self.length_m, FIBRE_PS_PER_METRE)?,
            credits,
            processing: Span::ZERO,
            topology,
        };
        Ok(Assembled {
            fabric: FibreChannel::new(parameters).map_err(refused)?,
            line_rate: Rate::from_bits_per_second(baud.pace().bits_per_second()),
            // What counts is header to check of each frame of the sequence, its data filled to whole words.
            framing: Framing::new(
                move |packet| {
                    sequence(packet, payload_bytes, |payload| frame_bytes(payload) - DELIMITERS_BYTES)
                },
                move |packet| {
                    sequence(packet, payload_bytes, |payload| frame_bytes(payload) + u64::from(GAP_BYTES))
                },
            ),
            shares_line: false,
            cautions: Vec::new(),
        })
    }
}

/// The sum of `bytes` over the frames of a sequence that carries an IP packet.
fn sequence(packet_bytes: u32, payload_bytes: u32, bytes: impl Fn(u32) -> u64) -> u64 {
    let data = packet_bytes + Encapsulation::Ip.header_bytes();
    let last = data % payload_bytes;
    u64::from(data / payload_bytes) * bytes(payload_bytes) + if last > 0 { bytes(last) } else { 0 }
}
