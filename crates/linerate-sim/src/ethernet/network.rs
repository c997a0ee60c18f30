//! An Ethernet network: stations, switches, full-duplex repeaters and hubs, of any size.
//!
//! A [`Network`] is one [`Fabric`], whose port i is station i. Inside it is made of links and
//! collision domains, which are fabrics too, and of relays, which are their clients. A relay that
//! receives a frame from one line cannot call another line while that call runs, so it leaves an
//! order, which is carried out before the next event happens.
//!
//! Equations, assumptions and what is not modelled: docs/models/switch.md and
//! docs/models/full-duplex-repeater.md.

mod accounts;
mod distributor;
mod input;
mod interface;
mod marking;
mod nodes;
mod receiver;
mod report;
mod switch;
mod wiring;

use super::link::{self, Link};
use super::segment::{self, Segment};
use crate::fabric::{Client, Fabric, MacCounters};
use crate::frame::Port;
use crate::kernel::{Includes, Kernel};
use distributor::Distributor;
use interface::{Interface, Line, Order, Outbox};
use nodes::{Ends, Kind, Nodes};

/// What happens in a relay or at a receiving station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event(What);

/// Private, because only this module sets events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// A switch's latency has passed for the oldest frame that it has not forwarded.
    Forward { relay: u32 },
    /// A full-duplex repeater may take the next frame.
    Turn { relay: u32 },
    /// The host of a station has taken a frame out of its receive buffer.
    Taken { station: u32 },
    /// A PAUSE is about to run out while the buffer that asked for it is not low.
    Refresh(Interface),
}

/// What happens in a network: in one of its lines, or in one of its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkEvent {
    /// On a link.
    Link(link::Event),
    /// In a collision domain.
    Segment(segment::Event),
    /// In a relay or at a receiving station.
    Node(Event),
}

/// Whatever includes a network's events includes those of its links.
impl<E: Includes<NetworkEvent>> Includes<link::Event> for E {
    #[inline]
    fn of(event: link::Event) -> Self {
        E::of(NetworkEvent::Link(event))
    }
}

/// Whatever includes a network's events includes those of its collision domains.
impl<E: Includes<NetworkEvent>> Includes<segment::Event> for E {
    #[inline]
    fn of(event: segment::Event) -> Self {
        E::of(NetworkEvent::Segment(event))
    }
}

/// Statistics of a queue or buffer.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct QueueReport {
    /// Whose it is, such as `switch 0 port 3 out`.
    pub name: String,
    /// Room. Unit: bytes of MAC frames, preamble not included.
    pub capacity: u64,
    /// The most it held. Unit: bytes.
    pub peak: u64,
    /// What it held on average over time. Unit: bytes.
    pub mean: f64,
    /// Frames that found no room.
    pub overflow: u64,
    /// Packets that it marked (CE, RFC 3168).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub marked: u64,
    /// Packets that it lost where it would have marked them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub early: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// An Ethernet network. Its ports are its stations.
///
/// A frame's `source` is the station from whose port it is taken. Each frame ends once for each of
/// its addressees: delivered, or lost, said at the port of its source. Copies that relays send
/// elsewhere than to the addressee are not losses. A frame whose addressee is its source, or is not
/// in this network, is not a loss either: it just ends.
#[derive(Debug)]
pub struct Network {
    links: Vec<Link>,
    /// Which interface each side of each link is.
    link_ends: Vec<[Interface; 2]>,
    segments: Vec<Segment>,
    /// Which interface each seat of each collision domain is.
    segment_ends: Vec<Vec<Interface>>,
    nodes: Nodes,
}

impl Network {
    /// Calls a line, with its ends as its client.
    fn wake_line<E: Includes<NetworkEvent>>(
        &mut self,
        line: Line,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        match line {
            Line::Link { link, side } => {
                let ends = &mut Ends { interfaces: &self.link_ends[link], nodes: &mut self.nodes, client };
                self.links[link].wake(Port(side), kernel, ends);
            }
            Line::Segment { segment, seat } => {
                let interfaces = &self.segment_ends[segment];
                let ends = &mut Ends { interfaces, nodes: &mut self.nodes, client };
                self.segments[segment].wake(Port(seat), kernel, ends);
            }
        }
    }

