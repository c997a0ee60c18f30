//! The peer of a measurement: the one that the plan names, or one that is started on this host.

use std::ops::ControlFlow;

use linerate_core::host_limits::HostLimits;
use linerate_core::plan::Plan;
use linerate_core::run::{Laboratory, Source};
use linerate_net::control::{Key, QueuePlace};
use linerate_net::pair::{Loads, Pair, Peers, Target};

use super::conduct::{Surroundings, go_on};
use super::laboratory::{Entered, Noted};
use super::serve;
use crate::agent::Agent;
use crate::cli::{HostList, KeyArgs, PeerArgs};
use crate::peer::{DeployedPeer, LoopbackPeer, fresh_key};
use crate::trouble::Trouble;

/// What it takes to connect to the peer, again and again.
pub(super) struct Opening<'a> {
    pub(super) peer: &'a PeerArgs,
    pub(super) lab: Option<&'a Entered>,
    /// What this host could reach, if that was asked for.
    pub(super) limits: Option<HostLimits>,
    pub(super) around: Surroundings<'a>,
}

impl Opening<'_> {
    /// Connects to the peer that `plan` names, or starts one: for a curve.
    pub(super) fn pair(&self, plan: &Plan) -> Result<(Pair, Started), Trouble> {
        let Peer { target, key, started, .. } = Peer::of(plan, self.peer, self.lab)?;
        let clock = self.around.context.clock;
        let pair = Pair::open(&target, key.as_ref(), plan, clock, |place| self.waits(place))?;
        Ok((pair, started))
    }

    /// The same with every peer that it names: for loads.
    pub(super) fn loads(&self, plan: &Plan) -> Result<(Loads, Started), Trouble> {
        let Peer { target, others, key, started } = Peer::of(plan, self.peer, self.lab)?;
        let targets = [vec![target], others].concat();
        let planned = plan.loads().map_err(|error| Trouble::plan(error, None))?;
        let first = planned.first().map(|asked| &asked.load);
        let peers = Peers { targets: &targets, key: key.as_ref(), first };
        let loads = Loads::open(peers, plan, self.around.context.clock, |place| self.waits(place))?;
        Ok((loads, started))
    }

    /// Says what place this end has in a server's queue; the user may end the wait.
    fn waits(&self, place: Option<QueuePlace>) -> ControlFlow<()> {
        place.into_iter().for_each(|place| self.around.line.queued(place));
        go_on(self.around.interrupt)
    }
}

/// A peer that can be connected to.
pub(super) struct Peer {
    pub(super) target: Target,
    /// More of them, with the same key.
    pub(super) others: Vec<Target>,
    pub(super) key: Option<Key>,
    /// What was started for this run; each ends when this is dropped.
    pub(super) started: Started,
}

/// The servers that were started for a run.
pub(super) enum Started {
    /// None: others run on the hosts that were named.
    Nothing,
    /// One, on the loopback.
    OnLoopback(#[expect(dead_code, reason = "it ends when this is dropped")] LoopbackPeer),
    /// One on each of these hosts, to which linerate was copied.
    Deployed(#[expect(dead_code, reason = "they end when this is dropped")] Vec<DeployedPeer>),
    /// One on each of these hosts of a laboratory.
    InLaboratory {
        /// They end when this is dropped.
        #[expect(dead_code, reason = "they end when this is dropped")]
        servers: Vec<LoopbackPeer>,
        /// What a run records of it.
        laboratory: Noted,
    },
}

impl Started {
    /// Where the numbers come from.
    pub(super) const fn source(&self) -> Source {
        match self {
            Self::OnLoopback(_) => Source::Loopback,
            Self::Nothing | Self::Deployed(_) | Self::InLaboratory { .. } => Source::Measured,
        }
    }

    /// The laboratory, if they are in one.
    pub(super) fn laboratory(&self) -> Option<Laboratory> {
        if let Self::InLaboratory { laboratory, .. } = self { Some(laboratory.now()) } else { None }
    }
}

impl Peer {
    /// Finds the peer that `plan` names, on its host or in the laboratory, or starts one.
    pub(super) fn of(plan: &Plan, peer: &PeerArgs, lab: Option<&Entered>) -> Result<Self, Trouble> {
        if let Some(HostList(hosts)) = &peer.deploy {
            return Self::deployed(hosts, &Agent::of(peer.agent.as_deref())?);
        }
        if let Some(lab) = lab {
            let key = fresh_key()?;
            let servers = lab.servers(plan, &key)?;
            let target = |server: &LoopbackPeer| Target::parse(&server.address().to_string());
            let mut targets = servers.iter().map(target).collect::<Result<Vec<_>, _>>()?.into_iter();
            let target = targets.next().expect("a laboratory's plan names a host");
            return Ok(Self {
                target,
                others: targets.collect(),
                key: Some(key),
                started: Started::InLaboratory { servers, laboratory: lab.noted(plan) },
            });
        }
        let mut hosts = plan.hosts();
        if let Some(host) = hosts.next() {
            let others = hosts.map(Target::parse).collect::<Result<_, _>>()?;
            return Ok(Self {
                target: Target::parse(host)?,
                others,
                key: given_key(&peer.key)?,
                started: Started::Nothing,
            });
        }
        let peer = LoopbackPeer::start(plan.common.local.family)?;
        let target = Target::parse(&peer.address().to_string())?;
        Ok(Self {
            target,
            others: Vec::new(),
            key: Some(peer.key().clone()),
            started: Started::OnLoopback(peer),
        })
    }
}

impl Peer {
    /// Copies linerate to these hosts and starts a server on each, with one key for all.
    fn deployed(hosts: &[String], agent: &Agent) -> Result<Self, Trouble> {
        let key = fresh_key()?;
        let start = |host: &String| DeployedPeer::start(agent, host, &key);
        let peers = hosts.iter().map(start).collect::<Result<Vec<_>, _>>()?;
        let mut targets =
            peers.iter().map(|peer| Target::parse(peer.target())).collect::<Result<Vec<_>, _>>()?;
        let target = targets.remove(0);
        Ok(Self { target, others: targets, key: Some(key), started: Started::Deployed(peers) })
    }
}

/// The key that the user gave, if any.
pub(super) fn given_key(args: &KeyArgs) -> Result<Option<Key>, Trouble> {
    let key: Option<Key> = match (&args.key, &args.key_file) {
        (_, Some(path)) => Some(serve::read_key(path)?),
        (Some(text), None) => {
            let help = "give --key as `linerate serve` printed it";
            let wrong = |error| Trouble::new(format!("failed to read the key: {error}"), help);
            Some(text.parse().map_err(wrong)?)
        }
        (None, None) => None,
    };
    Ok(key.map(|key| key.allow_unauthenticated_control(args.allow_unauthenticated_control)))
}
