//! What a service manager is told of the server: that it is ready, and that it stops.
//!
//! Source: sd_notify(3): a datagram of `NAME=VALUE` lines to the socket that `NOTIFY_SOCKET` names, by its path or, with an `@`
//! before it, in the abstract namespace.

use std::ffi::OsStr;
use std::io;
#[cfg(on_linux)]
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};

use crate::screen::note;

/// Tells whoever started this process `state`, if it wants to hear. That it cannot be told ends nothing.
pub(crate) fn tell(state: &str) {
    let Some(socket) = std::env::var_os("NOTIFY_SOCKET") else { return };
    if let Err(error) = send(&socket, state) {
        note(format_args!("linerate serve: the service manager was not told {state}: {error}"));
    }
}

fn send(socket: &OsStr, state: &str) -> io::Result<()> {
    let address = match socket.as_bytes() {
        #[cfg(on_linux)]
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        _ => SocketAddr::from_pathname(socket)?,
    };
    UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address)?;
    Ok(())
}
