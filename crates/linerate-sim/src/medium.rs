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
    ($($(#[$doc:meta])* $medium:ident($name:literal, $about:literal, $carrier:ty, $event:ty, $plan:ty),)*) => {
        /// What connects the stations of a model.
        #[derive(Debug)]
        pub enum Medium {
            /// Two Ethernet stations back to back, full duplex.
            Link(Link),
            /// Ethernet stations, cables and relays.
            Ethernet(Network),
            $($(#[$doc])* $medium($carrier),)*
        }
    };
}

/// The same call on whichever medium it is.
macro_rules! on_medium {
    ([$on:expr, $fabric:ident => $call:expr] $($(#[$doc:meta])* $medium:ident($name:literal, $about:literal, $carrier:ty, $event:ty, $plan:ty),)*) => {
        match $on {
            Medium::Link($fabric) => $call,
            Medium::Ethernet($fabric) => $call,
            $(Medium::$medium($fabric) => $call,)*
        }
    };
}

/// The event, handled by the medium that it is of.
macro_rules! handle {
    ([$on:expr, $of:expr, $kernel:ident, $client:ident] $($(#[$doc:meta])* $medium:ident($name:literal, $about:literal, $carrier:ty, $event:ty, $plan:ty),)*) => {
        match ($on, $of) {
            (Medium::Link(link), Event::Link(event)) => link.handle(event, $kernel, $client),
            $((Medium::$medium(fabric), Event::$medium(event)) => fabric.handle(event, $kernel, $client),)*
            (Medium::Ethernet(network), event) => {
                let event = event.of_network().expect("a network sets only events of its own");
                network.handle(event, $kernel, $client);
            }
            (medium, event) => unreachable!("{event:?} is no event of {medium:?}"),
        }
    };
}

each_medium!(medium);

/// The calls of a [`Fabric`], in a kernel of the events of any of them.
impl Medium {
    /// See [`Fabric::wake`].
    pub fn wake(&mut self, port: Port, kernel: &mut Kernel<Event>, client: &mut impl Client<Event>) {
        each_medium!(on_medium [self, fabric => fabric.wake(port, kernel, client)]);
    }

    /// See [`Fabric::handle`].
    pub fn handle(&mut self, event: Event, kernel: &mut Kernel<Event>, client: &mut impl Client<Event>) {
        each_medium!(handle [self, event, kernel, client]);
    }

    /// See [`Fabric::counters`].
    #[must_use]
    pub fn counters(&self, port: Port) -> MacCounters {
        each_medium!(on_medium [self, fabric => fabric.counters(port)])
    }

    /// See [`Fabric::held`].
    #[must_use]
    pub fn held(&self) -> u64 {
        each_medium!(on_medium [self, fabric => fabric.held()])
    }

    /// Queues and buffers between the stations, as they were until `now`.
    #[must_use]
    pub fn queues(&self, now: Time) -> Vec<QueueReport> {
        match self {
            Self::Ethernet(network) => network.queues(now),
            _ => Vec::new(),
        }
    }
}
