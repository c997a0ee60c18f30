//! Ways to put a topology together: node by node, or a usual shape at once.

use super::{Cable, Node, Relay, RelayNode, StationNode, Topology, Wire};

impl Topology {
    /// An empty topology.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a station that takes every frame when it arrives.
    pub fn add_station(&mut self, name: impl Into<String>) -> Node {
        self.stations.push(StationNode { name: name.into(), receive: None });
        Node::Station(self.stations.len() - 1)
    }

    /// Adds a relay.
    pub fn add_relay(&mut self, name: impl Into<String>, kind: Relay) -> Node {
        self.relays.push(RelayNode { name: name.into(), kind });
        Node::Relay(self.relays.len() - 1)
    }

    /// Adds a cable from `first` to `second`.
    pub fn connect(&mut self, first: Node, second: Node, wire: Wire) {
        self.cables.push(Cable { ends: [first, second], wire });
    }

    /// Adds `count` stations, named by their numbers, each with a cable to `relay`, which is the
    /// second end.
    pub fn attach_stations(&mut self, count: usize, relay: Node, wire: Wire) {
        for _ in 0..count {
            let station = self.add_station(format!("station {}", self.stations.len()));
            self.connect(station, relay, wire);
        }
    }

    /// Two stations, back to back.
    #[must_use]
    pub fn direct(wire: Wire) -> Self {
        let mut topology = Self::new();
        let ends = ["station 0", "station 1"].map(|name| topology.add_station(name));
        topology.connect(ends[0], ends[1], wire);
        topology
    }

    /// `stations` stations on one relay, which is the second end of each cable. Port i of the
    /// relay is station i.
    #[must_use]
    pub fn star(stations: usize, relay: Relay, wire: Wire) -> Self {
        let mut topology = Self::new();
        let centre = topology.add_relay(relay.default_name(0), relay);
        topology.attach_stations(stations, centre, wire);
        topology
    }

    /// `relays` relays in a row, joined by `trunk` cables, with `stations_each` stations on each
    /// by `edge` cables.
    #[must_use]
    pub fn line(relays: usize, stations_each: usize, relay: Relay, edge: Wire, trunk: Wire) -> Self {
        let mut topology = Self::new();
        let mut previous = None;
        for number in 0..relays {
            let node = topology.add_relay(relay.default_name(number), relay);
            if let Some(previous) = previous.replace(node) {
                topology.connect(previous, node, trunk);
            }
            topology.attach_stations(stations_each, node, edge);
        }
        topology
    }

    /// A complete tree: a relay above `fan` relays and so on, `fan.len()` levels of cables; the
    /// nodes under the lowest relays are stations. `fan` says how many are below each relay, from
    /// the root down.
    #[must_use]
    pub fn tree(fan: &[usize], relay: Relay, edge: Wire, trunk: Wire) -> Self {
        let mut topology = Self::new();
        let root = topology.add_relay(relay.default_name(0), relay);
        let mut level = vec![root];
        for (depth, below) in fan.iter().enumerate() {
            let lowest = depth + 1 == fan.len();
            let mut next = Vec::new();
            for above in level {
                if lowest {
                    topology.attach_stations(*below, above, edge);
                    continue;
                }
                for _ in 0..*below {
                    let node = topology.add_relay(relay.default_name(topology.relays.len()), relay);
                    topology.connect(node, above, trunk);
                    next.push(node);
                }
            }
            level = next;
        }
        topology
    }
}

impl Relay {
    /// Its kind and number, such as `switch 0`.
    #[must_use]
    pub fn default_name(&self, number: usize) -> String {
        let kind = match self {
            Self::Switch(_) => "switch",
            Self::Distributor(_) => "distributor",
            Self::Hub { .. } => "hub",
        };
        format!("{kind} {number}")
    }
}
