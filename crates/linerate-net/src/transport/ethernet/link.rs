//! The sockets of one flow at one end.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use linerate_core::transport::Transport;
use linerate_core::units::Span;
use rustix::event::{EventfdFlags, PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags};
use socket2::{Domain, Protocol, Socket, Type};

use super::filter::Wanted;
use super::frame::{ETHERTYPE, HEAD_LEN, HEADER_LEN, Header, Kind, MOST_CONTROL, Mac};
use super::plane::Plane;
use super::station::Station;
use crate::channel::ChannelHandle;
use crate::control::Side;
use crate::sys::packet;
use crate::transport::{Setup, TransportError};
use crate::wait::timespec;

/// What stands in all frames that one end of a flow sends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    pub(super) token: [u8; 8],
    pub(super) number: u32,
    /// This end.
    pub(super) side: Side,
    /// The other end.
    pub(super) peer: Mac,
}

/// The sockets of one flow at one end.
///
/// Messages and everything else have a socket each, told apart by the filter: the counted drops of
/// a full ring are then messages and nothing else, and an end is heard while the ring is full.
#[derive(Debug)]
pub(super) struct Link<P> {
    station: Station,
    flow: Flow,
    /// Messages.
    pub(super) data: P,
    /// Everything else.
    control: Socket,
}

/// A frame that is no message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard {
    pub(super) from: Mac,
    pub(super) flow: u32,
    pub(super) kind: Kind,
    pub(super) sequence: u64,
    /// Its payload, and zeros.
    pub(super) payload: [u8; MOST_CONTROL],
}

/// Breaks a channel off from another thread: a packet socket cannot be shut down.
#[derive(Debug)]
pub(super) struct Cut {
    event: OwnedFd,
    done: AtomicBool,
}

/// What ended a wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Woken {
    pub(super) control: bool,
    pub(super) data_out: bool,
}

impl<P: Plane> Link<P> {
    /// Opens both sockets for the frames that the other end sends in this flow.
    pub(super) fn open(setup: &Setup, station: &Station, flow: Flow) -> Result<Self, TransportError> {
        let only = Some((flow.number, flow.peer));
        let wanted = Wanted { token: flow.token, side: flow.side.other(), data: true, only };
        let data = P::open(setup, station, wanted)?;
        let control = socket(setup.transport, Wanted { data: false, ..wanted })?;
        bind(&control, station)?;
        Ok(Self { station: station.clone(), flow, data, control })
    }

    /// What the interface's frames carry. Unit: bytes.
    pub(super) const fn mtu(&self) -> usize {
        self.station.mtu
    }

    /// The longest message that a frame carries. Unit: bytes.
    pub(super) fn largest(&self) -> usize {
        self.station.mtu.saturating_sub(HEADER_LEN).min(u16::MAX.into())
    }

    /// The start of a frame of this flow. `length` is at most [`largest`](Self::largest).
    pub(super) fn head(&self, kind: Kind, length: usize, sequence: u64) -> [u8; HEAD_LEN] {
        let length = u16::try_from(length).unwrap_or(u16::MAX);
        let Flow { token, number, side, peer } = self.flow;
        let header = Header { token, flow: number, kind, side, length, sequence, sent_ns: 0 };
        header.encode(peer, self.station.mac)
    }

    /// Sends a frame that is no message. One that the host has no room for is lost, as any may be.
    pub(super) fn say(&self, kind: Kind, sequence: u64, payload: &[u8]) -> Result<(), Errno> {
        match post(self.control.as_fd(), &self.head(kind, payload.len(), sequence), payload) {
            Err(Errno::AGAIN | Errno::NOBUFS) => Ok(()),
            done => done,
        }
    }

    /// The next frame that is no message, if one has come.
    pub(super) fn hear(&self) -> Result<Option<Heard>, Errno> {
        hear(&self.control)
    }

