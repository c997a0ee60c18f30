//! A TCP connection between two hosts, and the applications at its ends.

use linerate_core::units::Time;

use super::Broken;
use super::call::Call;
use super::payload::Payload;
use crate::frame::Station;
use crate::kernel::Timer;
use crate::stack::Side;
use crate::tcp::{Connection, Failure, Settings, State};

/// A TCP connection between two hosts; pairs are by side.
#[derive(Debug)]
pub(super) struct TcpFlow {
    pub(super) stations: [Station; 2],
    pub(super) ends: [TcpEnd; 2],
    /// The bytes that each end wrote and the other's application has not read. They are kept here
    /// once; segments only count them.
    payload: [Payload; 2],
    /// Something changed that an end's application may wait for.
    pub(super) stirred: [bool; 2],
    /// The application has gone.
    pub(super) closed: [bool; 2],
}

/// One end: the protocol, and the calls of its application.
#[derive(Debug)]
pub(super) struct TcpEnd {
    pub(super) connection: Connection,
    pub(super) send: Call,
    pub(super) recv: Call,
    /// A processor is about to make its next segment, or as many as this payload has that the adaptor
    /// will cut. Unit: bytes.
    pub(super) transmitting: Option<u64>,
    /// A call or a segment came of which data segments may come that begin to be sent.
    pub(super) begins: bool,
    /// The event that lets the protocol's timers run out.
    pub(super) timer: Option<(Time, Timer)>,
}

impl TcpEnd {
    fn new(connection: Connection) -> Self {
        Self {
            connection,
            send: Call::default(),
            recv: Call::default(),
            transmitting: None,
            begins: false,
            timer: None,
        }
    }
}

impl TcpFlow {
    /// The first end is the one that connects.
    pub(super) fn new(stations: [Station; 2], [first, second]: [Settings; 2]) -> Self {
        Self {
            stations,
            ends: [TcpEnd::new(Connection::connect(first)), TcpEnd::new(Connection::listen(second))],
            payload: <[Payload; 2]>::default(),
            stirred: [true; 2],
            closed: [false; 2],
        }
    }

    /// Whether both ends know that they are connected, or will never be.
    pub(super) fn is_settled(&self) -> bool {
        self.ends.iter().all(|end| {
            let state = end.connection.state();
            !matches!(state, State::Listen | State::SynSent | State::SynReceived)
        }) || self.broken().is_some()
    }

    /// Why nothing more passes, if so.
    pub(super) fn broken(&self) -> Option<Broken> {
        let failure = self.ends.iter().find_map(|end| end.connection.failure())?;
        Some(match failure {
            Failure::TimedOut => Broken::TimedOut,
            Failure::Reset => Broken::Reset,
        })
    }

    pub(super) fn keep(&mut self, side: Side, data: &[u8]) {
        self.payload[side as usize].write(data);
    }

    /// Fills `data` for `side` with bytes that the other end wrote.
    pub(super) fn give(&mut self, side: Side, data: &mut [u8]) {
        self.payload[side.other() as usize].read(data);
    }

    /// Whether `side` has taken everything that was written for it.
    pub(super) fn is_drained(&self, side: Side) -> bool {
        self.payload[side.other() as usize].is_empty()
    }
}
