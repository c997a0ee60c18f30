//! The one choice of medium: whatever connects the stations, as one [`Fabric`].

use linerate_core::units::Time;

use crate::ethernet::link::Link;
use crate::ethernet::network::{Network, QueueReport};
use crate::event::Event;
use crate::fabric::{Client, Fabric, MacCounters};
use crate::frame::Port;
use crate::kernel::Kernel;
use crate::media::each_medium;

/// [`Medium`] of the table of media.
macro_rules! medium {
    ($($(#[$doc:meta])* $medium:ident($name:literal, $fabric:ty, $event:ty, $plan:ty)),* $(,)?) => {
        /// What connects the stations of a model.
        #[derive(Debug)]
        pub enum Medium {
            /// Two Ethernet stations back to back, full duplex.
            Link(Link),
            /// Ethernet stations, cables and relays.
            Ethernet(Network),
            $($(#[$doc])* $medium($fabric),)*
        }

        /// The calls of a [`Fabric`], in a kernel of the events of any of them.
        impl Medium {
            /// See [`Fabric::wake`].
            pub fn wake(&mut self, port: Port, kernel: &mut Kernel<Event>, client: &mut impl Client<Event>) {
                match self {
                    Self::Link(link) => link.wake(port, kernel, client),
                    Self::Ethernet(network) => network.wake(port, kernel, client),
                    $(Self::$medium(fabric) => fabric.wake(port, kernel, client),)*
                }
            }

            /// See [`Fabric::handle`].
            pub fn handle(
                &mut self,
                event: Event,
                kernel: &mut Kernel<Event>,
                client: &mut impl Client<Event>,
            ) {
                match (self, event) {
                    (Self::Link(link), Event::Link(event)) => link.handle(event, kernel, client),
                    $((Self::$medium(fabric), Event::$medium(event)) => fabric.handle(event, kernel, client),)*
                    (Self::Ethernet(network), event) => {
                        let event = event.of_network().expect("a network sets only events of its own");
                        network.handle(event, kernel, client);
                    }
                    (medium, event) => unreachable!("{event:?} is no event of {medium:?}"),
                }
            }

            /// See [`Fabric::counters`].
            #[must_use]
            pub fn counters(&self, port: Port) -> MacCounters {
                match self {
                    Self::Link(link) => link.counters(port),
                    Self::Ethernet(network) => network.counters(port),
                    $(Self::$medium(fabric) => fabric.counters(port),)*
                }
            }

            /// See [`Fabric::held`].
            #[must_use]
            pub fn held(&self) -> u64 {
                match self {
                    Self::Link(link) => link.held(),
                    Self::Ethernet(network) => network.held(),
                    $(Self::$medium(fabric) => fabric.held(),)*
                }
            }
        }
    };
}

each_medium!(medium);

impl Medium {
    /// Queues and buffers between the stations, as they were until `now`.
    #[must_use]
    pub fn queues(&self, now: Time) -> Vec<QueueReport> {
        match self {
            Self::Ethernet(network) => network.queues(now),
            _ => Vec::new(),
        }
    }
}
