//! The way from each network to each other one, over the fewest routers.

use std::collections::VecDeque;
use std::net::Ipv4Addr;

use super::layout::{Address, Layout, Node, NodeKind};
use super::{LabPlanError, require};

/// How a node reaches a network that it is not in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The network's address.
    pub to: Address,
    /// The router that is asked.
    pub via: Ipv4Addr,
}

/// Of a network: how many routers are between it and the target, and the address of the first.
#[derive(Clone, Copy)]
struct Way {
    routers: usize,
    via: Ipv4Addr,
}

/// Gives every host and router its routes. Of two ways of one length the one that the plan names first is taken.
pub(super) fn find(layout: &mut Layout) -> Result<(), LabPlanError> {
    for target in 0..layout.networks() {
        let ways = ways(layout, target);
        let to = Address { ip: network_address(layout, target), prefix: 24 };
        let routes: Vec<Option<Route>> =
            layout.nodes.iter().map(|node| route(layout, node, target, &ways, to)).collect();
        for (node, route) in layout.nodes.iter_mut().zip(routes) {
            node.routes.extend(route);
        }
    }
    let networks = layout.networks();
    for node in layout.nodes.iter().filter(|node| node.kind != NodeKind::Switch) {
        let reason = "it cannot reach all the others: every host needs a way to every other one";
        let key = if node.kind == NodeKind::Host { "hosts" } else { "routers" };
        require(node.ports.len() + node.routes.len() == networks, key, &node.name, reason)?;
    }
    Ok(())
}

/// The way from each network to the network `target`.
fn ways(layout: &Layout, target: usize) -> Vec<Option<Way>> {
    let mut ways: Vec<Option<Way>> = vec![None; layout.networks()];
    let mut reached = VecDeque::from([(target, 0)]);
    while let Some((network, routers)) = reached.pop_front() {
        let routers_there = layout.nodes.iter().filter(|node| {
            node.kind == NodeKind::Router && networks(layout, node).any(|(other, _)| other == network)
        });
        for router in routers_there {
            for (other, address) in networks(layout, router) {
                if other != target && ways[other].is_none() {
                    ways[other] = Some(Way { routers: routers + 1, via: address });
                    reached.push_back((other, routers + 1));
                }
            }
        }
    }
    ways
}

fn route(layout: &Layout, node: &Node, target: usize, ways: &[Option<Way>], to: Address) -> Option<Route> {
    let own = || networks(layout, node);
    if node.kind == NodeKind::Switch || own().any(|(network, _)| network == target) {
        return None;
    }
    let way = own().filter_map(|(network, _)| ways[network]).min_by_key(|way| way.routers)?;
    Some(Route { to, via: way.via })
}

/// The networks that a node has an address in.
fn networks<'a>(layout: &'a Layout, node: &'a Node) -> impl Iterator<Item = (usize, Ipv4Addr)> + 'a {
    node.ports.iter().filter_map(|port| Some((layout.links[port.link].network, port.address?.ip)))
}

/// The address of a network: that of any of its nodes, without their part.
fn network_address(layout: &Layout, network: usize) -> Ipv4Addr {
    let mut nodes = layout.nodes.iter().flat_map(|node| networks(layout, node));
    let (_, ip) = nodes.find(|(other, _)| *other == network).unwrap_or((network, Ipv4Addr::UNSPECIFIED));
    Ipv4Addr::from_bits(ip.to_bits() & !0xff)
}
