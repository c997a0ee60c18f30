//! Messages that are traced: every option of `linerate trace` that no other task has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Common, Level, PlanError};
use crate::options::Io;
use crate::transport::Transport;
use crate::units::Size;

/// Messages of a size by default.
const DEFAULT_MESSAGES: u32 = 200;
/// Most messages of a size.
pub const MOST_TRACED: u32 = 10_000;
/// Fewest: the turns with and without the trace share them.
const FEWEST_MESSAGES: u32 = 20;
/// The largest message that is traced. Unit: bytes.
pub const LARGEST_TRACED: u64 = 4 << 20;
/// Most sizes.
const MOST_SIZES: usize = 64;

/// Which messages are traced: every option of `linerate trace` that no other task has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TracePlan {
    /// Their sizes. Unit: bytes.
    pub sizes: Vec<Size>,
    /// How many of each size, in each direction.
    pub messages: u32,
    /// Only by the kernel's timestamps, not by eBPF.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub timestamps: bool,
}

impl Default for TracePlan {
    fn default() -> Self {
        let sizes = [1, 64, 1 << 10, 16 << 10, 64 << 10].map(Size).to_vec();
        Self { sizes, messages: DEFAULT_MESSAGES, timestamps: false }
    }
}

impl TracePlan {
    /// The largest of its messages. Unit: bytes.
    pub(super) fn largest(&self) -> u64 {
        self.sizes.iter().map(|size| size.0).max().unwrap_or(1)
    }

    /// Checks every option together with those of `common`.
    pub(super) fn check(&self, common: &Common) -> Result<(), PlanError> {
        let range = PlanError::range;
        let many = (1..=MOST_SIZES).contains(&self.sizes.len());
        range(many, "sizes", format!("{} of them", self.sizes.len()), "from 1 to 64 sizes")?;
        let wrong = self.sizes.iter().find(|size| !(1..=LARGEST_TRACED).contains(&size.0));
        let value = wrong.map(ToString::to_string).unwrap_or_default();
        range(wrong.is_none(), "sizes", value, "from 1 byte to 4 MiB")?;
        let enough = (FEWEST_MESSAGES..=MOST_TRACED).contains(&self.messages);
        range(enough, "messages", self.messages.to_string(), "from 20 to 10000")?;
        let traced = "tcp where messages are traced: they are found by its sequence numbers";
        let transport = common.transport;
        range(transport == Transport::Tcp, "transport", transport.to_string(), traced)?;
        let engine = common.socket.io;
        let plain = engine == Io::default() && common.socket.receive_io.is_none();
        range(plain, "io", engine.to_string(), "send-recv where messages are traced")?;
        common.check_waiting("block where messages are traced: what wakes a reader is a part of it")?;
        common.check_level(Level::Interval, "point or round: only the flows of a load have intervals")?;
        common.check_memory("left out where messages are traced: they lie in one place")
    }
}
