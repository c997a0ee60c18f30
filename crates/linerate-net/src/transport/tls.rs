//! TLS 1.3 over TCP: the connection comes through the server's own port, and is secured behind it.
//!
//! rustls encrypts in the process, as most applications do. Where the kernel could (kTLS) it is
//! not used: the kernels that we measure on do not have it, and it would be another transport.

mod records;

use std::io::{self, IoSlice};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Instant;

use linerate_core::endpoint::LinkError;
use linerate_core::environment::Fact;
use linerate_core::observation::Connection;
use linerate_core::options::{Granted, Io};
use linerate_core::units::Span;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags};
use rustls::pki_types::ServerName;
use rustls::server::ServerConfig;
use rustls::{ClientConnection, ServerConnection};
use socket2::Socket;

use self::records::Records;
use super::certificate::{self, Identity, NAME};
use super::socket::{SocketHandle, register};
use super::tcp::dial;
use super::{LineResult, Preface, Setup, TransportError, Upgrade, apply, connection, granted};
use crate::channel::{Channel, ChannelHandle};
use crate::control::{ChannelAddress, Deadline, Rendezvous, TimedStream};
use crate::sys::NO_SIGNAL;
use crate::wait::{Interest, Wait, poll, retry};

/// One end of a TLS connection under test.
#[derive(Debug)]
pub(super) struct TlsChannel {
    socket: Socket,
    records: Records,
    /// Bytes of the caller's that are encrypted and not wholly in the socket: they count as
    /// handed over once they are, so that nothing waits in this process for a later call.
    owed: usize,
    finished: bool,
    ipv6: bool,
    patience: Span,
}

impl TlsChannel {
    /// Agrees on keys over a connected socket.
    fn new(stream: TcpStream, setup: &Setup, mut tls: rustls::Connection) -> Result<Self, TransportError> {
        stream.set_nonblocking(false).map_err(TransportError::system("make the socket blocking"))?;
        let mut timed = TimedStream::new(&stream, Deadline::after(setup.step()));
        // It returns when the handshake is done and all of it is written.
        if let Err(error) = tls.complete_io(&mut timed) {
            // The peer receives the reason, if it still reads.
            while tls.wants_write() && tls.write_tls(&mut timed).is_ok_and(|written| written > 0) {}
            return Err(unsecured(error));
        }
        let socket = Socket::from(stream);
        let failed = TransportError::system;
        apply(&socket, &setup.socket, setup.ipv6())?;
        let patience = Some(setup.patience.to_duration());
        socket.set_read_timeout(patience).map_err(failed("set the receive timeout"))?;
        socket.set_write_timeout(patience).map_err(failed("set the send timeout"))?;
        let records = Records::new(tls);
        let (ipv6, patience) = (setup.ipv6(), setup.patience);
        Ok(Self { socket, records, owed: 0, finished: false, ipv6, patience })
    }

    /// Moves all that is encrypted to the socket; whether it went.
    fn flush(&mut self, wait: Wait) -> Result<bool, LinkError> {
        let flags = match wait {
            Wait::Patiently => NO_SIGNAL,
            Wait::Never => NO_SIGNAL | SendFlags::DONTWAIT,
        };
        while self.records.wants_write() {
            match self.records.write_to(&mut Out { socket: self.socket.as_fd(), flags }) {
                Ok(_) => {}
                Err(Errno::AGAIN) if wait == Wait::Never => return Ok(false),
                Err(errno) => return Err(self.failed("send", errno)),
            }
        }
        Ok(true)
    }

    /// Takes what is there from the socket; whether something was.
    fn fetch(&mut self, wait: Wait) -> Result<bool, LinkError> {
        let flags = match wait {
            Wait::Patiently => RecvFlags::empty(),
            Wait::Never => RecvFlags::DONTWAIT,
        };
        let (socket, space) = (self.socket.as_fd(), self.records.space());
        match retry(|| rustix::net::recv(socket, &mut *space, flags)) {
            Ok((_, 0)) => Err(LinkError::System {
                operation: "receive",
                source: io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "the connection ended without close_notify: something may have cut the end off",
                ),
            }),
            Ok((_, received)) => {
                self.records.filled(received);
                Ok(true)
            }
            Err(Errno::AGAIN) if wait == Wait::Never => Ok(false),
            Err(errno) => Err(self.failed("receive", errno)),
        }
    }

    fn failed(&self, operation: &'static str, errno: Errno) -> LinkError {
        match errno {
            Errno::AGAIN => LinkError::Stalled(self.patience),
            Errno::PIPE => LinkError::Closed,
            Errno::CONNRESET => LinkError::Reset,
            errno => LinkError::System { operation, source: errno.into() },
        }
    }

    /// What is wrong with a record, after the peer was told so, if it still listens.
    fn broken(&mut self, error: rustls::Error) -> LinkError {
        self.flush(Wait::Never).unwrap_or(false);
        self.finished = true;
        LinkError::System {
            operation: "decrypt a record",
            source: io::Error::new(io::ErrorKind::InvalidData, error),
        }
    }
}

impl Channel for TlsChannel {
    /// Encrypts as much of `data` as one call carries, and waits until all of that is in the
    /// socket. What [`Wait::Never`] leaves behind is not counted: the same bytes must come again.
    fn push(&mut self, data: &[u8], wait: Wait) -> Result<usize, LinkError> {
        if self.owed == 0 {
            self.owed = self.records.encrypt(data);
        }
        if self.flush(wait)? { Ok(std::mem::take(&mut self.owed).min(data.len())) } else { Ok(0) }
    }

