//! What a rank holds: a connection with each rank that it has sent to or received from.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use linerate_core::comm::{Comm, CommError, Segments};
use linerate_core::mesh::Moved;
use linerate_core::units::{Span, Time};
use rustix::event::{PollFd, PollFlags};
use tracing::debug;

use super::door::Door;
use super::introduction::{Comes, Introduction, introduce};
use super::rendezvous::{Joining, Oversight, Roll, Row};
use super::stream::{Incoming, OtherLength, Outgoing, connect, register, set_patience};
use crate::channel::{CancelGroup, Registration};
use crate::control::{Control, Deadline, closed_by_peer};
use crate::observe::current_cpu;
use crate::transport::segments;
use crate::wait::await_events;

/// How long two ranks may take to connect.
const CONNECT: Duration = Duration::from_secs(30);

/// The same where no more is said than that they did not, and when it is said.
const DISCREET: Duration = Duration::from_secs(5);
/// How often who waits asks whether the rank was ended.
pub(super) const LOOK: Duration = Duration::from_millis(100);
/// The first port that a rank listens at without a privilege.  Source: RFC 6335, section 6.
const FIRST_PORT: u16 = 1024;

/// In this part of its patience without a byte, TCP asks whether the other host is there, and then four times as often.
const KEEP_ALIVE: u32 = 2;
/// TCP asks no more often. Source: tcp(7), `TCP_KEEPINTVL`, in seconds.
const SOONEST: Duration = Duration::from_secs(1);

/// A rank over TCP. Its calls wait within a single poll.
#[derive(Debug)]
pub struct TcpComm {
    joining: Joining,
    rows: Vec<Row>,
    links: Vec<Link>,
    /// What passed with each rank.
    moved: Vec<Moved>,
    /// What connections with each rank sent that are closed.
    closed: Vec<Segments>,
    roll: Roll,
    cpus: BTreeSet<u32>,
    door: Door,
    session: String,
    patience: Span,
}

/// The connection with another rank.
#[derive(Debug)]
enum Link {
    /// There is none yet, or none any more.
    Apart,
    /// There is one, which waits so long, and ends with the rank.
    Open { stream: TcpStream, patience: Span, _ends: Registration },
    /// The other is gone, or the way to it, and why.
    Lost(String),
}

impl TcpComm {
    pub(super) fn new(
        joining: Joining,
        controls: Vec<Option<Control>>,
        (rows, roll): (Vec<Row>, Roll),
        door: Door,
        session: String,
    ) -> io::Result<Self> {
        let (patience, cancel) = (joining.patience, &joining.oversight.cancel);
        let link = |control: Option<Control>| match control {
            None => Ok(Link::Apart),
            Some(control) => opened(control.into_stream(), [patience; 2], cancel),
        };
        let mut links = controls.into_iter().map(link).collect::<io::Result<Vec<Link>>>()?;
        for (link, reason) in links.iter_mut().zip(&roll.absent) {
            if let Some(reason) = reason {
                *link = Link::Lost(reason.clone());
            }
        }
        let moved = vec![Moved::default(); links.len()];
        let closed = vec![Segments::default(); links.len()];
        let cpus = BTreeSet::new();
        Ok(Self { joining, rows, links, moved, closed, roll, cpus, door, session, patience })
    }

