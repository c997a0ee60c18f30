//! TCP of modelled flows: segments that count bytes, and the rules of the kernel whose personality
//! an end has.
//!
//! Pure protocol, no host: time is an argument of every call, segments go in and come out, and the
//! host model accounts for what a call costs a processor. Positions in a stream are 64 bits wide
//! and start at 0 with SYN, so that the first byte of data is 1: nothing wraps. A capture shows
//! their low 32 bits.

mod acknowledgement;
pub mod congestion;
mod connection;
mod delivery;
mod ecn;
mod pacing;
mod personality;
mod receive_queue;
mod retransmission;
mod segment;
mod window;

pub use congestion::Algorithm;
pub use connection::{Connection, Counters, Failure, Kind, State};
pub use personality::{
    AcknowledgementRules, Charge, CongestionRules, Counting, Detection, EcnUse, Nagle, OptionRules,
    Personality, Raise, ReceiveBuffer, ReceiveMss, Recovery, ReducedFrom, Reduction, Rules, RulesError,
    ScaleFrom, SendBuffer, SendingRules, Threshold, TimerRules, Unit, WindowRules,
};
pub use segment::{Flags, SackBlocks, Segment};

use linerate_core::units::Size;

/// The settings of an end when its socket is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The rules of its kernel.
    pub rules: Rules,
    /// Largest IP packet of the interface. Unit: bytes.
    pub mtu: u32,
    /// The MSS that the application allows at most (`TCP_MAXSEG`): what is announced; with
    /// timestamps the payload of a segment is 12 bytes less. Unit: bytes.
    pub mss: Option<u32>,
    /// `SO_RCVBUF` as requested. If absent, the kernel's default.
    pub receive_buffer: Option<Size>,
    /// `SO_SNDBUF` as requested. If absent, the kernel's default.
    pub send_buffer: Option<Size>,
    /// `TCP_NODELAY`: no waiting for acknowledgements with small segments (RFC 896).
    pub nodelay: bool,
}
