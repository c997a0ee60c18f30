//! What the datagram transports share: one connected socket as a channel of whole messages.
//!
//! A message of a curve is one datagram of its size and nothing else, so that a curve begins at one
//! byte. A datagram of a bulk flow begins with a [`Header`]. What carries no payload (the end, and
//! that it was heard) is a datagram of [`CONTROL_LEN`] bytes that holds the channel's cookie twice.
//!
//! Datagrams have no end of their own, so the end is one of these, sent again until it is heard.

mod arrivals;
mod bulk;
mod carrier;
mod closing;
mod drops;
mod header;
mod watch;

use std::collections::VecDeque;
use std::io;
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use linerate_core::endpoint::LinkError;
use linerate_core::environment::Fact;
use linerate_core::observation::Connection;
use linerate_core::options::{Ecn, Granted};
use linerate_core::units::Span;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use socket2::Socket;

use super::{Setup, TransportError};
use crate::channel::{Channel, ChannelHandle};
use crate::flow::{Incoming, Outgoing};
use crate::observe::HostClock;
use crate::sys::{NO_SIGNAL, REAL_LENGTH};
use crate::wait::{Interest, Wait, poll, retry};

pub(super) use carrier::Carrier;
use closing::Closing;
pub use header::{CONTROL_LEN, Cookie, GONE, HEADER_LEN, Header, Kind, SHORT_LEN};

/// A message of a curve that has not arrived after this time is lost, whatever the channel's
/// patience.
const LOST: Span = Span::from_ms(1_000);
/// Default number of datagrams that one call sends or receives.
const BATCH: u32 = 64;
/// Most that the kernel takes in one call.  Source: `UIO_MAXIOV` of linux/uio.h.
const MOST: u32 = 1024;
/// The longest datagram of any transport here, an IPv4 packet. Unit: bytes.
pub(super) const LONGEST: usize = 65_535;

/// One end of a connected datagram socket under test.
#[derive(Debug)]
pub(super) struct DatagramChannel {
    socket: Socket,
    carrier: Carrier,
    cookie: Cookie,
    clock: HostClock,
    patience: Span,
    batch: usize,
    gso: bool,
    gro: bool,
    /// What the flow's datagrams leave as, if that is asked for.
    ecn: Option<Ecn>,
    cut: Arc<AtomicBool>,
    closing: Closing,
    /// Messages that came while the end of the own direction was waited for.
    stash: VecDeque<Vec<u8>>,
    /// The socket's last count of drops.
    drops_seen: u32,
    /// The host's last count of drops of all its sockets.
    buffer_errors: Option<u64>,
}

impl DatagramChannel {
    /// Takes a connected socket whose peer is proven.
    pub(super) fn new(
        socket: Socket,
        carrier: Carrier,
        cookie: Cookie,
        setup: &Setup,
    ) -> Result<Self, TransportError> {
        let failed = TransportError::system;
        socket.set_nonblocking(false).map_err(failed("make the socket blocking"))?;
        let batch = setup.socket.batch.unwrap_or(BATCH).clamp(1, MOST) as usize;
        let channel = Self {
            socket,
            carrier,
            cookie,
            clock: setup.clock,
            patience: setup.patience,
            batch,
            gso: setup.socket.gso,
            gro: setup.socket.gro,
            ecn: setup.socket.ecn,
            cut: Arc::default(),
            closing: Closing::default(),
            stash: VecDeque::new(),
            drops_seen: 0,
            buffer_errors: carrier.buffer_errors(),
        };
        carrier.prepare(&channel.socket)?;
        let patience = setup.patience.to_duration();
        channel.socket.set_write_timeout(Some(patience)).map_err(failed("set the send timeout"))?;
        channel.be_patient(channel.loss()).map_err(failed("set the receive timeout"))?;
        Ok(channel)
    }

    /// How long a message of a curve may take.
    fn loss(&self) -> Span {
        self.patience.min(LOST)
    }

    fn be_patient(&self, span: Span) -> io::Result<()> {
        // Zero would be for ever.
        self.socket.set_read_timeout(Some(span.to_duration().max(Duration::from_micros(1))))
    }

    fn failed(&self, operation: &'static str, errno: Errno) -> LinkError {
        match errno {
            _ if self.is_cut() => LinkError::Reset,
            Errno::AGAIN => LinkError::Stalled(self.loss()),
            // An ICMP message said that the peer's socket is gone; of a Unix socket the kernel knows.
            Errno::CONNREFUSED => LinkError::Closed,
            Errno::CONNRESET => LinkError::Reset,
            // A Unix datagram socket whose peer has gone is connected to nobody.
            Errno::NOTCONN => LinkError::Closed,
            errno => LinkError::System { operation, source: errno.into() },
        }
    }

    fn too_long(&self, size: usize) -> LinkError {
        let largest = self.carrier.largest(&self.socket).unwrap_or(0);
        LinkError::TooLong { size: size as u64, largest }
    }

    fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    /// Takes one datagram into `into`; its real length, which may be more.
    #[inline]
    fn take(&self, into: &mut [u8], flags: RecvFlags) -> Result<usize, Errno> {
        retry(|| rustix::net::recv(&self.socket, &mut *into, flags | REAL_LENGTH)).map(|(_, len)| len)
    }

