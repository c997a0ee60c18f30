//! Messages one way without pause.
//!
//! The receiver times: its clock starts when the first message, and those that lead, are complete and
//! nothing that arrived waits to be read, or for a lost packet before it; it is read at the last byte of
//! every sample. So neither the sender's buffers nor the receiver's nor the start count.

use crate::endpoint::{Arrived, Endpoint, LinkError};
use crate::payload::{Messages, Turns};
use crate::trial::{self, Half, Laps, Tally, Trial};

pub(super) async fn initiate<E: Endpoint, M: Messages>(
    end: &mut E,
    trial: &Trial,
    messages: &mut M,
) -> Result<Half, LinkError> {
    let size = trial.message_len()?;
    messages.prepare(size, trial.seed, trial.check);
    let mut turns = messages.turns(size);
    for _ in 0..trial.messages() {
        end.send(turns.outgoing()).await?;
        turns.sent();
    }
    let sent = trial.messages();
    let tally = Tally { sent_bytes: sent * trial.size, sent, ..Tally::default() };
    drop(turns);
    trial::close(trial, messages, None, Vec::new(), tally)
}

pub(super) async fn respond<E: Endpoint, M: Messages>(
    end: &mut E,
    trial: &Trial,
    messages: &mut M,
) -> Result<Half, LinkError> {
    let size = trial.message_len()?;
    let begin = end.arrived();
    let unread = |arrived: Arrived| arrived.waiting.saturating_add(arrived.held_back_since(begin));
    let mut turns = messages.turns(size);
    let mut received = 0;
    for _ in 0..trial.untimed() {
        end.recv(turns.incoming()).await?;
        turns.received();
        received += 1;
    }
    // A receiver that is slower than the path never catches up: at least half of the samples remain.
    let mut spare = u64::from(trial.samples / 2) * u64::from(trial.batch);
    let mut before = end.arrived();
    while spare > 0 && unread(before) >= trial.size {
        let there = (before.waiting / trial.size.max(1)).clamp(1, spare);
        for _ in 0..there {
            end.recv(turns.incoming()).await?;
            turns.received();
        }
        received += there;
        spare -= there;
        before = end.arrived();
    }
    let left = trial.messages() - received;
    let mut laps = Laps::start(end, trial.samples);
    for _ in 0..left / u64::from(trial.batch) {
        for _ in 0..trial.batch {
            end.recv(turns.incoming()).await?;
            turns.received();
        }
        laps.lap(end);
        received += u64::from(trial.batch);
    }
    let waiting = [unread(before), end.arrived().waiting];
    while received < trial.messages() {
        end.recv(turns.incoming()).await?;
        turns.received();
        received += 1;
    }
    let tally = Tally { received_bytes: received * trial.size, received, ..Tally::default() };
    drop(turns);
    let half = trial::close(trial, messages, Some(trial.seed), laps.finish(), tally)?;
    Ok(Half { waiting, ..half })
}
