//! The servers' accounts of a load's flows, beside this end's.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ScopedJoinHandle;

use linerate_core::traffic::{Direction, FlowAccount, HalfAccount, Load};

use super::super::PairError;
use super::super::conversation::STEP;
use super::super::remote_end::RemoteEnd;
use crate::control::{Ask, Reply};
use crate::flow::{Answered, PATIENCE};
use crate::traffic::{Carried, FlowReport};

impl RemoteEnd {
    /// Receives that the load starts.
    pub(super) fn hear_go(&self) -> Result<(), PairError> {
        match self.conversation.hear(STEP)? {
            Reply::Go => Ok(()),
            other => Err(PairError::unexpected(other)),
        }
    }

    /// Receives the accounts of all flows, and what was answered.
    fn hear_accounts(&self) -> Heard {
        let Carried { reports: mut told, mut host } = Carried::default();
        let mut answered = Vec::new();
        // The server may have flows that it has not given up yet.
        let mut within = STEP + PATIENCE.to_duration();
        loop {
            match self.conversation.hear(within)? {
                Reply::Flow { flow, direction, half } => {
                    told.push(FlowReport { flow, direction, half: *half, processor: None });
                }
                Reply::More(intervals, samples) => {
                    if let Some(last) = told.last_mut() {
                        last.half.intervals.extend(intervals);
                        last.half.tcp.extend(samples);
                    }
                }
                Reply::Hosts(samples) => host.extend(samples),
                Reply::Answered { flow, transactions, bytes } => {
                    answered.push(Answered { flow, transactions, bytes });
                }
                Reply::Told => return Ok((Carried { reports: told, host }, answered)),
                other => return Err(PairError::unexpected(other)),
            }
            within = STEP;
        }
    }
}

/// One server's account of its flows, and what it answered.
pub(super) type Heard = Result<(Carried, Vec<Answered>), PairError>;

/// Asks all servers for their accounts at the same time, so that a silent one does not delay the
/// others. Each has a flag, which is cleared when its accounts have arrived.
pub(super) fn hear_all(waits: &[(&RemoteEnd, AtomicBool)]) -> Vec<Heard> {
    let hear = |(remote, waits): &(&RemoteEnd, AtomicBool)| {
        let heard = remote.conversation.say(&Ask::Collect).and_then(|()| remote.hear_accounts());
        waits.store(false, Ordering::Relaxed);
        heard
    };
    std::thread::scope(|scope| {
        let hearing: Vec<_> = waits.iter().map(|one| scope.spawn(move || hear(one))).collect();
        let heard = hearing.into_iter().map(ScopedJoinHandle::join);
        heard.map(|heard| heard.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// Both ends' accounts of each flow.
pub(super) fn join(load: &Load, ours: Vec<FlowReport>, mut theirs: Vec<FlowReport>) -> Vec<FlowAccount> {
    let each = load.stream.as_ref().map_or(1, |stream| stream.flows.max(1));
    let mut other_half = |flow, direction| {
        let place = theirs.iter().position(|told| (told.flow, told.direction) == (flow, direction));
        place.map_or_else(HalfAccount::default, |place| theirs.swap_remove(place).half)
    };
    let mut accounts: Vec<_> = ours
        .into_iter()
        .map(|FlowReport { flow, direction, half, .. }| {
            let other = other_half(flow, direction);
            let (sender, receiver) = if direction == Direction::Send { (half, other) } else { (other, half) };
            FlowAccount { flow, peer: flow / each, direction, sender, receiver }
        })
        .collect();
    // Flows that share threads end in another order.
    accounts.sort_by_key(|account| (account.direction, account.flow));
    accounts
}
