//! The streams of an iperf3 test as channels: TCP connections and UDP sockets that are left open when a flow has ended,
//! because the server takes the end of one for the failure of the test.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use linerate_core::endpoint::LinkError;
use linerate_core::environment::Fact;
use linerate_core::kernel::TcpSample;
use linerate_core::observation::Connection;
use linerate_core::options::Granted;
use linerate_core::units::Span;
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use socket2::Socket;

use super::message::{DatagramHead, HEADER};
use crate::channel::{Channel, ChannelHandle};
use crate::flow::Incoming;
use crate::observe::{HostClock, UdpCounters};
use crate::transport::{Account, SocketChannel, buffers};
use crate::wait::{Interest, Wait};

/// How often a call that waits looks whether its flow is over.
pub(super) const TICK: Span = Span::from_ms(50);
/// How long to wait at first until everything was acknowledged, and at most between two looks.
const FIRST_LOOK: Duration = Duration::from_micros(20);
const LAST_LOOK: Duration = Duration::from_millis(2);

/// What ends a flow at this end.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    /// Set when the flow is to end at once.
    pub(super) cut: Arc<AtomicBool>,
    /// How long it receives. The server sends until it hears that the test has ended.
    pub(super) lasts: Option<Duration>,
    /// How much it receives.
    pub(super) bytes: Option<u64>,
    /// How long it may move no byte.
    pub(super) patience: Span,
}

impl Bound {
    fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    /// Whether a flow is over that began to receive then and has so much.
    fn is_over(&self, begun: Instant, bytes: u64) -> bool {
        let late = self.lasts.is_some_and(|lasts| begun.elapsed() >= lasts);
        late || self.is_cut() || self.bytes.is_some_and(|most| bytes >= most)
    }

    /// After a call that waited in vain since `moved`: an error if that was too long.
    fn patient(&self, moved: Instant) -> Result<(), LinkError> {
        if moved.elapsed() < self.patience.to_duration() {
            Ok(())
        } else {
            Err(LinkError::Stalled(self.patience))
        }
    }
}

/// A stream over TCP.
#[derive(Debug)]
pub(super) struct TcpFlow {
    pub(super) socket: SocketChannel,
    pub(super) bound: Bound,
    /// Whether all was sent.
    pub(super) finished: bool,
}

impl Channel for TcpFlow {
    fn push(&mut self, data: &[u8], wait: Wait) -> Result<usize, LinkError> {
        let begun = Instant::now();
        loop {
            match self.socket.push(data, wait) {
                Err(LinkError::Stalled(_)) if self.bound.is_cut() => return Err(LinkError::Closed),
                Err(LinkError::Stalled(_)) => self.bound.patient(begun)?,
                moved => return moved,
            }
        }
    }

    fn pull(&mut self, into: &mut [u8], wait: Wait) -> Result<usize, LinkError> {
        if self.finished { Err(LinkError::Closed) } else { self.socket.pull(into, wait) }
    }

