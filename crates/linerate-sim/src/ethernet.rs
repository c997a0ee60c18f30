//! Ethernet (IEEE 802.3): MACs, links, collision domains, relays.

pub mod link;
pub mod negotiation;
pub mod network;
pub mod parameters;
pub mod pause;
pub mod phy;
pub mod segment;
pub mod topology;
