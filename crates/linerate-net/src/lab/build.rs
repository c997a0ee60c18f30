//! From a layout to namespaces with wires.

use std::io;

use linerate_core::lab::{Layout, Node, NodeKind, Port, Wire};
use linerate_core::units::Span;

use super::namespace::Namespace;
use super::{LabError, delay, link};
use crate::netlink::bucket;

/// Puts the wires of `layout` between the namespaces of its nodes, and sets every node up.
pub(super) fn build(layout: &Layout, namespaces: &[Namespace]) -> Result<(), LabError> {
    for (number, node) in layout.nodes.iter().enumerate() {
        namespaces[number].enter(|| lay(layout, number, node, namespaces))??;
    }
    for (node, namespace) in layout.nodes.iter().zip(namespaces) {
        namespace.enter(|| set_up(layout, node))??;
    }
    // A route needs a wire that is on at both ends.
    for (node, namespace) in layout.nodes.iter().zip(namespaces) {
        if !node.routes.is_empty() {
            namespace.enter(|| lead(node))??;
        }
    }
    Ok(())
}

/// In the thread of node `number`: the links that begin here.
fn lay(layout: &Layout, number: usize, node: &Node, namespaces: &[Namespace]) -> Result<(), LabError> {
    for (index, port) in node.ports.iter().enumerate() {
        let [first, second] = layout.links[port.link].nodes;
        if first != number {
            continue;
        }
        let other = layout.nodes[second].ports.iter().find(|other| other.link == port.link);
        let other = other.expect("a link has two ends");
        let made = link::veth(&port.name, namespaces[second].file(), &other.name);
        made.map_err(LabError::refused(of(node, &node.ports[index], "a veth")))?;
    }
    Ok(())
}

/// In the thread of its namespace: a node's addresses, queues and switches.
fn set_up(layout: &Layout, node: &Node) -> Result<(), LabError> {
    let refused = |what: &str| LabError::refused(format!("{}: {what}", node.name));
    link::switch("lo", true).map_err(refused("the loopback"))?;
    if node.kind == NodeKind::Switch {
        link::bridge(&node.name).map_err(refused("a bridge"))?;
    }
    for port in &node.ports {
        set_up_port(node, port, layout.links[port.link].wire)?;
    }
    match node.kind {
        NodeKind::Host => Ok(()),
        NodeKind::Switch => link::switch(&node.name, true).map_err(refused("its bridge")),
        NodeKind::Router => forward().map_err(refused("forwarding")),
    }
}

/// TCP hands its device several segments at once whatever ethtool says (since Linux 4.16); they are
/// cut before the driver.
fn set_up_port(node: &Node, port: &Port, wire: Wire) -> Result<(), LabError> {
    let name = &port.name;
    let refused = |what: String| LabError::refused(of(node, port, &what));
    if let Some(address) = port.address {
        let what = format!("its address {}", address.ip);
        link::address(name, address).map_err(refused(what))?;
    }
    link::without_offloads(name).map_err(refused("its offloads".to_owned()))?;
    link::mtu(name, wire.mtu).map_err(refused(format!("its MTU of {} B", wire.mtu)))?;
    if node.kind == NodeKind::Switch {
        link::enslave(name, &node.name).map_err(refused("its bridge".to_owned()))?;
    }
    let delayed = wire.delay > Span::ZERO;
    if delayed {
        delay::replace(name, wire.delay).map_err(refused(format!("its delay of {}", wire.delay)))?;
    }
    if let Some(bucket) = wire.bucket {
        let parent = delayed.then_some(delay::INSIDE);
        bucket::replace(name, bucket, parent).map_err(refused("its token bucket".to_owned()))?;
    }
    link::switch(name, true).map_err(refused("its switch".to_owned()))
}

/// In the thread of its namespace: how a node reaches networks that it is not in.
fn lead(node: &Node) -> Result<(), LabError> {
    node.routes.iter().try_for_each(|route| {
        let what = format!("{}: the route to {} via {}", node.name, route.to.ip, route.via);
        link::route(*route).map_err(LabError::refused(what))
    })
}

/// Lets this thread's namespace forward packets.  Source: kernel documentation, networking/ip-sysctl.
fn forward() -> io::Result<()> {
    std::fs::write("/proc/sys/net/ipv4/ip_forward", "1")
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
