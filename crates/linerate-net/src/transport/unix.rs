//! A Unix stream socket, and the way in which two ends on one host meet at one.
//!
//! The place is an abstract name of random digits, which goes away with its listener. Anybody on
//! the host may read it in /proc/net/unix, so it is no secret and nothing is made of the token:
//! whoever comes without the token is turned away.

use linerate_core::transport::Transport;
use socket2::{Domain, SockAddr, Socket, Type};

use super::arrivals::Arrivals;
use super::options::{apply_buffers, without_tcp};
use super::socket::{Carrier, SocketChannel};
use super::{Listen, Preface, Setup, TransportError};
use crate::channel::Wire;
use crate::control::{ChannelAddress, ChannelToken, Deadline, Rendezvous, random};
use crate::line::Line;

/// What every name begins with, so that a peer can send nobody to the socket of another program.
const NAMES: &str = "linerate-";

/// Where the ends of a local transport listener.
#[derive(Debug)]
pub(super) struct LocalListener {
    name: String,
    arrivals: Arrivals,
}

impl LocalListener {
    /// Listens at a fresh name for those who have `token`.
    pub(super) fn open(token: &ChannelToken) -> Result<Self, TransportError> {
        let failed = TransportError::system;
        let digits = random::<16>().map_err(failed("draw a random name"))?;
        let name = format!("{NAMES}{:032x}", u128::from_be_bytes(digits));
        let listener = Socket::new(Domain::UNIX, Type::STREAM, None).map_err(failed("make a Unix socket"))?;
        let bound = abstract_name(&name).and_then(|address| listener.bind(&address));
        bound.map_err(failed("bind a Unix socket to an abstract name"))?;
        Ok(Self { name, arrivals: Arrivals::at(listener, token)? })
    }

    pub(super) fn rendezvous(&self) -> Rendezvous {
        ChannelAddress::Local(self.name.clone()).into()
    }

    /// The next connection with the right token.
    pub(super) fn next(&mut self, deadline: Deadline) -> Result<(u32, Socket), TransportError> {
        self.arrivals.next(deadline)
    }
}

/// Goes to the place that the peer named and sends the preface.
pub(super) fn connect_local(
    transport: Transport,
    rendezvous: &Rendezvous,
    preface: Preface,
) -> Result<Socket, TransportError> {
    let failed = TransportError::system;
    let name = match &rendezvous.address {
        ChannelAddress::Local(name) if name.starts_with(NAMES) => name,
        _ => return Err(TransportError::Address(transport)),
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
    send_preface(&socket, preface)?;
    Ok(socket)
}

/// Says whose a connected socket is. So few bytes always fit a fresh one.
pub(super) fn send_preface(socket: &Socket, preface: Preface) -> Result<(), TransportError> {
    let bytes = preface.encode();
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
    listener: LocalListener,
}

impl Unix {
    pub(super) fn open(setup: &Setup, token: &ChannelToken) -> Result<Self, TransportError> {
        without_tcp(&setup.socket, setup.transport)?;
        Ok(Self { setup: setup.clone(), listener: LocalListener::open(token)? })
    }
}

impl Listen for Unix {
    fn rendezvous(&self) -> Rendezvous {
        self.listener.rendezvous()
    }

    fn accept(&mut self, deadline: Deadline) -> Result<(u32, Box<dyn Line>), TransportError> {
        let (flow, socket) = self.listener.next(deadline)?;
        Ok((flow, line(socket, &self.setup)?))
    }
}

/// Connects to the name that the peer gave.
pub(super) fn join(
    setup: &Setup,
    rendezvous: &Rendezvous,
    preface: Preface,
) -> Result<Box<dyn Line>, TransportError> {
    without_tcp(&setup.socket, setup.transport)?;
    line(connect_local(setup.transport, rendezvous, preface)?, setup)
}

fn line(socket: Socket, setup: &Setup) -> Result<Box<dyn Line>, TransportError> {
    apply_buffers(&socket, &setup.socket)?;
    Ok(Box::new(Wire::new(SocketChannel::new(socket, setup, Carrier::Unix)?, setup.clock)))
}