    /// Waits for what the peer sends, or as `out` says for room to send, or for the cut.
    pub(super) fn watch(&self, cut: &Cut, out: bool, within: Span) -> Result<Woken, Errno> {
        let data = if out { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        self.poll(cut, data, within)
    }

    /// Waits for room to send, or for anything that is no message, or for the cut.
    pub(super) fn wait_for_room(&self, cut: &Cut, within: Span) -> Result<Woken, Errno> {
        self.poll(cut, PollFlags::OUT, within)
    }

    /// Waits for anything that is no message, or for the cut.
    pub(super) fn listen(&self, cut: &Cut, within: Span) -> Result<Woken, Errno> {
        self.poll(cut, PollFlags::empty(), within)
    }

    fn poll(&self, cut: &Cut, data: PollFlags, within: Span) -> Result<Woken, Errno> {
        let mut all = [
            PollFd::from_borrowed_fd(self.data.descriptor(), data),
            PollFd::new(&self.control, PollFlags::IN),
            PollFd::new(&cut.event, PollFlags::IN),
        ];
        match rustix::event::poll(&mut all, Some(&timespec(within.to_duration()))) {
            // The caller looks at its clock again.
            Ok(_) | Err(Errno::INTR) => Ok(Woken {
                control: !all[1].revents().is_empty(),
                data_out: all[0].revents().contains(PollFlags::OUT),
            }),
            Err(errno) => Err(errno),
        }
    }
}

impl Cut {
    pub(super) fn new() -> io::Result<Self> {
        let event = rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { event, done: AtomicBool::new(false) })
    }

    #[inline]
    pub(super) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }
}

impl ChannelHandle for std::sync::Arc<Cut> {
    fn cut(&self) {
        self.done.store(true, Ordering::Release);
        // Only a counter that is full already refuses, and that wakes as well.
        let woken = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
        debug_assert!(matches!(woken, Ok(8) | Err(Errno::AGAIN)), "{woken:?}");
    }
}

/// A packet socket that gets what is wanted once it is bound, and never waits.
pub(super) fn socket(transport: Transport, wanted: Wanted) -> Result<Socket, TransportError> {
    // Protocol 0 receives nothing until the filter stands and the address says what.
    let socket = Socket::new(Domain::PACKET, Type::RAW, Some(Protocol::from(0)));
    let socket = socket.map_err(|error| match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => TransportError::lacking(
            transport,
            "raw Ethernet needs CAP_NET_RAW: run as root or `setcap cap_net_raw+ep linerate`",
        ),
        Some(libc::EAFNOSUPPORT) => {
            TransportError::lacking(transport, "this kernel has no packet sockets (CONFIG_PACKET)")
        }
        _ => TransportError::system("make a packet socket")(error),
    })?;
    socket.attach_filter(&wanted.program()).map_err(TransportError::system("filter frames"))?;
    socket.set_nonblocking(true).map_err(TransportError::system("make the socket non-blocking"))?;
    Ok(socket)
}

/// Lets the frames of the station's interface in.
pub(super) fn bind(socket: &Socket, station: &Station) -> Result<(), TransportError> {
    packet::bind(socket, ETHERTYPE, station.index)
        .map_err(TransportError::system("listen to the interface's frames"))
}

/// The next frame of ours in a socket without a ring.
pub(super) fn hear(socket: &Socket) -> Result<Option<Heard>, Errno> {
    let mut frame = [0; HEAD_LEN + MOST_CONTROL];
    loop {
        match rustix::net::recv(socket, &mut frame, RecvFlags::DONTWAIT) {
            Ok((_, length)) => {
                let Some((from, header, payload)) = Header::decode(&frame[..length]) else { continue };
                let mut whole = [0; MOST_CONTROL];
                whole[..payload.len()].copy_from_slice(payload);
                let Header { flow, kind, sequence, .. } = header;
                return Ok(Some(Heard { from, flow, kind, sequence, payload: whole }));
            }
            Err(Errno::AGAIN) => return Ok(None),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}

/// Sends one frame without waiting.
#[inline]
pub(super) fn post(socket: BorrowedFd<'_>, head: &[u8], payload: &[u8]) -> Result<(), Errno> {
    let pieces = [IoSlice::new(head), IoSlice::new(payload)];
    let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
    loop {
        match rustix::net::sendmsg(socket, &pieces, &mut SendAncillaryBuffer::default(), flags) {
            Err(Errno::INTR) => {}
            done => return done.map(drop),
        }
    }
}

/// The first `N` bytes, or zeros where there are less.
pub(super) fn fixed<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}
