//! From a layout to namespaces with wires.

use std::io;

use linerate_core::lab::{Direction, Layout, Mechanism, Node, NodeKind, Port};
use linerate_core::units::Span;

use super::namespace::Namespace;
use super::{LabError, delay, forwarder, link};
use crate::netlink::bucket;

/// What a laboratory is built of.
pub(super) struct Site<'a> {
    pub(super) layout: &'a Layout,
    /// Those of its nodes.
    pub(super) namespaces: &'a [Namespace],
    /// That of each link.
    pub(super) mechanisms: &'a [Mechanism],
    /// Where the middle ends of links are that the forwarder carries, if there are some.
    pub(super) middle: Option<&'a Namespace>,
}

impl Site<'_> {
    /// Puts the wires between the namespaces of the nodes, and sets every node up.
    pub(super) fn build(&self) -> Result<(), LabError> {
        let nodes = || self.layout.nodes.iter().enumerate().zip(self.namespaces);
        for ((number, node), namespace) in nodes() {
            namespace.enter(|| self.lay(number, node))??;
        }
        for ((number, node), namespace) in nodes() {
            namespace.enter(|| self.set_up(number, node))??;
        }
        // A route needs a wire that is on at both ends.
        for ((_, node), namespace) in nodes() {
            if !node.routes.is_empty() {
                namespace.enter(|| lead(node))??;
            }
        }
        Ok(())
    }

    /// In the thread of node `number`: the wires that begin here.
    fn lay(&self, number: usize, node: &Node) -> Result<(), LabError> {
        for port in &node.ports {
            let [first, second] = self.layout.links[port.link].nodes;
            let made = match self.middle.filter(|_| self.mechanisms[port.link] == Mechanism::Forwarder) {
                Some(middle) => {
                    let end = forwarder::end_name(port.link, usize::from(number != first));
                    link::veth(&port.name, middle.file(), &end)
                }
                None if first != number => continue,
                None => {
                    let mut ports = self.layout.nodes[second].ports.iter();
                    let other = ports.find(|other| other.link == port.link).expect("a link has two ends");
                    link::veth(&port.name, self.namespaces[second].file(), &other.name)
                }
            };
            made.map_err(LabError::refused(of(node, port, "a veth")))?;
        }
        Ok(())
    }

    /// In the thread of its namespace: a node's addresses, queues and switches.
    fn set_up(&self, number: usize, node: &Node) -> Result<(), LabError> {
        let refused = |what: &str| LabError::refused(format!("{}: {what}", node.name));
        link::switch("lo", true).map_err(refused("the loopback"))?;
        if node.kind == NodeKind::Switch {
            link::bridge(&node.name).map_err(refused("a bridge"))?;
        }
        for port in &node.ports {
            let link = &self.layout.links[port.link];
            set_up_port(node, port, link.mtu)?;
            self.await_answers(&port.name).map_err(LabError::refused(of(node, port, "how long ARP asks")))?;
            match self.mechanisms[port.link] {
                Mechanism::Wire => {}
                Mechanism::Kernel => queue(node, port, link.direction_from(number))?,
                Mechanism::Forwarder => {
                    link::whole(&port.name).map_err(LabError::refused(of(node, port, "its offloads")))?;
                }
            }
            link::switch(&port.name, true).map_err(LabError::refused(of(node, port, "its switch")))?;
        }
        match node.kind {
            NodeKind::Host => Ok(()),
            NodeKind::Switch => link::switch(&node.name, true).map_err(refused("its bridge")),
            NodeKind::Router => forward(node).map_err(refused("forwarding")),
        }
    }

    /// Has ARP ask for longer than a round trip over all links: it asks three times, once a second.  Source: kernel
    /// documentation, networking/ip-sysctl.
    fn await_answers(&self, name: &str) -> io::Result<()> {
        let directions = self.layout.links.iter().flat_map(|link| link.directions);
        let longest =
            directions.map(|way| way.impairment.delay + way.impairment.jitter).fold(Span::ZERO, |a, b| a + b);
        let seconds = longest.as_seconds().ceil();
        if seconds < 3.0 {
            return Ok(());
        }
        let times = format!("{}", 3.0 + seconds);
        std::fs::write(format!("/proc/sys/net/ipv4/neigh/{name}/mcast_solicit"), &times)?;
        // A kernel without IPv6 has no such file, and the laboratory no such address.
        match std::fs::write(format!("/proc/sys/net/ipv6/neigh/{name}/mcast_solicit"), times) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// TCP hands its device several segments at once whatever ethtool says (since Linux 4.16); they are
/// cut before the driver.
fn set_up_port(node: &Node, port: &Port, mtu: u32) -> Result<(), LabError> {
    let name = &port.name;
    let refused = |what: String| LabError::refused(of(node, port, &what));
    for address in port.addresses.iter().copied() {
        let what = format!("its address {}", address.ip);
        link::address(name, address).map_err(refused(what))?;
    }
    link::without_offloads(name).map_err(refused("its offloads".to_owned()))?;
    link::mtu(name, mtu).map_err(refused(format!("its MTU of {mtu} B")))?;
    if node.kind == NodeKind::Switch {
        link::enslave(name, &node.name).map_err(refused("its bridge".to_owned()))?;
    }
    Ok(())
}

/// The kernel's queues before a port.
fn queue(node: &Node, port: &Port, direction: Direction) -> Result<(), LabError> {
    let (name, delay) = (&port.name, direction.impairment.delay);
    let refused = |what: String| LabError::refused(of(node, port, &what));
    let delayed = delay > Span::ZERO;
    if delayed {
        delay::replace(name, delay).map_err(refused(format!("its delay of {delay}")))?;
    }
    if let Some(bucket) = direction.bucket {
        let parent = delayed.then_some(delay::INSIDE);
        bucket::replace(name, bucket, parent).map_err(refused("its token bucket".to_owned()))?;
    }
    Ok(())
}

/// In the thread of its namespace: how a node reaches networks that it is not in.
fn lead(node: &Node) -> Result<(), LabError> {
    node.routes.iter().try_for_each(|route| {
        let what = format!("{}: the route to {} via {}", node.name, route.to.ip, route.via);
        link::route(*route).map_err(LabError::refused(what))
    })
}

/// Lets this thread's namespace forward packets.  Source: kernel documentation, networking/ip-sysctl.
fn forward(node: &Node) -> io::Result<()> {
    std::fs::write("/proc/sys/net/ipv4/ip_forward", "1")?;
    if node.ports.iter().flat_map(|port| &port.addresses).any(|address| address.ip.is_ipv6()) {
        std::fs::write("/proc/sys/net/ipv6/conf/all/forwarding", "1")?;
    }
    Ok(())
}

/// A part of a node's end of a link, in words.
fn of(node: &Node, port: &Port, what: &str) -> String {
    // Of a pair of hosts the wire has a name of its own.
    if port.name == super::WIRE {
        format!("the wire: {what}")
    } else {
        format!("the link from {} to {}: {what}", node.name, port.name)
    }
}
