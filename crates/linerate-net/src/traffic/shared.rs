//! Many flows on one thread.

use linerate_core::endpoint::LinkError;
use linerate_core::traffic::HalfAccount;
use linerate_core::units::Time;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::channel::Channel;
use crate::flow::{Incoming, Outgoing, PATIENCE, Piece};
use crate::observe::HostClock;
use crate::wait::Wait;

/// How many calls one flow may make before the next has its turn.
const TURN: usize = 4;
/// The longest wait of a round, so that stalls and paces are noticed. Unit: nanoseconds.
const ROUND_NS: i64 = 10_000_000;

/// What one of the flows does here.
#[derive(Debug)]
pub(super) enum Work<'a> {
    Out(Outgoing<'a>),
    In(Incoming<'a>),
}

/// One of the flows of a thread.
pub(super) struct Member<'a> {
    channel: &'a mut dyn Channel,
    work: Work<'a>,
    state: State,
    moved: Option<Time>,
    /// When it was stepped last: when it ended, once it has.
    stepped: Time,
}

/// How a flow ended, when, and its account.
pub(super) type Finished = (Result<(), LinkError>, Time, HalfAccount);

/// The state of a flow.
#[derive(Debug)]
enum State {
    Moving,
    /// Everything is sent; it waits for the receiver's end.
    Acknowledging,
    Ended(Result<(), LinkError>),
}

impl<'a> Member<'a> {
    pub(super) const fn new(channel: &'a mut dyn Channel, work: Work<'a>) -> Self {
        Self { channel, work, state: State::Moving, moved: None, stepped: Time::ZERO }
    }

    /// Says that the flow's messages lie still; one whose memory is refused has failed.
    fn begin(&mut self) {
        let held = match &mut self.work {
            Work::Out(out) => self.channel.hold(out.memory(), &mut []),
            Work::In(into) => self.channel.hold(&[], into.memory()),
        };
        if let Err(error) = held {
            self.state = State::Ended(Err(error));
        }
    }

    pub(super) fn finish(self) -> Finished {
        let ended = match self.state {
            State::Ended(ended) => ended,
            State::Moving | State::Acknowledging => Err(LinkError::Closed),
        };
        let wait = if ended.is_ok() { Wait::Patiently } else { Wait::Never };
        let released = self.channel.release(wait);
        let ended = ended.and(released);
        let half = match self.work {
            Work::Out(out) => out.account(),
            Work::In(into) => into.account(ended.is_ok()),
        };
        (ended, self.stepped, half)
    }

    const fn is_over(&self) -> bool {
        matches!(self.state, State::Ended(_))
    }

    /// What it waits for. Absent while its pace holds it back.
    fn interest(&self, now: Time) -> PollFlags {
        match (&self.state, &self.work) {
            (State::Moving, Work::Out(out)) if out.held_until(now).is_some() => PollFlags::empty(),
            (State::Moving, Work::Out(_)) => PollFlags::OUT,
            _ => PollFlags::IN,
        }
    }

    /// Moves what can be moved now, for one turn; bytes that have no memory of their own arrive in `spare`.
    fn step(&mut self, now: Time, spare: &mut [u8]) {
        self.stepped = now;
        let channel = &mut self.channel;
        for _ in 0..TURN {
            let moved = match (&self.state, &mut self.work) {
                (State::Ended(_), _) => return,
                (State::Acknowledging, Work::Out(out)) => match channel.pull(&mut [0], Wait::Never) {
                    Err(LinkError::Closed) => {
                        out.acknowledged();
                        self.state = State::Ended(Ok(()));
                        return;
                    }
                    moved => moved,
                },
                (_, Work::Out(out)) => match out.poll_piece() {
                    Piece::Now(piece) => channel.push(piece, Wait::Never).inspect(|moved| {
                        if *moved > 0 {
                            out.sent(*moved);
                        }
                    }),
                    Piece::Later(_) => Ok(0),
                    Piece::Over => {
                        self.state = match channel.finish_sending() {
                            Ok(()) => State::Acknowledging,
                            Err(error) => State::Ended(Err(error)),
                        };
                        Ok(0)
                    }
                },
                (_, Work::In(into)) => match channel.pull(into.buffer_or(spare), Wait::Never) {
                    Ok(0) => Ok(0),
                    Ok(moved) => {
                        into.received(moved);
                        Ok(moved)
                    }
                    Err(LinkError::Closed) => {
                        self.state = State::Ended(channel.finish_sending());
                        return;
                    }
                    Err(error) => Err(error),
                },
            };
            match moved {
                Ok(0) => break,
                Ok(_) => self.moved = Some(now),
                Err(error) => {
                    self.state = State::Ended(Err(error));
                    return;
                }
            }
        }
        if self.moved.is_some_and(|moved| now.since(moved) > PATIENCE) {
            self.state = State::Ended(Err(LinkError::Stalled(PATIENCE)));
        }
    }
}

/// Runs all members until they have ended. Those without memory of their own receive in `spare`.
pub(super) fn drive(members: &mut [Member<'_>], clock: &HostClock, spare: &mut [u8]) {
    let began = clock.now();
    for member in members.iter_mut() {
        member.moved = Some(began);
        member.begin();
        if member.channel.descriptor().is_none() {
            let source = std::io::Error::new(std::io::ErrorKind::Unsupported, "it has no descriptor");
            member.state = State::Ended(Err(LinkError::System {
                operation: "share a thread with other flows (leave --threads out)",
                source,
            }));
        }
    }
    while members.iter().any(|member| !member.is_over()) {
        let ready = wait(members, clock.now());
        let now = clock.now();
        for (member, ready) in members.iter_mut().zip(ready) {
            let paced =
                matches!(&member.work, Work::Out(out) if out.is_paced() && out.held_until(now).is_none());
            let quiet = member.moved.is_some_and(|moved| now.since(moved) > PATIENCE);
            if !member.is_over() && (ready || paced || quiet) {
                member.step(now, spare);
            }
        }
    }
}

/// Waits until some member can move, or for a round; which of them can.
fn wait(members: &[Member<'_>], now: Time) -> Vec<bool> {
    let due = members.iter().filter_map(|member| match (&member.state, &member.work) {
        (State::Moving, Work::Out(out)) => out.held_until(now),
        _ => None,
    });
    let until = due.min().map_or(ROUND_NS, |due| {
        i64::try_from(due.since(now).as_ps() / 1_000).unwrap_or(ROUND_NS).min(ROUND_NS)
    });
    let round = Timespec { tv_sec: 0, tv_nsec: until };
    let (places, mut polled): (Vec<_>, Vec<_>) = members
        .iter()
        .enumerate()
        .filter(|(_, member)| !member.is_over())
        .filter_map(|(place, member)| {
            let descriptor = member.channel.descriptor()?;
            Some((place, PollFd::from_borrowed_fd(descriptor, member.interest(now))))
        })
        .unzip();
    let mut ready = vec![false; members.len()];
    match poll(&mut polled, Some(&round)) {
        Ok(_) => {
            for (place, polled) in places.into_iter().zip(&polled) {
                ready[place] = !polled.revents().is_empty();
            }
        }
        Err(Errno::INTR) => {}
        // Without a way to wait, every member tries by itself.
        Err(_) => ready.fill(true),
    }
    ready
}
