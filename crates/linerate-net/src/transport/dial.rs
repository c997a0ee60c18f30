//! Sockets bound as the user asked, and connected.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use linerate_core::plan::LocalOptions;
use socket2::{Domain, Protocol, SockAddr, Socket, Type};

use crate::sys::socket_option::bind_device;

/// How long a host may take to accept the first connection.
pub(crate) const CONNECT: Duration = Duration::from_secs(10);

/// The largest segment of a conversation: the least MTU of IPv6 without its headers and those of TCP. A path of IPv4
/// that swallows such packets would swallow QUIC too. Smaller ones need more round trips for a long account.
/// Unit: bytes.  Source: RFC 8200, section 5; RFC 9000, section 14.
pub(crate) const SEGMENT: u32 = 1_220;

/// Why a socket is not connected. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    /// The operating system gives no such socket.
    #[error("make a socket: {0}")]
    Socket(io::Error),
    /// There is no such interface, or it needs a privilege.
    #[error("bind to the interface `{device}`: {source}")]
    BindDevice {
        /// The interface.
        device: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// There is no such local address.
    #[error("bind to the address {ip}: {source}")]
    Bind {
        /// The address.
        ip: IpAddr,
        /// What the operating system said.
        source: io::Error,
    },
    /// Nothing accepts connections there.
    #[error("connect to {address}: {source}")]
    Connect {
        /// Where.
        address: SocketAddr,
        /// What the operating system said.
        source: io::Error,
    },
}

/// A socket for `address`, bound to the interface and the address in `own`.
///
/// # Errors
///
/// Every [`DialError`] but `Connect`.
pub(crate) fn bound(
    address: SocketAddr,
    kind: Type,
    protocol: Protocol,
    own: &LocalOptions,
) -> Result<Socket, DialError> {
    let domain = Domain::for_address(address);
    let socket = Socket::new(domain, kind, Some(protocol)).map_err(DialError::Socket)?;
    if let Some(device) = &own.bind_dev {
        let bound = bind_device(&socket, device);
        bound.map_err(|source| DialError::BindDevice { device: device.clone(), source })?;
    }
    if let Some(ip) = own.bind {
        let bound = socket.bind(&SockAddr::from(SocketAddr::new(ip, 0)));
        bound.map_err(|source| DialError::Bind { ip, source })?;
    }
    Ok(socket)
}

/// Connects a stream socket in so short a time.
///
/// # Errors
///
/// [`DialError::Connect`].
pub(crate) fn connect(socket: &Socket, address: SocketAddr, within: Duration) -> Result<(), DialError> {
    socket
        .connect_timeout(&SockAddr::from(address), within)
        .map_err(|source| DialError::Connect { address, source })
}
