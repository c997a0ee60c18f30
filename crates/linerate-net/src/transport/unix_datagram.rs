//! Unix datagram sockets: whole messages between two processes of one host, without loss.
//!
//! The server waits at an abstract name, which it tells on the keyed conversation. The client sends
//! HELLO from a name of its own; the server opens a socket for the flow, connects it to the client's
//! and says ACCEPT from it, and the client connects to where that came from. The kernel names the
//! sender of a datagram, so nobody can speak in another's name, and once two sockets are connected
//! to each other no third can send to either (unix(7)). The greetings are those of UDP.

use std::io;
use std::os::fd::AsFd as _;

use linerate_core::units::Span;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, SocketAddrAny, SocketAddrUnix};
use socket2::{Domain, Socket, Type};

use super::datagram::{Carrier, Cookie, DatagramChannel};
use super::udp::{Greeting, REQUEST_LEN, Reply, Request, refuse_io, refuse_tcp};
use super::{Arrived, LineResult, Listen, Preface, Setup, TransportError};
use crate::control::{ChannelAddress, ChannelToken, Deadline, Rendezvous, random};
use crate::wait::{Interest, poll};

/// How long the server may take to accept.
const HANDSHAKE: Span = Span::from_ms(5_000);

const DONTWAIT: RecvFlags = RecvFlags::DONTWAIT.union(RecvFlags::TRUNC);

/// Where the flows of a load arrive at a Unix name.
#[derive(Debug)]
pub(super) struct UnixDatagramListener {
    setup: Setup,
    token: ChannelToken,
    socket: Socket,
    name: String,
}

impl UnixDatagramListener {
    pub(super) fn open(setup: &Setup, token: &ChannelToken) -> Result<Self, TransportError> {
        let name = fresh_name()?;
        Ok(Self { socket: socket_at(setup, &name)?, setup: setup.clone(), token: *token, name })
    }

    /// Takes one greeting: the flow that begins with it, if it has the token.
    fn take(&self) -> Result<Option<Arrived>, TransportError> {
        let mut datagram = [0; REQUEST_LEN];
        let taken = rustix::net::recvfrom(&self.socket, &mut datagram[..], DONTWAIT);
        let (len, client) = match taken {
            Ok((_, len, Some(client))) => (len, client),
            Ok((_, _, None)) | Err(Errno::AGAIN | Errno::INTR) => return Ok(None),
            Err(errno) => return Err(TransportError::system("receive a greeting")(errno.into())),
        };
        let Some(Greeting::Request(request)) = datagram.get(..len).and_then(Greeting::decode) else {
            return Ok(None);
        };
        // Who has no name cannot be answered, and who has no token is not.
        let Some(client) = abstract_name(client).filter(|_| request.token == self.token) else {
            return Ok(None);
        };
        let socket = socket_at(&self.setup, &fresh_name()?)?;
        connect(&socket, &client)?;
        while rustix::net::recv(&socket, &mut [0; 1][..], DONTWAIT).is_ok() {}
        let server = Cookie(random().map_err(TransportError::system("get random bytes"))?);
        let accept = Reply { flow: request.flow, client: request.client, server, port: Some(0) };
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        if rustix::net::send(&socket, &accept.encode(), flags).is_err() {
            // The client has gone.
            return Ok(None);
        }
        let channel = DatagramChannel::new(socket, Carrier::Unix, server, &self.setup)?;
        Ok(Some((request.flow, Box::new(self.setup.wire(channel)))))
    }
}

impl Listen for UnixDatagramListener {
    fn rendezvous(&self) -> Rendezvous {
        ChannelAddress::Local(self.name.clone()).into()
    }

    fn accept(&mut self, deadline: Deadline) -> Result<Arrived, TransportError> {
        loop {
            if let Some(flow) = self.take()? {
                return Ok(flow);
            }
            let Ok(left) = deadline.left() else { return Err(TransportError::Late) };
            let left = Span::from_ns(u64::try_from(left.as_nanos()).unwrap_or(u64::MAX / 1000));
            poll(self.socket.as_fd(), Interest::Receive, left)
                .map_err(|errno| TransportError::system("wait for a greeting")(errno.into()))?;
        }
    }
}

