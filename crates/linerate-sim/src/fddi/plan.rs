//! An FDDI ring in a plan: ANSI X3.139, RFC 1390.

use linerate_core::units::{Rate, Span, SpanText, span_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Fddi;
use super::parameters::{MAX_STATIONS, OVERHEAD_BYTES, Parameters, StationParameters, check_packet};
use crate::error::{ModelError, require};
use crate::framing::Framing;
use crate::medium_plan::{Assembled, FIBRE_PS_PER_METRE, delay, latency, refused};

/// What is around a frame: preamble (8), starting delimiter (1), ending delimiter and frame status (2).
/// Unit: bytes. Source: ANSI X3.139.
const DELIMITERS_BYTES: u64 = 11;

/// An FDDI ring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FddiPlan {
    /// How many stations.
    pub stations: u32,
    /// Length of the cable from each station to the next. Unit: metres.
    pub length_m: f64,
    /// Largest IP packet. Unit: bytes. Source of the default: RFC 1390.
    pub mtu: u32,
    /// Target token rotation time.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub ttrt: Span,
    /// What each station adds to the ring's latency.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub station_latency: Span,
}

impl Default for FddiPlan {
    fn default() -> Self {
        Self {
            stations: 2,
            length_m: 100.0,
            mtu: 4352,
            ttrt: Span::from_ms(8),
            station_latency: Span::from_ns(600),
        }
    }
}

impl FddiPlan {
    /// What it is, in a few words.
    pub(crate) fn words(&self) -> String {
        format!("FDDI: token rotation {}, {} m between two", self.ttrt, self.length_m)
    }

    /// Builds it.
    pub(crate) fn build(&self) -> Result<Assembled<Fddi>, ModelError> {
        delay(self.length_m, FIBRE_PS_PER_METRE)?;
        check_packet(self.mtu)
            .map_err(|error| ModelError::value("network.mtu", self.mtu, error.to_string()))?;
        // Checked before memory is allocated for each of them.
        let some = (2..=MAX_STATIONS as u32).contains(&self.stations);
        require(some, "network.stations", self.stations, "a ring has from 2 to 500")?;
        let station = StationParameters {
            latency: latency("network.station-latency", self.station_latency)?,
            fibre_metres: self.length_m.round() as u32,
            synchronous: Span::ZERO,
        };
        let parameters = Parameters { ttrt: self.ttrt, stations: vec![station; self.stations as usize] };
        Ok(Assembled {
            fabric: Fddi::new(&parameters).map_err(refused)?,
            line_rate: Rate::from_mbps(100.0),
            // What counts is frame control to check sequence, LLC/SNAP included.
            framing: Framing::new(
                |packet| u64::from(packet) + OVERHEAD_BYTES - DELIMITERS_BYTES,
                |packet| u64::from(packet) + OVERHEAD_BYTES,
            ),
            shares_line: true,
            cautions: Vec::new(),
        })
    }
}
