//! The hosts of a run, and the connections between them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::{Environment, Fact};
use crate::host_limits::HostLimits;
use crate::observation::Observation;
use crate::options::Granted;

/// A host of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Node {
    /// What it reports about itself.
    pub environment: Environment,
    /// What it saw during the run.
    pub observation: Observation,
    /// What it could reach, measured before the run if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<HostLimits>,
}

/// A connection between two nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Path {
    /// The initiator, by its index in [`Run::nodes`](super::Run::nodes).
    pub from: u32,
    /// The node that answered.
    pub to: u32,
    /// Transport, such as `tcp`.
    pub transport: String,
    /// What carried the bytes in its own words, where that is a library whose version matters: an MPI. Absent
    /// otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// Address of the initiator.
    pub from_address: String,
    /// Address of the responder.
    pub to_address: String,
    /// IPv6 rather than IPv4.
    pub ipv6: bool,
    /// What the data socket was granted at the initiator.
    pub from_granted: Granted,
    /// What it was granted at the responder.
    pub to_granted: Granted,
    /// How large an IP packet may be.
    #[serde(skip_serializing_if = "Fact::is_not_looked_for")]
    pub mtu: Fact<PathMtu>,
}

/// How large an IP packet may be on each way of a path, tried with packets that no router may cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PathMtu {
    /// From the initiator to the responder.
    pub there: WayMtu,
    /// From the responder to the initiator.
    pub back: WayMtu,
}

/// How large an IP packet may be on one way. Unit: bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WayMtu {
    /// The MTU of the sender's interface.
    pub interface_bytes: u64,
    /// The largest packet that arrived, of those that were tried.
    pub largest_bytes: u64,
    /// What the sender's kernel has heard of the path: its interface's MTU, or what a router said (RFC 1191).
    pub announced_bytes: u64,
}

impl WayMtu {
    /// Whether larger packets vanish without a word to the sender (RFC 2923, section 2.1).
    #[must_use]
    pub const fn is_black_hole(&self) -> bool {
        self.largest_bytes < self.interface_bytes && self.largest_bytes < self.announced_bytes
    }
}

/// A host at one end of a path, as a run holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End<'a> {
    /// The host.
    pub environment: &'a Environment,
    /// What its data socket was granted.
    pub granted: &'a Granted,
    /// What it saw during the run.
    pub observation: &'a Observation,
}

/// What is known of a host at one end of its paths, before it is a part of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndState {
    /// What it reports about itself.
    pub environment: Environment,
    /// What its data socket was granted.
    pub granted: Granted,
    /// What it saw.
    pub observation: Observation,
}

/// A responder and the path to it. [`Run::set_star`](super::Run::set_star) fills in which nodes the path joins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answering {
    /// The end.
    pub end: EndState,
    /// The path.
    pub path: Path,
}
