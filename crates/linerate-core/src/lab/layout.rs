//! What is built of a laboratory: its nodes with their ports and addresses, its links with every value filled in, and
//! the way from each network to each other one.

use std::collections::BTreeMap;

use super::names::{self, MOST_NODES};
use super::numbering;
use super::routes::{self, Route};
use super::{Address, Direction, LabPlan, LabPlanError, LinkPlan, require};

/// What a veth takes.  Source: `linux/veth.c`, `ETH_MIN_MTU` and `ETH_MAX_MTU`.
const MTUS: std::ops::RangeInclusive<u32> = 68..=65_535;
/// The usual one of Ethernet. Unit: bytes.
const USUAL_MTU: u32 = 1_500;
/// The usual begin of random numbers.
const USUAL_SEED: u32 = 1;
/// As many names are said.
const NAMED: usize = 12;
/// The most links.
const MOST_LINKS: usize = 1_000;

/// A laboratory that can be built.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Hosts, then switches, then routers, each in the order of the plan.
    pub nodes: Vec<Node>,
    /// In the order of the plan.
    pub links: Vec<Link>,
    /// Begin of the random numbers of its links.
    pub seed: u32,
}

/// A host, a switch or a router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// What it does with packets.
    pub kind: NodeKind,
    /// Its ends of links, in their order.
    pub ports: Vec<Port>,
    /// How it reaches networks that it is not in. None for a switch.
    pub routes: Vec<Route>,
}

/// What a node does with packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// Sends and receives its own.
    Host,
    /// Forwards frames by their Ethernet address.
    Switch,
    /// Forwards packets by their IP address.
    Router,
}

impl NodeKind {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Switch => "switch",
            Self::Router => "router",
        }
    }
}

/// A node's end of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// The name of its interface: that of the node at the other end.
    pub name: String,
    /// Which link.
    pub link: usize,
    /// Its addresses: of IPv4, and of IPv6 if its network has such. None at a switch.
    pub addresses: Vec<Address>,
}

/// A link between two nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The two nodes.
    pub nodes: [usize; 2],
    /// Which network it belongs to: links that switches join are of one.
    pub network: usize,
    /// Largest IP packet. Unit: bytes.
    pub mtu: u32,
    /// What it does to frames from the first node to the second, and back.
    pub directions: [Direction; 2],
}

impl Link {
    /// What it does to the frames that this node sends.
    #[must_use]
    pub fn direction_from(&self, node: usize) -> Direction {
        self.directions[usize::from(self.nodes[0] != node)]
    }
}

impl Layout {
    /// What is built of `plan`.
    ///
    /// # Errors
    ///
    /// [`LabPlanError::Value`] for the first value that is not possible.
    pub fn of(plan: &LabPlan) -> Result<Self, LabPlanError> {
        let (nodes, numbers) = nodes(plan)?;
        let mut layout = Self { nodes, links: Vec::new(), seed: plan.seed.unwrap_or(USUAL_SEED) };
        for link in &plan.link {
            let first = layout.links.len();
            let mtu = link.mtu.or(plan.mtu).unwrap_or(USUAL_MTU);
            require(MTUS.contains(&mtu), "mtu", mtu, "it must be from 68 to 65535 B, what a veth takes")?;
            let directions = Direction::both(plan, link, mtu)?;
            for pair in pairs(link, &numbers)? {
                layout.connect(Link { nodes: pair, network: 0, mtu, directions })?;
            }
            numbering::state(&mut layout, link, first)?;
        }
        for node in &layout.nodes {
            let key = if node.kind == NodeKind::Host { "hosts" } else { "link" };
            require(!node.ports.is_empty(), key, &node.name, "it has no link; give it one with [[link]]")?;
        }
        layout.join()?;
        numbering::fill(&mut layout)?;
        routes::find(&mut layout)?;
        Ok(layout)
    }

    /// Gives a link its two ends.
    fn connect(&mut self, link: Link) -> Result<(), LabPlanError> {
        let number = self.links.len();
        let [one, other] = link.nodes;
        let names = link.nodes.map(|node| self.nodes[node].name.clone());
        let (key, between) = ("link.between", names.join(" and "));
        require(one != other, key, &between, "a link has two ends at different nodes")?;
        let twice = self.nodes[one].ports.iter().any(|port| port.name == names[1]);
        require(!twice, key, &between, "they have a link already")?;
        require(number < MOST_LINKS, key, &between, format!("more than {MOST_LINKS} links"))?;
        let [first, second] = names;
        for (node, name) in [(one, second), (other, first)] {
            self.nodes[node].ports.push(Port { name, link: number, addresses: Vec::new() });
        }
        self.links.push(link);
        Ok(())
    }

