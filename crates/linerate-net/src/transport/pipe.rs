//! A pipe each way between two processes. The responder makes both and passes the other ends to its
//! peer.
//!
//! A blocking call on a pipe has no time limit, so the calls do not block: one that finds nothing to
//! do waits in `poll` and calls again. Two calls instead of one, where the peer is slower; a stream
//! whose peer keeps up needs one. The wait goes first where the last call had to.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use linerate_core::endpoint::LinkError;
use linerate_core::options::{Granted, Io, SocketOptions};
use linerate_core::transport::Transport;
use linerate_core::units::{Size, Span};
use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, fcntl_getpipe_size, fcntl_setpipe_size, pipe_with};
use socket2::Socket;

use super::arrivals::StreamListener;
use super::local_peer::{LocalPeer, LocalPeerHandle};
use super::options::{refused, unlike_tcp, with_one_buffer};
use super::unix::listen_local;
use super::{LineResult, Preface, Setup, TransportError};
use crate::channel::{Channel, ChannelHandle};
use crate::control::{ChannelToken, Rendezvous};
use crate::line::Line;
use crate::wait::{Interest, Wait, retry};

/// The largest pipe: a peer asks for it, and a privileged server may have any. Unit: bytes.
const LARGEST: u64 = 16 << 20;

/// Listens for peers on this host, each of which gets two pipes.
pub(super) fn listen(setup: &Setup, token: &ChannelToken) -> Result<StreamListener, TransportError> {
    check(&setup.socket)?;
    listen_local(setup, token, welcome)
}

/// Makes the pipes and hands the peer its ends.
fn welcome(socket: Socket, setup: &Setup) -> LineResult {
    let failed = |operation| move |errno: Errno| TransportError::system(operation)(errno.into());
    let flags = PipeFlags::CLOEXEC | PipeFlags::NONBLOCK;
    let (into, their_out) = pipe_with(flags).map_err(failed("make a pipe"))?;
    let (their_into, out) = pipe_with(flags).map_err(failed("make a pipe"))?;
    if let Some(size) = setup.socket.sndbuf {
        [&into, &out].into_iter().try_for_each(|pipe| resize(pipe, size))?;
    }
    let local_peer = LocalPeer::new(socket)?;
    local_peer.hand_over(&[their_into.as_fd(), their_out.as_fd()])?;
    Ok(line(setup, [into, out], local_peer))
}

/// Meets the peer and takes the ends of both pipes that are for this one.
pub(super) fn join(setup: &Setup, rendezvous: &Rendezvous, preface: Preface) -> LineResult {
    check(&setup.socket)?;
    let (local_peer, ends) = LocalPeer::meet::<2>(setup, rendezvous, preface)?;
    for end in &ends {
        // Anything else could block in the call below without a time limit.
        let nonblocking = rustix::io::ioctl_fionbio(end, true);
        nonblocking.map_err(|errno| TransportError::system("keep the pipe from blocking")(errno.into()))?;
    }
    Ok(line(setup, ends, local_peer))
}

fn line(setup: &Setup, [into, out]: [OwnedFd; 2], local_peer: LocalPeer) -> Box<dyn Line> {
    let channel = PipeChannel {
        out: Some(out),
        into,
        pull_waits: false,
        push_waits: false,
        patience: setup.patience,
        local_peer: Arc::new(local_peer),
    };
    Box::new(setup.wire(channel))
}

/// Asks for a pipe that holds `size`; the kernel rounds it up to a power of two of pages.
fn resize(pipe: &OwnedFd, size: Size) -> Result<(), TransportError> {
    let bytes = usize::try_from(size.0).unwrap_or(usize::MAX);
    let why = match fcntl_setpipe_size(pipe, bytes) {
        Ok(_) => return Ok(()),
        Err(Errno::PERM) => {
            let why = "above fs.pipe-max-size a pipe needs a privilege; raise that with sysctl";
            io::Error::new(io::ErrorKind::PermissionDenied, why)
        }
        Err(errno) => errno.into(),
    };
    Err(refused("sndbuf", size.to_string())(why).into())
}

/// Refuses options that a pipe does not have.
fn check(asked: &SocketOptions) -> Result<(), TransportError> {
    with_one_buffer(asked, Transport::Pipe)?;
    if let Some(size) = asked.sndbuf.filter(|size| size.0 > LARGEST) {
        let why = io::Error::new(io::ErrorKind::InvalidInput, format!("a pipe holds up to {LARGEST} B here"));
        return Err(refused("sndbuf", size.to_string())(why).into());
    }
    let unfit = |io: &Io| !matches!(io, Io::ReadWrite | Io::SendRecv);
    match [asked.io, asked.receives()].into_iter().find(unfit) {
        Some(io) => Err(TransportError::lacking(
            Transport::Pipe,
            format!("its bytes move by read and write, not by {io}; leave --io out"),
        )),
        None => Ok(()),
    }
}

