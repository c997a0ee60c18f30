//! The plain transport between an application and its interface: a lossless windowed byte stream,
//! or datagrams.
//!
//! It has no costs: no processor, bus or interrupt takes time here. When the network loses part of
//! a stream, the sender goes back to the first unacknowledged byte after a fixed time. A lost
//! datagram ends its flow.

mod flow;
mod way;

use linerate_core::units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use flow::{Flow, Side};

/// IPv4 and TCP header without options. Unit: bytes. Source: RFC 791, RFC 9293.
pub const STREAM_HEADER_BYTES: u32 = 40;
/// IPv4 and UDP header. Unit: bytes. Source: RFC 791, RFC 768.
pub const DATAGRAM_HEADER_BYTES: u32 = 28;

/// How the bytes of an application are cut into packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A byte stream: a window, acknowledgements, segments without regard to message boundaries.
    Stream,
    /// Datagrams: no window, no acknowledgements, and no datagram holds two messages.
    Datagram,
}

/// The plain transport of both ends of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Stream or datagrams.
    pub kind: Kind,
    /// Most payload of a packet (a stream's MSS). Unit: bytes.
    pub payload_bytes: u32,
    /// Header of every packet, without the medium's. Unit: bytes.
    pub header_bytes: u32,
    /// Bytes that may be sent and not yet read by the receiving application. Unit: bytes.
    pub window_bytes: u64,
    /// Send buffer: bytes accepted from the application before the first of them is acknowledged,
    /// or, for datagrams, on the wire. Unit: bytes.
    pub send_buffer_bytes: u64,
    /// A stream's receiver acknowledges one in this many segments, at once. The rest is
    /// acknowledged by its own next segment.
    pub acknowledge_every: u32,
    /// From a packet's loss until a stream goes back to the first byte not acknowledged.
    pub retransmit_after: Span,
}

impl Parameters {
    /// Of a flow on which nothing passes.
    pub(crate) const IDLE: Self = Self {
        kind: Kind::Stream,
        payload_bytes: 1,
        header_bytes: STREAM_HEADER_BYTES,
        window_bytes: 1,
        send_buffer_bytes: 1,
        acknowledge_every: 1,
        retransmit_after: Span::ZERO,
    };
}
