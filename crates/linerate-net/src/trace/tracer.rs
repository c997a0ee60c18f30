//! One end of the connection whose messages are traced.

use std::io;
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;

use linerate_core::endpoint::LinkError;
use linerate_core::stages::Marks;
use linerate_core::trace::{EndMarks, Means, PacketSeen, TracedEnd};
use linerate_core::transport::Transport;

#[cfg(feature = "bpf")]
use super::programs::Programs;
use crate::control::Telling;
use crate::stages::Stamped;

/// Which end of a ping-pong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It sends first.
    Initiator,
    /// It answers.
    Responder,
}

/// What one end has of some rounds of messages of one size, the warm-up left out.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The points of each.
    pub(crate) marks: Vec<EndMarks>,
    /// What the kernel's timestamps say of each, where they tell as well.
    pub(crate) stamps: Vec<Marks>,
    /// The first packets.
    pub(crate) packets: Vec<PacketSeen>,
    /// Events that found no room.
    pub(crate) lost: u64,
}

/// One end.
pub(crate) struct Tracer<'a> {
    socket: BorrowedFd<'a>,
    stamped: Stamped<'a>,
    #[cfg(feature = "bpf")]
    programs: Option<Programs>,
    end: TracedEnd,
}

impl<'a> Tracer<'a> {
    /// Prepares to trace what passes through a TCP `socket`: by programs in the kernel if that can be done and
    /// `allowed` has no reason against it, else by the kernel's timestamps. An empty reason is the user's wish.
    pub(crate) fn new(socket: BorrowedFd<'a>, allowed: Result<(), String>) -> Result<Self, LinkError> {
        let stamped = Stamped::new(socket, Transport::Tcp)?;
        let mut tracer = Self {
            socket,
            stamped,
            #[cfg(feature = "bpf")]
            programs: None,
            end: TracedEnd::default(),
        };
        match allowed.and_then(|()| tracer.load(socket)) {
            Ok(()) => {}
            Err(reason) => tracer.end.because = Some(reason).filter(|reason| !reason.is_empty()),
        }
        Ok(tracer)
    }

    #[cfg(feature = "bpf")]
    fn load(&mut self, socket: BorrowedFd<'_>) -> Result<(), String> {
        let programs = Programs::load(socket).map_err(|error| format!("eBPF cannot be used: {error}"))?;
        self.end = TracedEnd {
            means: Means::EBpf,
            because: None,
            lacking: programs.lacking.clone(),
            others: programs.others,
        };
        self.programs = Some(programs);
        Ok(())
    }

    #[cfg(not(feature = "bpf"))]
    #[expect(clippy::unused_self, reason = "it has no programs")]
    fn load(&self, _socket: BorrowedFd<'_>) -> Result<(), String> {
        Err("eBPF cannot be used: this linerate was built without it (--features bpf)".to_owned())
    }

    /// The addresses of this end and of the other.
    pub(crate) fn addresses(&self) -> io::Result<[SocketAddr; 2]> {
        addresses(self.socket)
    }

    /// What tells here.
    pub(crate) const fn end(&self) -> &TracedEnd {
        &self.end
    }

    /// How many programs it has in the kernel.
    #[cfg(feature = "bpf")]
    pub(crate) fn programs(&self) -> u32 {
        self.programs.as_ref().map_or(0, Programs::count)
    }

    #[cfg(not(feature = "bpf"))]
    #[expect(clippy::unused_self, reason = "it has none")]
    pub(crate) const fn programs(&self) -> u32 {
        0
    }

    /// Before the messages of a block of `size`, until both ends are ready.
    pub(crate) fn prepare(&mut self, size: usize, telling: Telling) -> Result<(), LinkError> {
        let by_stamps = self.end.means == Means::Timestamps;
        self.stamped.stamping(telling == Telling::Both || (telling == Telling::Best && by_stamps))?;
        self.stamped.begin(size)?;
        #[cfg(feature = "bpf")]
        if let Some(programs) = self.programs.as_mut().filter(|_| telling != Telling::Nothing) {
            programs
                .attach()
                .map_err(|source| LinkError::System { operation: "attach eBPF programs", source })?;
        }
        Ok(())
    }

