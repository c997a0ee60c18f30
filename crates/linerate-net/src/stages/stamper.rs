//! A socket whose messages the kernel stamps.

use std::io;
use std::io::IoSliceMut;
use std::os::fd::{AsRawFd, BorrowedFd};

use linerate_core::endpoint::LinkError;
use linerate_core::units::Span;
use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, TimestampingFlag, Timestamps, recvmsg, setsockopt, sockopt,
};
use nix::sys::time::TimeSpec;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use rustix::time::{ClockId, clock_gettime};

use super::begun::until_arrivals_are_stamped;
use super::rounds::{Received, Rounds, Sent, Stamp};
use crate::sys::outq;
use crate::wait::{PATIENCE, retry};

/// The stamps requested of every socket. Source: linux/net_tstamp.h.
const ASKED: u32 = libc::SOF_TIMESTAMPING_TX_SCHED
    | libc::SOF_TIMESTAMPING_TX_SOFTWARE
    | libc::SOF_TIMESTAMPING_RX_SOFTWARE
    | libc::SOF_TIMESTAMPING_SOFTWARE
    | libc::SOF_TIMESTAMPING_OPT_ID
    | libc::SOF_TIMESTAMPING_OPT_TSONLY;
/// `SO_EE_ORIGIN_TIMESTAMPING` of linux/errqueue.h.
const OF_STAMPS: u8 = 4;
/// `SCM_TSTAMP_SND`, `SCM_TSTAMP_SCHED` and `SCM_TSTAMP_ACK` of linux/errqueue.h.
const STAMPS: [(u32, Stamp); 3] = [(0, Stamp::Driven), (1, Stamp::Queued), (2, Stamp::Acked)];
/// How long to wait for missing stamps, and how often to check.
const SETTLING: u32 = 50;
const LOOK: Span = Span::from_ms(1);
/// How long to wait until a message is there before receiving it, and how often to check.
const LOST: Span = Span::from_ms(1_000);
const CARE: Span = Span::from_us(20);

/// One end.
pub(super) struct Stamper<'a> {
    socket: BorrowedFd<'a>,
    datagrams: bool,
    /// Whether the kernel stamps.
    stamping: bool,
    /// Bytes of TCP, or datagrams, that were sent since the stamps were asked for; the kernel's count wraps too.
    sent: u32,
    out: Vec<u8>,
    into: Vec<u8>,
    /// Where the kernel writes the stamps.
    space: Vec<u8>,
}

impl<'a> Stamper<'a> {
    pub(super) fn new(socket: BorrowedFd<'a>, datagrams: bool) -> Result<Self, LinkError> {
        ask_for_stamps(socket, datagrams)?;
        until_arrivals_are_stamped();
        let space = nix::cmsg_space!(Timestamps, u32, libc::sock_extended_err, libc::sockaddr_in6);
        Ok(Self { socket, datagrams, stamping: true, sent: 0, out: Vec::new(), into: Vec::new(), space })
    }

    /// Whether the kernel is to stamp from now on.
    pub(super) fn set_stamping(&mut self, stamping: bool) -> Result<(), LinkError> {
        if stamping != self.stamping {
            if stamping {
                ask_for_stamps(self.socket, self.datagrams)?;
                until_arrivals_are_stamped();
                self.sent = 0;
            } else {
                setsockopt(&self.socket, sockopt::Timestamping, &TimestampingFlag::empty())
                    .map_err(refused)?;
            }
            self.stamping = stamping;
        }
        Ok(())
    }

    /// The next messages have this many bytes, at least one.
    pub(super) fn resize(&mut self, size: usize) {
        self.out.resize(size, 0x5a);
        self.into.resize(size, 0);
    }

    /// Discards what datagrams and stamps there are.
    pub(super) fn drain(&mut self) -> Result<(), LinkError> {
        while self.datagrams && rustix::net::recv(self.socket, &mut [0; 1][..], RecvFlags::DONTWAIT).is_ok() {
        }
        self.reap(&mut Rounds::new(0))
    }

