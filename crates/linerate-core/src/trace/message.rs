//! One message on its way.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Point, Receiving, Sending};
use crate::stages::{Clocks, apart};

/// When the last byte of one message passed each [`Point`]. A time that crosses from one clock to another may be wrong
/// by the clocks' uncertainty, and negative.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Which of those of its size and direction, from 0; those before that are missing here could not be told apart.
    pub number: u32,
    /// When the application called send, since the first message of the size was sent, by the initiator's clock. Unit:
    /// nanoseconds.
    pub call_ns: i64,
    /// Since the call, as all of the following. Unit: nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_ns: Option<i64>,
    /// See [`Point::Queued`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued_ns: Option<i64>,
    /// See [`Point::Driven`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driven_ns: Option<i64>,
    /// See [`Point::Handed`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed_ns: Option<i64>,
    /// See [`Point::Arrived`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrived_ns: Option<i64>,
    /// See [`Point::Segment`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment_ns: Option<i64>,
    /// See [`Point::Ready`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_ns: Option<i64>,
    /// See [`Point::Woken`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken_ns: Option<i64>,
    /// See [`Point::Running`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running_ns: Option<i64>,
    /// See [`Point::Taken`].
    pub taken_ns: i64,
    /// When the sender's call was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned_ns: Option<i64>,
    /// Something was retransmitted meanwhile.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retransmitted: bool,
}

impl Message {
    /// Message `number` of a direction, whose sender noted `sent` and whose receiver `came`. `begun` is the first call
    /// of the size, on the initiator's clock; `clocks` compares that with the responder's, and the message goes `back`
    /// if the responder sent it. Unit of `begun`: nanoseconds.
    #[must_use]
    pub fn join(
        number: u32,
        begun: u64,
        (sent, came): (&Sending, &Receiving),
        clocks: Clocks,
        back: bool,
    ) -> Self {
        // What the receiver's clock shows more than the sender's.
        let ahead = if back { clocks.offset_ns().saturating_neg() } else { clocks.offset_ns() };
        let senders = |at: u64| apart(sent.call, at);
        let receivers = |at: u64| apart(sent.call, at).saturating_sub(ahead);
        let called = apart(begun, sent.call);
        Self {
            number,
            call_ns: if back { called.saturating_sub(clocks.offset_ns()) } else { called },
            accepted_ns: sent.accepted.map(senders),
            queued_ns: sent.queued.map(senders),
            driven_ns: sent.driven.map(senders),
            handed_ns: came.handed.map(receivers),
            arrived_ns: came.arrived.map(receivers),
            segment_ns: came.segment.map(receivers),
            ready_ns: came.ready.map(receivers),
            woken_ns: came.woken.map(receivers),
            running_ns: came.running.map(receivers),
            taken_ns: receivers(came.taken),
            returned_ns: sent.returned.map(senders),
            retransmitted: sent.retransmitted,
        }
    }

    /// When it passed `point`, since the call. Absent if that is not known. Unit: nanoseconds.
    #[must_use]
    pub const fn at(&self, point: Point) -> Option<i64> {
        match point {
            Point::Call => Some(0),
            Point::Accepted => self.accepted_ns,
            Point::Queued => self.queued_ns,
            Point::Driven => self.driven_ns,
            Point::Handed => self.handed_ns,
            Point::Arrived => self.arrived_ns,
            Point::Segment => self.segment_ns,
            Point::Ready => self.ready_ns,
            Point::Woken => self.woken_ns,
            Point::Running => self.running_ns,
            Point::Taken => Some(self.taken_ns),
        }
    }
}
