//! The stations and relays of a network, which are the clients of its lines.

use linerate_core::units::Time;

use super::NetworkEvent;
use super::accounts::Accounts;
use super::distributor::Distributor;
use super::interface::{Interface, Line, Outbox, Whereabouts};
use super::receiver::Receiver;
use super::switch::Switch;
use crate::fabric::{Client, Loss, Seen};
use crate::frame::{Frame, Port};
use crate::kernel::{Includes, Kernel};

/// Everything in a network except its lines.
#[derive(Debug)]
pub(super) struct Nodes {
    pub(super) stations: Vec<Attached>,
    pub(super) relays: Vec<Placed>,
    pub(super) accounts: Accounts,
    pub(super) outbox: Outbox,
}

/// A station in its place.
#[derive(Debug)]
pub(super) struct Attached {
    pub(super) name: String,
    pub(super) line: Line,
    pub(super) receiver: Option<Receiver>,
    /// Frames that were handed to the client.
    pub(super) received: u64,
}

/// A relay in its place.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) name: String,
    /// What each port is plugged into.
    pub(super) lines: Vec<Line>,
    pub(super) kind: Kind,
}

/// The kinds of relay.
#[derive(Debug)]
pub(super) enum Kind {
    Switch(Switch),
    Distributor(Distributor),
    /// Part of a collision domain, which does the work.
    Hub,
}

/// The client of one line: says which interface each of its ends is.
pub(super) struct Ends<'a, C> {
    pub(super) interfaces: &'a [Interface],
    pub(super) nodes: &'a mut Nodes,
    pub(super) client: &'a mut C,
}

impl Nodes {
    /// What `interface` is plugged into.
    pub(super) fn line(&self, interface: Interface) -> Line {
        match interface {
            Interface::Station(station) => self.stations[station as usize].line,
            Interface::Relay { relay, port } => self.relays[relay as usize].lines[port as usize],
        }
    }

    /// The next frame that `relay` sends from `port`.
    fn relay_next(
        &mut self,
        relay: u32,
        port: u32,
        kernel: &mut Kernel<impl Includes<NetworkEvent>>,
    ) -> Option<Frame> {
        match &mut self.relays[relay as usize].kind {
            Kind::Switch(switch) => switch.next(port, kernel, &mut self.outbox),
            Kind::Distributor(distributor) => distributor.next(kernel),
            Kind::Hub => None,
        }
    }

    /// A frame came in whole at `port` of `relay`.
    fn relay_receives(
        &mut self,
        relay: u32,
        port: u32,
        frame: Frame,
        kernel: &mut Kernel<impl Includes<NetworkEvent>>,
    ) {
        match &mut self.relays[relay as usize].kind {
            Kind::Switch(switch) => switch.receive(port, frame, kernel, &mut self.outbox),
            Kind::Distributor(distributor) => distributor.receive(port, frame, kernel, &mut self.outbox),
            Kind::Hub => {}
        }
    }

    /// A frame came in whole at `station`.
    fn station_receives<E: Includes<NetworkEvent>>(
        &mut self,
        station: u32,
        frame: Frame,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        if !Accounts::is_for(&frame, station) {
            return;
        }
        let Some(receiver) = &mut self.stations[station as usize].receiver else {
            return self.hand_over(station, frame, kernel, client);
        };
        if !receiver.receive(frame, kernel, &mut self.outbox) {
            self.outbox.overflows.push_back((frame, Whereabouts::Entered(Interface::Station(station))));
        }
    }

    /// The host at `station` has taken a frame out of its receive buffer.
    pub(super) fn taken<E: Includes<NetworkEvent>>(
        &mut self,
        station: u32,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let receiver = self.stations[station as usize].receiver.as_mut().expect("only a buffer is emptied");
        let frame = receiver.take(kernel, &mut self.outbox);
        self.hand_over(station, frame, kernel, client);
    }