    /// Runs a block of `count` rounds of `size` after those of the warm-up, for which [`Self::prepare`] was called.
    pub(crate) fn run(
        &mut self,
        role: Role,
        size: u64,
        [warm_up, count]: [u32; 2],
    ) -> Result<Block, LinkError> {
        let rounds = match role {
            Role::Initiator => self.stamped.ask(warm_up + count),
            Role::Responder => self.stamped.answer(warm_up + count),
        };
        let warm_up = warm_up as usize;
        let mut block = self.told(role, size, rounds.as_deref().unwrap_or_default(), warm_up)?;
        let rounds = rounds?;
        let after = warm_up.min(rounds.len());
        block.marks.drain(..after.min(block.marks.len()));
        block.stamps = rounds[after..].to_vec();
        Ok(block)
    }

    /// Detaches the programs, if they are attached, and says what they saw of `rounds`.
    #[cfg(feature = "bpf")]
    fn told(&mut self, role: Role, size: u64, rounds: &[Marks], after: usize) -> Result<Block, LinkError> {
        let attached = self.programs.as_mut().filter(|programs| programs.is_attached());
        let Some(programs) = attached else { return Ok(Block::plain(rounds)) };
        let (mut events, lost) = programs
            .detach()
            .map_err(|source| LinkError::System { operation: "detach eBPF programs", source })?;
        let ahead = ahead_of_monotonic();
        for event in &mut events {
            event.ns = event.ns.saturating_add_signed(ahead);
        }
        let seen = super::assign::Seen { events: &events, rounds, role, size };
        let begun = rounds.get(after).map_or(0, |first| first.sent);
        Ok(Block { marks: seen.marks(), stamps: Vec::new(), packets: seen.packets(after, begun), lost })
    }

    #[cfg(not(feature = "bpf"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "it has no programs")]
    fn told(&self, _role: Role, _size: u64, rounds: &[Marks], _after: usize) -> Result<Block, LinkError> {
        Ok(Block::plain(rounds))
    }
}

/// The addresses of `socket` and of its peer, as they stand in packets.
pub(super) fn addresses(socket: BorrowedFd<'_>) -> io::Result<[SocketAddr; 2]> {
    let socket = socket2::SockRef::from(&socket);
    let plain = |address: socket2::SockAddr| {
        let address = address.as_socket().ok_or(io::ErrorKind::AddrNotAvailable)?;
        io::Result::Ok(SocketAddr::new(address.ip().to_canonical(), address.port()))
    };
    Ok([plain(socket.local_addr()?)?, plain(socket.peer_addr()?)?])
}

impl Block {
    /// Without programs.
    fn plain(rounds: &[Marks]) -> Self {
        Self { marks: rounds.iter().copied().map(EndMarks::from).collect(), ..Self::default() }
    }
}

/// What `CLOCK_REALTIME`, by which the application notes its calls, shows more than `CLOCK_MONOTONIC`, by which the
/// kernel's programs note events: by the closest of a few readings. Unit: nanoseconds.
#[cfg(feature = "bpf")]
fn ahead_of_monotonic() -> i64 {
    use rustix::time::{ClockId, Timespec, clock_gettime};
    let ns = |time: Timespec| time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec);
    let read = || {
        let before = ns(clock_gettime(ClockId::Realtime));
        let middle = ns(clock_gettime(ClockId::Monotonic));
        let after = ns(clock_gettime(ClockId::Realtime));
        (after - before, before.midpoint(after) - middle)
    };
    (0..9).map(|_| read()).filter(|(apart, _)| *apart >= 0).min().map_or(0, |(_, ahead)| ahead)
}
