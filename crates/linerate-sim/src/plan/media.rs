//! The other media in a plan.

use linerate_core::units::{Size, Span, SpanText, span_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
