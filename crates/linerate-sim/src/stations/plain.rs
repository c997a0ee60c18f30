//! Plain flows: sending and receiving their packets costs the stations nothing.

use linerate_core::units::Time;

use super::connection::Connection;
use super::{Broken, Event, Flow, Stations};
use crate::fabric::Loss;
use crate::frame::{Content, Destination, Frame, Packet, Port, Station};
use crate::kernel::{Class, Includes, Kernel};
use crate::machine::End;
use crate::stack::Side;

impl Stations {
    pub(super) fn plain(&mut self, flow: u32) -> &mut Connection {
        match &mut self.flows[flow as usize] {
            Flow::Plain(connection) => connection,
            Flow::Tcp(_) => unreachable!("packets are those of plain flows"),
        }
    }

    pub(super) fn plain_write(&mut self, flow: u32, side: Side, data: &[u8]) -> Result<usize, Broken> {
        let connection = self.plain(flow);
        if let Some(broken) = connection.broken() {
            return Err(broken);
        }
        if connection.closed[side.other() as usize] {
            return Err(Broken::Closed);
        }
        let len = connection.flow.write(side, data);
        self.wake_sender(flow, side);
        Ok(len)
    }

    pub(super) fn plain_read(&mut self, flow: u32, side: Side, data: &mut [u8]) -> Result<usize, Broken> {
        let connection = self.plain(flow);
        let len = connection.flow.read(side, data);
        if len == 0 {
            if let Some(broken) = connection.broken() {
                return Err(broken);
            }
            if connection.closed[side.other() as usize] && connection.flow.is_drained(side) {
                return Err(Broken::Closed);
            }
        }
        self.wake_sender(flow, side);
        Ok(len)
    }

    /// Retransmits what the network lost of a stream.
    pub(super) fn resend(&mut self, flow: u32, side: Side) {
        self.plain(flow).resend(side);
        self.wake_sender(flow, side);
        self.tell_both(flow);
    }

    pub(super) fn packet_arrived(&mut self, packet: &Packet) {
        let side = sender(packet).other();
        self.plain(packet.flow).arrived(side, packet);
        self.wake_sender(packet.flow, side);
        self.tell(End { flow: packet.flow, side });
    }

    pub(super) fn wake_sender(&mut self, flow: u32, side: Side) {
        let connection = self.plain(flow);
        if connection.flow.has_packet(side) {
            let (station, place) = (connection.stations[side as usize], connection.places[side as usize]);
            self.stations[station.index()].ready.insert(place);
            self.wakes.push(Port(station.0));
        }
    }

    /// The network lost a packet: a stream sends it again after a while.
    pub(super) fn packet_lost(
        &mut self,
        packet: &Packet,
        loss: Loss,
        kernel: &mut Kernel<impl Includes<Event>>,
    ) {
        let (flow, side) = (packet.flow, sender(packet));
        let connection = self.plain(flow);
        if connection.lost(side, packet, loss) {
            let when = kernel.now() + connection.flow.parameters().retransmit_after;
            kernel.at(when, Class::Expire, Event::Resend { flow, side });
        }
        self.tell_both(flow);
    }

    /// The next packet of the plain flows of a station, which take turns.
    pub(super) fn next_packet(&mut self, station: Station, now: Time) -> Option<Frame> {
        let attached = &mut self.stations[station.index()];
        while let Some(place) =
            attached.ready.range(attached.turn..).next().or_else(|| attached.ready.first()).copied()
        {
            let (number, side) = attached.ends[place];
            let packet = match &mut self.flows[number as usize] {
                Flow::Plain(connection) => {
                    connection.flow.packet(side, number).map(|packet| (connection, packet))
                }
                Flow::Tcp(_) => None,
            };
            let Some((connection, packet)) = packet else {
                attached.ready.remove(&place);
                continue;
            };
            attached.turn = (place + 1) % attached.ends.len();
            // A datagram on the wire frees its room in the send buffer.
            connection.stirred[side as usize] = true;
            let header = connection.flow.parameters().header_bytes;
            return Some(Frame {
                source: station,
                destination: Destination::Station(connection.stations[side.other() as usize]),
                data_bytes: packet.length + header,
                content: Content::Packet(packet),
                offered: now,
            });
        }
        None
    }
}

const fn sender(packet: &Packet) -> Side {
    if packet.forward { Side::First } else { Side::Second }
}