    fn pull(&mut self, into: &mut [u8], wait: Wait) -> Result<usize, LinkError> {
        let mut since = None;
        while !into.is_empty() {
            match self.records.take(into) {
                Ok(Some(0)) => {}
                Ok(Some(taken)) => return Ok(taken),
                Ok(None) => return Err(LinkError::Closed),
                Err(error) => return Err(self.broken(error)),
            }
            // A peer that dribbles parts of a record must not stretch the patience for ever.
            if wait == Wait::Patiently
                && since.get_or_insert_with(Instant::now).elapsed() > self.patience.to_duration()
            {
                return Err(LinkError::Stalled(self.patience));
            }
            if !self.fetch(wait)? {
                break;
            }
        }
        Ok(0)
    }

    fn ready(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError> {
        if interest != Interest::Send {
            match self.records.has_plaintext() {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) => return Err(self.broken(error)),
            }
        }
        poll(self.socket.as_fd(), interest, within).map_err(|errno| self.failed("wait for the socket", errno))
    }

    fn finish_sending(&mut self) -> Result<(), LinkError> {
        if !self.finished {
            self.finished = true;
            self.records.close();
            self.flush(Wait::Patiently)?;
        }
        Ok(())
    }

    /// With what TLS adds to it.
    fn backlog(&self) -> u64 {
        rustix::io::ioctl_fionread(&self.socket).unwrap_or(0)
    }

    fn granted(&self) -> Granted {
        Granted { cipher: self.records.cipher(), ..granted(&self.socket, self.ipv6) }
    }

    fn connection(&self) -> Fact<Connection> {
        connection(&self.socket)
    }

    fn handle(&self) -> io::Result<Box<dyn ChannelHandle>> {
        Ok(Box::new(SocketHandle { socket: self.socket.try_clone()?, tcp: true }))
    }

    // No descriptor: bytes that are decrypted already are not in the socket any more.
}

impl Drop for TlsChannel {
    /// Says that this was the end, if the socket takes it at once, as `close` does for TCP.
    fn drop(&mut self) {
        if !self.finished {
            self.records.close();
            self.flush(Wait::Never).unwrap_or(false);
        }
    }
}

/// The socket as rustls writes to it.
struct Out<'a> {
    socket: BorrowedFd<'a>,
    flags: SendFlags,
}

impl io::Write for Out<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(data)])
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        let send =
            || rustix::net::sendmsg(self.socket, pieces, &mut SendAncillaryBuffer::default(), self.flags);
        retry(send).map_err(io::Error::from)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Secures TCP connections that came through the server's own port.
#[derive(Debug)]
pub(super) struct Tls {
    setup: Setup,
    certificate: Vec<u8>,
    config: Arc<ServerConfig>,
}

impl Tls {
    pub(super) fn new(setup: &Setup) -> Result<Self, TransportError> {
        own_calls_only(setup)?;
        let identity = Identity::fresh()?;
        Ok(Self { setup: setup.clone(), certificate: identity.certificate(), config: identity.server()? })
    }
}

impl Upgrade for Tls {
    fn rendezvous(&self) -> Rendezvous {
        Rendezvous { address: ChannelAddress::Conversation, certificate: Some(self.certificate.clone()) }
    }

    fn upgrade(&self, stream: TcpStream) -> LineResult {
        let tls = ServerConnection::new(Arc::clone(&self.config));
        let tls = tls.map_err(|error| certificate::handshake_failed(&error))?;
        let channel = TlsChannel::new(stream, &self.setup, tls.into())?;
        Ok(Box::new(self.setup.wire(channel)))
    }
}

/// Connects to the server's port, says whose the connection is, and secures it.
pub(super) fn join(setup: &Setup, rendezvous: &Rendezvous, preface: Preface) -> LineResult {
    own_calls_only(setup)?;
    let config = certificate::client(rendezvous)?;
    let name = ServerName::try_from(NAME).expect("the name is one");
    let tls = ClientConnection::new(config, name).map_err(|error| certificate::handshake_failed(&error));
    let (mut tls, mut hello) = (tls?, Vec::new());
    // With the preface, to save a round trip.
    tls.write_tls(&mut hello).map_err(unsecured)?;
    let stream = dial(setup, rendezvous, preface, &hello)?;
    let _held = register(setup, &stream)?;
    Ok(Box::new(setup.wire(TlsChannel::new(stream, setup, tls.into())?)))
}

/// Refuses the I/O engines: encrypted bytes are in the library's own memory, so no engine could
/// save a copy.
pub(super) fn own_calls_only(setup: &Setup) -> Result<(), TransportError> {
    let [out, into] = [setup.socket.io, setup.socket.receives()];
    match [out, into].into_iter().find(|io| *io != Io::SendRecv) {
        None => Ok(()),
        Some(io) => Err(TransportError::lacking(
            setup.transport,
            format!(
                "it sends and receives what it has encrypted itself, so `--io {io}` changes nothing; leave it out"
            ),
        )),
    }
}

/// Why the key agreement failed.
fn unsecured(error: io::Error) -> TransportError {
    match error.get_ref().and_then(|source| source.downcast_ref::<rustls::Error>()) {
        Some(reason) => certificate::handshake_failed(reason),
        None => TransportError::System { operation: "agree on keys with the peer", source: error },
    }
}
