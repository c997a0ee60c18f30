//! Why a topology is invalid.

use crate::ethernet::pause::UnfitWatermarks;

/// Why a topology is invalid. Displayed after "failed to build the network: ".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TopologyError {
    /// There are no stations.
    #[error("it has no stations; at least one is needed")]
    NoStations,
    /// A station's interface takes one cable.
    #[error("{station} has {cables} cables; a station has exactly 1")]
    StationCables {
        /// Its name.
        station: String,
        /// How many end at it.
        cables: usize,
    },
    /// A cable ends at a node that does not exist.
    #[error(
        "cable {cable} ends at {node}, which does not exist; there are {stations} stations and {relays} relays, counted from 0"
    )]
    UnknownNode {
        /// Its place in the topology.
        cable: usize,
        /// What it names.
        node: String,
        /// Stations there are.
        stations: usize,
        /// Relays there are.
        relays: usize,
    },
    /// More than one way between two nodes.
    #[error("{} form a loop; there is no spanning tree, so exactly 1 path is allowed between two nodes", nodes.join(", "))]
    Loop {
        /// Names of the nodes on the loop, in its order.
        nodes: Vec<String>,
    },
    /// No way between two stations.
    #[error("no path leads from {from} to {station}; every station must be reachable")]
    Unreachable {
        /// The station where the search started.
        from: String,
        /// The station that was not found.
        station: String,
    },
    /// A full-duplex repeater has no collision domain.
    #[error("the cable between {} and {} is half duplex; a distributor is full duplex only", ends[0], ends[1])]
    HalfDuplexDistributor {
        /// Names of what the cable connects.
        ends: [String; 2],
    },
    /// Half duplex is not defined above 1 Gb/s.
    #[error("the cable between {} and {} is half duplex; that is allowed up to 1 Gb/s", ends[0], ends[1])]
    HalfDuplexRate {
        /// Names of what the cable connects.
        ends: [String; 2],
    },
    /// PAUSE is defined for full duplex only (IEEE 802.3, annex 31B).
    #[error("the cable between {} and {} has PAUSE and is half duplex; PAUSE is for full duplex", ends[0], ends[1])]
    HalfDuplexPause {
        /// Names of what the cable connects.
        ends: [String; 2],
    },
    /// A hub is a collision domain.
    #[error("the cable between {} and {} is full duplex; a hub is half duplex only", ends[0], ends[1])]
    FullDuplexHub {
        /// Names of what the cable connects.
        ends: [String; 2],
    },
    /// A repeater does not change the rate.
    #[error("{relay} has cables of more than one rate; a hub or distributor has one rate")]
    MixedRates {
        /// Its name.
        relay: String,
    },
    /// A collision domain at 1 Gb/s has at most one repeater (IEEE 802.3, clause 41).
    #[error("{} and {} are joined at 1 Gb/s; a collision domain has at most 1 hub there", hubs[0], hubs[1])]
    GigabitHubs {
        /// Their names.
        hubs: [String; 2],
    },
    /// Watermarks do not fit a buffer.
    #[error("{node} has {unfit}")]
    Watermarks {
        /// Whose buffer it is.
        node: String,
        /// What does not fit.
        unfit: UnfitWatermarks,
    },
}