    /// Takes one datagram for a `pull`; its real length, and the start of it where `into` has not
    /// room enough to tell what it is.
    #[inline]
    fn take_message(&self, into: &mut [u8], flags: RecvFlags) -> Result<(usize, Option<Header>), Errno> {
        if into.len() < CONTROL_LEN {
            let mut begin = [0; CONTROL_LEN];
            let len = self.take(&mut begin, flags)?;
            let within = len.min(into.len());
            into[..within].copy_from_slice(&begin[..within]);
            let header = if len == CONTROL_LEN { Header::open(&begin, &self.cookie) } else { None };
            return Ok((len, header));
        }
        let len = self.take(into, flags)?;
        let header = if len == CONTROL_LEN { Header::open(&into[..len], &self.cookie) } else { None };
        Ok((len, header))
    }
}

/// Default message of a bulk flow where no packet bounds it. Unit: bytes.
const UNPACKETED: u64 = 16 << 10;

impl Channel for DatagramChannel {
    #[inline]
    fn push(&mut self, data: &[u8], wait: Wait) -> Result<usize, LinkError> {
        let flags = match wait {
            Wait::Patiently => NO_SIGNAL,
            Wait::Never => NO_SIGNAL | SendFlags::DONTWAIT,
        };
        match retry(|| rustix::net::send(&self.socket, data, flags)) {
            Err(Errno::AGAIN) if wait == Wait::Never => Ok(0),
            Err(Errno::MSGSIZE) => Err(self.too_long(data.len())),
            Err(Errno::AGAIN) => Err(LinkError::Stalled(self.patience)),
            moved => moved.map_err(|errno| self.failed("send", errno)),
        }
    }

    #[inline]
    fn pull(&mut self, into: &mut [u8], wait: Wait) -> Result<usize, LinkError> {
        if let Some(message) = self.stash.pop_front() {
            let within = message.len().min(into.len());
            into[..within].copy_from_slice(&message[..within]);
            return fits(message.len(), into.len());
        }
        if self.closing.is_over() {
            return Err(LinkError::Closed);
        }
        let flags = match wait {
            Wait::Patiently => RecvFlags::empty(),
            Wait::Never => RecvFlags::DONTWAIT,
        };
        loop {
            match self.take_message(into, flags) {
                Ok((_, Some(header))) => {
                    if self.heard(&header) {
                        return Err(LinkError::Closed);
                    }
                }
                Ok((0, None)) if self.is_cut() => return Err(LinkError::Reset),
                // There are no empty messages, and a sender of a flow expects no payload.
                Ok((0, None)) => {}
                Ok(_) if self.closing.has_sent_flow() => {}
                Ok((len, None)) => return fits(len, into.len()),
                Err(Errno::AGAIN) if wait == Wait::Never => return Ok(0),
                Err(errno) => return Err(self.failed("receive", errno)),
            }
        }
    }

    fn ready(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError> {
        if interest != Interest::Send && (!self.stash.is_empty() || self.closing.is_over()) {
            return Ok(true);
        }
        let ready = poll(self.socket.as_fd(), interest, within);
        ready.map_err(|errno| self.failed("wait for the socket", errno))
    }

    fn finish_sending(&mut self) -> Result<(), LinkError> {
        self.close()
    }

    /// What one packet carries unfragmented. Unix datagrams have no packets.
    fn natural_message(&self) -> u64 {
        self.granted().mss.known().copied().unwrap_or(UNPACKETED)
    }

    fn granted(&self) -> Granted {
        self.carrier.granted(&self.socket)
    }

    fn connection(&self) -> Fact<Connection> {
        Fact::unknown("datagrams have no connection")
    }

    fn handle(&self) -> io::Result<Box<dyn ChannelHandle>> {
        Ok(Box::new(DatagramRemote { socket: self.socket.try_clone()?, cut: self.cut.clone() }))
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.socket.as_fd())
    }

    fn send_bulk(&mut self, out: &mut Outgoing<'_>) -> Result<(), LinkError> {
        self.send_flow(out)
    }

    fn receive_bulk(&mut self, into: &mut Incoming<'_>) -> Result<(), LinkError> {
        self.receive_flow(into)
    }
}

impl Drop for DatagramChannel {
    fn drop(&mut self) {
        self.part();
    }
}

/// A datagram channel as another thread sees it.
#[derive(Debug)]
struct DatagramRemote {
    socket: Socket,
    cut: Arc<AtomicBool>,
}

impl ChannelHandle for DatagramRemote {
    fn cut(&self) {
        self.cut.store(true, Ordering::Relaxed);
        // It may be closed already.
        self.socket.shutdown(Shutdown::Both).unwrap_or(());
    }
}

/// A message of a curve is awaited with its length.
#[inline]
fn fits(len: usize, awaited: usize) -> Result<usize, LinkError> {
    if len == awaited { Ok(len) } else { Err(wrong_length(len, awaited)) }
}

/// A message of another length than the two ends agreed on.
#[cold]
pub(super) fn wrong_length(found: usize, awaited: usize) -> LinkError {
    let text = format!("a datagram of {found} B came where one of {awaited} B was awaited");
    LinkError::System { operation: "receive", source: io::Error::new(io::ErrorKind::InvalidData, text) }
}
