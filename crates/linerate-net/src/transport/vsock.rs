//! A VM socket (vsock(7)): between a virtual machine and its host, or within either where the
//! kernel has the loopback of this family.

use std::os::fd::AsFd;
use std::time::Duration;

use linerate_core::environment::Fact;
use linerate_core::options::{Granted, SocketOptions};
use linerate_core::transport::Transport;
use socket2::{Domain, SockAddr, Socket, Type};

use super::arrivals::{Arrivals, StreamListener};
use super::options::{not_of, refused, unlike_tcp, without_tcp};
use super::socket::{Carrier, SocketChannel};
use super::unix::send_preface;
use super::{DialError, LineResult, Preface, Setup, TransportError};
use crate::control::{ChannelAddress, ChannelToken, Rendezvous};
use crate::sys::vsock::{buffer, local_context, set_buffer};

/// How long a connection may take to open.
const CONNECT: Duration = Duration::from_secs(5);
/// Binds to any context or port; also the number of a machine without one.
const ANY: u32 = libc::VMADDR_CID_ANY;

/// Listens for VM sockets at a free port.
pub(super) fn listen(setup: &Setup, token: &ChannelToken) -> Result<StreamListener, TransportError> {
    let failed = TransportError::system;
    check(&setup.socket)?;
    let listener = socket()?;
    apply(&listener, &setup.socket)?;
    let cid = context()?;
    if setup.local.to_canonical() == setup.peer.ip().to_canonical() {
        has_loopback()?;
    }
    listener.bind(&SockAddr::vsock(ANY, ANY)).map_err(failed("bind to a free port of VM sockets"))?;
    let address = listener.local_addr().map_err(failed("read the port that was free"))?;
    let (_, port) = address.as_vsock_address().unwrap_or((ANY, ANY));
    let arrivals = Arrivals::at(listener, token)?;
    let address = ChannelAddress::Vsock { cid, port };
    Ok(StreamListener { address, arrivals, setup: setup.clone(), channel: line })
}

/// Connects to the context and the port that the peer named.
pub(super) fn join(setup: &Setup, rendezvous: &Rendezvous, preface: Preface) -> LineResult {
    let ChannelAddress::Vsock { cid, port } = rendezvous.address else {
        return Err(TransportError::Address(setup.transport));
    };
    check(&setup.socket)?;
    let socket = socket()?;
    apply(&socket, &setup.socket)?;
    if cid == libc::VMADDR_CID_LOCAL || cid == context()? {
        has_loopback()?;
    }
    socket.connect_timeout(&SockAddr::vsock(cid, port), CONNECT).map_err(|error| {
        let why = format!(
            "context {cid} of the peer does not answer at port {port}: {error}; VM sockets reach from a virtual \
             machine to its host and back, not between hosts or guests"
        );
        TransportError::lacking(Transport::Vsock, why)
    })?;
    send_preface(&socket, preface)?;
    line(socket, setup)
}

fn line(socket: Socket, setup: &Setup) -> LineResult {
    Ok(Box::new(setup.wire(SocketChannel::new(socket, setup, Carrier::Vsock)?)))
}

fn socket() -> Result<Socket, TransportError> {
    Socket::new(Domain::VSOCK, Type::STREAM, None).map_err(|error| match error.raw_os_error() {
        Some(libc::EAFNOSUPPORT) => lacking(
            "this kernel has no VM sockets; load them with `modprobe vsock`, or use another transport",
        ),
        _ => DialError::Socket(error).into(),
    })
}

/// This machine's number.
fn context() -> Result<u32, TransportError> {
    match local_context() {
        Ok(ANY) => Err(lacking(
            "this machine is neither a guest with a vsock device nor a host of such guests; \
             add the device to the guest, or `modprobe vsock_loopback` for both ends on one machine",
        )),
        Ok(cid) => Ok(cid),
        Err(error) => Err(lacking(format!(
            "this machine's number cannot be read from /dev/vsock: {error}; load the module vsock, or \
             allow this user to read the device"
        ))),
    }
}

/// Both ends on one machine need a part of the kernel of their own: without it the packets of a
/// guest would leave for its host and never come back. Only with it can its context be bound.
fn has_loopback() -> Result<(), TransportError> {
    let probe = socket()?;
    probe.bind(&SockAddr::vsock(libc::VMADDR_CID_LOCAL, ANY)).map_err(|_| {
        lacking(
            "both ends are on one machine, and its kernel has no loopback of VM sockets; \
             `modprobe vsock_loopback` (CONFIG_VSOCKETS_LOOPBACK), or use --transport unix",
        )
    })
}

fn lacking(why: impl Into<String>) -> TransportError {
    TransportError::lacking(Transport::Vsock, why)
}

/// Refuses options that a VM socket does not have.
fn check(asked: &SocketOptions) -> Result<(), TransportError> {
    without_tcp(asked, Transport::Vsock)?;
    match asked.sndbuf {
        // The receiver's buffer is the credit that the sender has.
        Some(size) => Err(not_of(Transport::Vsock, "sndbuf", size.to_string()).into()),
        None => Ok(()),
    }
}

fn apply(socket: &Socket, asked: &SocketOptions) -> Result<(), TransportError> {
    let Some(size) = asked.rcvbuf else { return Ok(()) };
    Ok(set_buffer(socket.as_fd(), size.0).map_err(refused("rcvbuf", size.to_string()))?)
}

/// What a connected VM socket has.
pub(super) fn granted(socket: &Socket) -> Granted {
    Granted {
        sndbuf: Fact::unknown("the peer's receive buffer is the credit"),
        rcvbuf: buffer(socket.as_fd()).into(),
        ..unlike_tcp()
    }
}

#[cfg(test)]
mod tests {
    use linerate_core::units::Size;

    use super::*;

    #[test]
    fn the_buffer_of_a_vm_socket_is_set_and_read_back() {
        let socket = match socket() {
            Ok(socket) => socket,
            Err(TransportError::Lacking { reason, .. }) => {
                // Not every kernel of CI has them.
                assert!(reason.contains("modprobe vsock"), "{reason}");
                eprintln!("skipped: {reason}");
                return;
            }
            Err(error) => panic!("{error}"),
        };
        // Larger than the kernel's usual limit of 256 KiB.
        let asked = SocketOptions { rcvbuf: Some(Size(1 << 20)), ..SocketOptions::default() };
        apply(&socket, &asked).expect("no privilege is needed");
        assert_eq!(buffer(socket.as_fd()).expect("it is read"), 1 << 20);
    }

    #[test]
    fn a_send_buffer_is_refused_because_the_receivers_is_the_credit() {
        let asked = SocketOptions { sndbuf: Some(Size(1 << 20)), ..SocketOptions::default() };
        let error = check(&asked).expect_err("there is none").to_string();
        assert!(error.contains("sndbuf") && error.contains("vsock"), "{error}");
    }
}