    /// Where the node of this name is.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.name == name)
    }

    /// The hosts, in the order of the plan.
    pub fn hosts(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.kind == NodeKind::Host)
    }

    /// The names of the nodes, the first dozen of many, for people.
    #[must_use]
    pub fn names(&self) -> String {
        let mut names: Vec<&str> = self.nodes.iter().take(NAMED).map(|node| &*node.name).collect();
        if self.nodes.len() > NAMED {
            names.push("...");
        }
        names.join(", ")
    }

    /// How many networks there are.
    #[must_use]
    pub fn networks(&self) -> usize {
        self.links.iter().map(|link| link.network + 1).max().unwrap_or(0)
    }

    /// Gives every link its network: those that meet at a switch are of one.
    fn join(&mut self) -> Result<(), LabPlanError> {
        // Of each link another one of its network, and so on to the one that stands for it.
        let mut group: Vec<usize> = (0..self.links.len()).collect();
        let root = |group: &[usize], mut at: usize| {
            while group[at] != at {
                at = group[at];
            }
            at
        };
        for node in self.nodes.iter().filter(|node| node.kind == NodeKind::Switch) {
            let first = root(&group, node.ports[0].link);
            for port in &node.ports[1..] {
                let other = root(&group, port.link);
                let reason = "its links make a loop, in which frames would go round for ever: bridges here have no \
                              spanning tree. Remove a link";
                require(other != first, "switches", &node.name, reason)?;
                group[other] = first;
            }
        }
        let mut known = BTreeMap::new();
        for link in 0..self.links.len() {
            let (count, root) = (known.len(), root(&group, link));
            self.links[link].network = *known.entry(root).or_insert(count);
        }
        for (link, other) in
            self.links.iter().flat_map(|link| self.links.iter().map(move |other| (link, other)))
        {
            let same = link.network != other.network || link.mtu == other.mtu;
            let between = link.nodes.map(|node| self.nodes[node].name.clone()).join(" and ");
            let reason = format!(
                "so has the link between {between}, and another one of its network has {}: switches cut no packets. \
                 Put a router between them",
                other.mtu
            );
            require(same, "link.mtu", link.mtu, reason)?;
        }
        Ok(())
    }
}

/// The nodes without ports, and where each is.
fn nodes(plan: &LabPlan) -> Result<(Vec<Node>, BTreeMap<String, usize>), LabPlanError> {
    let (mut nodes, mut numbers) = (Vec::new(), BTreeMap::new());
    let kinds = [
        ("hosts", &plan.hosts, NodeKind::Host),
        ("switches", &plan.switches, NodeKind::Switch),
        ("routers", &plan.routers, NodeKind::Router),
    ];
    for (key, written, kind) in kinds {
        for text in written {
            for name in names::expand(key, text)? {
                names::check(key, &name)?;
                let reason = format!("a laboratory has at most {MOST_NODES} nodes");
                require(nodes.len() < MOST_NODES, key, text, reason)?;
                let twice = numbers.insert(name.clone(), nodes.len()).is_some();
                require(!twice, key, &name, "that name is there twice")?;
                nodes.push(Node { name, kind, ports: Vec::new(), routes: Vec::new() });
            }
        }
    }
    let reason = "a laboratory has two hosts at least, such as hosts = [\"a\", \"b\"]";
    let hosts = nodes.iter().filter(|node| node.kind == NodeKind::Host).count();
    require(hosts >= 2, "hosts", format!("{:?}", plan.hosts), reason)?;
    Ok((nodes, numbers))
}

/// Every pair of nodes that a written link connects.
fn pairs(link: &LinkPlan, numbers: &BTreeMap<String, usize>) -> Result<Vec<[usize; 2]>, LabPlanError> {
    let ends = |text: &String| {
        let named = |name: String| {
            let all = || numbers.keys().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            let unknown = || {
                LabPlanError::value(
                    "link.between",
                    &name,
                    format!("no node has that name; there are {}", all()),
                )
            };
            numbers.get(&name).copied().ok_or_else(unknown)
        };
        names::expand("link.between", text)?.into_iter().map(named).collect::<Result<Vec<_>, _>>()
    };
    let [first, second] = &link.between;
    let second = ends(second)?;
    Ok(ends(first)?.into_iter().flat_map(|one| second.iter().map(move |other| [one, *other])).collect())
}

#[cfg(test)]
mod tests;
