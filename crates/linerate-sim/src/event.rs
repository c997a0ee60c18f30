//! Everything that can happen in a simulation: one variant for each part that sets events.

use crate::ethernet::{link, network, segment};
use crate::{atm, fddi, fibre_channel, myrinet, stations};

/// Something that happens. Small, because events are copied.
///
/// Links and collision domains put their number in their events, because an Ethernet network is
/// made of many of them. The others are whole networks: a kernel holds the events of one of each
/// kind at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// On a full-duplex Ethernet link.
    Link(link::Event),
    /// In an Ethernet collision domain.
    Segment(segment::Event),
    /// In a relay or a receiving station of an Ethernet network.
    Network(network::Event),
    /// In an ATM network.
    Atm(atm::Event),
    /// On a Fibre Channel link.
    FibreChannel(fibre_channel::Event),
    /// On an FDDI ring.
    Fddi(fddi::Event),
    /// In a Myrinet network.
    Myrinet(myrinet::Event),
    /// At a station.
    Station(stations::Event),
    /// A mark that tests set.
    Probe(u32),
}

/// Gives each part's event its place.
macro_rules! part {
    ($($variant:ident: $event:ty),* $(,)?) => {$(
        impl From<$event> for Event {
            fn from(event: $event) -> Self {
                Self::$variant(event)
            }
        }
    )*};
}

part! {
    Link: link::Event,
    Segment: segment::Event,
    Network: network::Event,
    Atm: atm::Event,
    FibreChannel: fibre_channel::Event,
    Fddi: fddi::Event,
    Myrinet: myrinet::Event,
    Station: stations::Event,
}
