//! The way from each network to each other one, over the fewest routers.

use std::collections::VecDeque;
use std::net::IpAddr;

use super::address::Address;
use super::layout::{Layout, Node, NodeKind};
use super::{LabPlanError, require};

/// How a node reaches a network that it is not in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The network's address.
    pub to: Address,
    /// The router that is asked.
    pub via: IpAddr,
}

/// Of a network: how many routers are between it and the target, and the address of the first.
#[derive(Clone, Copy)]
struct Way {
    routers: usize,
    via: IpAddr,
}

/// Gives every host and router its routes. Of two ways of one length the one that the plan names first is taken. With
/// IPv6, a network is reached over networks that have it too.
pub(super) fn find(layout: &mut Layout) -> Result<(), LabPlanError> {
    lead(layout, IpAddr::is_ipv4);
    let networks = layout.networks();
    for node in layout.nodes.iter().filter(|node| node.kind != NodeKind::Switch) {
        let reason = "it cannot reach all the others: every host needs a way to every other one";
        let key = if node.kind == NodeKind::Host { "hosts" } else { "routers" };
        require(node.ports.len() + node.routes.len() == networks, key, &node.name, reason)?;
    }
    lead(layout, IpAddr::is_ipv6);
    Ok(())
}

/// The ways by the addresses of one family.
fn lead(layout: &mut Layout, of_family: fn(&IpAddr) -> bool) {
    for target in 0..layout.networks() {
        let routes = Ends { layout, of_family }.routes(target);
        for (node, route) in layout.nodes.iter_mut().zip(routes) {
            node.routes.extend(route);
        }
    }
}

/// The addresses of one family.
#[derive(Clone, Copy)]
struct Ends<'a> {
    layout: &'a Layout,
    of_family: fn(&IpAddr) -> bool,
}

impl<'a> Ends<'a> {
    /// How each node reaches the network `target`.
    fn routes(self, target: usize) -> Vec<Option<Route>> {
        let mut there = self.layout.nodes.iter().flat_map(|node| self.of(node));
        let Some((_, address)) = there.find(|(network, _)| *network == target) else { return Vec::new() };
        let (ways, to) = (self.ways(target), address.network());
        self.layout.nodes.iter().map(|node| self.route(node, target, &ways, to)).collect()
    }

    /// The networks that a node has an address in.
    fn of(self, node: &'a Node) -> impl Iterator<Item = (usize, Address)> + 'a {
        let own = move |address: &&Address| (self.of_family)(&address.ip);
        let address = move |port: &'a super::layout::Port| port.addresses.iter().find(own).copied();
        node.ports.iter().filter_map(move |port| Some((self.layout.links[port.link].network, address(port)?)))
    }

    /// The way from each network to the network `target`.
    fn ways(self, target: usize) -> Vec<Option<Way>> {
        let mut ways: Vec<Option<Way>> = vec![None; self.layout.networks()];
        let mut reached = VecDeque::from([(target, 0)]);
        while let Some((network, routers)) = reached.pop_front() {
            let is_there = |node: &&Node| self.of(node).any(|(other, _)| other == network);
            let nodes = self.layout.nodes.iter().filter(|node| node.kind == NodeKind::Router);
            for router in nodes.filter(is_there) {
                for (other, address) in self.of(router) {
                    if other != target && ways[other].is_none() {
                        ways[other] = Some(Way { routers: routers + 1, via: address.ip });
                        reached.push_back((other, routers + 1));
                    }
                }
            }
        }
        ways
    }

    fn route(self, node: &Node, target: usize, ways: &[Option<Way>], to: Address) -> Option<Route> {
        let own: Vec<usize> = self.of(node).map(|(network, _)| network).collect();
        if node.kind == NodeKind::Switch || own.contains(&target) {
            return None;
        }
        let way = own.into_iter().filter_map(|network| ways[network]).min_by_key(|way| way.routers)?;
        Some(Route { to, via: way.via })
    }
}
