//! A laboratory that is made for one run: this process is on one of its hosts, and servers answer on others.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use linerate_core::lab::{LabPlan, Layout, Node, NodeKind};
use linerate_core::plan::Plan;
use linerate_core::run::Laboratory;
use linerate_core::transport::Transport;
use linerate_net::control::Key;
use linerate_net::lab::{Lab, LabError};

use super::lab::forwarder;
use super::lab_plan::Given;
use crate::cli::InLabArgs;
use crate::context::Context;
use crate::peer::LoopbackPeer;
use crate::trouble::Trouble;

/// A laboratory, and where this process is in it.
pub(super) struct Entered {
    lab: Arc<Lab>,
    name: String,
    plan: LabPlan,
    here: usize,
}

/// What a run records of a laboratory, which is there as long as this.
pub(super) struct Noted {
    lab: Arc<Lab>,
    laboratory: Laboratory,
}

impl Noted {
    /// What is known of it now.
    pub(super) fn now(&self) -> Laboratory {
        Laboratory { links: self.lab.links(), ..self.laboratory.clone() }
    }

    /// The same, of other hosts.
    pub(super) fn between(self, hosts: Vec<String>) -> Self {
        Self { laboratory: Laboratory { hosts, ..self.laboratory }, ..self }
    }
}

impl Entered {
    /// Makes the laboratory that the flags name, if any, puts this process on its host, and notes in `plan` who
    /// answers. Only threads that are started afterwards are there too.
    pub(super) fn into(
        args: &InLabArgs,
        plan: &mut Plan,
        context: &Context,
    ) -> Result<Option<Self>, Trouble> {
        let Some(given) = &args.lab else { return Ok(None) };
        if plan.common.transport == Transport::Memory {
            return Err(Trouble::new(
                "failed to measure memory in a laboratory: copies in one process cross no network",
                "leave --lab out, or choose another --transport",
            ));
        }
        let Given { name, plan: written } = Given::read(given)?;
        let layout = Layout::of(&written).map_err(LabError::from)?;
        let first = layout.hosts().next().map(|host| host.name.clone()).unwrap_or_default();
        let here = host(&layout, &name, args.on.as_deref().unwrap_or(&first))?;
        let lab = Arc::new(Lab::new(layout, Some(&forwarder()?))?);
        context.history.reach_from(lab.stay(here)?);
        let entered = Self { lab, name, plan: written, here };
        plan.common.host.get_or_insert_with(|| entered.other().to_owned());
        Ok(Some(entered))
    }

    /// The last host other than this one: who answers if nobody is named.
    fn other(&self) -> &str {
        let here = &self.lab.layout().nodes[self.here].name;
        self.lab
            .layout()
            .hosts()
            .map(|host| &*host.name)
            .filter(|name| name != here)
            .last()
            .unwrap_or_default()
    }

    /// What a run between this host and those that `plan` names records of the laboratory.
    pub(super) fn noted(&self, plan: &Plan) -> Noted {
        let here = &self.lab.layout().nodes[self.here].name;
        let hosts = std::iter::once(&**here).chain(plan.hosts()).map(str::to_owned).collect();
        let (name, plan) = (self.name.clone(), self.plan.to_toml());
        Noted { lab: Arc::clone(&self.lab), laboratory: Laboratory { name, plan, hosts, links: Vec::new() } }
    }

    /// The names of its hosts.
    pub(super) fn hosts(&self) -> Vec<String> {
        self.lab.layout().hosts().map(|host| host.name.clone()).collect()
    }

    /// The address of this process's host.
    pub(super) fn address(&self) -> IpAddr {
        self.address_of(self.here)
    }

    /// Does `work` on the host of this name.
    pub(super) fn on<T: Send>(&self, name: &str, work: impl FnOnce() -> T + Send) -> Result<T, Trouble> {
        Ok(self.lab.on(host(self.lab.layout(), &self.name, name)?, work)?)
    }

    fn address_of(&self, node: usize) -> IpAddr {
        let ports = &self.lab.layout().nodes[node].ports;
        ports.iter().find_map(|port| port.addresses.first()).expect("a host has one").ip
    }

    /// Starts a server on each of the hosts that `plan` names, with one key for all.
    pub(super) fn servers(&self, plan: &Plan, key: &Key) -> Result<Vec<LoopbackPeer>, Trouble> {
        plan.hosts().map(|name| self.server(name, key)).collect()
    }

    fn server(&self, name: &str, key: &Key) -> Result<LoopbackPeer, Trouble> {
        let layout = self.lab.layout();
        let node = host(layout, &self.name, name)?;
        if node == self.here {
            return Err(Trouble::new(
                format!("failed to measure {name}: this end is on it too"),
                "name another host, or choose where this end is with --on",
            ));
        }
        let listen = SocketAddr::new(self.address_of(node), 0).to_string();
        self.lab.on(node, || LoopbackPeer::listening(&listen, key.clone()))?
    }
}

/// The number of the host of this name.
fn host(layout: &Layout, lab: &str, name: &str) -> Result<usize, Trouble> {
    let is_host = |number: &usize| layout.nodes[*number].kind == NodeKind::Host;
    layout.find(name).filter(is_host).ok_or_else(|| {
        let hosts: Vec<&str> = layout
            .nodes
            .iter()
            .filter(|node: &&Node| node.kind == NodeKind::Host)
            .map(|node| &*node.name)
            .collect();
        Trouble::new(
            format!("failed to find the host {name} in the laboratory {lab}"),
            format!("its hosts are {}", hosts.join(", ")),
        )
    })
}
