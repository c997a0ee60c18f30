//! The seam between stations and what connects them.
//!
//! A [`Fabric`] carries frames between ports; a [`Client`] is what sits at the ports. A fabric
//! asks for a frame when it can take one ([`Client::next`]) and hands over what arrives
//! ([`Client::deliver`]); a client that has something to send after it had nothing wakes its port
//! ([`Fabric::wake`]). A fabric may itself be made of fabrics: then the relays between them are
//! their clients.

use linerate_core::units::{Span, Time};

use crate::frame::{Frame, Port};
use crate::kernel::{Includes, Kernel};

/// Carries frames between its ports.
pub trait Fabric {
    /// What happens inside it.
    type Event: Copy;

    /// How many ports it has.
    fn ports(&self) -> usize;

    /// The client at `port` has something to send. An extra call is harmless.
    fn wake<E: Includes<Self::Event>>(
        &mut self,
        port: Port,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    );

    /// Handles an event of this fabric.
    fn handle<E: Includes<Self::Event>>(
        &mut self,
        event: Self::Event,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    );

    /// What the MAC at `port` counted.
    fn counters(&self, port: Port) -> MacCounters;

    /// Data frames taken from clients and neither delivered nor lost. A frame for several ports
    /// counts until the last of them is served.
    fn held(&self) -> u64;
}

/// What sits at the ports of a fabric, where `E` is everything that can happen.
pub trait Client<E> {
    /// The next frame to send from `port`, if there is one: called when the port can take it.
    fn next(&mut self, port: Port, kernel: &mut Kernel<E>) -> Option<Frame>;

    /// A frame arrived at `port`, whole and correct. Shared media deliver only to the ports that
    /// the frame is for, and to ports that listen to all.
    fn deliver(&mut self, port: Port, frame: Frame, kernel: &mut Kernel<E>);

    /// A frame that was taken from `port` will not arrive. For a frame to everyone, this is called
    /// once for each station that misses it.
    fn lost(&mut self, port: Port, frame: Frame, loss: Loss, kernel: &mut Kernel<E>);

    /// A data frame that was taken from `port` leaves it whole, or is given up there, at `at`, which
    /// is now or later: whatever is next at that port waits from then on.
    fn left(&mut self, port: Port, frame: &Frame, at: Time) {
        let _ = (port, frame, at);
    }

    /// A frame that went out whole from the first of two ports came in damaged at the second, where
    /// it should have been delivered. By default it is lost. A client with relays at its ports
    /// decides otherwise: a copy that is on the way to no addressee is not a loss.
    fn damaged(&mut self, [from, _at]: [Port; 2], frame: Frame, kernel: &mut Kernel<E>) {
        self.lost(from, frame, Loss::Error, kernel);
    }

    /// A frame passed `port` whole, control frames included: what a capture there would show.
    fn observe(&mut self, port: Port, frame: &Frame, seen: Seen, kernel: &mut Kernel<E>) {
        let _ = (port, frame, seen, kernel);
    }
}

/// Which way a frame passed a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It goes out whole: reported when its last bit has left. Only a full-duplex Ethernet link
    /// reports it when the first bit leaves, because a transmission that has begun there always
    /// succeeds.
    Sent,
    /// It came in.
    Received,
}

/// Why a frame does not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// It collided in every attempt allowed (IEEE 802.3, 4.2.3.2.5: 16).
    ExcessiveCollisions,
    /// It collided after the slot time, where that is not tried again (1 Gb/s half duplex).
    LateCollision,
    /// There was no room for it in a queue or buffer.
    Overflow,
    /// It arrived damaged: cut short, or mixed with another that its sender did not hear.
    Error,
}

impl Loss {
    /// Every cause, for tables.
    pub const ALL: [Self; 4] = [Self::ExcessiveCollisions, Self::LateCollision, Self::Overflow, Self::Error];

    /// The cause in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ExcessiveCollisions => "excessive collisions",
            Self::LateCollision => "late collision",
            Self::Overflow => "overflow",
            Self::Error => "error",
        }
    }
}

/// What the MAC of a port counted. Counts that a medium does not have stay zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct MacCounters {
    /// Data frames that went out, as [`Seen::Sent`] says.
    pub sent: u64,
    /// Data frames that arrived whole and were handed to the client.
    pub received: u64,
    /// Transmissions that collided.
    pub collisions: u64,
    /// Those of them after the slot time.
    pub late_collisions: u64,
    /// Frames given up after the last attempt.
    pub excessive_collisions: u64,
    /// Damaged frames or fragments that came in.
    pub errors: u64,
    /// PAUSE frames sent.
    pub pause_sent: u64,
    /// PAUSE frames that came in.
    pub pause_received: u64,
    /// Time for which the port was not allowed to send.
    pub paused: Span,
}

impl std::ops::AddAssign for MacCounters {
    fn add_assign(&mut self, other: Self) {
        self.sent += other.sent;
        self.received += other.received;
        self.collisions += other.collisions;
        self.late_collisions += other.late_collisions;
        self.excessive_collisions += other.excessive_collisions;
        self.errors += other.errors;
        self.pause_sent += other.pause_sent;
        self.pause_received += other.pause_received;
        self.paused += other.paused;
    }
}
