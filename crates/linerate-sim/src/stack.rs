//! What a modelled host does between the bytes of an application and the packets of its
//! interface: a lossless windowed byte stream, or datagrams.
//!
//! It is the upper half of a host without a cost: no processor, bus or interrupt takes time here.
//! What the network loses of a stream is sent again after a fixed time, from the first byte that
//! is not acknowledged on; what it loses of datagrams ends their flow.

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
    /// A byte stream: a window, acknowledgements, segments that take no notice of messages.
    Stream,
    /// Datagrams: neither window nor acknowledgement, and no datagram holds two messages.
    Datagram,
}

/// The upper half of both ends of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Stream or datagrams.
    pub kind: Kind,
    /// Most payload of a packet (a stream's MSS). Unit: bytes.
    pub payload_bytes: u32,
    /// Header of every packet, without the medium's. Unit: bytes.
    pub header_bytes: u32,
    /// Bytes that may be on the way and not yet taken by the receiving application. Unit: bytes.
    pub window_bytes: u64,
    /// Bytes that are accepted from the application before the first of them is acknowledged; for
    /// datagrams before it is on the wire. Unit: bytes.
    pub send_buffer_bytes: u64,
    /// A stream's receiver acknowledges every so many segments, at once. What it owes beyond that
    /// travels with the next segment of its own.
    pub acknowledge_every: u32,
    /// From a packet's loss until a stream goes back to the first byte not acknowledged.
    pub retransmit_after: Span,
}