    /// What people call the host of each rank.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row.name.as_str())
    }

    /// The address by which the others reach this rank: of its connection with rank 0, and there of that with the first
    /// other that has come.
    #[must_use]
    pub fn own_address(&self) -> Option<IpAddr> {
        let addresses = (0..self.links.len()).find_map(|peer| self.addresses(peer));
        addresses.map(|[here, _]| here.ip())
    }

    /// Processors on which this rank was seen between two things that it did.
    #[must_use]
    pub const fn cpus(&self) -> &BTreeSet<u32> {
        &self.cpus
    }

    /// What passed with ranks from `first` on that are on other hosts than this one, and what with those on this one: a host
    /// is known by its name.
    #[must_use]
    pub fn moved(&self, first: usize) -> [Moved; 2] {
        let own = &self.rows[self.joining.rank].name;
        let (mut far, mut near) = (Moved::default(), Moved::default());
        for (row, moved) in self.rows.iter().zip(&self.moved).skip(first) {
            *(if row.name == *own { &mut near } else { &mut far }) += *moved;
        }
        [far, near]
    }

    /// What this rank has sent to the ranks from `first` on. Absent if the kernel does not count it.
    #[must_use]
    pub fn sent_segments(&self, first: usize) -> Option<Segments> {
        let open = |peer: usize| Comm::segments(self, peer).unwrap_or_default();
        let sent = (first..self.links.len()).map(|peer| self.closed[peer] + open(peer));
        Some(sent.fold(Segments::default(), |sum, more| sum + more)).filter(|sum| sum.sent > 0)
    }

    /// The MTU of the interface of a rank, as it said when it came to this one. Unit: bytes.
    #[must_use]
    pub fn mtu(&self, rank: usize) -> Option<u64> {
        self.roll.mtus.get(rank).copied().flatten()
    }

    /// The connection with rank 0, to end it from elsewhere. If absent, this is rank 0, or it is lost.
    #[must_use]
    pub fn conductor(&self) -> Option<&TcpStream> {
        match self.links.first()? {
            Link::Open { stream, .. } => Some(stream),
            Link::Apart | Link::Lost(_) => None,
        }
    }

    /// The address here and there of the connection with `peer`, if there is one.
    #[must_use]
    pub fn addresses(&self, peer: usize) -> Option<[SocketAddr; 2]> {
        let Link::Open { stream, .. } = self.links.get(peer)? else { return None };
        Some([stream.local_addr().ok()?, stream.peer_addr().ok()?])
    }

    /// Makes sure that there is a connection with `peer`, as patient as this rank is.
    fn link(&mut self, peer: usize) -> Result<(), CommError> {
        let size = self.links.len();
        if peer >= size || peer == self.joining.rank {
            return Err(CommError::NoSuchRank { peer, size });
        }
        if self.joining.oversight.cancel.is_cut() {
            return Err(self.lose(peer, "this rank was ended".to_owned()));
        }
        match &mut self.links[peer] {
            Link::Open { patience, .. } if *patience == self.patience => Ok(()),
            Link::Open { stream, patience, .. } => {
                *patience = self.patience;
                let set = set_patience(stream, self.patience);
                set.map_err(|error| self.lose(peer, error.to_string()))
            }
            Link::Lost(reason) => Err(CommError::Lost { peer, reason: reason.clone() }),
            Link::Apart => {
                let made = if self.joining.rank < peer { self.dial(peer) } else { self.await_dial(peer) };
                let (cancel, waits) =
                    (&self.joining.oversight.cancel, [self.patience, self.joining.patience]);
                let open = |stream| opened(stream, waits, cancel).map_err(|error| error.to_string());
                self.links[peer] = made.and_then(open).map_err(|reason| self.lose(peer, reason))?;
                Ok(())
            }
        }
    }

    /// A discreet rank says of a failed connection only that it failed, and always as late: nobody learns from it what is
    /// at an address.
    fn dial(&self, peer: usize) -> Result<TcpStream, String> {
        let Oversight { cancel, discreet } = &self.joining.oversight;
        let deadline = Deadline::after(if *discreet { DISCREET } else { CONNECT });
        self.introduced(peer, deadline).map_err(|reason| {
            if !discreet {
                return reason;
            }
            debug!(peer, reason, "no connection");
            pause(deadline, cancel);
            "the connection failed".to_owned()
        })
    }

    fn introduced(&self, peer: usize, deadline: Deadline) -> Result<TcpStream, String> {
        let address = self.rows[peer].address;
        let conductor = self.conductor().and_then(|stream| stream.peer_addr().ok());
        if self.joining.oversight.discreet && !may_be_a_rank(address, conductor) {
            return Err(format!("{address} is not the address of a rank"));
        }
        let connected =
            deadline.left().and_then(|left| connect((address, None), left, &self.joining.oversight.cancel));
        let (stream, _ends) = connected.map_err(|error| format!("connect to {address}: {error}"))?;
        let comes = Comes::ToTalk { session: self.session.clone() };
        let Joining { key, rank, .. } = &self.joining;
        introduce(stream, key, [*rank, peer], comes, deadline)
            .map(Control::into_stream)
            .map_err(|error| format!("at {address}: failed to {error}"))
    }

    fn await_dial(&self, peer: usize) -> Result<TcpStream, String> {
        let ours = Comes::ToTalk { session: self.session.clone() };
        let wanted = |introduction: &Introduction| introduction.rank == peer && introduction.comes == ours;
        let deadline = Deadline::after(CONNECT);
        while let Ok(left) = deadline.left()
            && !self.joining.oversight.cancel.is_cut()
        {
            if let Some((_, control)) = self.door.wait_for(Deadline::after(left.min(LOOK)), wanted) {
                return Ok(control.into_stream());
            }
        }
        Err(format!("it did not connect within {CONNECT:?}"))
    }

    /// There is no connection with `peer` any more, and what it sent is kept.
    fn close(&mut self, peer: usize, link: Link) {
        let sent = Comm::segments(self, peer).unwrap_or_default();
        self.closed[peer] += sent;
        self.links[peer] = link;
    }

    /// Nothing more passes with `peer`.
    fn lose(&mut self, peer: usize, reason: String) -> CommError {
        self.close(peer, Link::Lost(reason.clone()));
        CommError::Lost { peer, reason }
    }

    fn failed(&mut self, peer: usize, error: &io::Error) -> CommError {
        let reason = match error.kind() {
            // What the kernel says, and not a wait that is over.
            io::ErrorKind::TimedOut if error.raw_os_error().is_some() => {
                format!("its host did not answer for {}", self.joining.patience)
            }
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                format!("no byte moved for {}", self.patience)
            }
            io::ErrorKind::ConnectionReset => "the connection was reset".to_owned(),
            _ if closed_by_peer(error) => "the peer closed the connection".to_owned(),
            _ => error.to_string(),
        };
        self.lose(peer, reason)
    }

    fn other_length(&mut self, peer: usize, asked: usize, OtherLength(sent): OtherLength) -> CommError {
        // What follows can no longer be told from the rest of this message.
        self.close(peer, Link::Lost("it sent a message of another length".to_owned()));
        CommError::Length { peer, asked, sent }
    }

    fn stream(&self, peer: usize) -> &TcpStream {
        let Link::Open { stream, .. } = &self.links[peer] else { unreachable!("`link` has made it") };
        stream
    }

    fn send(&mut self, to: usize, data: &[u8]) -> Result<(), CommError> {
        self.link(to)?;
        let mut out = Outgoing::new(data);
        while !out.is_done() {
            retried(|| out.step(self.stream(to), true)).map_err(|error| self.failed(to, &error))?;
        }
        self.moved[to].sent_bytes += data.len() as u64;
        Ok(())
    }

    fn receive(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        self.link(from)?;
        let asked = data.len();
        let mut incoming = Incoming::new(data);
        while !incoming.is_done() {
            let step = retried(|| incoming.step(self.stream(from), true));
            step.map_err(|error| self.failed(from, &error))?
                .map_err(|other| self.other_length(from, asked, other))?;
        }
        self.moved[from].received_bytes += asked as u64;
        Ok(())
    }

    /// Moves what can be moved of both, and waits only where neither can.
    fn exchange(&mut self, to: usize, out: &[u8], from: usize, into: &mut [u8]) -> Result<(), CommError> {
        self.link(to)?;
        self.link(from)?;
        let (given, asked) = (out.len(), into.len());
        let (mut out, mut incoming) = (Outgoing::new(out), Incoming::new(into));
        while !(out.is_done() && incoming.is_done()) {
            let mut moved = false;
            if !out.is_done() {
                let step = retried(|| out.step(self.stream(to), false));
                moved |= now_or_later(step).map_err(|error| self.failed(to, &error))?.is_some();
            }
            if !incoming.is_done() {
                let step = retried(|| incoming.step(self.stream(from), false));
                if let Some(step) = now_or_later(step).map_err(|error| self.failed(from, &error))? {
                    step.map_err(|other| self.other_length(from, asked, other))?;
                    moved = true;
                }
            }
            if !moved {
                self.await_either((!out.is_done()).then_some(to), (!incoming.is_done()).then_some(from))?;
            }
        }
        self.moved[to].sent_bytes += given as u64;
        self.moved[from].received_bytes += asked as u64;
        Ok(())
    }

    fn await_either(&mut self, to: Option<usize>, from: Option<usize>) -> Result<(), CommError> {
        let sends = to.map(|to| PollFd::new(self.stream(to), PollFlags::OUT));
        let receives = from.map(|from| PollFd::new(self.stream(from), PollFlags::IN));
        let mut both: Vec<PollFd<'_>> = sends.into_iter().chain(receives).collect();
        let ready = await_events(&mut both, self.patience);
        drop(both);
        // Who does not send is the one that is waited for; else who does not receive.
        let peer = from.or(to).unwrap_or_default();
        match ready {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.failed(peer, &io::ErrorKind::TimedOut.into())),
            Err(errno) => Err(self.failed(peer, &errno.into())),
        }
    }
}

