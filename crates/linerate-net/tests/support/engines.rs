//! Which engines this kernel has, and how a curve asks for one.

use std::net::{Ipv4Addr, TcpListener, TcpStream};

use linerate_core::options::{Io, SocketOptions};
use linerate_net::io::Engine;
use socket2::Socket;

use super::missing;

/// A connected pair of sockets.
pub(crate) fn sockets() -> [Socket; 2] {
    let accepting = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let here = TcpStream::connect(accepting.local_addr().expect("it listens")).expect("it listens");
    let (there, _) = accepting.accept().expect("somebody is there");
    [here.into(), there.into()]
}

/// Whether this kernel has not the engine; says so, and is a failure where CI needs it.
pub(crate) fn are_missing(io: Io) -> bool {
    let [socket, _peer] = sockets();
    let Err(error) = Engine::open(&socket, io, io, 1 << 20) else { return false };
    missing(format_args!("an engine (failed to {error})"));
    true
}

/// `io` both ways, but for what does not deliver the bytes.
pub(crate) fn asked(io: Io) -> SocketOptions {
    let receive_io = (!io.delivers()).then_some(Io::SendRecv);
    SocketOptions { io, receive_io, ..SocketOptions::default() }
}