    fn ready(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError> {
        self.socket.ready(interest, within)
    }

    /// Waits until the server's host has everything. What its program then has read, it says itself.
    fn finish_sending(&mut self) -> Result<(), LinkError> {
        self.finished = true;
        let (mut moved, mut left, mut pause) = (Instant::now(), u64::MAX, FIRST_LOOK);
        loop {
            let waits = self
                .socket
                .unacknowledged()
                .map_err(|source| LinkError::System { operation: "ask what was acknowledged", source })?;
            if waits == 0 {
                return Ok(());
            }
            if self.bound.is_cut() {
                return Err(LinkError::Closed);
            }
            if waits < left {
                (left, moved) = (waits, Instant::now());
            }
            self.bound.patient(moved)?;
            std::thread::sleep(pause);
            pause = (pause * 2).min(LAST_LOOK);
        }
    }

    fn granted(&self) -> Granted {
        self.socket.granted()
    }

    fn connection(&self) -> Fact<Connection> {
        self.socket.connection()
    }

    fn backlog(&self) -> u64 {
        self.socket.backlog()
    }

    fn handle(&self) -> std::io::Result<Box<dyn ChannelHandle>> {
        Ok(Box::new(Handle { cut: Arc::clone(&self.bound.cut), of_tcp: Some(self.socket.handle()?) }))
    }

    fn receive_bulk(&mut self, into: &mut Incoming<'_>) -> Result<(), LinkError> {
        // Nothing follows what was received.
        self.finished = true;
        let begun = Instant::now();
        let (mut bytes, mut moved) = (0, begun);
        while !self.bound.is_over(begun, bytes) {
            let room = self
                .bound
                .bytes
                .map_or(usize::MAX, |most| usize::try_from(most - bytes).unwrap_or(usize::MAX));
            let buffer = into.buffer();
            let room = room.min(buffer.len());
            match self.socket.pull(&mut buffer[..room], Wait::Patiently) {
                Ok(more) => {
                    into.received(more);
                    (bytes, moved) = (bytes + more as u64, Instant::now());
                }
                Err(LinkError::Stalled(_)) => self.bound.patient(moved)?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// A stream over UDP.
#[derive(Debug)]
pub(super) struct UdpFlow {
    pub(super) socket: Socket,
    pub(super) bound: Bound,
    pub(super) clock: HostClock,
    /// Payload of each datagram. Unit: bytes.
    pub(super) length: usize,
    /// How many were sent.
    pub(super) sent: u64,
}

impl UdpFlow {
    fn failed(operation: &'static str) -> impl Fn(std::io::Error) -> LinkError {
        move |source| match source.kind() {
            // An ICMP message said that nobody listens there any more.
            std::io::ErrorKind::ConnectionRefused => LinkError::Closed,
            _ => LinkError::System { operation, source },
        }
    }
}

impl Channel for UdpFlow {
    fn push(&mut self, data: &[u8], _: Wait) -> Result<usize, LinkError> {
        let begun = Instant::now();
        let sent_us = self.clock.now().as_ps() / Span::from_us(1).as_ps();
        let head = DatagramHead { sent_us, number: self.sent + 1 }.encode();
        let payload = data.get(HEADER..).unwrap_or_default();
        let parts = [std::io::IoSlice::new(&head), std::io::IoSlice::new(payload)];
        loop {
            match self.socket.send_vectored(&parts) {
                Ok(_) => {
                    self.sent += 1;
                    return Ok(data.len());
                }
                Err(error) if is_wait(&error) && self.bound.is_cut() => return Err(LinkError::Closed),
                Err(error) if is_wait(&error) => self.bound.patient(begun)?,
                Err(source) => return Err(Self::failed("send")(source)),
            }
        }
    }

    fn pull(&mut self, _: &mut [u8], _: Wait) -> Result<usize, LinkError> {
        Err(LinkError::Closed)
    }

    fn ready(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError> {
        use std::os::fd::AsFd as _;
        let ready = crate::wait::poll(self.socket.as_fd(), interest, within);
        ready.map_err(|errno| LinkError::System { operation: "wait for the socket", source: errno.into() })
    }

    fn finish_sending(&mut self) -> Result<(), LinkError> {
        Ok(())
    }

    fn natural_message(&self) -> u64 {
        self.length as u64
    }

    fn granted(&self) -> Granted {
        buffers(&self.socket)
    }

    fn handle(&self) -> std::io::Result<Box<dyn ChannelHandle>> {
        Ok(Box::new(Handle { cut: Arc::clone(&self.bound.cut), of_tcp: None }))
    }

    fn receive_bulk(&mut self, into: &mut Incoming<'_>) -> Result<(), LinkError> {
        let mut account = Account::default();
        let errors = || UdpCounters::read().ok().map(|counters| counters.receive_buffer_errors);
        let (begun, before) = (Instant::now(), errors());
        let (mut bytes, mut moved) = (0, begun);
        let mut buffer = vec![0; self.length.max(HEADER)];
        while !self.bound.is_over(begun, bytes) {
            let more = match recv(&self.socket, &mut buffer[..], RecvFlags::empty()) {
                Ok((_, more)) => more,
                Err(Errno::AGAIN | Errno::INTR) => {
                    self.bound.patient(moved)?;
                    continue;
                }
                Err(errno) => return Err(Self::failed("receive")(errno.into())),
            };
            moved = Instant::now();
            let Some(head) = DatagramHead::decode(&buffer[..more]) else {
                account.strange();
                continue;
            };
            let now_ns = self.clock.now().as_ps() / Span::from_ns(1).as_ps();
            if account.arrived(head.number - 1, Some(head.sent_us.saturating_mul(1_000)), now_ns) {
                bytes += more as u64;
                if into.received_elsewhere(1, more) {
                    account.end_warm_up(0);
                }
            }
        }
        let errors = errors().zip(before).map(|(now, before)| now.saturating_sub(before));
        let mut datagrams = account.finish(None, 0);
        datagrams.host_buffer_errors = errors;
        into.datagrams = Some(datagrams);
        Ok(())
    }
}

/// Whether a call found nothing to do in its time, or was interrupted.
fn is_wait(error: &std::io::Error) -> bool {
    let waits = [Errno::AGAIN, Errno::INTR, Errno::NOBUFS, Errno::NOMEM];
    waits.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// A stream as another thread sees it. It is never closed before the test is over.
#[derive(Debug)]
struct Handle {
    cut: Arc<AtomicBool>,
    of_tcp: Option<Box<dyn ChannelHandle>>,
}

impl ChannelHandle for Handle {
    fn cut(&self) {
        self.cut.store(true, Ordering::Relaxed);
    }

    fn tcp(&self) -> Option<TcpSample> {
        self.of_tcp.as_ref()?.tcp()
    }

    fn heard_ago(&self) -> Option<Span> {
        self.of_tcp.as_ref()?.heard_ago()
    }
}