    fn hand_over<E: Includes<NetworkEvent>>(
        &mut self,
        station: u32,
        frame: Frame,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        self.stations[station as usize].received += 1;
        self.accounts.settle(&frame, 1);
        client.deliver(Port(station), frame, kernel);
    }

    /// A copy is lost: reports it once for each addressee that it was on the way to.
    fn lose<E: Includes<NetworkEvent>>(
        &mut self,
        (frame, whereabouts): (Frame, Whereabouts),
        loss: Loss,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let owed = self.accounts.owed(&frame, whereabouts);
        self.accounts.settle(&frame, owed);
        for _ in 0..owed {
            client.lost(Port(frame.source.0), frame, loss, kernel);
        }
    }

    /// Reports what found no room.
    pub(super) fn report_overflows<E: Includes<NetworkEvent>>(
        &mut self,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        while let Some(lost) = self.outbox.overflows.pop_front() {
            self.lose(lost, Loss::Overflow, kernel, client);
        }
    }

    /// A watermark's PAUSE is about to run out, and the level is not low.
    pub(super) fn refresh(&mut self, interface: Interface, kernel: &mut Kernel<impl Includes<NetworkEvent>>) {
        let input = match interface {
            Interface::Station(station) => {
                self.stations[station as usize].receiver.as_mut().map(|receiver| &mut receiver.input)
            }
            Interface::Relay { relay, port } => match &mut self.relays[relay as usize].kind {
                Kind::Switch(switch) => switch.input(port),
                Kind::Distributor(distributor) => Some(distributor.input(port)),
                Kind::Hub => None,
            },
        };
        if let Some(input) = input {
            input.refresh(kernel, &mut self.outbox);
        }
    }

    /// The latency of a switch has passed for its oldest frame.
    pub(super) fn forward(&mut self, relay: u32, kernel: &mut Kernel<impl Includes<NetworkEvent>>) {
        if let Kind::Switch(switch) = &mut self.relays[relay as usize].kind {
            switch.forward(kernel, &mut self.outbox);
        }
    }
}

impl<E: Includes<NetworkEvent>, C: Client<E>> Client<E> for Ends<'_, C> {
    fn next(&mut self, port: Port, kernel: &mut Kernel<E>) -> Option<Frame> {
        match self.interfaces[port.index()] {
            Interface::Station(station) => {
                let frame = self.client.next(Port(station), kernel)?;
                self.nodes.accounts.take(frame);
                Some(frame)
            }
            Interface::Relay { relay, port } => self.nodes.relay_next(relay, port, kernel),
        }
    }

    fn deliver(&mut self, port: Port, frame: Frame, kernel: &mut Kernel<E>) {
        match self.interfaces[port.index()] {
            Interface::Station(station) => self.nodes.station_receives(station, frame, kernel, self.client),
            Interface::Relay { relay, port } => self.nodes.relay_receives(relay, port, frame, kernel),
        }
    }

    fn lost(&mut self, port: Port, frame: Frame, loss: Loss, kernel: &mut Kernel<E>) {
        let whereabouts = Whereabouts::Leaving(self.interfaces[port.index()]);
        self.nodes.lose((frame, whereabouts), loss, kernel, self.client);
    }

    fn damaged(&mut self, [_, at]: [Port; 2], frame: Frame, kernel: &mut Kernel<E>) {
        let whereabouts = Whereabouts::Entered(self.interfaces[at.index()]);
        self.nodes.lose((frame, whereabouts), Loss::Error, kernel, self.client);
    }

    fn left(&mut self, port: Port, frame: &Frame, at: Time) {
        if let Interface::Station(station) = self.interfaces[port.index()] {
            self.client.left(Port(station), frame, at);
        }
    }

    fn observe(&mut self, port: Port, frame: &Frame, seen: Seen, kernel: &mut Kernel<E>) {
        if let Interface::Station(station) = self.interfaces[port.index()] {
            self.client.observe(Port(station), frame, seen, kernel);
        }
    }
}
