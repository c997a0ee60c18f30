//! The one choice of medium: whatever connects the stations, as one [`Fabric`].

use linerate_core::units::Time;

use crate::atm::Atm;
use crate::ethernet::link::Link;
use crate::ethernet::network::{Network, QueueReport};
use crate::event::Event;
use crate::fabric::{Client, Fabric, MacCounters};
use crate::fddi::Fddi;
use crate::fibre_channel::FibreChannel;
use crate::frame::Port;
use crate::kernel::Kernel;
use crate::myrinet::Myrinet;

/// What connects the stations of a model.
#[derive(Debug)]
pub enum Medium {
    /// Two Ethernet stations back to back, full duplex.
    Link(Link),
    /// Ethernet stations, cables and relays.
    Ethernet(Network),
    /// ATM.
    Atm(Atm),
    /// An FDDI ring.
    Fddi(Fddi),
    /// Fibre Channel.
    FibreChannel(FibreChannel),
    /// A Myrinet.
    Myrinet(Myrinet),
}

/// The same call on whichever medium it is.
macro_rules! on_medium {
    ($medium:expr, $fabric:ident => $call:expr) => {
        match $medium {
            Medium::Link($fabric) => $call,
            Medium::Ethernet($fabric) => $call,
            Medium::Atm($fabric) => $call,
            Medium::Fddi($fabric) => $call,
            Medium::FibreChannel($fabric) => $call,
            Medium::Myrinet($fabric) => $call,
        }
    };
}

/// The calls of a [`Fabric`], in a kernel of the events of any of them.
impl Medium {
    /// See [`Fabric::wake`].
    pub fn wake(&mut self, port: Port, kernel: &mut Kernel<Event>, client: &mut impl Client<Event>) {
        on_medium!(self, fabric => fabric.wake(port, kernel, client));
    }

    /// See [`Fabric::handle`].
    pub fn handle(&mut self, event: Event, kernel: &mut Kernel<Event>, client: &mut impl Client<Event>) {
        match (self, event) {
            (Self::Link(link), Event::Link(event)) => link.handle(event, kernel, client),
            (Self::Atm(atm), Event::Atm(event)) => atm.handle(event, kernel, client),
            (Self::Fddi(ring), Event::Fddi(event)) => ring.handle(event, kernel, client),
            (Self::FibreChannel(fabric), Event::FibreChannel(event)) => fabric.handle(event, kernel, client),
            (Self::Myrinet(myrinet), Event::Myrinet(event)) => myrinet.handle(event, kernel, client),
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
        on_medium!(self, fabric => fabric.counters(port))
    }

    /// See [`Fabric::held`].
    #[must_use]
    pub fn held(&self) -> u64 {
        on_medium!(self, fabric => fabric.held())
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
