//! A laboratory that is made for one run: this process is on one of its hosts, and servers answer on others.

use std::net::{IpAddr, Ipv4Addr};

use linerate_core::lab::{LabPlan, Layout, Node, NodeKind};
use linerate_core::plan::Plan;
use linerate_core::run::Laboratory;
use linerate_core::transport::Transport;
use linerate_net::control::Key;
use linerate_net::lab::{Lab, LabError, Mechanism};

use super::lab_plan::Given;
use crate::cli::InLabArgs;
use crate::context::Context;
use crate::peer::LoopbackPeer;
use crate::screen::note;
use crate::trouble::Trouble;

/// A laboratory, and where this process is in it.
pub(super) struct Entered {
    lab: Lab,
    name: String,
    plan: LabPlan,
    here: usize,
}

impl Entered {
    /// Makes the laboratory that the flags name, if any, puts this process on its host, and notes in `plan` who answers. Only threads that are started afterwards are there too.
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
        let lab = Lab::new(layout)?;
        context.history.reach_from(lab.stay(here)?);
        let entered = Self { lab, name, plan: written, here };
        entered.say_mechanisms();
        plan.common.host.get_or_insert_with(|| entered.other().to_owned());
        Ok(Some(entered))
    }

    /// Says what makes the links that are more than wires.
    fn say_mechanisms(&self) {
        let layout = self.lab.layout();
        for (link, mechanism) in layout.links.iter().zip(self.lab.mechanisms()) {
            if *mechanism != Mechanism::Wire {
                let [forward, reverse] = &link.directions;
                let back = if forward == reverse { String::new() } else { format!("; back: {reverse}") };
                let [first, second] = link.nodes.map(|node| &layout.nodes[node].name);
                note(format!("link {first} - {second}: {} ({forward}{back})", mechanism.name()));
            }
        }
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
    pub(super) fn noted(&self, plan: &Plan) -> Laboratory {
        let here = &self.lab.layout().nodes[self.here].name;
        let hosts = std::iter::once(&**here).chain(plan.hosts()).map(str::to_owned).collect();
        Laboratory { name: self.name.clone(), plan: self.plan.to_toml(), hosts }
    }

    /// The names of its hosts.
    pub(super) fn hosts(&self) -> Vec<String> {
        self.lab.layout().hosts().map(|host| host.name.clone()).collect()
    }

    /// The address of this process's host.
    pub(super) fn address(&self) -> IpAddr {
        self.address_of(self.here).into()
    }

    /// Does `work` on the host of this name.
    pub(super) fn on<T: Send>(&self, name: &str, work: impl FnOnce() -> T + Send) -> Result<T, Trouble> {
        Ok(self.lab.on(host(self.lab.layout(), &self.name, name)?, work)?)
    }

    fn address_of(&self, node: usize) -> Ipv4Addr {
        let ports = &self.lab.layout().nodes[node].ports;
        ports.iter().find_map(|port| port.address).expect("a host has one").ip
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
        let listen = format!("{}:0", self.address_of(node));
        self.lab.on(node, || LoopbackPeer::listening(&listen, key.clone()))?
    }
}

/// Says what became of the frames of the links that the forwarder carried.
impl Drop for Entered {
    fn drop(&mut self) {
        let layout = self.lab.layout();
        for (number, link) in layout.links.iter().enumerate() {
            let [first, second] = link.nodes.map(|node| &layout.nodes[node].name);
            if let Some([forward, reverse]) = self.lab.forwarded(number) {
                note(format!("link {first} to {second}: {forward}"));
                note(format!("link {second} to {first}: {reverse}"));
            }
        }
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
