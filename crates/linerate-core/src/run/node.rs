//! The hosts of a run, and the connections between them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::Environment;
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
