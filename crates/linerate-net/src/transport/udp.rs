//! UDP: datagrams between two sockets that have proven to each other that they want the traffic.
//!
//! The server opens a socket for the load and names its port on the keyed TCP conversation. For
//! each flow then, over UDP:
//!
//! ```text
//! client                                     server
//! HELLO (token, flow, client cookie)     ->                           96 bytes
//!                                      <-    ECHO (both cookies)     64 bytes, one for each HELLO
//! PROOF (token, flow, both cookies)      ->                           96 bytes
//!                                      <-    ACCEPT (port)          64 bytes; now the server
//!                                                                   has a socket for the flow
//! READY                                ->    to that port
//! ```
//!
//! The server's cookie is a keyed hash of the client's address, the flow and the client's cookie,
//! so a HELLO costs the server no memory, a cookie is useless from another address, and cannot be
//! forged. The server opens and connects the flow's socket only when the cookie came back; the
//! client sends to a port only after both its cookies came back from the server's address. So
//! neither sends a flow to an address that has not answered, and nobody can make the server send
//! more bytes to a third party than they sent themselves. Datagrams with a wrong token, a wrong
//! cookie or of a wrong form are not answered.
//!
//! What is lost is sent again: HELLO and PROOF by the client, ACCEPT by the server until READY
//! comes. READY is sent three times; if all are lost, the server takes the flow as ready after it
//! has sent ACCEPT often enough, so that neither end waits for the other for ever.
//!
//! Each flow has a port of its own at the server: two sockets of one port would both get what
//! comes between `bind` and `connect`, and the kernel would look through all of them for every datagram.

mod greeting;
mod listener;

use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd as _;

use linerate_core::options::Io;
use linerate_core::units::Span;
use rustix::io::Errno;
use socket2::{Protocol, SockAddr, Socket, Type};

use super::datagram::{Carrier, Cookie, DatagramChannel, Header, Kind};
use super::dial::bound;
use super::{LineResult, Preface, Setup, TransportError};
use crate::control::{Rendezvous, random};
use crate::wait::{Interest, poll};

pub use greeting::{Greeting, REPLY_LEN, REQUEST_LEN, Reply, Request};
pub(super) use listener::UdpListener;

/// The first pause before a request is sent again; each is twice the one before, up to the longest.
const FIRST_PAUSE: Span = Span::from_ms(20);
const LONGEST_PAUSE: Span = Span::from_ms(200);
/// How often READY is sent.
const READIES: u32 = 3;

/// Proves to the server at `rendezvous` that this address wants the traffic, and connects to the port
/// that it gives to the flow.
pub(super) fn join(setup: &Setup, rendezvous: &Rendezvous, preface: Preface) -> LineResult {
    let mut address = super::canonical(setup.peer_at(rendezvous)?);
    refuse_io(setup)?;
    refuse_tcp(setup)?;
    let carrier = carrier(setup);
    let socket = bound(address, Type::DGRAM, Protocol::UDP, &setup.own)?;
    carrier.apply(&socket, &setup.socket)?;
    connect(&socket, address)?;
    let cookie = Cookie(random().map_err(TransportError::system("get random bytes"))?);
    let mut request = Request { token: preface.token, flow: preface.flow, client: cookie, proof: None };
    let echo = ask(setup, &socket, &request)?;
    request.proof = Some(echo.server);
    let accept = ask(setup, &socket, &request)?;
    // Only an acceptance answers a proof, and it has a port.
    address.set_port(accept.port.unwrap_or(address.port()));
    connect(&socket, address)?;
    drain(&socket);
    let ready = Header { kind: Kind::Ready, number: 0, sent_ns: 0 }.seal(&echo.server);
    for _ in 0..READIES {
        // That the flow's socket is gone shows when the flow begins.
        socket.send(&ready).map(drop).unwrap_or(());
    }
    let channel = DatagramChannel::new(socket, carrier, echo.server, setup)?;
    Ok(Box::new(setup.wire(channel)))
}

