//! Where things are plugged together, and what nodes ask of the lines at their interfaces.

use std::collections::VecDeque;

use crate::frame::Frame;

/// Where a line ends: the one interface of a station, or a port of a relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interface {
    /// The interface of a station.
    Station(u32),
    /// A port of a relay.
    Relay { relay: u32, port: u32 },
}

/// What an interface is plugged into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A side of a link.
    Link { link: usize, side: u32 },
    /// A seat of a collision domain.
    Segment { segment: usize, seat: u32 },
}

/// What a node asks of the line at one of its interfaces.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    /// There is something to send.
    Wake(Interface),
    /// Send PAUSE of this many quanta.
    Pause(Interface, u16),
}

/// Where a copy of a frame was when it was lost, which shows for whom it was on its way.
#[derive(Clone, Copy, Debug)]
pub(super) enum Whereabouts {
    /// It had come in by this interface.
    Entered(Interface),
    /// It was to leave by this interface.
    Leaving(Interface),
}

/// Orders of nodes, carried out when the line that called them has returned.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    pub(super) orders: VecDeque<Order>,
    /// Copies that found no room.
    pub(super) overflows: VecDeque<(Frame, Whereabouts)>,
}
