//! Where the time of one message goes: the stages between the application that sends it and the
//! one that has it, from the stamps of both kernels.
//!
//! ```text
//! application -> queue -> driver -> peer's kernel -> peer's application
//!      sent     queued   driven       arrived            taken
//! ```
//!
//! The acknowledgement is not on this path: the peer's kernel sends it by itself.

mod clocks;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::Fact;
use crate::stats::{Estimate, median_interval};
use crate::transport::Transport;

pub use clocks::{Clocks, apart};

/// Messages of a size by default.
pub const DEFAULT_MESSAGES: u32 = 50;
/// Fewest messages of a size: fewer give no useful interval.
pub const FEWEST_MESSAGES: u32 = 10;
/// Most messages of a size: one end's marks must fit one message of the conversation.
pub const MOST_MESSAGES: u32 = 200;
/// Messages of each size that go before those that are kept: a new connection may not send a large
/// message at once.
pub const WARM_UP: u32 = 10;
/// Most sizes whose stages are timed.
pub const MOST_SIZES: usize = 24;
/// Largest size whose stages are timed: a larger message is many packets, whose stages overlap.
/// Unit: bytes.
pub const LARGEST: u64 = 64 << 10;

/// Whether the kernel stamps messages of `transport` on their way.
#[must_use]
pub const fn stamped(transport: Transport) -> bool {
    matches!(transport, Transport::Tcp | Transport::Udp)
}

/// The `sizes` of a schedule whose stages are timed: at most [`MOST_SIZES`], up to [`LARGEST`],
/// spread evenly over the schedule, with its first and last.
#[must_use]
pub fn sizes(sizes: &[u64]) -> Vec<u64> {
    let mut within: Vec<u64> = sizes.iter().copied().filter(|size| *size <= LARGEST).collect();
    within.sort_unstable();
    within.dedup();
    let last = within.len().saturating_sub(1);
    let shown = within.len().min(MOST_SIZES);
    let steps = shown.saturating_sub(1).max(1);
    (0..shown).map(|nth| within[nth * last / steps]).collect()
}

/// What one end noted of one round: the message it sent and the one it took. The initiator sends
/// first, the responder receives first.
///
/// Unit: nanoseconds of `CLOCK_REALTIME`. A stamp is absent if the kernel or the driver did not
/// give it. Source: kernel documentation, networking/timestamping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marks {
    /// The application is about to send.
    pub sent: u64,
    /// The message's last packet enters the queueing discipline (`SOF_TIMESTAMPING_TX_SCHED`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<u64>,
    /// The driver takes it (`SOF_TIMESTAMPING_TX_SOFTWARE`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driven: Option<u64>,
    /// The peer has acknowledged all of it (`SOF_TIMESTAMPING_TX_ACK`); TCP only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acked: Option<u64>,
    /// The last packet of the peer's message has come from the driver (`SOF_TIMESTAMPING_RX_SOFTWARE`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrived: Option<u64>,
    /// The application has the peer's message.
    pub taken: u64,
}

/// One stage, message by message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// Median and its 95 % interval. Absent without messages. Unit: nanoseconds.
    pub time_ns: Option<Estimate>,
    /// Each message, in the order they were sent. One that crosses from one clock to another may
    /// be negative within the clocks' uncertainty.
    pub each_ns: Vec<i64>,
}

impl Part {
    fn of(each_ns: Vec<i64>) -> Self {
        let values: Vec<f64> = each_ns.iter().map(|ns| *ns as f64).collect();
        Self { time_ns: median_interval(&values), each_ns }
    }

    /// The median. Unit: microseconds.
    #[must_use]
    pub fn median_us(&self) -> Option<f64> {
        self.time_ns.map(|time| time.median / 1e3)
    }
}

/// The stages of the messages of one size, from the initiator to the responder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stages {
    /// Message size. Unit: bytes.
    pub size: u64,
    /// Messages that were asked for, after the warm-up. Those of which a stamp or the answer is
    /// missing are not in the stages.
    pub asked: u32,
    /// How the two ends' clocks are compared.
    pub clocks: Clocks,
    /// Whether the initiator's adaptor could stamp in hardware. These stamps are the kernel's.
    pub hardware: Fact<bool>,
    /// From the application's call to the queueing discipline: copy, TCP, IP.
    pub to_queue: Part,
    /// To the driver.
    pub to_driver: Part,
    /// To the peer's kernel: driver, adaptor, wire and interrupt. It uses both clocks.
    pub to_peer: Part,
    /// To the peer's application: its kernel's stack, wake-up and copy.
    pub to_application: Part,
    /// All of these together, message by message. It crosses from clock to clock.
    pub whole: Part,
    /// From the application's call until the peer's acknowledgement was here; only of TCP. In a
    /// ping-pong it comes with the answer, unless the peer's application is slow.
    pub acknowledged: Part,
}

impl Stages {
    /// Joins both ends' marks of messages of one `size`, the warm-up left out; `clocks` are those of
    /// one host if the ends are known to be on one.
    #[must_use]
    pub fn of(size: u64, asked: u32, same_host: bool, [ours, theirs]: [&[Marks]; 2]) -> Self {
        let clocks = Clocks::of(same_host, ours, theirs);
        let whole: Vec<(&Marks, [i64; 4])> = ours
            .iter()
            .zip(theirs)
            .filter_map(|(ours, theirs)| Some((ours, one_way(ours, theirs, clocks)?)))
            .collect();
        let part = |nth: usize| Part::of(whole.iter().map(|(_, stages)| stages[nth]).collect());
        let sum = |stages: &[i64; 4]| stages.iter().fold(0_i64, |sum, stage| sum.saturating_add(*stage));
        let acknowledged = |marks: &Marks| Some(apart(marks.sent, marks.acked?));
        Self {
            size,
            asked,
            clocks,
            hardware: Fact::unknown("nobody asked"),
            to_queue: part(0),
            to_driver: part(1),
            to_peer: part(2),
            to_application: part(3),
            whole: Part::of(whole.iter().map(|(_, stages)| sum(stages)).collect()),
            acknowledged: Part::of(whole.iter().filter_map(|(ours, _)| acknowledged(ours)).collect()),
        }
    }

    /// Messages with all their stamps.
    #[must_use]
    pub const fn messages(&self) -> usize {
        self.whole.each_ns.len()
    }

    /// The stages in the order of the way, with their names.
    #[must_use]
    pub const fn in_order(&self) -> [(&'static str, &Part); 4] {
        [
            ("application to queue", &self.to_queue),
            ("queue to driver", &self.to_driver),
            ("driver to peer's kernel", &self.to_peer),
            ("peer's kernel to its application", &self.to_application),
        ]
    }
}

/// The four stages of one message. Absent if a stamp is missing. Unit: nanoseconds.
fn one_way(ours: &Marks, theirs: &Marks, clocks: Clocks) -> Option<[i64; 4]> {
    let (queued, driven, arrived) = (ours.queued?, ours.driven?, theirs.arrived?);
    Some([
        apart(ours.sent, queued),
        apart(queued, driven),
        apart(driven, arrived).saturating_sub(clocks.offset_ns()),
        apart(arrived, theirs.taken),
    ])
}
