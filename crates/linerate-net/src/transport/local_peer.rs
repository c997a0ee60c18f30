//! The Unix socket over which two local ends met, kept for as long as they talk: descriptors pass
//! over it at the start, and its end is the end of the peer's process.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};
use socket2::Socket;

use super::socket::register;
use super::unix::connect_local;
use super::{Preface, Setup, TransportError};
use crate::channel::ChannelHandle;
use crate::control::Rendezvous;
use crate::wait::{retry, timespec};

/// How long the responder may take to hand its descriptors over.
const HAND_OVER: Duration = Duration::from_secs(5);
/// The byte that the descriptors travel with: some must.
const MARK: [u8; 1] = [1];
/// The most descriptors that are handed over together.
const MOST: usize = 2;

/// The socket, and whether this end was broken off.
#[derive(Debug)]
pub(super) struct LocalPeer {
    socket: Socket,
    cut: AtomicBool,
}

impl LocalPeer {
    pub(super) fn new(socket: Socket) -> Result<Self, TransportError> {
        socket.set_nonblocking(false).map_err(TransportError::system("make the socket blocking"))?;
        Ok(Self { socket, cut: AtomicBool::new(false) })
    }

    /// Meets the peer where it said, and takes `N` descriptors from it.
    pub(super) fn meet<const N: usize>(
        setup: &Setup,
        rendezvous: &Rendezvous,
        preface: Preface,
    ) -> Result<(Self, [OwnedFd; N]), TransportError> {
        let socket = connect_local(setup.transport, rendezvous, preface)?;
        let _held = register(setup, &socket)?;
        let local_peer = Self::new(socket)?;
        let taken = local_peer.take_over()?;
        Ok((local_peer, taken))
    }

    /// Hands descriptors to the peer, at most [`MOST`].
    pub(super) fn hand_over(&self, descriptors: &[BorrowedFd<'_>]) -> Result<(), TransportError> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        let fits = ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
        debug_assert!(fits, "there is space for {MOST}");
        let sent = retry(|| {
            rustix::net::sendmsg(&self.socket, &[IoSlice::new(&MARK)], &mut ancillary, SendFlags::NOSIGNAL)
        });
        sent.map(drop)
            .map_err(|errno| TransportError::system("pass the descriptors to the peer")(errno.into()))
    }

    /// Takes exactly `N` descriptors from the peer, which comes to it within seconds.
    fn take_over<const N: usize>(&self) -> Result<[OwnedFd; N], TransportError> {
        let failed = || TransportError::system("receive the peer's descriptors");
        self.socket.set_read_timeout(Some(HAND_OVER)).map_err(failed())?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut mark = MARK;
        let flags = RecvFlags::CMSG_CLOEXEC;
        let received = retry(|| {
            rustix::net::recvmsg(&self.socket, &mut [IoSliceMut::new(&mut mark)], &mut ancillary, flags)
        });
        let received = received.map_err(|errno| failed()(errno.into()))?;
        let taken: Vec<OwnedFd> = ancillary
            .drain()
            .filter_map(|message| match message {
                RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
                _ => None,
            })
            .flatten()
            .collect();
        let unfit = || io::Error::new(io::ErrorKind::InvalidData, "it sent none, or not as many as agreed");
        match taken.try_into() {
            Ok(taken) if received.bytes == 1 && !received.flags.contains(ReturnFlags::CTRUNC) => Ok(taken),
            _ => Err(failed()(unfit())),
        }
    }

    /// Whether this end was broken off.
    #[inline]
    pub(super) fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    /// Whether the peer's process has ended, or another thread has cancelled this end. Nothing else
    /// is sent over the socket, so readable means ended.
    pub(super) fn is_loose(&self) -> bool {
        self.wait_with::<0>([], Duration::ZERO).is_ok_and(|(loose, _)| loose)
    }

    /// Waits until one of `descriptors` is ready as its flags say, or the local_peer is loose: whether
    /// it is, and whether any of the descriptors is ready.
    pub(super) fn wait_with<const N: usize>(
        &self,
        descriptors: [(BorrowedFd<'_>, PollFlags); N],
        within: Duration,
    ) -> io::Result<(bool, bool)> {
        let mut looks: [_; MOST + 1] =
            std::array::from_fn(|_| PollFd::from_borrowed_fd(self.socket.as_fd(), PollFlags::IN));
        for (look, (descriptor, events)) in looks.iter_mut().zip(descriptors) {
            *look = PollFd::from_borrowed_fd(descriptor, events);
        }
        let within = timespec(within);
        retry(|| rustix::event::poll(&mut looks[..=N], Some(&within)))?;
        let [ready, loose] =
            [&looks[..N], &looks[N..=N]].map(|part| part.iter().any(|look| !look.revents().is_empty()));
        Ok((loose, ready))
    }
}

/// An end as another thread sees it.
#[derive(Debug)]
pub(super) struct LocalPeerHandle(pub(super) Arc<LocalPeer>);

impl ChannelHandle for LocalPeerHandle {
    fn cut(&self) {
        self.0.cut.store(true, Ordering::Relaxed);
        // The peer may have gone already.
        self.0.socket.shutdown(Shutdown::Both).unwrap_or(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> [LocalPeer; 2] {
        let (one, other) =
            Socket::pair(socket2::Domain::UNIX, socket2::Type::STREAM, None).expect("two sockets");
        [one, other].map(|socket| LocalPeer::new(socket).expect("it may wait"))
    }

    #[test]
    fn descriptors_pass_and_another_number_of_them_is_refused() {
        let [one, other] = pair();
        let file = std::fs::File::open("/dev/null").expect("a device");
        one.hand_over(&[file.as_fd()]).expect("one passes");
        let [_] = other.take_over::<1>().expect("one arrives");
        one.hand_over(&[file.as_fd()]).expect("one passes");
        let error = other.take_over::<2>().expect_err("two were agreed").to_string();
        assert!(error.contains("not as many as agreed"), "{error}");
        drop(one);
        let error = other.take_over::<1>().expect_err("nobody is there").to_string();
        assert!(error.contains("it sent none"), "{error}");
    }

    #[test]
    fn a_local_peer_is_gone_when_either_end_lets_go() {
        let [one, other] = pair();
        assert!(!one.is_loose() && !other.is_loose());
        let one = Arc::new(one);
        LocalPeerHandle(Arc::clone(&one)).cut();
        assert!(one.is_cut() && one.is_loose() && other.is_loose() && !other.is_cut());
        let [one, other] = pair();
        drop(other);
        assert!(one.is_loose());
    }
}