/// Greets the server at `rendezvous` and connects to the socket that it opens for the flow.
pub(super) fn join(setup: &Setup, rendezvous: &Rendezvous, preface: Preface) -> LineResult {
    let ChannelAddress::Local(name) = &rendezvous.address else {
        return Err(TransportError::Address(setup.transport));
    };
    let failed = TransportError::system;
    let socket = socket_at(setup, &fresh_name()?)?;
    let client = Cookie(random().map_err(failed("get random bytes"))?);
    let hello = Request { token: preface.token, flow: preface.flow, client, proof: None };
    let server = address(name.as_bytes())?;
    rustix::net::sendto(&socket, &hello.encode(), SendFlags::NOSIGNAL, &server)
        .map_err(|errno| failed("greet the server at its Unix name")(errno.into()))?;
    let begun = setup.clock.now();
    loop {
        let left = HANDSHAKE.saturating_sub(setup.clock.now().since(begun));
        let there = poll(socket.as_fd(), Interest::Receive, left);
        if !there.map_err(|errno| failed("wait for the server")(errno.into()))? {
            return Err(failed("hear the server at its Unix name")(io::ErrorKind::TimedOut.into()));
        }
        if let Some((accept, name)) = take_accept(&socket, &hello)? {
            connect(&socket, &name)?;
            let channel = DatagramChannel::new(socket, Carrier::Unix, accept.server, setup)?;
            return Ok(Box::new(setup.wire(channel)));
        }
    }
}

/// Takes one datagram; the acceptance of `hello` and whose it is, if it is that.
fn take_accept(socket: &Socket, hello: &Request) -> Result<Option<(Reply, Vec<u8>)>, TransportError> {
    let mut datagram = [0; REQUEST_LEN];
    let (len, name) = match rustix::net::recvfrom(socket, &mut datagram[..], DONTWAIT) {
        Ok((_, len, name)) => (len, name.and_then(abstract_name)),
        Err(Errno::AGAIN | Errno::INTR) => return Ok(None),
        Err(errno) => return Err(TransportError::system("hear the server")(errno.into())),
    };
    let Some(Greeting::Reply(reply)) = datagram.get(..len).and_then(Greeting::decode) else {
        return Ok(None);
    };
    let ours = reply.flow == hello.flow && reply.client == hello.client && reply.port.is_some();
    Ok(name.filter(|_| ours).map(|name| (reply, name)))
}

/// A name that nobody can guess.
fn fresh_name() -> Result<String, TransportError> {
    let bytes: [u8; 16] = random().map_err(TransportError::system("get random bytes"))?;
    Ok(format!("linerate-{:032x}", u128::from_be_bytes(bytes)))
}

fn socket_at(setup: &Setup, name: &str) -> Result<Socket, TransportError> {
    refuse_io(setup)?;
    refuse_tcp(setup)?;
    let failed = TransportError::system;
    let socket = Socket::new(Domain::UNIX, Type::DGRAM, None).map_err(failed("make a Unix socket"))?;
    Carrier::Unix.apply(&socket, &setup.socket)?;
    rustix::net::bind(&socket, &address(name.as_bytes())?)
        .map_err(|errno| failed("bind a Unix socket")(errno.into()))?;
    Ok(socket)
}

fn connect(socket: &Socket, name: &[u8]) -> Result<(), TransportError> {
    rustix::net::connect(socket, &address(name)?)
        .map_err(|errno| TransportError::system("connect to a Unix name")(errno.into()))
}

/// The address of an abstract name.
fn address(name: &[u8]) -> Result<SocketAddrUnix, TransportError> {
    let address = SocketAddrUnix::new_abstract_name(name);
    address.map_err(|errno| TransportError::system("use a Unix name")(errno.into()))
}

/// The abstract name in an address, if that is one.
fn abstract_name(address: SocketAddrAny) -> Option<Vec<u8>> {
    let unix = SocketAddrUnix::try_from(address).ok()?;
    unix.abstract_name().map(<[u8]>::to_vec)
}
