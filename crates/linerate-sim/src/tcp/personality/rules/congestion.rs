//! The rules of congestion control and of loss.

use linerate_core::units::{Size, Span, SpanText, span_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tcp::Algorithm;

/// Congestion control: how much may be in flight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CongestionRules {
    /// How the window grows after slow start, and by how much a loss cuts it.
    pub algorithm: Algorithm,
    /// The window at the start (RFC 5681, 3.1; RFC 6928). Unit: segments.
    pub initial_window: u32,
    /// Slow start threshold at the start. If absent, as large as can be (RFC 5681, 3.1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_threshold: Option<Size>,
    /// This many duplicate acknowledgements mean a loss (RFC 5681, 3.2).
    pub duplicates: u32,
    /// How a loss is made good.
    pub recovery: Recovery,
    /// What shows that a segment was lost.
    pub detection: Detection,
    /// How the window falls in a recovery with SACK.
    pub reduction: Reduction,
    /// Of what a part is left after a loss.
    pub reduced_from: ReducedFrom,
    /// CUBIC's first slow start may end before a loss: HyStart (RFC 9406, 4.2).
    pub hystart: bool,
    /// What an acknowledgement counts for.
    pub counting: Counting,
    /// It grows only while it limits sending (RFC 7661).
    pub grows_only_when_limiting: bool,
    /// Slow start begins again after an idle period of a retransmission timeout (RFC 5681, 4.1).
    pub restarts_after_idle: bool,
    /// Where the round trip of the handshake is shorter, the window holds nothing back before the
    /// first loss; zero is nowhere.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub ignored_below_rtt: Span,
}

impl CongestionRules {
    /// The window at the start. Unit: bytes.
    pub(in crate::tcp) fn first_window(&self, mss: u64) -> u64 {
        u64::from(self.initial_window) * mss
    }
}

/// How a loss is made good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Recovery {
    /// Fast retransmit and fast recovery, which the first new acknowledgement ends (RFC 5681).
    Reno,
    /// A partial acknowledgement is a further loss (RFC 6582).
    NewReno,
    /// With the peer's selective acknowledgements (RFC 6675), or as NewReno if it has no SACK.
    Sack,
}

/// What shows that a segment was lost, where the peer has SACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Detection {
    /// So many segments above it were selected (RFC 6675).
    Duplicates,
    /// Something that was sent later arrived, a retransmission too; and a probe finds what nothing
    /// follows (RACK-TLP, RFC 8985).
    Rack,
}

/// How the window falls in a recovery with SACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reduction {
    /// When it begins (RFC 6675, 5).
    AtOnce,
    /// Over a round trip (proportional rate reduction, RFC 9937).
    Proportional,
}

/// Of what a loss leaves a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReducedFrom {
    /// What is in flight, at most the congestion window (RFC 5681, equation 4).
    Flight,
    /// The congestion window, once for each flight (allowed by RFC 9438, 4.6, where the window grows
    /// only while it limits).
    Window,
}

/// What an acknowledgement counts for when the window grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Counting {
    /// One segment (RFC 5681).
    Acknowledgements,
    /// The bytes that it acknowledges, in slow start at most two segments (RFC 3465, L = 2).
    Bytes,
    /// The bytes that it acknowledges, in slow start too: what peers need that merge segments and
    /// acknowledge many at once.
    AllBytes,
}