    /// Sends message `number`.
    pub(super) fn send(&mut self, number: u32) -> Result<Sent, LinkError> {
        self.out[0] = tag(number);
        let at = now_ns();
        let mut begin = 0;
        while begin < self.out.len() {
            let data = &self.out[begin..];
            begin += retry(|| rustix::net::send(self.socket, data, SendFlags::NOSIGNAL))
                .map_err(|errno| failed("send a stamped message", errno))?;
        }
        // TCP's stamps are called by the message's last byte.
        let of_message = if self.datagrams { 1 } else { u32::try_from(begin).unwrap_or(0) };
        self.sent = self.sent.wrapping_add(of_message);
        Ok(Sent { at, key: self.sent.wrapping_sub(1) })
    }

    /// Receives message `number` like [`receive`](Self::receive), but only when it is there: a
    /// later stamp was not made on arrival.
    ///
    /// The kernel starts stamping some time after the request. Messages that arrive before have no
    /// stamp, but for a datagram the kernel then reports the time at which it is read.
    pub(super) fn receive_with_care(&mut self, number: u32) -> Result<Option<Received>, LinkError> {
        let asked = now_ns();
        while self.stamping
            && rustix::io::ioctl_fionread(self.socket).is_ok_and(|bytes| bytes == 0)
            && now_ns().wrapping_sub(asked) < LOST.as_ps() / 1_000
        {
            std::thread::sleep(CARE.to_duration());
        }
        let there = now_ns();
        let came = self.receive(number)?;
        Ok(came.map(|came| Received { arrived: came.arrived.filter(|stamp| *stamp <= there), ..came }))
    }

    /// Receives message `number`, or `None` if it is lost.
    pub(super) fn receive(&mut self, number: u32) -> Result<Option<Received>, LinkError> {
        let mut len = 0;
        let mut arrived = None;
        loop {
            match retry(|| take(self.socket, &mut self.into[len..], &mut self.space)) {
                // The end, or a cancelled channel: nobody sends an empty datagram.
                Ok((0, _)) => return Err(LinkError::Closed),
                Ok((taken, stamp)) => {
                    len += taken;
                    arrived = stamp.or(arrived);
                }
                Err(Errno::AGAIN) if self.datagrams => return Ok(None),
                Err(errno) => return Err(failed("receive a stamped message", errno)),
            }
            let whole = len == self.into.len();
            let expected = whole && self.into[0] == tag(number);
            match (self.datagrams, whole) {
                _ if expected => return Ok(Some(Received { arrived, taken: now_ns() })),
                (false, true) => return Err(mixed_up()),
                // From another peer, or one that was given up.
                (true, _) => len = 0,
                (false, false) => {}
            }
        }
    }

    /// Reads what stamps there are.
    pub(super) fn reap(&mut self, told: &mut Rounds) -> Result<(), LinkError> {
        while self.stamping {
            match retry(|| stamp(self.socket, &mut self.space)) {
                Ok(Some((key, stamp, at))) => told.note(key, stamp, at),
                Ok(None) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(errno) => return Err(failed("read a message's stamps", errno)),
            }
        }
        Ok(())
    }

    /// Whether the kernel says when a message was acknowledged.
    pub(super) const fn is_acknowledged(&self) -> bool {
        !self.datagrams
    }

    /// Waits a little for the stamps of the last message.
    pub(super) fn settle(&mut self, told: &mut Rounds, acknowledged: bool) -> Result<(), LinkError> {
        for _ in 0..SETTLING {
            self.reap(told)?;
            if !self.stamping || told.is_settled(acknowledged) {
                break;
            }
            std::thread::sleep(LOOK.to_duration());
        }
        Ok(())
    }
}

fn failed(operation: &'static str, errno: Errno) -> LinkError {
    match errno {
        Errno::AGAIN => LinkError::Stalled(PATIENCE),
        // For datagrams, an ICMP message reported that the peer's socket is gone.
        Errno::PIPE | Errno::CONNREFUSED => LinkError::Closed,
        Errno::CONNRESET => LinkError::Reset,
        errno => LinkError::System { operation, source: errno.into() },
    }
}

