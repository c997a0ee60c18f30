//! What a host could reach: memory, copies, calls, wake-ups, packets and its network adaptors, each with an interval.
//!
//! It is measured by `linerate host`, or before a run that asks for it. `docs/host.md` says how each number is taken.

mod adaptor;
mod caution;
mod costs;
mod file;
mod lookup;
mod memory;
mod passes;
mod state;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::Fact;
use crate::units::Span;

pub use adaptor::{Adaptor, PciLink, PciLinkError};
pub use caution::LimitCaution;
pub use costs::{CallCosts, CopyCost, IdleState, PacketCosts, Processor, TargetState, WakeUp};
pub use file::{FORMAT, HostLimitsFile, HostLimitsFileError, KIND, is_host_limits};
pub use memory::{
    Cache, Kernel, KernelRate, MemoryLimits, MemoryNode, NodesRate, StreamRates, ThreadsRate, WorkingSet,
};
pub use state::{EventRates, HostState, Pressure};

/// Why a part is unknown that the time, or the user, did not allow.
pub const NOT_REACHED: &str = "the measurement ended before";

/// What a host could reach.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HostLimits {
    /// Whether it was measured in a shorter time, with fewer sizes.
    pub quick: bool,
    /// Whether the user ended it before all of it was measured.
    pub interrupted: bool,
    /// How long it took.
    #[serde(rename = "took_ps")]
    pub took: Span,
    /// Rates of memory and caches.
    pub memory: Fact<MemoryLimits>,
    /// What copies and checksums cost, from the smallest size to the largest.
    pub copies: Fact<Vec<CopyCost>>,
    /// What calls and wake-ups cost.
    pub calls: Fact<CallCosts>,
    /// What a received packet costs.
    pub packets: Fact<PacketCosts>,
    /// Network adaptors on PCI.
    pub adaptors: Fact<Vec<Adaptor>>,
    /// How busy and how quiet the host was.
    pub state: HostState,
    /// What is doubtful about the numbers.
    pub cautions: Vec<LimitCaution>,
}
