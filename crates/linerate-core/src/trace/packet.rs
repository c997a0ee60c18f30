//! One packet as one end saw it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A packet of a message as one end saw it: as large as it was there, which is before segmentation offload at the
/// sender and after GRO at the receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PacketSeen {
    /// The initiator's host saw it; else the responder's.
    pub by_initiator: bool,
    /// That end sent it; else it received it.
    pub sent: bool,
    /// The message with its first byte, by number in its direction.
    pub message: u32,
    /// Its first byte, in the bytes of its direction since the first message. Unit: bytes.
    pub offset_bytes: u64,
    /// Payload. Unit: bytes.
    pub length_bytes: u32,
    /// When, at the first point that the end saw it pass: queued at a sender, handed or arrived at a receiver. Since
    /// the first message of the size was sent, by the initiator's clock. Unit: nanoseconds.
    pub seen_ns: i64,
    /// When the driver took it (sender), or TCP had it (receiver). Since the same moment. Unit: nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ns: Option<i64>,
}
