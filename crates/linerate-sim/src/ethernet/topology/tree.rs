//! The ports of every node, and the one path between any two: found once, when a network is built.

use super::{Node, Topology, TopologyError};

/// A topology that is known to be a tree that joins all stations.
#[derive(Debug)]
pub(in crate::ethernet) struct Tree {
    stations: usize,
    /// For every node, stations first: its ports, in the order of the cables.
    ports: Vec<Vec<Plug>>,
}

/// A cable at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ethernet) struct Plug {
    /// Which cable.
    pub(in crate::ethernet) cable: usize,
    /// Which end of it.
    pub(in crate::ethernet) side: usize,
    /// The node at its other end.
    neighbour: usize,
}

impl Tree {
    /// Finds the ports, and refuses what is not a tree of all stations.
    pub(super) fn of(topology: &Topology) -> Result<Self, TopologyError> {
        let stations = topology.stations.len();
        let nodes = stations + topology.relays.len();
        let mut tree = Self { stations, ports: vec![Vec::new(); nodes] };
        let mut group = Groups::new(nodes);
        for (number, cable) in topology.cables.iter().enumerate() {
            let [first, second] = cable.ends.map(|node| tree.place(node));
            if !group.join(first, second) {
                return Err(topology.loop_error(&tree.path(first, second)));
            }
            for (side, (from, to)) in [(first, second), (second, first)].into_iter().enumerate() {
                tree.ports[from].push(Plug { cable: number, side, neighbour: to });
            }
        }
        for station in 1..stations {
            if group.find(station) != group.find(0) {
                let [from, station] = [0, station].map(|number| topology.stations[number].name.clone());
                return Err(TopologyError::Unreachable { from, station });
            }
        }
        Ok(tree)
    }

    /// The ports of `node`, in their order.
    pub(in crate::ethernet) fn ports(&self, node: Node) -> &[Plug] {
        &self.ports[self.place(node)]
    }

    /// Which port of `node` has the end of `cable`.
    pub(in crate::ethernet) fn port(&self, node: Node, cable: usize) -> usize {
        let port = self.ports(node).binary_search_by_key(&cable, |plug| plug.cable);
        port.expect("a cable ends at a port of its node")
    }

    /// What is at the other end of `plug`.
    pub(in crate::ethernet) fn neighbour(&self, plug: Plug) -> Node {
        self.node(plug.neighbour)
    }

    /// By which port of `relay` each station is reached.
    pub(in crate::ethernet) fn routes(&self, relay: usize) -> Vec<Option<u32>> {
        let mut routes = vec![None; self.stations];
        let start = self.stations + relay;
        let mut found = Vec::new();
        for (port, plug) in self.ports[start].iter().enumerate() {
            found.push((plug.neighbour, start));
            while let Some((node, from)) = found.pop() {
                if node < self.stations {
                    routes[node] = Some(port as u32);
                }
                let onward = self.ports[node].iter().filter(|plug| plug.neighbour != from);
                found.extend(onward.map(|plug| (plug.neighbour, node)));
            }
        }
        routes
    }

    /// The nodes from `first` to `second`, both included.
    fn path(&self, first: usize, second: usize) -> Vec<usize> {
        let mut before = vec![None; self.ports.len()];
        let mut found = vec![first];
        while let Some(node) = found.pop() {
            for plug in &self.ports[node] {
                if plug.neighbour != first && before[plug.neighbour].is_none() {
                    before[plug.neighbour] = Some(node);
                    found.push(plug.neighbour);
                }
            }
        }
        let mut path = vec![second];
        let mut node = second;
        while let Some(previous) = before[node] {
            path.push(previous);
            node = previous;
        }
        path.reverse();
        path
    }

    const fn place(&self, node: Node) -> usize {
        match node {
            Node::Station(number) => number,
            Node::Relay(number) => self.stations + number,
        }
    }

    const fn node(&self, place: usize) -> Node {
        if place < self.stations { Node::Station(place) } else { Node::Relay(place - self.stations) }
    }
}

impl Topology {
    /// The error that names the nodes at `path`, which another cable closes.
    fn loop_error(&self, path: &[usize]) -> TopologyError {
        let stations = self.stations.len();
        let name = |place: &usize| match place.checked_sub(stations) {
            None => self.stations[*place].name.clone(),
            Some(relay) => self.relays[relay].name.clone(),
        };
        TopologyError::Loop { nodes: path.iter().map(name).collect() }
    }
}

/// Which nodes are joined (union by path halving).
struct Groups(Vec<usize>);

impl Groups {
    fn new(nodes: usize) -> Self {
        Self((0..nodes).collect())
    }

    fn find(&mut self, mut node: usize) -> usize {
        while self.0[node] != node {
            self.0[node] = self.0[self.0[node]];
            node = self.0[node];
        }
        node
    }

    /// Joins two nodes; false if they were joined already.
    fn join(&mut self, first: usize, second: usize) -> bool {
        let [first, second] = [self.find(first), self.find(second)];
        self.0[first] = second;
        first != second
    }
}
