//! A client waits for its turn, and hears its place meanwhile.

use std::net::{IpAddr, TcpStream};
use std::time::Duration;

#[cfg(on_linux)]
use linerate_core::units::Span;
#[cfg(on_linux)]
use rustix::event::{PollFd, PollFlags};
#[cfg(not(on_linux))]
use rustix::io::Errno;

use super::ServerState;
use super::queue::{Slot, Turn};
use super::session::Refusal;
use crate::control::{Control, HOLDERS_SINCE, QueuePlace, Reply};
#[cfg(on_linux)]
use crate::wait::await_events;

/// How often a waiting client receives its place.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// Waits for a slot with this much memory, and sends the client its place.
pub(super) fn queue<'a>(
    server: &'a ServerState,
    control: &Control,
    peer: IpAddr,
    memory: u64,
) -> Result<Slot<'a>, Refusal> {
    let full = || Refusal::Told("too many clients are waiting for this server; try again later".to_owned());
    let ticket = server.queue.join(peer, memory).ok_or_else(full)?;
    let mut patience = Duration::ZERO;
    loop {
        match ticket.wait(patience) {
            Turn::Slot(slot) => return Ok(slot),
            Turn::Closed => return Err(Refusal::Told("the server is stopping".to_owned())),
            Turn::Place(_) if has_left(control.stream()) => return Err(Refusal::left()),
            Turn::Place(place) => {
                let place = match place {
                    QueuePlace::Behind { place, .. } if control.version() < HOLDERS_SINCE => {
                        QueuePlace::Number(place)
                    }
                    other => other,
                };
                control.say(&Reply::Queued(place), server.limits.handshake)?;
            }
        }
        patience = HEARTBEAT;
    }
}

/// Whether the client closed the conversation, behind whatever it has said before.
#[cfg(on_linux)]
pub(super) fn has_left(control: &TcpStream) -> bool {
    let mut left = [PollFd::new(control, PollFlags::RDHUP)];
    await_events(&mut left, Span::ZERO).unwrap_or(true)
}

/// Whether the client closed the conversation, as far as it has said nothing before.
#[cfg(not(on_linux))]
pub(super) fn has_left(control: &TcpStream) -> bool {
    use rustix::net::RecvFlags;
    let mut byte = [0_u8; 1];
    let peeked = rustix::net::recv(control, &mut byte, RecvFlags::PEEK | RecvFlags::DONTWAIT);
    !matches!(peeked, Ok((_, 1..)) | Err(Errno::AGAIN | Errno::INTR))
}
