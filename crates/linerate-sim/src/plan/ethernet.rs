//! An Ethernet network in a plan.

use linerate_core::units::{Size, Span, SpanText, span_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An Ethernet network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct EthernetPlan {
    /// How the stations are connected.
    pub topology: Shape,
    /// How many stations.
    pub stations: u32,
    /// How many links each station has, each to a switch of its own. Ranks and loads use all of them; a curve has one
    /// flow, on the first.
    #[serde(skip_serializing_if = "is_one")]
    pub links: u32,
    /// How many relays a line of switches has; the stations are spread over them.
    pub relays: u32,
    /// The physical layer of every cable, such as `1000BASE-T`.
    pub phy: String,
    /// That of the cables between relays. If absent, the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uplink_phy: Option<String>,
    /// Duplex of the stations: full, half, or what is negotiated. If absent, half on a hub and full
    /// elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplex: Option<End>,
    /// Duplex of what they are connected to. If absent, the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relay_duplex: Option<End>,
    /// Length of every cable. Unit: metres.
    pub length_m: f64,
    /// One-way delay between any two stations of a collision domain. Replaces that of cables,
    /// stations and repeater.
    /// Unit: bit times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diameter_bits: Option<f64>,
    /// One-way delay of the two stations at the ends of a path, in a collision domain. If absent,
    /// what the standard allows them. Unit: bit times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub station_delay_bits: Option<f64>,
    /// One-way delay of a repeater. If absent, what the standard allows it. Unit: bit times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeater_delay_bits: Option<f64>,
    /// Largest IP packet. Unit: bytes.
    pub mtu: u32,
    /// Carrier extension, at 1 Gb/s half duplex.
    pub extension: bool,
    /// Frame bursting, at 1 Gb/s half duplex.
    pub bursting: bool,
    /// Who may send PAUSE.
    pub pause: Pause,
    /// Room for frames: of each output of a switch, or with PAUSE of each input; of each port of a
    /// full-duplex repeater.
    pub queue: Size,
    /// A port above this level sends PAUSE. If absent, the level that leaves enough headroom to
    /// lose nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high_watermark: Option<Size>,
    /// A port that falls to this level lets its peer resume. If absent, half the high watermark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low_watermark: Option<Size>,
    /// Latency of a switch from a frame's last bit in to its first bit out.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub latency: Span,
    /// When an output of a switch marks packets instead of losing them. If absent, never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marking: Option<MarkingPlan>,
    /// A receiving station that is slower than its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive: Option<Receive>,
    /// The relays of a network that is described node by node (`topology = "graph"`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relay: Vec<Relay>,
    /// Its cables; the stations are `s0`, `s1`, and so on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cable: Vec<Cable>,
}

impl Default for EthernetPlan {
    fn default() -> Self {
        Self {
            topology: Shape::Direct,
            stations: 2,
            links: 1,
            relays: 1,
            phy: "1000BASE-T".to_owned(),
            uplink_phy: None,
            duplex: None,
            relay_duplex: None,
            length_m: 100.0,
            diameter_bits: None,
            station_delay_bits: None,
            repeater_delay_bits: None,
            mtu: 1500,
            extension: true,
            bursting: true,
            pause: Pause::Off,
            queue: Size(128 << 10),
            high_watermark: None,
            low_watermark: None,
            latency: Span::ZERO,
            marking: None,
            receive: None,
            relay: Vec::new(),
            cable: Vec::new(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_one(number: &u32) -> bool {
    *number == 1
}

impl EthernetPlan {
    /// The modes of the two ends of a cable without its own setting: the station's first.
    #[must_use]
    pub fn ends(&self) -> [End; 2] {
        let usual = if self.topology == Shape::Hub { End::Half } else { End::Full };
        let first = self.duplex.unwrap_or(usual);
        [first, self.relay_duplex.unwrap_or(first)]
    }
}

/// How the stations of an Ethernet are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Two stations, back to back.
    Direct,
    /// A repeater: one collision domain.
    Hub,
    /// A store-and-forward switch.
    Switch,
    /// A full-duplex repeater (buffered distributor).
    Distributor,
    /// Switches one after the other.
    Line,
    /// Relays and cables by name.
    Graph,
}

/// How one end of a cable is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// Full duplex, not negotiated.
    Full,
    /// Half duplex, not negotiated.
    Half,
    /// Auto-negotiation, with everything that the physical layer can do.
    Auto,
}

/// Who may send PAUSE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pause {
    /// Nobody.
    Off,
    /// Both ends of every cable.
    Symmetric,
    /// Relays send, stations obey.
    Asymmetric,
}

impl Pause {
    /// Its name in a plan.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Symmetric => "symmetric",
            Self::Asymmetric => "asymmetric",
        }
    }
}

/// When an output queue of a switch marks packets of senders that use ECN (RFC 3168): one of the
/// three.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MarkingPlan {
    /// Where more than this waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<Size>,
    /// Where more than this many frames wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above_frames: Option<u64>,
    /// At random, by the mean of the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub red: Option<RedPlan>,
}

/// Random early detection (Floyd and Jacobson 1993).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RedPlan {
    /// The mean of the queue below which nothing is marked.
    pub least: Size,
    /// The mean from which everything is.
    pub most: Size,
    /// The share that is marked just below that, from 0 to 1.
    #[serde(default = "usual_probability")]
    pub probability: f64,
    /// The weight of each packet in the mean, above 0 and up to 1.
    #[serde(default = "usual_weight")]
    pub weight: f64,
}

/// The largest of the values that Floyd and Jacobson (1993, section 5) use.
const fn usual_probability() -> f64 {
    0.02
}

/// Floyd and Jacobson 1993, section 6.
const fn usual_weight() -> f64 {
    0.002
}

/// A receiving station that is slower than its line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Receive {
    /// Which stations. If absent, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stations: Option<Vec<u32>>,
    /// Room for frames.
    pub buffer: Size,
    /// The rate at which the host empties the buffer. Unit: Mb/s (10^6 bit/s).
    pub drain_mbps: f64,
    /// The level above which it sends PAUSE. If absent, three quarters of the buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high_watermark: Option<Size>,
    /// The level at which it ends PAUSE. If absent, half the high watermark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low_watermark: Option<Size>,
}

/// A relay of a network that is described node by node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Relay {
    /// Its name in the cables.
    pub name: String,
    /// What it does.
    pub kind: RelayKind,
}

/// What a relay does with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RelayKind {
    /// Repeats every bit to every port.
    Hub,
    /// Forwards whole frames to the port where their addressee is.
    Switch,
    /// Repeats whole frames to every other port, one at a time.
    Distributor,
}

/// A cable of a network that is described node by node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Cable {
    /// The names of what it connects.
    pub between: [String; 2],
    /// Its physical layer. If absent, the network's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phy: Option<String>,
    /// Its length. If absent, the network's. Unit: metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length_m: Option<f64>,
    /// How its two ends are set. If absent, the network's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplex: Option<[End; 2]>,
}
