//! TCP: a connected socket as a channel. Its connections arrive at the server's own port.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use socket2::{Protocol, Socket, Type};

use super::dial::{bound, connect as dial_up};
use super::socket::{Carrier, SocketChannel, register};
use super::{LineResult, Preface, Setup, TAKEN, TransportError, Upgrade, apply};
use crate::channel::Wire;
use crate::control::{ChannelAddress, Deadline, Greeting, Purpose, Rendezvous, TimedStream, closed_by_peer};

/// How long the server may take to find out whose a connection is.
const IDENTIFIED: Duration = Duration::from_secs(5);

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

/// Takes TCP connections that came through the server's own port.
#[derive(Debug)]
pub(super) struct Tcp(pub(super) Setup);

impl Upgrade for Tcp {
    fn rendezvous(&self) -> Rendezvous {
        ChannelAddress::Conversation.into()
    }

    fn upgrade(&self, stream: TcpStream) -> LineResult {
        let channel = tcp_channel(stream.into(), &self.0)?;
        Ok(Box::new(Wire::new(channel, self.0.clock)))
    }
}

/// Connects to the server's port and says whose the connection is.
pub(super) fn join(setup: &Setup, rendezvous: &Rendezvous, preface: Preface) -> LineResult {
    let stream = dial(setup, rendezvous, preface)?;
    Ok(Box::new(Wire::new(tcp_channel(stream.into(), setup)?, setup.clock)))
}

/// Connects to the server's port, says whose the connection is, and returns the stream.
pub(super) fn dial(
    setup: &Setup,
    rendezvous: &Rendezvous,
    preface: Preface,
) -> Result<TcpStream, TransportError> {
    if rendezvous.address != ChannelAddress::Conversation {
        return Err(TransportError::Address(setup.transport));
    }
    let hello = [Greeting::new(Purpose::Data).encode().as_slice(), preface.encode().as_slice()].concat();
    let mut left = INTRODUCTIONS;
    loop {
        let socket = bound(setup.peer, Type::STREAM, Protocol::TCP, &setup.own)?;
        apply(&socket, &setup.socket, setup.peer.is_ipv6())?;
        let _held = register(setup, &socket)?;
        dial_up(&socket, setup.peer)?;
        let stream = TcpStream::from(socket);
        left -= 1;
        match introduce(&stream, &hello) {
            Ok(()) => return Ok(stream),
            // A server that is crowded by others may have needed the place before it read whose it is.
            Err(error) if closed_by_peer(&error) && left > 0 => {}
            Err(error) => return Err(TransportError::system("identify the connection to the peer")(error)),
        }
    }
}

/// Says whose the connection is, and waits until the server has found that out.
fn introduce(stream: &TcpStream, hello: &[u8]) -> io::Result<()> {
    let mut timed = TimedStream::new(stream, Deadline::after(IDENTIFIED));
    timed.write_all(hello)?;
    let mut taken = [0];
    match timed.read(&mut taken)? {
        0 => Err(io::Error::new(ErrorKind::UnexpectedEof, "the peer closed it")),
        _ if taken == [TAKEN] => Ok(()),
        _ => Err(ErrorKind::InvalidData.into()),
    }
}
