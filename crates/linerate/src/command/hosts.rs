//! The peer of a measurement: the one that the plan names, or one that is started on this host.

use linerate_core::plan::Plan;
use linerate_net::control::Key;
use linerate_net::pair::Target;

use super::serve;
use crate::cli::KeyArgs;
use crate::peer::LoopbackPeer;
use crate::trouble::Trouble;

/// A peer that can be connected to.
pub(super) struct Peer {
    pub(super) target: Target,
    /// More of them, with the same key.
    pub(super) others: Vec<Target>,
    pub(super) key: Option<Key>,
    /// The peer that was started for this run; it ends when this is dropped.
    pub(super) started: Option<LoopbackPeer>,
}

impl Peer {
    /// Finds the peer that `plan` names, or starts one.
    pub(super) fn of(plan: &Plan, key: &KeyArgs) -> Result<Self, Trouble> {
        let mut hosts = plan.hosts();
        if let Some(host) = hosts.next() {
            let others = hosts.map(Target::parse).collect::<Result<_, _>>()?;
            return Ok(Self { target: Target::parse(host)?, others, key: given_key(key)?, started: None });
        }
        let peer = LoopbackPeer::start(plan.common.local.family)?;
        let target = Target::parse(&peer.address().to_string())?;
        Ok(Self { target, others: Vec::new(), key: Some(peer.key().clone()), started: Some(peer) })
    }
}

fn given_key(args: &KeyArgs) -> Result<Option<Key>, Trouble> {
    match (&args.key, &args.key_file) {
        (_, Some(path)) => serve::read_key(path).map(Some),
        (Some(text), None) => {
            let help = "give --key as `linerate serve` printed it";
            text.parse()
                .map(Some)
                .map_err(|error| Trouble::new(format!("failed to read the key: {error}"), help))
        }
        (None, None) => Ok(None),
    }
}
