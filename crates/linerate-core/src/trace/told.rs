//! What a run keeps of its messages' ways.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EndMarks, Message, PacketSeen, RoundTrips};
use crate::stages::Clocks;

/// The ways of the messages of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trace {
    /// What told of them at each end: first the initiator, then the responder.
    pub ends: Vec<TracedEnd>,
    /// Address and port of each end of the connection, in that order. Empty of a model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<String>,
    /// The sizes, in the order in which they were traced.
    pub sizes: Vec<TracedSize>,
}

/// What told of the messages at one end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TracedEnd {
    /// How.
    pub means: Means,
    /// Why not by eBPF, if that was asked for and cannot be; with what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// Tracepoints that its kernel does not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacking: Vec<String>,
    /// Programs of others that were attached to tracepoints there, whose time is in the stages too.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub others: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// What tells where a message is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Means {
    /// Programs at tracepoints of the kernel.
    #[serde(rename = "ebpf")]
    EBpf,
    /// The kernel's timestamps of what passes the socket (`SO_TIMESTAMPING`).
    #[default]
    Timestamps,
    /// The model itself.
    Model,
}

/// Which way a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// From the initiator to the responder.
    There,
    /// From the responder to the initiator.
    Back,
}

impl Way {
    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::There => "there",
            Self::Back => "back",
        }
    }
}

/// The messages of one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TracedSize {
    /// Their size. Unit: bytes.
    pub size: u64,
    /// Messages that were asked for in each direction, warm-up not counted.
    pub asked: u32,
    /// How the clocks of the two ends are compared.
    pub clocks: Clocks,
    /// Messages from the initiator to the responder.
    pub there: Vec<Message>,
    /// And back.
    pub back: Vec<Message>,
    /// Events for which an end's buffer had no room, and those that were left out to bound their number: at the
    /// initiator and at the responder.
    pub lost_events: [u64; 2],
    /// Round trips without and with the trace, in turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<RoundTrips>,
    /// A few messages of which both the programs and the kernel's timestamps told: what the timestamps show more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamped: Option<Stamped>,
    /// Packets of the first messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packets: Vec<PacketSeen>,
}

/// What the kernel's timestamps of the same messages show more than the programs. Unit: nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stamped {
    /// Entry into the queueing discipline, message by message.
    pub queued_ns: Vec<i64>,
    /// The driver.
    pub driven_ns: Vec<i64>,
    /// Arrival.
    pub arrived_ns: Vec<i64>,
}

impl TracedSize {
    /// Joins both ends' marks of rounds of one `size`, the warm-up left out.
    #[must_use]
    pub fn of(size: u64, asked: u32, clocks: Clocks, [ours, theirs]: [&[EndMarks]; 2]) -> Self {
        let begun = ours.first().map_or(0, |marks| marks.sent.call);
        let rounds = || (0_u32..).zip(ours.iter().zip(theirs));
        let there = rounds().map(|(number, (ours, theirs))| {
            Message::join(number, begun, (&ours.sent, &theirs.came), clocks, false)
        });
        let back = rounds().map(|(number, (ours, theirs))| {
            Message::join(number, begun, (&theirs.sent, &ours.came), clocks, true)
        });
        Self {
            size,
            asked,
            clocks,
            there: there.collect(),
            back: back.collect(),
            lost_events: [0; 2],
            turns: Vec::new(),
            stamped: None,
            packets: Vec::new(),
        }
    }

    /// The messages of one way.
    #[must_use]
    pub fn messages(&self, way: Way) -> &[Message] {
        match way {
            Way::There => &self.there,
            Way::Back => &self.back,
        }
    }
}
