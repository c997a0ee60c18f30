//! The bounds, by name.

use std::fmt;

use serde::{Serialize, Serializer};

/// What the time of a message, or of a flow, can go into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Bound {
    /// The bit rate of the link, less its framing.
    Link,
    /// A slower hop of the path, or a shaper: a rate that no interface of the hosts states.
    PathRate,
    /// What a shaper's tokens, or buffers, pass at once; no rate that lasts.
    Burst,
    /// The time that the path takes whatever is sent.
    PathDelay,
    /// The window that the receiver offers.
    ReceiverWindow,
    /// The send buffer.
    SendBuffer,
    /// TCP's congestion window.
    CongestionWindow,
    /// Segments that had to be sent again.
    Retransmissions,
    /// Nagle's algorithm at one end, which waits for the delayed acknowledgement of the other.
    Nagle,
    /// Processors, and for what.
    Processor(Which, Cost),
    /// Copies at the speed of memory.
    Memory,
    /// Waking a thread, and the processor that it sleeps on.
    WakeUp,
    /// The timer by which an interface delays its interrupts.
    Coalescing,
    /// Other programs that had the processor.
    Others,
    /// The application at the other end, which did not read.
    Reader,
    /// The application that sends, which had nothing to send, or was asked for a pace.
    Application,
    /// The link was down.
    LinkDown,
    /// A time for each message whatever its size: the file does not say of what.
    PerMessage,
    /// A time for each byte: the file does not say of what.
    PerByte,
}

/// Whose processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Which {
    /// That of the end that sends.
    Sender,
    /// That of the end that receives.
    Receiver,
    /// One after the other, those of both ends.
    Both,
    /// The one that both ends share.
    Shared,
}

/// What the work of a processor grows with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cost {
    /// With messages.
    Message,
    /// With segments.
    Segment,
    /// With bytes.
    Byte,
    /// It is not known.
    Unknown,
}

impl Bound {
    /// What it is called, in a few words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Link => "link rate and framing",
            Self::PathRate => "a slower hop or a shaper on the path",
            Self::Burst => "a burst",
            Self::PathDelay => "delay of the path",
            Self::ReceiverWindow => "receiver window",
            Self::SendBuffer => "send buffer",
            Self::CongestionWindow => "congestion window",
            Self::Retransmissions => "retransmissions",
            Self::Nagle => "Nagle with delayed acknowledgements",
            Self::Processor(which, cost) => processor(which, cost),
            Self::Memory => "memory bandwidth",
            Self::WakeUp => "wake-up of sleeping threads and processors",
            Self::Coalescing => "interrupt coalescing timer",
            Self::Others => "other programs on the processor",
            Self::Reader => "the receiving application",
            Self::Application => "the sending application",
            Self::LinkDown => "link being down",
            Self::PerMessage => "a fixed time for each message",
            Self::PerByte => "a time for each byte",
        }
    }

    /// The name that other programs know it by: it does not change with the words.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::PathRate => "path-rate",
            Self::Burst => "burst",
            Self::PathDelay => "path-delay",
            Self::ReceiverWindow => "receiver-window",
            Self::SendBuffer => "send-buffer",
            Self::CongestionWindow => "congestion-window",
            Self::Retransmissions => "retransmissions",
            Self::Nagle => "nagle",
            Self::Processor(Which::Sender, _) => "sender-processor",
            Self::Processor(Which::Receiver, _) => "receiver-processor",
            Self::Processor(Which::Both, _) => "both-processors",
            Self::Processor(Which::Shared, _) => "shared-processor",
            Self::Memory => "memory",
            Self::WakeUp => "wake-up",
            Self::Coalescing => "interrupt-coalescing",
            Self::Others => "other-programs",
            Self::Reader => "receiving-application",
            Self::Application => "sending-application",
            Self::LinkDown => "link-down",
            Self::PerMessage => "time-per-message",
            Self::PerByte => "time-per-byte",
        }
    }

    /// Its name within a sentence, after "limited by".
    #[must_use]
    pub fn in_sentence(self) -> String {
        match self {
            Self::Link
            | Self::PathDelay
            | Self::ReceiverWindow
            | Self::SendBuffer
            | Self::CongestionWindow
            | Self::Processor(Which::Sender | Which::Receiver, _)
            | Self::WakeUp
            | Self::Coalescing
            | Self::LinkDown => format!("the {}", self.name()),
            _ => self.name().to_owned(),
        }
    }

    /// Whether it is the same bound as `other`, whatever a processor works for.
    #[must_use]
    pub fn is_like(self, other: Self) -> bool {
        match (self, other) {
            (Self::Processor(one, _), Self::Processor(other, _)) => one == other,
            _ => self == other,
        }
    }
}

const fn processor(which: Which, cost: Cost) -> &'static str {
    match (which, cost) {
        (Which::Sender, Cost::Message) => "sender's processor, for each message",
        (Which::Sender, Cost::Segment) => "sender's processor, for each segment",
        (Which::Sender, Cost::Byte) => "sender's processor, for each byte",
        (Which::Sender, Cost::Unknown) => "sender's processor",
        (Which::Receiver, Cost::Message) => "receiver's processor, for each message",
        (Which::Receiver, Cost::Segment) => "receiver's processor, for each segment",
        (Which::Receiver, Cost::Byte) => "receiver's processor, for each byte",
        (Which::Receiver, Cost::Unknown) => "receiver's processor",
        (Which::Both, Cost::Message) => "both processors, for each message",
        (Which::Both, Cost::Segment) => "both processors, for each segment",
        (Which::Both, Cost::Byte) => "both processors, for each byte",
        (Which::Both, Cost::Unknown) => "both processors",
        (Which::Shared, Cost::Message) => "the processor that both ends share, for each message",
        (Which::Shared, Cost::Segment) => "the processor that both ends share, for each segment",
        (Which::Shared, Cost::Byte) => "the processor that both ends share, for each byte",
        (Which::Shared, Cost::Unknown) => "the processor that both ends share",
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl Serialize for Bound {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
