//! What carries the bytes: one file a transport, and one arm of the two matches here.
//!
//! The responder listens: it opens an address for channels, describes it in a [`Rendezvous`], and
//! accepts. The initiator joins. Every channel begins with a preface, the token of its conversation
//! and the number of its flow, so that no stranger's channel is accepted.

mod account;
mod arrivals;
mod certificate;
mod datagram;
mod dial;
#[cfg(on_linux)]
mod ethernet;
#[cfg(on_linux)]
mod local_peer;
pub mod memory;
#[cfg(on_linux)]
mod mptcp;
mod options;
#[cfg(on_linux)]
mod pipe;
mod preface;
mod quic;
#[cfg(on_linux)]
mod shared_memory;
mod socket;
mod tcp;
mod tls;
mod udp;
mod unix;
#[cfg(on_linux)]
mod unix_datagram;
#[cfg(on_linux)]
mod vsock;

use std::fmt::Debug;
use std::io;
use std::net::{IpAddr, SocketAddr, SocketAddrV6, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use linerate_core::endpoint::LinkError;
use linerate_core::options::{MemoryOptions, SocketOptions};
use linerate_core::plan::LocalOptions;
use linerate_core::transport::Transport;
use linerate_core::units::Span;
use socket2::Socket;

use crate::channel::{CancelGroup, Channel, Wire};
use crate::control::{AT_ONCE, ChannelAddress, ChannelToken, Deadline, Rendezvous};
use crate::io::EngineError;
use crate::line::Line;
use crate::observe::HostClock;
use crate::wait::PATIENCE;

pub use account::Account;
pub use datagram::{CONTROL_LEN, Cookie, GONE, HEADER_LEN, Header, Kind, SHORT_LEN};
pub use dial::DialError;
pub(crate) use dial::{CONNECT, SEGMENT, bound, connect};
pub use options::{OptionError, apply, connection, granted};
pub(crate) use options::{announced, buffers, round_trip, segments};
pub(crate) use preface::{PREFACE_LEN, Preface, TAKEN};
pub use socket::SocketChannel;
pub use tcp::tcp_channel;
pub(crate) use udp::apply_to_datagrams;
pub use udp::{Greeting, REPLY_LEN, REQUEST_LEN, Reply, Request};

/// A channel, or why it is not open.
pub type LineResult = Result<Box<dyn Line>, TransportError>;

/// The number of a flow, and its channel.
pub type Arrived = (u32, Box<dyn Line>);

/// How long a step of opening a channel may take, so much longer for each that is opened at the same time, and so
/// many round trips if that is longer. Two handshakes of TLS take a quarter of a second at 64 kb/s.
const STEP: Duration = Duration::from_secs(5);
const STEP_EACH: Duration = Duration::from_millis(250);
const STEP_ROUND_TRIPS: u64 = 16;

/// Everything that both ends know before their channels are open.
#[derive(Clone, Debug)]
pub struct Setup {
    /// What carries the bytes.
    pub transport: Transport,
    /// What is asked of the sockets.
    pub socket: SocketOptions,
    /// Where the messages are in memory.
    pub memory: MemoryOptions,
    /// The largest message. Unit: bytes.
    pub largest: u64,
    /// How long a call may move no byte before the channel counts as stalled.
    pub patience: Span,
    /// The shortest round trip to the peer, as far as it is known.
    pub round_trip: Span,
    /// How many channels are opened together.
    pub channels: u32,
    /// The clock of this end.
    pub clock: HostClock,
    /// This end's address in the conversation.
    pub local: IpAddr,
    /// The peer's address in the conversation: its port is the server's only where the peer is one.
    pub peer: SocketAddr,
    /// Options of the initiator only; empty at the responder.
    pub own: LocalOptions,
    /// The first and the last port at which the responder lets channels of the transport's own arrive. If absent, any
    /// that is free.
    pub data_ports: Option<(u16, u16)>,
    /// Cancels the wait of [`join`] until a channel over TCP, TLS, a pipe or shared memory is open;
    /// the other transports have time limits of their own.
    pub cancel: CancelGroup,
}

impl Setup {
    /// A channel of this kind as an endpoint, or as a line.
    pub fn wire<C: Channel>(&self, channel: C) -> Wire<C> {
        Wire::new(channel, self.clock).waiting(self.socket.wait, self.patience)
    }

    /// The defaults between `local` and `peer`.
    #[must_use]
    pub fn plain(transport: Transport, clock: HostClock, local: IpAddr, peer: SocketAddr) -> Self {
        Self {
            transport,
            socket: SocketOptions::default(),
            memory: MemoryOptions::default(),
            largest: 1 << 20,
            patience: PATIENCE,
            round_trip: Span::ZERO,
            channels: 1,
            clock,
            local,
            peer,
            own: LocalOptions::default(),
            data_ports: None,
            cancel: CancelGroup::default(),
        }
    }

    /// How long the peer may take for a step of opening a channel: beside many others on a slow path it waits for them.
    #[must_use]
    pub fn step(&self) -> Duration {
        let beside = STEP_EACH * self.channels.saturating_sub(1).min(AT_ONCE);
        (STEP + beside).max((self.round_trip * STEP_ROUND_TRIPS).to_duration())
    }

    /// How long to wait for an answer before asking again: this, or a little more than a round trip.
    #[must_use]
    pub(crate) fn pause(&self, least: Span) -> Span {
        least.max(self.round_trip * 5 / 4)
    }

    /// The port that the peer named, at its address in the conversation.
    pub(crate) fn peer_at(&self, rendezvous: &Rendezvous) -> Result<SocketAddr, TransportError> {
        let ChannelAddress::Port(port) = rendezvous.address else {
            return Err(TransportError::Address(self.transport));
        };
        let mut address = self.peer;
        address.set_port(port);
        Ok(address)
    }

    /// This end's address in the conversation, with any free port. An address of one link alone has the link,
    /// which the peer's address names.
    pub(crate) fn own_address(&self) -> SocketAddr {
        match (self.local.to_canonical(), canonical(self.peer)) {
            (IpAddr::V6(ip), SocketAddr::V6(peer)) if ip.is_unicast_link_local() => {
                SocketAddrV6::new(ip, 0, 0, peer.scope_id()).into()
            }
            (ip, _) => SocketAddr::new(ip, 0),
        }
    }

    /// Binds `socket` to this end's address, at a port where channels may arrive.
    pub(crate) fn bind(&self, socket: &Socket) -> io::Result<()> {
        let mut address = self.own_address();
        let Some((first, last)) = self.data_ports else { return socket.bind(&address.into()) };
        for port in first..=last {
            address.set_port(port);
            match socket.bind(&address.into()) {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
                bound => return bound,
            }
        }
        let reason =
            format!("no port from {first} to {last} is free; give `serve --data-ports` more of them");
        Err(io::Error::new(io::ErrorKind::AddrInUse, reason))
    }

    /// Whether the conversation speaks IPv6: IPv4 in an IPv6 address is IPv4.
    #[must_use]
    pub fn ipv6(&self) -> bool {
        self.local.to_canonical().is_ipv6()
    }
}

/// Whether channels of `transport` take UDP ports of the server's host.
pub(crate) const fn over_udp(transport: Transport) -> bool {
    matches!(transport, Transport::Udp | Transport::Quic)
}

/// `address` with IPv4 in an IPv6 address as IPv4.
pub(crate) fn canonical(address: SocketAddr) -> SocketAddr {
    match address.ip().to_canonical() {
        ip if ip == address.ip() => address,
        ip => SocketAddr::new(ip, address.port()),
    }
}

/// The responder's side of a transport.
#[derive(Debug)]
pub enum Listener {
    /// Channels arrive at the server's own port.
    ServerPort(Arc<dyn Upgrade>),
    /// Channels arrive at an address of the transport's own.
    Separate(Box<dyn Listen>),
}

/// Makes channels of the connections that came through the server's own port and belong to the load.
pub trait Upgrade: Send + Sync + Debug {
    /// How the peer finds the port, and what it must know besides.
    fn rendezvous(&self) -> Rendezvous;

    /// Makes a channel of a connection that has sent its preface. Called for many at the same time.
    ///
    /// # Errors
    ///
    /// What the operating system or the transport refuses.
    fn upgrade(&self, stream: TcpStream) -> LineResult;
}

/// An address of a transport's own where channels arrive.
pub trait Listen: Send + Debug {
    /// How the peer finds it.
    fn rendezvous(&self) -> Rendezvous;

    /// Takes the next channel that has the right token: its flow's number, and the channel. Unknown
    /// peers are turned away without an answer. It is called repeatedly with deadlines of some 50
    /// ms, and keeps its state between the calls.
    ///
    /// # Errors
    ///
    /// [`TransportError::Late`] when no channel came by the deadline.
    fn accept(&mut self, deadline: Deadline) -> Result<Arrived, TransportError>;
}

/// Why a channel could not be opened. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// The host, its kernel or this build of linerate does not have it.
    #[error("use the transport {transport}: {reason}")]
    Lacking {
        /// What was asked.
        transport: Transport,
        /// What is missing, and what to do.
        reason: String,
    },
    /// The peer has named an address of another kind.
    #[error("find the peer's end of the transport {0}: it named an address of another kind")]
    Address(Transport),
    /// No channel came in time.
    #[error("wait for the peer's channel: none came in time")]
    Late,
    /// Something was refused while the channel was made.
    #[error("{operation}: {source}")]
    System {
        /// What was being done.
        operation: &'static str,
        /// What the operating system said.
        source: io::Error,
    },
    /// A socket option was refused.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The socket could not be bound or connected.
    #[error(transparent)]
    Dial(#[from] DialError),
    /// The requested I/O engine is not available.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The channel opened and failed.
    #[error("identify the channel to the peer: {0}")]
    Link(#[from] LinkError),
    /// The peer's end of a secured channel is not the one of the conversation.
    #[error("secure the channel: {0}")]
    Secure(String),
}

impl TransportError {
    /// For `map_err`: what was being done when the operating system refused.
    pub(crate) fn system(operation: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { operation, source }
    }

    /// What a host cannot do, and why.
    pub(crate) fn lacking(transport: Transport, reason: impl Into<String>) -> Self {
        Self::Lacking { transport, reason: reason.into() }
    }
}

/// Opens the address where the channels of `setup`'s transport arrive with `token`.
///
/// # Errors
///
/// What the host lacks or refuses.
pub fn listen(setup: &Setup, token: &ChannelToken) -> Result<Listener, TransportError> {
    match setup.transport {
        Transport::Tcp => tcp::listen(setup, token),
        #[cfg(on_linux)]
        Transport::Mptcp => Ok(Listener::Separate(Box::new(mptcp::listen(setup, token)?))),
        Transport::Unix => Ok(Listener::Separate(Box::new(unix::listen(setup, token)?))),
        #[cfg(on_linux)]
        Transport::Vsock => Ok(Listener::Separate(Box::new(vsock::listen(setup, token)?))),
        #[cfg(on_linux)]
        Transport::Pipe => Ok(Listener::Separate(Box::new(pipe::listen(setup, token)?))),
        #[cfg(on_linux)]
        Transport::SharedMemory => Ok(Listener::Separate(Box::new(shared_memory::listen(setup, token)?))),
        Transport::Memory => Err(memory::no_peer()),
        Transport::Mpi => Err(no_ranks()),
        Transport::Tls => Ok(Listener::ServerPort(Arc::new(tls::Tls::new(setup)?))),
        Transport::Quic => Ok(Listener::Separate(Box::new(quic::QuicListener::new(setup, token)?))),
        Transport::Udp => Ok(Listener::Separate(Box::new(udp::UdpListener::open(setup, token)?))),
        #[cfg(on_linux)]
        Transport::UnixDatagram => {
            Ok(Listener::Separate(Box::new(unix_datagram::UnixDatagramListener::open(setup, token)?)))
        }
        #[cfg(on_linux)]
        Transport::Ethernet | Transport::Xdp => ethernet::listen(setup, token).map(Listener::Separate),
        #[cfg(not(on_linux))]
        other => Err(TransportError::lacking(other, format!("it is there {}", crate::sys::ONLY_LINUX))),
    }
}

/// What to say where the transport is asked for of a server.
fn no_ranks() -> TransportError {
    TransportError::lacking(
        Transport::Mpi,
        "its ranks are started together and need no server; run `mpirun -n 2 linerate-mpi measure`",
    )
}

/// Opens the channel of flow `flow` to the place that the peer named.
///
/// # Errors
///
/// What the host lacks or refuses, or how the channel failed.
pub fn join(setup: &Setup, rendezvous: &Rendezvous, token: &ChannelToken, flow: u32) -> LineResult {
    let preface = Preface { token: *token, flow };
    match setup.transport {
        Transport::Tcp => tcp::join(setup, rendezvous, preface),
        #[cfg(on_linux)]
        Transport::Mptcp => mptcp::join(setup, rendezvous, preface),
        Transport::Unix => unix::join(setup, rendezvous, preface),
        #[cfg(on_linux)]
        Transport::Vsock => vsock::join(setup, rendezvous, preface),
        #[cfg(on_linux)]
        Transport::Pipe => pipe::join(setup, rendezvous, preface),
        #[cfg(on_linux)]
        Transport::SharedMemory => shared_memory::join(setup, rendezvous, preface),
        Transport::Memory => Err(memory::no_peer()),
        Transport::Mpi => Err(no_ranks()),
        Transport::Tls => tls::join(setup, rendezvous, preface),
        Transport::Quic => quic::join(setup, rendezvous, preface),
        Transport::Udp => udp::join(setup, rendezvous, preface),
        #[cfg(on_linux)]
        Transport::UnixDatagram => unix_datagram::join(setup, rendezvous, preface),
        #[cfg(on_linux)]
        Transport::Ethernet | Transport::Xdp => ethernet::join(setup, rendezvous, preface),
        #[cfg(not(on_linux))]
        other => Err(TransportError::lacking(other, format!("it is there {}", crate::sys::ONLY_LINUX))),
    }
}