    /// Makes the MAC at `line` send PAUSE.
    fn pause_line<E: Includes<NetworkEvent>>(
        &mut self,
        line: Line,
        quanta: u16,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        // A collision domain has no PAUSE, so nobody requests it there.
        if let Line::Link { link, side } = line {
            let ends = &mut Ends { interfaces: &self.link_ends[link], nodes: &mut self.nodes, client };
            self.links[link].send_pause(Port(side), quanta, kernel, ends);
        }
    }

    /// Carries out the nodes' orders, including those that they add meanwhile, in that order.
    fn settle<E: Includes<NetworkEvent>>(&mut self, kernel: &mut Kernel<E>, client: &mut impl Client<E>) {
        self.nodes.report_overflows(kernel, client);
        while let Some(order) = self.nodes.outbox.orders.pop_front() {
            match order {
                Order::Wake(interface) => self.wake_line(self.nodes.line(interface), kernel, client),
                Order::Pause(interface, quanta) => {
                    self.pause_line(self.nodes.line(interface), quanta, kernel, client);
                }
            }
            self.nodes.report_overflows(kernel, client);
        }
    }

    /// A full-duplex repeater may take the next frame, if every line that it goes to can.
    fn turn<E: Includes<NetworkEvent>>(
        &mut self,
        relay: u32,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let Some(turn) = self.distributor(relay).0.ask() else { return };
        self.wake_others(relay, turn, kernel, client);
        let (repeater, outbox) = self.distributor(relay);
        if repeater.begin(turn, kernel, outbox) {
            self.wake_others(relay, turn, kernel, client);
            self.distributor(relay).0.end();
        }
    }

    fn distributor(&mut self, relay: u32) -> (&mut Distributor, &mut Outbox) {
        match &mut self.nodes.relays[relay as usize].kind {
            Kind::Distributor(repeater) => (repeater, &mut self.nodes.outbox),
            _ => unreachable!("only a full-duplex repeater has turns"),
        }
    }

    /// Wakes the lines of every port but one.
    fn wake_others<E: Includes<NetworkEvent>>(
        &mut self,
        relay: u32,
        but: usize,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        for port in 0..self.nodes.relays[relay as usize].lines.len() {
            if port != but {
                self.wake_line(self.nodes.relays[relay as usize].lines[port], kernel, client);
            }
        }
    }
}

impl Fabric for Network {
    type Event = NetworkEvent;

    fn ports(&self) -> usize {
        self.nodes.stations.len()
    }

    fn wake<E: Includes<NetworkEvent>>(
        &mut self,
        port: Port,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        self.wake_line(self.nodes.line(Interface::Station(port.0)), kernel, client);
        self.settle(kernel, client);
    }

    fn handle<E: Includes<NetworkEvent>>(
        &mut self,
        event: NetworkEvent,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        match event {
            NetworkEvent::Link(event) => {
                let link = event.link as usize;
                let ends = &mut Ends { interfaces: &self.link_ends[link], nodes: &mut self.nodes, client };
                self.links[link].handle(event, kernel, ends);
            }
            NetworkEvent::Segment(event) => {
                let segment = event.segment as usize;
                let interfaces = &self.segment_ends[segment];
                let ends = &mut Ends { interfaces, nodes: &mut self.nodes, client };
                self.segments[segment].handle(event, kernel, ends);
            }
            NetworkEvent::Node(Event(what)) => match what {
                What::Forward { relay } => self.nodes.forward(relay, kernel),
                What::Turn { relay } => self.turn(relay, kernel, client),
                What::Taken { station } => self.nodes.taken(station, kernel, client),
                What::Refresh(interface) => self.nodes.refresh(interface, kernel),
            },
        }
        self.settle(kernel, client);
    }

    fn counters(&self, port: Port) -> MacCounters {
        self.station_counters(port.0)
    }

    fn held(&self) -> u64 {
        self.nodes.accounts.held()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_event_of_a_network_is_as_small_as_those_of_its_lines() {
        assert!(size_of::<super::Event>() <= 16);
    }
}
