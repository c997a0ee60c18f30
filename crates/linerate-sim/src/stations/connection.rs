//! A flow, the stations at its ends, and its retransmissions.

use super::counted::Finish;
use crate::fabric::Loss;
use crate::frame::{Packet, Station};
use crate::stack::{Flow, Kind, Parameters, Side};

/// How often a packet is retransmitted before its flow is given up. Source: Linux's `tcp_retries2`.
const MOST_RETRIES: u32 = 15;

/// Why no more bytes pass on a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The network lost a datagram, which is not retransmitted.
    Lost(Loss),
    /// The network lost a segment and all its retransmissions.
    GivenUp(Loss),
    /// TCP gave up after its last retransmission of a segment.
    TimedOut,
    /// TCP's peer reset the connection.
    Reset,
    /// The application at the other end has closed.
    Closed,
}

/// A flow and the stations at its ends; pairs are by side.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) flow: Flow,
    pub(super) stations: [Station; 2],
    /// The place of each end among those of its station.
    pub(super) places: [usize; 2],
    /// Something changed that an end's application may wait for.
    pub(super) stirred: [bool; 2],
    /// The application has gone.
    pub(super) closed: [bool; 2],
    /// What the network lost from this end, until it is retransmitted.
    missing: [Option<Missing>; 2],
    /// How often this end retransmitted without success.
    retries: [Retries; 2],
    given_up: Option<Broken>,
    /// Of a flow whose bytes are only counted.
    pub(super) finish: Finish,
}

#[derive(Clone, Copy, Debug)]
struct Missing {
    loss: Loss,
    /// Segments were lost, and not acknowledgements only.
    data: bool,
}

/// Success counts by kind: that acknowledgements pass does not mean that segments do.
#[derive(Clone, Copy, Debug, Default)]
struct Retries {
    data: u32,
    acknowledgements: u32,
}

impl Connection {
    pub(super) fn new(stations: [Station; 2], places: [usize; 2], parameters: Parameters) -> Self {
        Self {
            flow: Flow::new(parameters),
            stations,
            places,
            stirred: [true; 2],
            closed: [false; 2],
            missing: [None; 2],
            retries: [Retries::default(); 2],
            given_up: None,
            finish: Finish::default(),
        }
    }

    /// Why nothing more of it arrives, if it is broken.
    pub(super) const fn broken(&self) -> Option<Broken> {
        self.given_up
    }

    /// A packet arrived at `side`.
    pub(super) fn arrived(&mut self, side: Side, packet: &Packet) {
        if self.given_up.is_some() {
            return;
        }
        let new = self.flow.arrived(side, packet);
        let retries = &mut self.retries[side.other() as usize];
        if new > 0 {
            *retries = Retries::default();
        } else if packet.length == 0 {
            retries.acknowledgements = 0;
        }
        self.stirred[side as usize] = true;
    }

    /// The network lost a packet of `side`; returns whether [`Self::resend`] must be called later.
    pub(super) fn lost(&mut self, side: Side, packet: &Packet, loss: Loss) -> bool {
        if self.flow.parameters().kind == Kind::Datagram {
            self.give_up(Broken::Lost(loss));
            return false;
        }
        let missing = &mut self.missing[side as usize];
        let data = packet.length > 0 || missing.is_some_and(|missing| missing.data);
        missing.replace(Missing { loss, data }).is_none()
    }

    /// Retransmits what the network lost from `side`, or gives the flow up.
    pub(super) fn resend(&mut self, side: Side) {
        let Some(Missing { loss, data }) = self.missing[side as usize].take() else { return };
        let retries = &mut self.retries[side as usize];
        let count = if data { &mut retries.data } else { &mut retries.acknowledgements };
        *count += 1;
        if *count > MOST_RETRIES {
            self.give_up(Broken::GivenUp(loss));
        } else {
            self.flow.resend(side);
        }
    }

    fn give_up(&mut self, broken: Broken) {
        self.given_up = self.given_up.or(Some(broken));
        self.stirred = [true; 2];
    }
}

#[cfg(test)]
mod tests {
    use linerate_core::units::Span;

    use super::*;

    fn connection() -> Connection {
        let parameters = Parameters {
            kind: Kind::Stream,
            payload_bytes: 100,
            header_bytes: 40,
            window_bytes: 1000,
            send_buffer_bytes: 1000,
            acknowledge_every: 1,
            retransmit_after: Span::from_ms(200),
        };
        Connection::new([Station(0), Station(1)], [0; 2], parameters)
    }

    /// Sends the next packet of `side` and loses it, and lets the time pass.
    fn lose(connection: &mut Connection, side: Side) {
        let packet = connection.flow.packet(side, 0).expect("it has one");
        assert!(connection.lost(side, &packet, Loss::Error), "the time begins to run");
        connection.resend(side);
    }

    #[test]
    fn segments_that_never_pass_are_given_up_though_acknowledgements_do() {
        let mut connection = connection();
        connection.flow.write(Side::First, &[1; 100]);
        for _ in 0..MOST_RETRIES {
            lose(&mut connection, Side::First);
            assert_eq!(connection.broken(), None);
            // The other direction works: its segment comes in, and is acknowledged.
            connection.flow.write(Side::Second, &[2; 100]);
            let packet = connection.flow.packet(Side::Second, 0).expect("data");
            connection.arrived(Side::First, &packet);
            assert_eq!(connection.flow.read(Side::First, &mut [0; 100]), 100);
            let acknowledgement = Packet {
                length: 0,
                offset: 0,
                ..connection.flow.packet(Side::First, 0).expect("it owes one")
            };
            connection.arrived(Side::Second, &acknowledgement);
            connection.flow.resend(Side::First);
        }
        lose(&mut connection, Side::First);
        assert_eq!(connection.broken(), Some(Broken::GivenUp(Loss::Error)));
    }

    #[test]
    fn what_passes_at_last_begins_the_count_again() {
        let mut connection = connection();
        for round in 0..3 {
            connection.flow.write(Side::First, &[1; 100]);
            for _ in 0..MOST_RETRIES {
                lose(&mut connection, Side::First);
            }
            let packet = connection.flow.packet(Side::First, 0).expect("it is sent again");
            connection.arrived(Side::Second, &packet);
            assert_eq!(connection.broken(), None, "round {round}");
            assert_eq!(connection.flow.read(Side::Second, &mut [0; 100]), 100);
            let acknowledgement = connection.flow.packet(Side::Second, 0).expect("it is due");
            connection.arrived(Side::First, &acknowledgement);
        }
    }

    #[test]
    fn acknowledgements_that_never_pass_are_given_up() {
        let mut connection = connection();
        connection.flow.write(Side::First, &[1; 100]);
        let packet = connection.flow.packet(Side::First, 0).expect("data");
        connection.arrived(Side::Second, &packet);
        for _ in 0..=MOST_RETRIES {
            lose(&mut connection, Side::Second);
        }
        assert_eq!(connection.broken(), Some(Broken::GivenUp(Loss::Error)));
    }
}
