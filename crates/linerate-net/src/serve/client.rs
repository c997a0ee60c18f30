//! A client as every conversation knows it: heard within a deadline and within bounds, answered within a deadline, and watched.
//!
//! The connection is private to this file. What is served is an [`Envelope`], and there is no other way into a slot.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use linerate_core::units::Span;
use rustix::net::{RecvFlags, recv};

use super::ServerState;
use super::guard::{Guard, has_left};
use super::queue::{Slot, Turn};
use super::session::Refusal;
use crate::channel::ChannelHandle;
use crate::control::{Ask, Control, FrameError, HOLDERS_SINCE, QueuePlace, Reply, harmless};
use crate::transport::round_trip;

/// How often a waiting client receives its place.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// The conversation with a client.
#[derive(Clone, Copy)]
pub(super) struct Client<'a> {
    pub(super) server: &'a ServerState,
    pub(super) peer: IpAddr,
    control: &'a Control,
}

/// What the client says next, if it says so in time. Every number of it is within its bounds.
pub(super) fn heard(control: &Control, within: Duration) -> Result<Ask, Refusal> {
    let ask: Ask = control.hear(within)?;
    ask.check().map_err(|error| Refusal::Told(harmless(&error.to_string())))?;
    Ok(ask)
}

impl<'a> Client<'a> {
    pub(super) const fn new(server: &'a ServerState, control: &'a Control, peer: IpAddr) -> Self {
        Self { server, peer, control }
    }

    /// What both ends speak.
    pub(super) const fn version(&self) -> u16 {
        self.control.version()
    }

    pub(super) fn hear(&self, within: Duration) -> Result<Ask, Refusal> {
        heard(self.control, within)
    }

    pub(super) fn say(&self, reply: &Reply) -> Result<(), Refusal> {
        Ok(self.say_within(reply, self.server.limits.handshake)?)
    }

    pub(super) fn say_within(&self, reply: &Reply, within: Duration) -> Result<(), FrameError> {
        self.control.say(reply, within)
    }

    /// Whether it closed the conversation, behind whatever it has said before.
    pub(super) fn has_left(&self) -> bool {
        has_left(self.control.stream())
    }

    /// Whether there is an unread message of it.
    pub(super) fn has_spoken(&self) -> bool {
        matches!(
            recv(self.control.stream(), &mut [0_u8; 1], RecvFlags::PEEK | RecvFlags::DONTWAIT),
            Ok((_, 1..))
        )
    }

    pub(super) fn round_trip(&self) -> Span {
        round_trip(self.control.stream())
    }

    /// The addresses of the conversation here and there.
    pub(super) fn addresses(&self) -> io::Result<[SocketAddr; 2]> {
        let stream = self.control.stream();
        Ok([stream.local_addr()?, stream.peer_addr()?])
    }

    /// The interface over which it reaches this host.
    #[cfg(on_linux)]
    pub(super) fn interface(&self) -> Option<String> {
        super::settings::interface_of(self.control.stream())
    }

    /// Waits for a slot with this much memory, and tells the client its place.
    fn queue(&self, memory: u64) -> Result<Slot<'a>, Refusal> {
        let full =
            || Refusal::Told("too many clients are waiting for this server; try again later".to_owned());
        let ticket = self.server.queue.join(self.peer, memory).ok_or_else(full)?;
        let mut patience = Duration::ZERO;
        loop {
            match ticket.wait(patience) {
                Turn::Slot(slot) => return Ok(slot),
                Turn::Closed => return Err(Refusal::Told("the server is stopping".to_owned())),
                Turn::Place(_) if self.has_left() => return Err(Refusal::left()),
                Turn::Place(QueuePlace::Behind { place, .. }) if self.version() < HOLDERS_SINCE => {
                    self.say(&Reply::Queued(QueuePlace::Number(place)))?;
                }
                Turn::Place(place) => self.say(&Reply::Queued(place))?,
            }
            patience = HEARTBEAT;
        }
    }
}

/// What a conversation takes from the server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    /// Unit: bytes.
    pub(super) memory: u64,
    /// How long it lasts.
    pub(super) time: Span,
}

/// A client in its slot. Until this is dropped, a guard ends what is done for the client once its time is over or the client
/// is gone, at whatever step: channels, connections of a rank, and what computes between them.
pub(super) struct Envelope<'a> {
    pub(super) client: Client<'a>,
    guard: Guard,
    _slot: Slot<'a>,
}

impl<'a> Envelope<'a> {
    /// Waits for a slot, if the server allows what is needed.
    pub(super) fn enter(client: Client<'a>, needs: Needs) -> Result<Self, Refusal> {
        let limits = &client.server.limits;
        if needs.memory > limits.memory.0 {
            return Err(Refusal::Told(format!(
                "{} B are needed, more than this server's {} of memory; ask for less, or raise --max-memory at the server",
                needs.memory, limits.memory
            )));
        }
        let slot = client.queue(needs.memory)?;
        Ok(Self { client, guard: guard(client, needs.time)?, _slot: slot })
    }

    /// From now on the next part runs, which has a time of its own, and channels of its own.
    pub(super) fn next_part(&mut self, time: Span) -> Result<(), Refusal> {
        self.guard = guard(self.client, time)?;
        Ok(())
    }

    /// Ends this too when the client is gone or its time is over.
    pub(super) fn guard(&self, channel: Box<dyn ChannelHandle>) {
        self.guard.add(channel);
    }
}

/// Watches a client for `time`, and what a measurement may take beyond.
fn guard(client: Client<'_>, time: Span) -> io::Result<Guard> {
    Guard::set(time.to_duration() + client.server.limits.grace, client.control.stream().try_clone()?)
}
