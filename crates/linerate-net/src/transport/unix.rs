//! A Unix stream socket, and the way in which two ends on one host meet at one.
//!
//! The place is an abstract name of random digits, which goes away with its listener. Anybody on
//! the host may read it in /proc/net/unix, so it is no secret and nothing is made of the pass:
//! whoever comes without the pass is turned away.

use linerate_core::transport::Transport;
use socket2::{Domain, SockAddr, Socket, Type};

use super::arrivals::Arrivals;
use super::options::{apply_buffers, without_tcp};
use super::socket::{Carrier, SocketChannel};
use super::{Host, Introduction, Setup, TransportError};
use crate::channel::Wire;
use crate::control::{Deadline, Meeting, Pass, Place, random};
use crate::line::Line;

/// What every name begins with, so that a peer can send nobody to the socket of another program.
const NAMES: &str = "linerate-";

/// Where the ends of a local transport meet.
#[derive(Debug)]
pub(super) struct Meet {
    name: String,
    arrivals: Arrivals,
}

impl Meet {
    /// Listens at a fresh name for those who have `pass`.
    pub(super) fn open(pass: &Pass) -> Result<Self, TransportError> {
        let failed = TransportError::system;
        let digits = random::<16>().map_err(failed("draw a random name"))?;
        let name = format!("{NAMES}{:032x}", u128::from_be_bytes(digits));
        let listener = Socket::new(Domain::UNIX, Type::STREAM, None).map_err(failed("make a Unix socket"))?;
        let bound = abstract_name(&name).and_then(|address| listener.bind(&address));
        bound.map_err(failed("bind a Unix socket to an abstract name"))?;
        Ok(Self { name, arrivals: Arrivals::at(listener, pass)? })
    }

    pub(super) fn meeting(&self) -> Meeting {
        Place::Local(self.name.clone()).into()
    }

    /// The next who has introduced himself.
    pub(super) fn next(&mut self, deadline: Deadline) -> Result<(u32, Socket), TransportError> {
        self.arrivals.next(deadline)
    }
}

/// Goes to the place that the peer named and introduces itself.
pub(super) fn meet(
    transport: Transport,
    meeting: &Meeting,
    introduction: Introduction,
) -> Result<Socket, TransportError> {
    let failed = TransportError::system;
    let name = match &meeting.place {
        Place::Local(name) if name.starts_with(NAMES) => name,
        _ => return Err(TransportError::Place(transport)),
    };
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None).map_err(failed("make a Unix socket"))?;
    let address = abstract_name(name).map_err(failed("use the name of the peer's Unix socket"))?;
    socket.connect(&address).map_err(|error| match error.kind() {
        std::io::ErrorKind::ConnectionRefused => TransportError::lacking(
            transport,
            "the peer is not on this host, or in another network namespace; both ends must be on one host",
        ),
        _ => failed("connect to the peer's Unix socket")(error),
    })?;
    send_introduction(&socket, introduction)?;
    Ok(socket)
}

/// Says whose a connected socket is. So few bytes always fit a fresh one.
pub(super) fn send_introduction(socket: &Socket, introduction: Introduction) -> Result<(), TransportError> {
    let bytes = introduction.encode();
    let sent = std::io::Write::write_all(&mut &*socket, &bytes);
    sent.map_err(TransportError::system("introduce the channel"))
}

fn abstract_name(name: &str) -> std::io::Result<SockAddr> {
    SockAddr::unix(format!("\0{name}"))
}

/// Takes Unix stream sockets.
#[derive(Debug)]
pub(super) struct Unix {
    setup: Setup,
    meet: Meet,
}

impl Unix {
    pub(super) fn open(setup: &Setup, pass: &Pass) -> Result<Self, TransportError> {
        without_tcp(&setup.socket, setup.transport)?;
        Ok(Self { setup: setup.clone(), meet: Meet::open(pass)? })
    }
}

impl Host for Unix {
    fn meeting(&self) -> Meeting {
        self.meet.meeting()
    }

    fn accept(&mut self, deadline: Deadline) -> Result<(u32, Box<dyn Line>), TransportError> {
        let (flow, socket) = self.meet.next(deadline)?;
        Ok((flow, line(socket, &self.setup)?))
    }
}

/// Connects to the name that the peer gave.
pub(super) fn join(
    setup: &Setup,
    meeting: &Meeting,
    introduction: Introduction,
) -> Result<Box<dyn Line>, TransportError> {
    without_tcp(&setup.socket, setup.transport)?;
    line(meet(setup.transport, meeting, introduction)?, setup)
}

fn line(socket: Socket, setup: &Setup) -> Result<Box<dyn Line>, TransportError> {
    apply_buffers(&socket, &setup.socket)?;
    Ok(Box::new(Wire::new(SocketChannel::new(socket, setup, Carrier::Unix)?, setup.clock)))
}
