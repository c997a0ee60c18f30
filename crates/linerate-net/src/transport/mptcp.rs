//! Multipath TCP (RFC 8684): a TCP channel whose sockets ask for it. Its connections arrive at a
//! port of their own, because the server's own port is plain TCP.
//!
//! Linux keeps a closed connection for `net.mptcp.close_timeout`, 60 s, before it resets what still
//! arrives. So where TCP reports at once that the peer has closed, a sender here only notices by
//! its time-out.

use std::io;

use linerate_core::transport::Transport;
use socket2::{Domain, Protocol, Socket, Type};

use super::arrivals::StreamListener;
use super::dial::{bound, connect};
use super::socket::{Carrier, SocketChannel};
use super::unix::send_preface;
use super::{DialError, LineResult, Preface, Setup, TransportError, apply};
use crate::control::{ChannelToken, Rendezvous};

/// Listens for Multipath TCP connections at a free port.
pub(super) fn listen(setup: &Setup, token: &ChannelToken) -> Result<StreamListener, TransportError> {
    let domain = if setup.ipv6() { Domain::IPV6 } else { Domain::IPV4 };
    let listener = Socket::new(domain, Type::STREAM, Some(Protocol::MPTCP)).map_err(lacking)?;
    StreamListener::at_free_port(setup, token, listener, line)
}

/// Connects to the port that the peer named.
pub(super) fn join(setup: &Setup, rendezvous: &Rendezvous, preface: Preface) -> LineResult {
    let address = setup.peer_at(rendezvous)?;
    let socket = match bound(address, Type::STREAM, Protocol::MPTCP, &setup.own) {
        Err(DialError::Socket(error)) => return Err(lacking(error)),
        bound => bound?,
    };
    apply(&socket, &setup.socket, address.is_ipv6())?;
    connect(&socket, address, setup.step())?;
    send_preface(&socket, preface)?;
    line(socket, setup)
}

fn line(socket: Socket, setup: &Setup) -> LineResult {
    let ipv6 = setup.ipv6();
    apply(&socket, &setup.socket, ipv6)?;
    let channel = SocketChannel::new(socket, setup, Carrier::Multipath { ipv6 })?;
    Ok(Box::new(setup.wire(channel)))
}

/// Why there is no such socket: `EPROTONOSUPPORT` without MPTCP in the kernel, `ENOPROTOOPT` where
/// it is switched off in this network namespace.
fn lacking(error: io::Error) -> TransportError {
    match error.raw_os_error() {
        Some(libc::ENOPROTOOPT) => TransportError::lacking(
            Transport::Mptcp,
            "Multipath TCP is switched off here; run `sysctl -w net.mptcp.enabled=1`",
        ),
        Some(libc::EPROTONOSUPPORT | libc::EINVAL) => TransportError::lacking(
            Transport::Mptcp,
            "this kernel was built without Multipath TCP (CONFIG_MPTCP); use --transport tcp",
        ),
        _ => DialError::Socket(error).into(),
    }
}
