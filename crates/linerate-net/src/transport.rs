//! What carries the bytes: one file a transport, and one arm of the two matches here.
//!
//! The answering end hosts: it prepares a place where channels arrive, says in a [`Meeting`] how
//! to find it, and accepts. The beginning end joins. Every channel begins with an introduction,
//! the pass of its conversation and the number of its flow, so that no stranger's channel is taken
//! for a peer's.

mod account;
mod arrivals;
mod certificate;
mod datagram;
mod dial;
mod ethernet;
mod introduction;
pub mod memory;
mod mptcp;
mod options;
mod pipe;
mod quic;
mod shared_memory;
mod socket;
mod tcp;
mod tether;
mod tls;
mod udp;
mod unix;
mod unix_datagram;
mod vsock;

use std::fmt::Debug;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};

use linerate_core::endpoint::LinkError;
use linerate_core::options::{MemoryOptions, SocketOptions};
use linerate_core::plan::LocalOptions;
use linerate_core::transport::Transport;
use linerate_core::units::Span;

use crate::channel::Leash;
use crate::control::{Deadline, Meeting, Pass};
use crate::io::EngineError;
use crate::line::Line;
use crate::observe::HostClock;
use crate::wait::PATIENCE;

pub use account::Account;
pub use datagram::{CONTROL_LEN, GONE, HEADER_LEN, Header, Kind, SHORT_LEN, Token};
pub use dial::DialError;
pub(crate) use dial::{bound, connect};
pub(crate) use introduction::{INTRODUCTION_LEN, Introduction, TAKEN};
pub use options::{OptionError, apply, connection, granted};
pub use socket::SocketChannel;
pub use tcp::tcp_channel;
pub use udp::{Greeting, REPLY_LEN, REQUEST_LEN, Reply, Request};

/// Everything that both ends know before their channels stand.
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
    /// The clock of this end.
    pub clock: HostClock,
    /// This end's address in the conversation.
    pub local: IpAddr,
    /// The peer's address in the conversation: its port is the server's only where the peer is one.
    pub peer: SocketAddr,
    /// What concerns the beginning end only; nothing at the answering end.
    pub own: LocalOptions,
    /// Breaks off what [`join`] waits for while a channel over TCP, TLS, a pipe or shared memory does
    /// not stand yet; the others have time limits of their own.
    pub leash: Leash,
}

impl Setup {
    /// Nothing out of the ordinary between `local` and `peer`.
    #[must_use]
    pub fn plain(transport: Transport, clock: HostClock, local: IpAddr, peer: SocketAddr) -> Self {
        Self {
            transport,
            socket: SocketOptions::default(),
            memory: MemoryOptions::default(),
            largest: 1 << 20,
            patience: PATIENCE,
            clock,
            local,
            peer,
            own: LocalOptions::default(),
            leash: Leash::default(),
        }
    }

    /// Whether the conversation speaks IPv6: IPv4 in an IPv6 address is IPv4.
    #[must_use]
    pub fn ipv6(&self) -> bool {
        self.local.to_canonical().is_ipv6()
    }
}

/// The answering end's side of a transport.
#[derive(Debug)]
pub enum Hosting {
    /// Channels arrive at the server's own port, through its door.
    AtTheDoor(Box<dyn Adopt>),
    /// Channels arrive at a place of the transport's own.
    Apart(Box<dyn Host>),
}

/// Makes channels of the connections that came through the server's door and belong to the load.
pub trait Adopt: Send + Debug {
    /// How the peer finds the door, and what it must know besides.
    fn meeting(&self) -> Meeting;

    /// Makes a channel of a connection that has introduced itself.
    ///
    /// # Errors
    ///
    /// What the operating system or the transport refuses.
    fn adopt(&self, stream: TcpStream) -> Result<Box<dyn Line>, TransportError>;
}

/// A place of a transport's own where channels arrive.
pub trait Host: Send + Debug {
    /// How the peer finds it.
    fn meeting(&self) -> Meeting;