/// Asks the kernel for the stamps; its count of what is sent begins at zero with this.
fn ask_for_stamps(socket: BorrowedFd<'_>, datagrams: bool) -> Result<(), LinkError> {
    let asked =
        |flags: u32| setsockopt(&socket, sockopt::Timestamping, &TimestampingFlag::from_bits_retain(flags));
    if datagrams {
        return asked(ASKED).map_err(refused);
    }
    // Before Linux 6.2 the count of TCP begins at the last byte that was acknowledged, so that all
    // must be: the peer has said that it stands, so there is next to nothing to wait for.
    for _ in 0..SETTLING {
        match outq::waiting(socket) {
            Ok(0) => break,
            Ok(_) => std::thread::sleep(LOOK.to_duration()),
            Err(source) => return Err(LinkError::System { operation: "learn what is under way", source }),
        }
    }
    let flags = ASKED | libc::SOF_TIMESTAMPING_TX_ACK;
    asked(flags | libc::SOF_TIMESTAMPING_OPT_ID_TCP).or_else(|_| asked(flags)).map_err(refused)
}

fn refused(error: nix::Error) -> LinkError {
    LinkError::System { operation: "have the socket stamp its messages", source: error.into() }
}

/// One call: how many bytes it took, and when the kernel had the last of them.
pub(super) fn take(
    socket: BorrowedFd<'_>,
    into: &mut [u8],
    space: &mut [u8],
) -> Result<(usize, Option<u64>), Errno> {
    let mut parts = [IoSliceMut::new(into)];
    let message =
        recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(space), MsgFlags::empty()).map_err(raw)?;
    let stamp = message.cmsgs().map_err(raw)?.find_map(|part| match part {
        ControlMessageOwned::ScmTimestampsns(stamps) => software_ns(&stamps),
        _ => None,
    });
    Ok((message.bytes, stamp))
}

/// The next of the error queue: which message, which stamp, when, or `None` if it is about something else.
fn stamp(socket: BorrowedFd<'_>, space: &mut [u8]) -> Result<Option<(u32, Stamp, u64)>, Errno> {
    let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
    let message = recvmsg::<()>(socket.as_raw_fd(), &mut [], Some(space), flags).map_err(raw)?;
    let (mut at, mut which) = (None, None);
    for part in message.cmsgs().map_err(raw)? {
        match part {
            ControlMessageOwned::ScmTimestampsns(stamps) => at = software_ns(&stamps),
            ControlMessageOwned::Ipv4RecvErr(error, _) | ControlMessageOwned::Ipv6RecvErr(error, _)
                if error.ee_origin == OF_STAMPS =>
            {
                let known = STAMPS.iter().find(|(number, _)| *number == error.ee_info);
                which = known.map(|(_, stamp)| (error.ee_data, *stamp));
            }
            _ => {}
        }
    }
    Ok(which.zip(at).map(|((key, stamp), at)| (key, stamp, at)))
}

/// The kernel's own stamp, or `None` if there is only the adaptor's. Unit: nanoseconds.
fn software_ns(stamps: &Timestamps) -> Option<u64> {
    Some(ns(&stamps.system)).filter(|ns| *ns > 0)
}

fn ns(time: &TimeSpec) -> u64 {
    whole_ns(time.tv_sec(), time.tv_nsec())
}

/// The clock of the stamps. Unit: nanoseconds since 1970.
pub(super) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Realtime);
    whole_ns(now.tv_sec, now.tv_nsec)
}

/// Zero before 1970.
fn whole_ns(seconds: i64, nanoseconds: i64) -> u64 {
    u64::try_from(seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds)).unwrap_or(0)
}

/// The first byte of message `number`.
const fn tag(number: u32) -> u8 {
    number.to_le_bytes()[0]
}

fn mixed_up() -> LinkError {
    LinkError::System {
        operation: "receive a stamped message",
        source: io::Error::new(io::ErrorKind::InvalidData, "it is not the one that was awaited"),
    }
}

fn raw(error: nix::Error) -> Errno {
    Errno::from_raw_os_error(error as i32)
}
