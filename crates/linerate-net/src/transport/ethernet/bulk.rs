//! A whole flow of frames, many in each call.

use linerate_core::endpoint::LinkError;
use rustix::io::Errno;

use super::channel::{EthernetChannel, failed};
use super::frame::{Header, Kind, stamp};
use super::plane::Plane;
use crate::channel::Channel as _;
use crate::flow::{Incoming, Outgoing};
use crate::sys::packet::Batch;
use crate::transport::account::Account;
use crate::transport::datagram::wrong_length;
use crate::wait::Wait;

/// Frames of one call. More make a call's cost no smaller that could be seen.
const BATCH: usize = 64;

/// Sends as `out` says, to its end. A frame that the host's own queue had no room for is sent
/// again, so that nothing is lost on this host before the device.
pub(super) fn send(
    channel: &mut EthernetChannel<impl Plane>,
    out: &mut Outgoing<'_>,
) -> Result<(), LinkError> {
    let message = out.message();
    channel.check_length(message.len())?;
    let mut batch = Batch::new(BATCH, channel.link.head(Kind::Data, message.len(), 0));
    let mut since = None;
    loop {
        let due = out.batch(BATCH);
        if due == 0 {
            break;
        }
        channel.check_open()?;
        let now_ns = now_ns(channel);
        for (head, sequence) in batch.heads().iter_mut().take(due).zip(channel.sent..) {
            stamp(head, sequence, now_ns);
        }
        match channel.link.data.post_many(&mut batch, message, due) {
            Ok(sent) => {
                since = None;
                channel.sent += sent as u64;
                out.sent_messages(sent);
                // The receiver may have left: who sends on would flood a host that takes nothing.
                channel.hear()?;
            }
            Err(Errno::INTR) => {}
            Err(refusal @ (Errno::AGAIN | Errno::NOBUFS)) => channel.make_room(refusal, &mut since)?,
            Err(errno) => return Err(failed("send")(errno)),
        }
    }
    // The rest of a bound in bytes that is no whole number of messages.
    while let Some(piece) = out.next_piece() {
        let sent = channel.push(piece, Wait::Patiently)?;
        out.sent(sent);
    }
    Ok(())
}

/// Receives until the peer has sent all, and notes what became of each message.
pub(super) fn receive(
    channel: &mut EthernetChannel<impl Plane>,
    into: &mut Incoming<'_>,
) -> Result<(), LinkError> {
    let mut account = Account::default();
    let ended = receive_all(channel, into, &mut account);
    let dropped = channel.dropped();
    into.datagrams = Some(account.finish(channel.announced(), dropped));
    ended
}

fn receive_all(
    channel: &mut EthernetChannel<impl Plane>,
    into: &mut Incoming<'_>,
    account: &mut Account,
) -> Result<(), LinkError> {
    let mut begun = channel.clock.now();
    loop {
        if channel.cut.is_done() {
            return Err(LinkError::Closed);
        }
        let (messages, bytes) = drain(channel, into.buffer(), account)?;
        if messages > 0 {
            if into.received_messages(messages, bytes) {
                account.end_warm_up(channel.dropped());
            }
            begun = channel.clock.now();
            continue;
        }
        channel.hear()?;
        if channel.link.data.peek().is_some() {
            continue;
        }
        if channel.announced().is_some() {
            let accounted = account.received().saturating_add(channel.dropped());
            if channel.is_over(accounted) {
                return Ok(());
            }
        }
        let left = channel.patience.saturating_sub(channel.clock.now().since(begun));
        if left.as_ps() == 0 {
            return Err(LinkError::Stalled(channel.patience));
        }
        channel.rest(left)?;
    }
}

/// Copies what is in the ring to `buffer`, one message after the other, as far as they fit; how
/// many, and how many bytes. What came before is not copied again.
fn drain(
    channel: &mut EthernetChannel<impl Plane>,
    buffer: &mut [u8],
    account: &mut Account,
) -> Result<(usize, usize), LinkError> {
    let (mut messages, mut bytes) = (0, 0);
    while messages < BATCH
        && let Some(frame) = channel.link.data.peek()
    {
        if let Some((_, header, payload)) = Header::decode(frame.bytes) {
            let Some(place) = buffer.get_mut(bytes..bytes + payload.len()) else {
                if messages > 0 {
                    break;
                }
                return Err(wrong_length(payload.len(), buffer.len()));
            };
            let sent_ns = (header.sent_ns != 0).then_some(header.sent_ns);
            if account.arrived(header.sequence, sent_ns, frame.arrived_ns) {
                place.copy_from_slice(payload);
                messages += 1;
                bytes += payload.len();
            }
        }
        channel.link.data.release();
    }
    Ok((messages, bytes))
}

fn now_ns(channel: &EthernetChannel<impl Plane>) -> u64 {
    // 0 means that there is no time.
    (channel.clock.now().as_ps() / 1_000).max(1)
}