/// Sends `request` until the reply to it comes.
fn ask(setup: &Setup, socket: &Socket, request: &Request) -> Result<Reply, TransportError> {
    let silent = |source| TransportError::System { operation: "hear the peer over UDP", source };
    let begun = setup.clock.now();
    let (mut pause, longest) = (setup.pause(FIRST_PAUSE), setup.pause(LONGEST_PAUSE));
    let within = Span::from(setup.step());
    while setup.clock.now().since(begun) < within {
        socket.send(&request.encode()).map_err(silent)?;
        let until = setup.clock.now() + pause;
        loop {
            let left = until.since(setup.clock.now());
            let there = poll(socket.as_fd(), Interest::Receive, left);
            if !there.map_err(|errno| silent(errno.into()))? {
                break;
            }
            match take_reply(socket, request) {
                Ok(Some(reply)) => return Ok(reply),
                Ok(None) => {}
                Err(errno) => return Err(silent(errno.into())),
            }
            if left == Span::ZERO {
                break;
            }
        }
        pause = (pause * 2).min(longest);
    }
    let text = format!("no answer in {within}; does a firewall keep UDP out?");
    Err(silent(io::Error::new(io::ErrorKind::TimedOut, text)))
}

/// Takes one datagram; the reply that `request` awaits, if it is that.
fn take_reply(socket: &Socket, request: &Request) -> Result<Option<Reply>, Errno> {
    let mut datagram = [0; REQUEST_LEN];
    let taken = rustix::net::recv(socket, &mut datagram[..], DONTWAIT);
    let len = match taken {
        Ok((_, len)) => len,
        Err(Errno::AGAIN | Errno::INTR) => return Ok(None),
        Err(errno) => return Err(errno),
    };
    let Some(Greeting::Reply(reply)) = datagram.get(..len).and_then(Greeting::decode) else {
        return Ok(None);
    };
    let ours = reply.flow == request.flow && reply.client == request.client;
    let awaited = match request.proof {
        None => reply.port.is_none(),
        Some(server) => reply.port.is_some() && reply.server == server,
    };
    Ok((ours && awaited).then_some(reply))
}

const DONTWAIT: rustix::net::RecvFlags = rustix::net::RecvFlags::DONTWAIT.union(crate::sys::REAL_LENGTH);

fn connect(socket: &Socket, address: SocketAddr) -> Result<(), TransportError> {
    let connected = socket.connect(&SockAddr::from(address));
    connected.map_err(|source| super::DialError::Connect { address, source }.into())
}

/// Discards what came before the socket was connected: it may be anybody's.
fn drain(socket: &Socket) {
    while rustix::net::recv(socket, &mut [0; 1][..], DONTWAIT).is_ok() {}
}

/// Sets what `setup` asks on a socket of datagrams that is not connected yet.
pub(crate) fn apply_to_datagrams(socket: &Socket, setup: &Setup) -> Result<(), TransportError> {
    Ok(carrier(setup).apply(socket, &setup.socket)?)
}

fn carrier(setup: &Setup) -> Carrier {
    Carrier::Udp { ipv6: setup.ipv6(), dont_fragment: setup.socket.dont_fragment }
}

/// Refuses I/O calls that datagrams have not, rather than to ignore them.
pub(super) fn refuse_io(setup: &Setup) -> Result<(), TransportError> {
    let asked = [setup.socket.io, setup.socket.receives()];
    match asked.into_iter().find(|io| *io != Io::SendRecv) {
        None => Ok(()),
        Some(io) => Err(TransportError::lacking(
            setup.transport,
            format!("its datagrams move by `send-recv`, and in bulk by sendmmsg and recvmmsg, not by `{io}`"),
        )),
    }
}

/// Refuses options of TCP, rather than to ignore them.
pub(super) fn refuse_tcp(setup: &Setup) -> Result<(), TransportError> {
    let option = match (&setup.socket.congestion, setup.socket.mss) {
        (Some(_), _) => "a congestion control algorithm",
        (None, Some(_)) => "a largest segment; give the message's size",
        (None, None) => return Ok(()),
    };
    Err(TransportError::lacking(setup.transport, format!("it does not have {option}")))
}
