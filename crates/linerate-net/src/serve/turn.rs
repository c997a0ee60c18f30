//! A client waits for its turn, and hears its place meanwhile.

use std::net::{IpAddr, TcpStream};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::RecvFlags;

use super::ServerState;
use super::queue::{Slot, Turn};
use super::session::Refusal;
use crate::control::{Deadline, HOLDERS_SINCE, QueuePlace, Reply, TimedStream, write_frame};

/// How often a waiting client receives its place.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// Waits for a slot with this much memory, and sends the client, which speaks `version`, its place.
pub(super) fn queue<'a>(
    server: &'a ServerState,
    control: &TcpStream,
    peer: IpAddr,
    version: u16,
    memory: u64,
) -> Result<Slot<'a>, Refusal> {
    let full = || Refusal::Told("too many clients are waiting for this server; try again later".to_owned());
    let ticket = server.queue.join(peer, memory).ok_or_else(full)?;
    let mut patience = Duration::ZERO;
    loop {
        match ticket.wait(patience) {
            Turn::Slot(slot) => return Ok(slot),
            Turn::Closed => return Err(Refusal::Told("the server is stopping".to_owned())),
            Turn::Place(_) if has_left(control) => return Err(Refusal::left()),
            Turn::Place(place) => {
                let mut timed = TimedStream::new(control, Deadline::after(server.limits.handshake));
                let place = match place {
                    QueuePlace::Behind { place, .. } if version < HOLDERS_SINCE => QueuePlace::Number(place),
                    other => other,
                };
                write_frame(&mut timed, &Reply::Queued(place))?;
            }
        }
        patience = HEARTBEAT;
    }
}

/// Whether the client closed the conversation; a client that must wait sends nothing.
pub(super) fn has_left(control: &TcpStream) -> bool {
    let mut byte = [0_u8; 1];
    let peeked = rustix::net::recv(control, &mut byte, RecvFlags::PEEK | RecvFlags::DONTWAIT);
    !matches!(peeked, Ok((_, 1..)) | Err(Errno::AGAIN | Errno::INTR))
}
