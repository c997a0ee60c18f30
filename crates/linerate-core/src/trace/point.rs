//! The points on the way of a message.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A point on the way of a message, in the order in which its last byte passes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Point {
    /// The application calls send.
    Call,
    /// TCP of the sender has the call.
    Accepted,
    /// The packet enters the queueing discipline.
    Queued,
    /// The driver takes it.
    Driven,
    /// The driver of the receiver hands it to the kernel: to GRO, or to the backlog of a processor.
    Handed,
    /// It enters the receiver's network stack.
    Arrived,
    /// TCP of the receiver has the segment.
    Segment,
    /// The bytes can be read.
    Ready,
    /// The reader, which slept, may run again.
    Woken,
    /// The reader runs.
    Running,
    /// The application has the message.
    Taken,
}

impl Point {
    /// All of them, in order.
    pub const ALL: [Self; 11] = [
        Self::Call,
        Self::Accepted,
        Self::Queued,
        Self::Driven,
        Self::Handed,
        Self::Arrived,
        Self::Segment,
        Self::Ready,
        Self::Woken,
        Self::Running,
        Self::Taken,
    ];

    /// The name of the point in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Accepted => "accepted",
            Self::Queued => "queued",
            Self::Driven => "driven",
            Self::Handed => "handed",
            Self::Arrived => "arrived",
            Self::Segment => "segment",
            Self::Ready => "ready",
            Self::Woken => "woken",
            Self::Running => "running",
            Self::Taken => "taken",
        }
    }

    /// What a message does between the point before and this one.
    #[must_use]
    pub const fn work(self) -> &'static str {
        match self {
            Self::Call => "application",
            Self::Accepted => "system call",
            Self::Queued => "copy, TCP and IP",
            Self::Driven => "queueing discipline",
            Self::Handed => "driver, wire, interrupt",
            Self::Arrived => "backlog or GRO",
            Self::Segment => "IP",
            Self::Ready => "TCP",
            Self::Woken => "wake-up",
            Self::Running => "wait for a processor",
            Self::Taken => "copy and return",
        }
    }

    /// Whether the receiver's host tells of it.
    #[must_use]
    pub const fn is_of_receiver(self) -> bool {
        matches!(
            self,
            Self::Handed
                | Self::Arrived
                | Self::Segment
                | Self::Ready
                | Self::Woken
                | Self::Running
                | Self::Taken
        )
    }

    /// Whether a message may lack it although its host tells of it: a reader that did not sleep is not woken.
    #[must_use]
    pub const fn is_optional(self) -> bool {
        matches!(self, Self::Woken | Self::Running)
    }
}
