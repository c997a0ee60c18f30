//! What one end notes of the messages of a ping-pong.

use serde::{Deserialize, Serialize};

use crate::stages::Marks;

/// What one end noted of one round: the message it sent and the one it took. The initiator sends first, the responder
/// receives first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndMarks {
    /// Of the message that it sent.
    pub sent: Sending,
    /// Of the message that it took.
    pub came: Receiving,
}

/// When the last byte of a message passed each point of its sender; [`Point`](super::Point) says what they are. Unit:
/// nanoseconds of `CLOCK_REALTIME`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sending {
    /// The application calls send.
    pub call: u64,
    /// TCP has the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<u64>,
    /// The packet enters the queueing discipline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<u64>,
    /// The driver takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driven: Option<u64>,
    /// The call is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<u64>,
    /// Something was retransmitted before the answer was there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retransmitted: bool,
}

/// When the last byte of a message passed each point of its receiver. Unit: as above.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receiving {
    /// The driver hands it to the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed: Option<u64>,
    /// It enters the network stack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrived: Option<u64>,
    /// TCP has the segment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<u64>,
    /// The bytes can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready: Option<u64>,
    /// The reader may run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken: Option<u64>,
    /// The reader runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<u64>,
    /// The application has the message.
    pub taken: u64,
}

impl EndMarks {
    /// The marks by which the clocks of two ends are compared: the innermost on both ways.
    #[must_use]
    pub const fn innermost(&self) -> Marks {
        Marks {
            sent: self.sent.call,
            queued: self.sent.queued,
            driven: self.sent.driven,
            acked: None,
            arrived: if self.came.handed.is_some() { self.came.handed } else { self.came.arrived },
            taken: self.came.taken,
        }
    }
}

/// What the kernel's timestamps tell of a round.
impl From<Marks> for EndMarks {
    fn from(Marks { sent, queued, driven, acked: _, arrived, taken }: Marks) -> Self {
        Self {
            sent: Sending { call: sent, queued, driven, ..Sending::default() },
            came: Receiving { arrived, taken, ..Receiving::default() },
        }
    }
}