/// Whether another rank may listen at `address`, as far as this host can tell. Nobody's own loopback is reached from
/// outside, nor a service of the system.
fn may_be_a_rank(address: SocketAddr, conductor: Option<SocketAddr>) -> bool {
    let ip = address.ip().to_canonical();
    let here = conductor.is_some_and(|conductor| conductor.ip().to_canonical().is_loopback());
    address.port() >= FIRST_PORT
        && !ip.is_unspecified()
        && !ip.is_multicast()
        && ip != IpAddr::from(Ipv4Addr::BROADCAST)
        && (here || !ip.is_loopback())
}

/// Waits for the deadline, unless the rank is ended before.
pub(super) fn pause(deadline: Deadline, cancel: &CancelGroup) {
    while let Ok(left) = deadline.left()
        && !cancel.is_cut()
    {
        thread::sleep(left.min(LOOK));
    }
}

/// A rank waits for as long as others are measured: a host that is cut off meanwhile is noticed as soon as `silence` ends.
fn notice_silence(stream: &TcpStream, silence: Duration) -> io::Result<()> {
    use rustix::net::sockopt;
    let idle = (silence / KEEP_ALIVE).max(SOONEST);
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, idle)?;
    sockopt::set_tcp_keepintvl(stream, (idle / 4).max(SOONEST))?;
    // It ends the questions too. Source: tcp(7), `TCP_USER_TIMEOUT`.
    #[cfg(on_linux)]
    sockopt::set_tcp_user_timeout(stream, u32::try_from(silence.as_millis()).unwrap_or(u32::MAX))?;
    Ok(())
}

