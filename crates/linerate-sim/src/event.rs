//! Everything that can happen in a simulation: one variant for each part that sets events.

use crate::ethernet::network::{self, NetworkEvent};
use crate::ethernet::{link, segment};
use crate::kernel::Includes;
use crate::media::each_medium;
use crate::stations;

/// [`Event`] of the table of media.
macro_rules! event {
    ($($(#[$doc:meta])* $medium:ident($name:literal, $about:literal, $carrier:ty, $event:ty, $plan:ty),)*) => {
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
            $($(#[$doc])* $medium($event),)*
            /// At a station.
            Station(stations::Event),
        }

        $(impl Includes<$event> for Event {
            #[inline]
            fn of(event: $event) -> Self {
                Self::$medium(event)
            }
        })*
    };
}

each_medium!(event);

impl Event {
    /// The event as one of an Ethernet network, if it is.
    #[must_use]
    pub const fn of_network(self) -> Option<NetworkEvent> {
        match self {
            Self::Link(event) => Some(NetworkEvent::Link(event)),
            Self::Segment(event) => Some(NetworkEvent::Segment(event)),
            Self::Network(event) => Some(NetworkEvent::Node(event)),
            _ => None,
        }
    }
}

impl Includes<NetworkEvent> for Event {
    #[inline]
    fn of(event: NetworkEvent) -> Self {
        match event {
            NetworkEvent::Link(event) => Self::Link(event),
            NetworkEvent::Segment(event) => Self::Segment(event),
            NetworkEvent::Node(event) => Self::Network(event),
        }
    }
}

impl Includes<stations::Event> for Event {
    #[inline]
    fn of(event: stations::Event) -> Self {
        Self::Station(event)
    }
}
