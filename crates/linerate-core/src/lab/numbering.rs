//! The address of every end of a link at hosts and routers: what the plan says, and the rest in the order of the plan.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use super::address::Address;
use super::layout::{Layout, NodeKind};
use super::{LabPlanError, LinkPlan, require};

const KEY: &str = "link.address";
/// What a link of IPv6 carries at least.  Source: RFC 8200, section 5. Unit: bytes.
const LEAST_MTU_OF_IPV6: u32 = 1_280;
/// So many networks have addresses of the range.
const MOST_NETWORKS: usize = 512;

/// The subnets of a network: of IPv4 and of IPv6.
type Subnets = [Option<Address>; 2];

/// Which of the two an address belongs to.
fn family(address: Address) -> usize {
    usize::from(address.ip.is_ipv6())
}

/// Gives the ends of the links from number `first` on what their plan says.
pub(super) fn state(layout: &mut Layout, link: &LinkPlan, first: usize) -> Result<(), LabPlanError> {
    for (name, texts) in &link.address {
        let node = layout.nodes.iter_mut().find(|node| node.name == *name);
        let mut ends: Vec<_> = node
            .into_iter()
            .filter(|node| node.kind != NodeKind::Switch)
            .flat_map(|node| &mut node.ports)
            .filter(|port| port.link >= first)
            .collect();
        let [port] = &mut ends[..] else {
            let reason = match ends.len() {
                0 => format!(
                    "no host or router of that name is an end of this link: it is between {}",
                    link.between.join(" and ")
                ),
                many => {
                    format!("it is at {many} of these links; write a [[link]] for each, with its address")
                }
            };
            return Err(LabPlanError::value(KEY, name, reason));
        };
        for text in texts.all() {
            let address = Address::read(text)?;
            let twice = port.addresses.iter().any(|known| family(*known) == family(address));
            require(!twice, KEY, text, format!("{name} has another one of its family there; one is enough"))?;
            port.addresses.push(address);
        }
    }
    Ok(())
}

/// Gives every end at a host or a router an address of each family that its network has. Networks of which the plan
/// says nothing are 198.18.N.0/24, and nodes are counted from 1 in the order of the plan.  Source of the range: RFC 2544
/// and RFC 6890, 198.18.0.0/15.
pub(super) fn fill(layout: &mut Layout) -> Result<(), LabPlanError> {
    let mut taken = taken(layout)?;
    let subnets = subnets(layout)?;
    let links = &layout.links;
    for node in layout.nodes.iter_mut().filter(|node| node.kind != NodeKind::Switch) {
        let mut known = Vec::new();
        for port in &mut node.ports {
            let network = links[port.link].network;
            let reason = "it has two links into one network; one is enough";
            require(!known.contains(&network), "link.between", &node.name, reason)?;
            known.push(network);
            for subnet in subnets[network].iter().flatten() {
                if port.addresses.iter().any(|own| family(*own) == family(*subnet)) {
                    continue;
                }
                let free = subnet.lowest_free(|ip| taken.contains_key(&ip));
                let full =
                    || LabPlanError::value(KEY, subnet, format!("it has no address left for {}", node.name));
                let address = free.ok_or_else(full)?;
                taken.insert(address.ip, node.name.clone());
                port.addresses.push(address);
            }
            port.addresses.sort_by_key(|address| family(*address));
        }
    }
    Ok(())
}

/// Who has which of the addresses that the plan says.
fn taken(layout: &Layout) -> Result<BTreeMap<IpAddr, String>, LabPlanError> {
    let mut taken = BTreeMap::new();
    for node in &layout.nodes {
        for address in node.ports.iter().flat_map(|port| &port.addresses) {
            if let Some(other) = taken.insert(address.ip, node.name.clone()) {
                let reason = format!("{other} and {} both have it", node.name);
                return Err(LabPlanError::value(KEY, address, reason));
            }
        }
    }
    Ok(taken)
}

/// The subnets of every network, none of which has an address of another.
fn subnets(layout: &Layout) -> Result<Vec<Subnets>, LabPlanError> {
    let mut subnets: Vec<Subnets> = vec![[None; 2]; layout.networks()];
    for port in layout.nodes.iter().flat_map(|node| &node.ports) {
        let link = &layout.links[port.link];
        for address in &port.addresses {
            let known = subnets[link.network][family(*address)].get_or_insert(address.network());
            let reason =
                format!("another end of its network is in {known}; all ends of a network are in one subnet");
            require(*known == address.network(), KEY, address, reason)?;
            let reason = format!(
                "IPv6 needs an MTU of {LEAST_MTU_OF_IPV6} B at least, and this link has {}",
                link.mtu
            );
            require(address.ip.is_ipv4() || link.mtu >= LEAST_MTU_OF_IPV6, KEY, address, reason)?;
        }
    }
    let reason = format!("networks; there are addresses for {MOST_NETWORKS}");
    require(subnets.len() <= MOST_NETWORKS, "link", subnets.len(), reason)?;
    for (number, subnet) in (0_u16..).zip(&mut subnets) {
        let [high, low] = number.to_be_bytes();
        let own = Address { ip: Ipv4Addr::new(198, 18 + high, low, 0).into(), prefix: 24 };
        subnet[0].get_or_insert(own);
    }
    let all: Vec<Address> = subnets.iter().flatten().flatten().copied().collect();
    for (nth, subnet) in all.iter().enumerate() {
        if let Some(other) = all[..nth].iter().find(|other| other.overlaps(*subnet)) {
            let reason = format!("another network is {other}; two networks have no address in common");
            return Err(LabPlanError::value(KEY, subnet, reason));
        }
    }
    Ok(subnets)
}
