//! Messages on a connection: 8 bytes with the length, little-endian, and then the bytes.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::AsFd;
use std::time::Duration;

use linerate_core::units::Span;
use rustix::net::{RecvAncillaryBuffer, RecvFlags, SendAncillaryBuffer, SendFlags, recvmsg, sendmsg};
use socket2::{Domain, Protocol, SockRef, Socket, Type};

use crate::channel::{CancelGroup, ChannelHandle, Registration};
use crate::sys::NO_SIGNAL;

/// What goes before every message. Unit: bytes.
pub(super) const HEADER: usize = 8;

/// A message that is being sent.
pub(super) struct Outgoing<'a> {
    header: [u8; HEADER],
    data: &'a [u8],
    sent: usize,
}

/// A message that is being received.
pub(super) struct Incoming<'a> {
    header: [u8; HEADER],
    data: &'a mut [u8],
    received: usize,
}

/// A message has another length than was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OtherLength(pub(super) usize);

impl<'a> Outgoing<'a> {
    pub(super) const fn new(data: &'a [u8]) -> Self {
        Self { header: (data.len() as u64).to_le_bytes(), data, sent: 0 }
    }

    pub(super) const fn is_done(&self) -> bool {
        self.sent == HEADER + self.data.len()
    }

    /// Sends what can be sent now, or, if the connection is to wait, at least one byte.
    pub(super) fn step(&mut self, stream: &TcpStream, wait: bool) -> io::Result<()> {
        let parts = [
            IoSlice::new(&self.header[self.sent.min(HEADER)..]),
            IoSlice::new(&self.data[self.sent.saturating_sub(HEADER)..]),
        ];
        self.sent += if wait {
            (&mut &*stream).write_vectored(&parts)?
        } else {
            sendmsg(stream, &parts, &mut SendAncillaryBuffer::default(), SendFlags::DONTWAIT | NO_SIGNAL)?
        };
        Ok(())
    }
}

impl<'a> Incoming<'a> {
    pub(super) const fn new(data: &'a mut [u8]) -> Self {
        Self { header: [0; HEADER], data, received: 0 }
    }

    pub(super) const fn is_done(&self) -> bool {
        self.received == HEADER + self.data.len()
    }

    /// Receives what is there now, or, if the connection is to wait, at least one byte. The length as soon as it is known
    /// to be another.
    pub(super) fn step(&mut self, stream: &TcpStream, wait: bool) -> io::Result<Result<(), OtherLength>> {
        let mut parts = [
            IoSliceMut::new(&mut self.header[self.received.min(HEADER)..]),
            IoSliceMut::new(&mut self.data[self.received.saturating_sub(HEADER)..]),
        ];
        let more = if wait {
            (&mut &*stream).read_vectored(&mut parts)?
        } else {
            recvmsg(stream, &mut parts, &mut RecvAncillaryBuffer::default(), RecvFlags::DONTWAIT)?.bytes
        };
        if more == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.received += more;
        let length = usize::try_from(u64::from_le_bytes(self.header)).unwrap_or(usize::MAX);
        let known = self.received >= HEADER;
        Ok(if known && length != self.data.len() { Err(OtherLength(length)) } else { Ok(()) })
    }
}

/// A connection that is made, or was, as another thread ends it.
#[derive(Debug)]
struct Handle(Socket);

impl ChannelHandle for Handle {
    fn cut(&self) {
        self.0.shutdown(Shutdown::Both).unwrap_or(());
    }
}

/// Puts a socket in the group of what ends when its rank does.
pub(super) fn register(cancel: &CancelGroup, socket: &impl AsFd) -> io::Result<Registration> {
    Ok(cancel.register(Box::new(Handle(SockRef::from(socket).try_clone()?))))
}

/// Connects to `address`, unless the rank ends before; with segments of at most `mss` bytes, if that is given.
pub(super) fn connect(
    (address, mss): (SocketAddr, Option<u32>),
    within: Duration,
    cancel: &CancelGroup,
) -> io::Result<(TcpStream, Registration)> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    let registration = register(cancel, &socket)?;
    if let Some(mss) = mss {
        socket.set_tcp_mss(mss).unwrap_or(());
    }
    socket.connect_timeout(&address.into(), within)?;
    Ok((socket.into(), registration))
}

/// Has a blocking call on `stream` give up after this time without a byte.
pub(super) fn set_patience(stream: &TcpStream, patience: Span) -> io::Result<()> {
    let limit = (patience < Span::MAX).then(|| patience.to_duration().max(Duration::from_millis(1)));
    stream.set_read_timeout(limit)?;
    stream.set_write_timeout(limit)
}
