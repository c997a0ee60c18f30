//! A Unix stream socket, and the way in which two ends on one host meet at one.
//!
//! The place is an abstract name of random digits, which goes away with its listener. Anybody on
//! the host may read it in /proc/net/unix, so it is no secret and nothing is made of the token:
//! whoever comes without the token is turned away. Elsewhere than on Linux it is a file of this name
//! in the folder for temporary files, which the listener removes.

use linerate_core::transport::Transport;
use socket2::{Domain, SockAddr, Socket, Type};

use super::arrivals::{Arrivals, MakeChannel, StreamListener};
use super::options::{apply_buffers, without_tcp};
use super::socket::{Carrier, SocketChannel};
use super::{LineResult, Preface, Setup, TransportError};
use crate::control::{ChannelAddress, ChannelToken, Rendezvous, random};

/// What every name begins with, so that a peer can send nobody to the socket of another program.
const NAMES: &str = "linerate-";

/// Listens at a fresh name for connections that `channel` makes channels of.
pub(super) fn listen_local(
    setup: &Setup,
    token: &ChannelToken,
    channel: MakeChannel,
) -> Result<StreamListener, TransportError> {
    let failed = TransportError::system;
    let digits = random::<16>().map_err(failed("draw a random name"))?;
    let name = format!("{NAMES}{:032x}", u128::from_be_bytes(digits));
    let listener = Socket::new(Domain::UNIX, Type::STREAM, None).map_err(failed("make a Unix socket"))?;
    let bound = address_of(&name).and_then(|address| listener.bind(&address));
    bound.map_err(failed("bind a Unix socket to its name"))?;
    let arrivals = Arrivals::at(listener, token)?;
    Ok(StreamListener { address: ChannelAddress::Local(name), arrivals, setup: setup.clone(), channel })
}

/// Goes to the place that the peer named and sends the preface.
pub(super) fn connect_local(
    transport: Transport,
    rendezvous: &Rendezvous,
    preface: Preface,
) -> Result<Socket, TransportError> {
    let failed = TransportError::system;
    let name = match &rendezvous.address {
        ChannelAddress::Local(name) if is_ours(name) => name,
        _ => return Err(TransportError::Address(transport)),
    };
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None).map_err(failed("make a Unix socket"))?;
    let address = address_of(name).map_err(failed("use the name of the peer's Unix socket"))?;
    socket.connect(&address).map_err(|error| match error.kind() {
        // Elsewhere than on Linux the name is that of a file.
        std::io::ErrorKind::ConnectionRefused | std::io::ErrorKind::NotFound => TransportError::lacking(
            transport,
            "the peer is not on this host, or in another network namespace; both ends must be on one host",
        ),
        _ => failed("connect to the peer's Unix socket")(error),
    })?;
    send_preface(&socket, preface)?;
    Ok(socket)
}

/// Says whose a connected socket is. So few bytes always fit a fresh one.
pub(super) fn send_preface(socket: &Socket, preface: Preface) -> Result<(), TransportError> {
    let bytes = preface.encode();
    let sent = std::io::Write::write_all(&mut &*socket, &bytes);
    sent.map_err(TransportError::system("identify the channel to the peer"))
}

/// No name leads out of the folder of our names.
fn is_ours(name: &str) -> bool {
    name.starts_with(NAMES) && !name.contains('/')
}

fn address_of(name: &str) -> std::io::Result<SockAddr> {
    #[cfg(on_linux)]
    return SockAddr::unix(format!("\0{name}"));
    #[cfg(not(on_linux))]
    SockAddr::unix(file_of(name))
}

/// Where the place called `name` is.
#[cfg(not(on_linux))]
pub(super) fn file_of(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(name)
}

/// Listens for Unix stream sockets.
pub(super) fn listen(setup: &Setup, token: &ChannelToken) -> Result<StreamListener, TransportError> {
    without_tcp(&setup.socket, setup.transport)?;
    listen_local(setup, token, line)
}

/// Connects to the name that the peer gave.
pub(super) fn join(setup: &Setup, rendezvous: &Rendezvous, preface: Preface) -> LineResult {
    without_tcp(&setup.socket, setup.transport)?;
    line(connect_local(setup.transport, rendezvous, preface)?, setup)
}

fn line(socket: Socket, setup: &Setup) -> LineResult {
    apply_buffers(&socket, &setup.socket)?;
    Ok(Box::new(setup.wire(SocketChannel::new(socket, setup, Carrier::Unix)?)))
}