fn opened(stream: TcpStream, [patience, silence]: [Span; 2], cancel: &CancelGroup) -> io::Result<Link> {
    stream.set_nodelay(true)?;
    notice_silence(&stream, silence.to_duration())?;
    set_patience(&stream, patience)?;
    let _ends = register(cancel, &stream)?;
    Ok(Link::Open { stream, patience, _ends })
}

/// Repeats a call that a signal interrupted.
fn retried<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Nothing if nothing could be moved now.
fn now_or_later<T>(moved: io::Result<T>) -> io::Result<Option<T>> {
    match moved {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        moved => moved.map(Some),
    }
}

impl Comm for TcpComm {
    fn rank(&self) -> usize {
        self.joining.rank
    }

    fn size(&self) -> usize {
        self.links.len()
    }

    fn now(&self) -> Time {
        self.joining.clock.now()
    }

    async fn send_to(&mut self, to: usize, data: &[u8]) -> Result<(), CommError> {
        self.send(to, data)
    }

    async fn recv_from(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        self.receive(from, data)
    }

    async fn sendrecv(
        &mut self,
        to: usize,
        out: &[u8],
        from: usize,
        into: &mut [u8],
    ) -> Result<(), CommError> {
        self.exchange(to, out, from, into)
    }

    async fn compute(&mut self, span: Span) {
        let end = self.now() + span;
        while self.now() < end && !self.joining.oversight.cancel.is_cut() {
            std::hint::spin_loop();
        }
    }

    /// Closes the connection of the two, unless one of them is rank 0.
    fn part(&mut self, peer: usize) {
        self.cpus.extend(current_cpu());
        if self.joining.rank != 0 && peer != 0 && matches!(self.links.get(peer), Some(Link::Open { .. })) {
            self.close(peer, Link::Apart);
        }
    }

    fn patience(&mut self, span: Span) {
        self.patience = span;
    }

    fn segments(&self, peer: usize) -> Option<Segments> {
        let Link::Open { stream, .. } = self.links.get(peer)? else { return None };
        segments(stream)
    }

    fn absence(&self, peer: usize) -> Option<&str> {
        self.roll.absent.get(peer)?.as_deref()
    }
}
