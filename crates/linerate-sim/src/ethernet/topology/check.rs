//! Checks of a topology.

use super::{Buffer, Cable, Node, Relay, Topology, TopologyError, Tree};
use crate::ethernet::pause::{FlowControl, Gauge};
use crate::ethernet::phy::Duplex;
use crate::pace::Pace;

impl Topology {
    /// Checks whether a network can be built from this; returns its tree.
    pub(in crate::ethernet) fn check(&self) -> Result<Tree, TopologyError> {
        if self.stations.is_empty() {
            return Err(TopologyError::NoStations);
        }
        self.check_ends()?;
        self.check_stations()?;
        let tree = Tree::of(self)?;
        self.cables.iter().try_for_each(|cable| self.check_cable(cable))?;
        for relay in 0..self.relays.len() {
            self.check_relay(relay, &tree)?;
        }
        Ok(tree)
    }

    /// What people call `node`.
    ///
    /// # Panics
    ///
    /// If it is not there.
    #[must_use]
    pub fn name(&self, node: Node) -> &str {
        match node {
            Node::Station(number) => &self.stations[number].name,
            Node::Relay(number) => &self.relays[number].name,
        }
    }

    fn check_ends(&self) -> Result<(), TopologyError> {
        let [stations, relays] = [self.stations.len(), self.relays.len()];
        for (cable, ends) in self.cables.iter().map(|cable| cable.ends).enumerate() {
            for node in ends {
                let node = match node {
                    Node::Station(number) if number >= stations => format!("station {number}"),
                    Node::Relay(number) if number >= relays => format!("relay {number}"),
                    _ => continue,
                };
                return Err(TopologyError::UnknownNode { cable, node, stations, relays });
            }
        }
        Ok(())
    }

    fn check_stations(&self) -> Result<(), TopologyError> {
        let mut cables = vec![0; self.stations.len()];
        for end in self.cables.iter().flat_map(|cable| cable.ends) {
            if let Node::Station(number) = end {
                cables[number] += 1;
            }
        }
        for (station, cables) in self.stations.iter().zip(cables) {
            if cables != 1 {
                return Err(TopologyError::StationCables { station: station.name.clone(), cables });
            }
            if let Some(receive) = &station.receive {
                receive.buffer.check(&station.name)?;
            }
        }
        Ok(())
    }

    fn check_cable(&self, cable: &Cable) -> Result<(), TopologyError> {
        let ends = || cable.ends.map(|node| self.name(node).to_owned());
        let relay = |wanted: fn(&Relay) -> bool| {
            cable
                .ends
                .iter()
                .any(|node| matches!(node, Node::Relay(number) if wanted(&self.relays[*number].kind)))
        };
        let sides = cable.wire.sides;
        let any = |duplex| sides.iter().any(|side| side.duplex == duplex);
        if any(Duplex::Half) {
            if relay(|kind| matches!(kind, Relay::Distributor(_))) {
                return Err(TopologyError::HalfDuplexDistributor { ends: ends() });
            }
            if is_faster(cable.wire.pace, 1_000) {
                return Err(TopologyError::HalfDuplexRate { ends: ends() });
            }
            if sides.iter().any(|side| side.flow != FlowControl::NONE) {
                return Err(TopologyError::HalfDuplexPause { ends: ends() });
            }
        }
        if any(Duplex::Full) && relay(|kind| matches!(kind, Relay::Hub { .. })) {
            return Err(TopologyError::FullDuplexHub { ends: ends() });
        }
        self.check_gigabit_hubs(cable)
    }

    fn check_gigabit_hubs(&self, cable: &Cable) -> Result<(), TopologyError> {
        let hub = |node: &Node| matches!(node, Node::Relay(number) if self.relays[*number].kind.is_hub());
        if cable.ends.iter().all(hub) && is_gigabit(cable.wire.pace) {
            let hubs = cable.ends.map(|node| self.name(node).to_owned());
            return Err(TopologyError::GigabitHubs { hubs });
        }
        Ok(())
    }

    fn check_relay(&self, number: usize, tree: &Tree) -> Result<(), TopologyError> {
        let relay = &self.relays[number];
        match relay.kind {
            Relay::Switch(parameters) => {
                return parameters.input.map_or(Ok(()), |input| input.check(&relay.name));
            }
            Relay::Distributor(buffer) => buffer.check(&relay.name)?,
            Relay::Hub { .. } => {}
        }
        let mut paces = tree.ports(Node::Relay(number)).iter().map(|plug| self.cables[plug.cable].wire.pace);
        let first = paces.next();
        if paces.any(|pace| Some(pace) != first) {
            return Err(TopologyError::MixedRates { relay: relay.name.clone() });
        }
        Ok(())
    }
}

impl Relay {
    /// Whether it is a hub.
    #[must_use]
    pub const fn is_hub(&self) -> bool {
        matches!(self, Self::Hub { .. })
    }
}

impl Buffer {
    fn check(&self, node: &str) -> Result<(), TopologyError> {
        let Some(watermarks) = self.watermarks else { return Ok(()) };
        let node = || node.to_owned();
        Gauge::new(self.capacity, watermarks)
            .map(|_| ())
            .map_err(|unfit| TopologyError::Watermarks { node: node(), unfit })
    }
}

/// Whether it is faster than this many bits per microsecond.
const fn is_faster(pace: Pace, megabits: u64) -> bool {
    pace.span(1_000 * megabits).as_ps() < 1_000_000_000
}

/// Above 100 Mb/s, where half duplex has the rules of 1 Gb/s (IEEE 802.3, 4.4.2).
pub(in crate::ethernet) const fn is_gigabit(pace: Pace) -> bool {
    is_faster(pace, 100)
}