/// One end of two pipes.
#[derive(Debug)]
struct PipeChannel {
    /// Absent after the last byte was sent.
    out: Option<OwnedFd>,
    into: OwnedFd,
    /// Whether the last call found nothing to do, so that the next one waits first.
    pull_waits: bool,
    push_waits: bool,
    patience: Span,
    // Dropped last: the peer sees the pipes' end before that of the socket to the peer.
    local_peer: Arc<LocalPeer>,
}

impl PipeChannel {
    /// Waits until `end` is ready, up to the channel's patience.
    fn wait(&self, end: BorrowedFd<'_>, events: PollFlags) -> Result<(), LinkError> {
        let ready = self.either([(end, events)], self.patience)?;
        if ready { Ok(()) } else { Err(LinkError::Stalled(self.patience)) }
    }

    /// Whether one of `ends` becomes ready within a time.
    fn either<const N: usize>(
        &self,
        ends: [(BorrowedFd<'_>, PollFlags); N],
        within: Span,
    ) -> Result<bool, LinkError> {
        let look = |within| self.local_peer.wait_with(ends, within).map_err(failed("wait for the pipe"));
        match look(within.to_duration())? {
            (_, true) => Ok(true),
            // What the peer did before it let go counts.
            (true, false) if look(Duration::ZERO)?.1 => Ok(true),
            (true, false) => Err(LinkError::Reset),
            (false, false) => Ok(false),
        }
    }

    fn unless_cut(&self) -> Result<(), LinkError> {
        if self.local_peer.is_cut() { Err(LinkError::Reset) } else { Ok(()) }
    }
}

impl Channel for PipeChannel {
    #[inline]
    fn push(&mut self, data: &[u8], wait: Wait) -> Result<usize, LinkError> {
        loop {
            self.unless_cut()?;
            let Some(out) = &self.out else { return Err(LinkError::Closed) };
            if self.push_waits && wait == Wait::Patiently {
                self.wait(out.as_fd(), PollFlags::OUT)?;
            }
            let moved = retry(|| rustix::io::write(out, data));
            self.push_waits = moved == Err(Errno::AGAIN);
            match moved {
                Err(Errno::AGAIN) if wait == Wait::Never => return Ok(0),
                Err(Errno::AGAIN) => {}
                Err(Errno::PIPE) => return Err(LinkError::Closed),
                moved => return moved.map_err(|errno| failed("write to the pipe")(errno.into())),
            }
        }
    }

    #[inline]
    fn pull(&mut self, into: &mut [u8], wait: Wait) -> Result<usize, LinkError> {
        loop {
            self.unless_cut()?;
            if self.pull_waits && wait == Wait::Patiently {
                self.wait(self.into.as_fd(), PollFlags::IN)?;
            }
            let moved = retry(|| rustix::io::read(&self.into, &mut *into));
            self.pull_waits = moved == Err(Errno::AGAIN);
            match moved {
                Ok(0) => return Err(LinkError::Closed),
                Err(Errno::AGAIN) if wait == Wait::Never => return Ok(0),
                Err(Errno::AGAIN) => {}
                moved => return moved.map_err(|errno| failed("read from the pipe")(errno.into())),
            }
        }
    }

    fn ready(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError> {
        let into = (self.into.as_fd(), PollFlags::IN);
        // A direction that is at its end is ready: the call says so at once.
        let Some(out) = &self.out else {
            let ended = interest != Interest::Receive;
            return Ok(ended || self.either([into], within)?);
        };
        let out = (out.as_fd(), PollFlags::OUT);
        match interest {
            Interest::Send => self.either([out], within),
            Interest::Receive => self.either([into], within),
            Interest::Either => self.either([into, out], within),
        }
    }

    fn finish_sending(&mut self) -> Result<(), LinkError> {
        self.out = None;
        Ok(())
    }

    fn granted(&self) -> Granted {
        let size = |pipe: &OwnedFd| fcntl_getpipe_size(pipe).map(|bytes| bytes as u64);
        let over = || linerate_core::environment::Fact::unknown("the sending is over");
        Granted {
            sndbuf: self.out.as_ref().map_or_else(over, |out| size(out).into()),
            rcvbuf: size(&self.into).into(),
            ..unlike_tcp()
        }
    }

    fn handle(&self) -> io::Result<Box<dyn ChannelHandle>> {
        Ok(Box::new(LocalPeerHandle(Arc::clone(&self.local_peer))))
    }
}

fn failed(operation: &'static str) -> impl FnOnce(io::Error) -> LinkError {
    move |source| LinkError::System { operation, source }
}
