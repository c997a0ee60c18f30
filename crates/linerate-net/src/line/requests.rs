//! The loops of requests: the initiator's and the responder's.

use std::io::{Error, ErrorKind};

use linerate_core::endpoint::LinkError;
use linerate_core::units::{Span, Time};

use crate::channel::{Channel, Wire};
use crate::flow::{Answering, Asking, LOOK};
use crate::wait::{Interest, Wait};

/// Closer to a departure than this the thread does not sleep, because a sleeping thread wakes about
/// this late.
const SPIN: Span = Span::from_us(60);

/// Sends all requests of `asking`.
///
/// It never deadlocks, however large the messages: while a response may be in flight, it sends only
/// what the channel takes at once, and reads when the channel takes no more.
#[inline]
pub(super) fn ask<C: Channel>(wire: &mut Wire<C>, asking: &mut Asking<'_>) -> Result<(), LinkError> {
    asking.await_begin();
    loop {
        if send_due(&mut wire.channel, asking)? {
            await_either(&mut wire.channel, asking)?;
            continue;
        }
        let now = asking.clock.now();
        match asking.due(now).filter(|_| asking.has_room()) {
            Some(due) if due > now => await_until(&mut wire.channel, asking, due)?,
            // It has become due meanwhile.
            Some(_) => {}
            None if asking.awaits() => await_response(wire, asking)?,
            None => break,
        }
    }
    wire.channel.finish_sending()?;
    if asking.loses() { Ok(()) } else { expect_end(&mut wire.channel) }
}

/// Answers until the peer sends no more requests.
#[inline]
pub(super) fn answer<C: Channel>(wire: &mut Wire<C>, answering: &mut Answering) -> Result<(), LinkError> {
    while answering.take(|into| wire.pull(into))? {
        answering.give(|data| wire.channel.push(data, Wait::Patiently))?;
    }
    wire.channel.finish_sending()
}

/// Sends what is due; whether the channel takes no more and a response is to come.
#[inline]
fn send_due<C: Channel>(channel: &mut C, asking: &mut Asking<'_>) -> Result<bool, LinkError> {
    loop {
        let now = asking.clock.now();
        let Some((piece, alone)) = asking.piece(now) else { return Ok(false) };
        let wait = if alone { Wait::Patiently } else { Wait::Never };
        match channel.push(piece, wait)? {
            0 => return Ok(true),
            moved => asking.sent(moved, now),
        }
    }
}

/// Takes the next response, however long the channel waits for it.
#[inline]
fn await_response<C: Channel>(wire: &mut Wire<C>, asking: &mut Asking<'_>) -> Result<(), LinkError> {
    match wire.pull(asking.room()) {
        Ok(moved) => asking.received(moved),
        Err(LinkError::Stalled(_)) if asking.loses() => asking.give_up(),
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Takes what has arrived, or waits until something has or the channel takes more.
fn await_either<C: Channel>(channel: &mut C, asking: &mut Asking<'_>) -> Result<(), LinkError> {
    if !take(channel, asking)? {
        channel.ready(Interest::Either, LOOK)?;
        lapse(asking)?;
    }
    Ok(())
}

/// Takes what arrives before `due`.
fn await_until<C: Channel>(channel: &mut C, asking: &mut Asking<'_>, due: Time) -> Result<(), LinkError> {
    let left = due.since(asking.clock.now());
    let nap = left.saturating_sub(SPIN).min(LOOK);
    if nap == Span::ZERO {
        if !asking.awaits() || !take(channel, asking)? {
            // The responder may be on this processor.
            std::thread::yield_now();
        }
    } else if !asking.awaits() {
        std::thread::sleep(nap.to_duration());
    } else if channel.ready(Interest::Receive, nap)? {
        take(channel, asking)?;
    }
    lapse(asking)
}

/// Takes what has arrived, if anything has.
fn take<C: Channel>(channel: &mut C, asking: &mut Asking<'_>) -> Result<bool, LinkError> {
    let moved = channel.pull(asking.room(), Wait::Never)?;
    if moved > 0 {
        asking.received(moved);
    }
    Ok(moved > 0)
}

/// Gives up what may be lost; fails if nothing moves that may not.
fn lapse(asking: &mut Asking<'_>) -> Result<(), LinkError> {
    let now = asking.clock.now();
    if asking.loses() {
        asking.expire(now);
        Ok(())
    } else {
        asking.check_patience(now)
    }
}

/// The peer ends its direction after its last response: a peer that sends more has sent responses
/// without requests, and its times mean nothing.
fn expect_end<C: Channel>(channel: &mut C) -> Result<(), LinkError> {
    match channel.pull(&mut [0], Wait::Patiently) {
        Err(LinkError::Closed) => Ok(()),
        Err(error) => Err(error),
        Ok(_) => Err(LinkError::System {
            operation: "end the requests",
            source: Error::new(ErrorKind::InvalidData, "the peer sent more responses than requests"),
        }),
    }
}
