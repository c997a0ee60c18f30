//! What single operations cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::Fact;
use crate::observation::Clock;
use crate::stats::Estimate;
use crate::units::Span;

/// What it takes to copy, and to sum, a number of bytes that are in the cache. Times are of whole operations, calls
/// included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CopyCost {
    /// How many. Unit: bytes.
    pub bytes: u64,
    /// Within the application.
    pub within_ns: Estimate,
    /// From the application into a Unix socket, with the calls.
    pub into_kernel_ns: Estimate,
    /// From the socket to the application, with the calls.
    pub out_of_kernel_ns: Estimate,
    /// The 16-bit one's complement sum of RFC 1071.
    pub checksum_ns: Estimate,
}

/// What calls and wake-ups cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CallCosts {
    /// Into the kernel and back: `getppid`.
    pub system_call_ns: Fact<Estimate>,
    /// A call on a TCP socket that moves nothing.
    pub socket_call_ns: Fact<Estimate>,
    /// From one thread to another on one processor, without the calls that cause it.
    pub context_switch_ns: Fact<Estimate>,
    /// A futex wake that finds nobody asleep.
    pub futex_call_ns: Fact<Estimate>,
    /// From before a futex wake to when a sleeper on another, idle processor runs.
    pub futex_wake_ns: Fact<Estimate>,
    /// From before a write into a pipe to when the reader has the byte.
    pub wake_ups: Vec<WakeUp>,
    /// The clock that times everything here.
    pub clock: Fact<Clock>,
    /// Idle states of the first usable processor.
    pub idle_states: Fact<Vec<IdleState>>,
}

/// Where a thread sleeps that is woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Processor {
    /// On the processor of the thread that wakes it.
    Same,
    /// On another.
    Other,
}

/// What the sleeper's processor did when it was woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TargetState {
    /// Nothing, for a millisecond.
    Idle,
    /// It ran a thread: the one that wakes, or one of the scheduling class `SCHED_IDLE`, which gives way at once.
    Busy,
}

/// What it takes to wake a thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WakeUp {
    /// Where it sleeps.
    pub processor: Processor,
    /// What its processor did.
    pub state: TargetState,
    /// From before the write to after the read.
    pub time_ns: Fact<Estimate>,
}

/// An idle state of a processor, as its driver describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IdleState {
    /// Its name.
    pub name: String,
    /// How long it takes to leave it.
    #[serde(rename = "exit_latency_ps")]
    pub exit_latency: Span,
    /// How long the processor must stay for it to be worth it.
    #[serde(rename = "target_residency_ps")]
    pub target_residency: Span,
    /// Whether the user switched it off.
    pub disabled: bool,
}

/// What a received packet costs: UDP datagrams of 64 bytes over the loopback, whose receive path runs inside the call
/// that sends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PacketCosts {
    /// A send that delivers to a socket's queue.
    pub delivered_ns: Fact<Estimate>,
    /// A send that the kernel keeps (`MSG_MORE`): the call, its copy and no packet.
    pub kept_ns: Fact<Estimate>,
    /// `delivered` less `kept`: at most this is the receive path, as the IP output and the loopback's device are in it.
    pub received_at_most_ns: Fact<Estimate>,
}
