//! TCP: a connected socket as a channel. Its connections arrive at the server's own port, unless a
//! buffer or the segment size is asked for. What a connection says of these in its handshake, window
//! scale and MSS, it takes from the socket that listens: these have a listener of their own.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use linerate_core::options::SocketOptions;
use socket2::{Domain, Protocol, Socket, Type};

use super::arrivals::StreamListener;
use super::dial::{bound, connect as dial_up};
use super::socket::{Carrier, SocketChannel, register};
use super::unix::send_preface;
use super::{LineResult, Listener, Preface, Setup, TAKEN, TransportError, Upgrade, apply};
use crate::control::{
    ChannelAddress, ChannelToken, Deadline, Greeting, Purpose, Rendezvous, TimedStream, closed_by_peer,
};

/// How often a connection is introduced to a server that closes it before it is taken.
const INTRODUCTIONS: u32 = 3;

/// Takes a connected socket, sets what `setup` asks that is not set before the handshake, and has
/// its calls give up after the setup's patience without a byte.
///
/// # Errors
///
/// When the operating system refuses an option.
pub fn tcp_channel(socket: Socket, setup: &Setup) -> Result<SocketChannel, TransportError> {
    let ipv6 = setup.ipv6();
    // Buffers and MSS were set before the handshake where that could be; some kernels reset the
    // rest on connect.
    apply(&socket, &setup.socket, ipv6)?;
    SocketChannel::new(socket, setup, Carrier::Tcp { ipv6 })
}

/// Where connections arrive.
pub(super) fn listen(setup: &Setup, token: &ChannelToken) -> Result<Listener, TransportError> {
    let SocketOptions { sndbuf, rcvbuf, mss, .. } = setup.socket;
    if sndbuf.is_none() && rcvbuf.is_none() && mss.is_none() {
        return Ok(Listener::ServerPort(Arc::new(Tcp(setup.clone()))));
    }
    let domain = if setup.ipv6() { Domain::IPV6 } else { Domain::IPV4 };
    let listener = Socket::new(domain, Type::STREAM, Some(Protocol::TCP));
    let listener = listener.map_err(TransportError::system("open a socket to listen on"))?;
    Ok(Listener::Separate(Box::new(StreamListener::at_free_port(setup, token, listener, line)?)))
}

fn line(socket: Socket, setup: &Setup) -> LineResult {
    Ok(Box::new(setup.wire(tcp_channel(socket, setup)?)))
}

/// Takes TCP connections that came through the server's own port.
#[derive(Debug)]
struct Tcp(Setup);

impl Upgrade for Tcp {
    fn rendezvous(&self) -> Rendezvous {
        ChannelAddress::Conversation.into()
    }

    fn upgrade(&self, stream: TcpStream) -> LineResult {
        line(stream.into(), &self.0)
    }
}

/// Connects to where the peer listens and says whose the connection is.
pub(super) fn join(setup: &Setup, rendezvous: &Rendezvous, preface: Preface) -> LineResult {
    if rendezvous.address == ChannelAddress::Conversation {
        return line(dial(setup, rendezvous, preface, &[])?.into(), setup);
    }
    let address = setup.peer_at(rendezvous)?;
    let socket = bound(address, Type::STREAM, Protocol::TCP, &setup.own)?;
    apply(&socket, &setup.socket, address.is_ipv6())?;
    let _held = register(setup, &socket)?;
    dial_up(&socket, address, setup.step())?;
    send_preface(&socket, preface)?;
    line(socket, setup)
}

/// Connects to the server's port, says whose the connection is and `more` behind it, and returns the stream.
pub(super) fn dial(
    setup: &Setup,
    rendezvous: &Rendezvous,
    preface: Preface,
    more: &[u8],
) -> Result<TcpStream, TransportError> {
    if rendezvous.address != ChannelAddress::Conversation {
        return Err(TransportError::Address(setup.transport));
    }
    let greeting = Greeting::new(Purpose::Data).encode();
    let hello = [greeting.as_slice(), preface.encode().as_slice(), more].concat();
    let mut left = INTRODUCTIONS;
    loop {
        let socket = bound(setup.peer, Type::STREAM, Protocol::TCP, &setup.own)?;
        apply(&socket, &setup.socket, setup.peer.is_ipv6())?;
        let _held = register(setup, &socket)?;
        dial_up(&socket, setup.peer, setup.step())?;
        let stream = TcpStream::from(socket);
        left -= 1;
        match introduce(&stream, &hello, setup.step()) {
            Ok(()) => return Ok(stream),
            // A server that is crowded by others may have needed the place before it read whose it is.
            Err(error) if closed_by_peer(&error) && left > 0 => {}
            Err(error) => return Err(TransportError::system("identify the connection to the peer")(error)),
        }
    }
}

/// Says whose the connection is and more, and waits until the server has found that out.
fn introduce(stream: &TcpStream, hello: &[u8], within: Duration) -> io::Result<()> {
    let mut timed = TimedStream::new(stream, Deadline::after(within));
    timed.write_all(hello)?;
    let mut taken = [0];
    match timed.read(&mut taken)? {
        0 => Err(io::Error::new(ErrorKind::UnexpectedEof, "the peer closed it")),
        _ if taken == [TAKEN] => Ok(()),
        _ => Err(ErrorKind::InvalidData.into()),
    }
}