    /// Takes the next channel that introduces itself with the right pass: its flow's number, and
    /// the channel. Strangers are turned away without an answer. It is called again and again with
    /// deadlines of some 50 ms, and keeps what was begun between the calls.
    ///
    /// # Errors
    ///
    /// [`TransportError::Late`] when none came by the deadline.
    fn accept(&mut self, deadline: Deadline) -> Result<(u32, Box<dyn Line>), TransportError>;
}

/// Why a channel does not stand. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// The host, its kernel or this build of linerate does not have it.
    #[error("use the transport {transport}: {reason}")]
    Lacking {
        /// What was asked.
        transport: Transport,
        /// What is missing, and what to do.
        reason: String,
    },
    /// The peer has named a place that this transport has not.
    #[error("find the peer's end of the transport {0}: it named a place of another kind")]
    Place(Transport),
    /// No channel came in time.
    #[error("wait for a channel of the peer: none came in time")]
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
    /// The system calls that were asked for cannot be had.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The channel stood and failed.
    #[error("introduce a channel to the peer: {0}")]
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

/// Prepares the place where the channels of `setup`'s transport arrive with `pass`.
///
/// # Errors
///
/// What the host lacks or refuses.
pub fn host(setup: &Setup, pass: &Pass) -> Result<Hosting, TransportError> {
    match setup.transport {
        Transport::Tcp => Ok(Hosting::AtTheDoor(Box::new(tcp::Tcp(setup.clone())))),
        Transport::Mptcp => Ok(Hosting::Apart(Box::new(mptcp::Mptcp::open(setup, pass)?))),
        Transport::Unix => Ok(Hosting::Apart(Box::new(unix::Unix::open(setup, pass)?))),
        Transport::Vsock => Ok(Hosting::Apart(Box::new(vsock::Vsock::open(setup, pass)?))),
        Transport::Pipe => Ok(Hosting::Apart(Box::new(pipe::Pipes::open(setup, pass)?))),
        Transport::SharedMemory => Ok(Hosting::Apart(Box::new(shared_memory::Rings::open(setup, pass)?))),
        Transport::Memory => Err(memory::no_peer()),
        Transport::Tls => Ok(Hosting::AtTheDoor(Box::new(tls::Tls::new(setup)?))),
        Transport::Quic => Ok(Hosting::Apart(Box::new(quic::QuicHost::new(setup, pass)?))),
        Transport::Udp => Ok(Hosting::Apart(Box::new(udp::UdpHost::open(setup, pass)?))),
        Transport::UnixDatagram => {
            Ok(Hosting::Apart(Box::new(unix_datagram::UnixDatagramHost::open(setup, pass)?)))
        }
        Transport::Ethernet | Transport::Xdp => ethernet::host(setup, pass).map(Hosting::Apart),
    }
}

/// Opens the channel of flow `flow` to the place that the peer named.
///
/// # Errors
///
/// What the host lacks or refuses, or how the channel failed.
pub fn join(
    setup: &Setup,
    meeting: &Meeting,
    pass: &Pass,
    flow: u32,
) -> Result<Box<dyn Line>, TransportError> {
    let introduction = Introduction { pass: *pass, flow };
    match setup.transport {
        Transport::Tcp => tcp::join(setup, meeting, introduction),
        Transport::Mptcp => mptcp::join(setup, meeting, introduction),
        Transport::Unix => unix::join(setup, meeting, introduction),
        Transport::Vsock => vsock::join(setup, meeting, introduction),
        Transport::Pipe => pipe::join(setup, meeting, introduction),
        Transport::SharedMemory => shared_memory::join(setup, meeting, introduction),
        Transport::Memory => Err(memory::no_peer()),
        Transport::Tls => tls::join(setup, meeting, introduction),
        Transport::Quic => quic::join(setup, meeting, introduction),
        Transport::Udp => udp::join(setup, meeting, introduction),
        Transport::UnixDatagram => unix_datagram::join(setup, meeting, introduction),
        Transport::Ethernet | Transport::Xdp => ethernet::join(setup, meeting, introduction),
    }
}
