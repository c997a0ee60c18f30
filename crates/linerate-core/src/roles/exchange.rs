//! A message each way at once.

use crate::endpoint::{Endpoint, LinkError};
use crate::payload::{Messages, Turns};
use crate::trial::{self, Half, Laps, Tally, Trial, reply_seed};

pub(super) async fn initiate<E: Endpoint, M: Messages>(
    end: &mut E,
    trial: &Trial,
    messages: &mut M,
) -> Result<Half, LinkError> {
    both_ways(end, trial, messages, trial.seed, reply_seed(trial.seed)).await
}

pub(super) async fn respond<E: Endpoint, M: Messages>(
    end: &mut E,
    trial: &Trial,
    messages: &mut M,
) -> Result<Half, LinkError> {
    let half = both_ways(end, trial, messages, reply_seed(trial.seed), trial.seed).await?;
    Ok(Half { elapsed: Vec::new(), ..half })
}

async fn both_ways<E: Endpoint, M: Messages>(
    end: &mut E,
    trial: &Trial,
    messages: &mut M,
    outgoing_seed: u64,
    incoming_seed: u64,
) -> Result<Half, LinkError> {
    let size = trial.message_len()?;
    messages.prepare(size, outgoing_seed, trial.check);
    let mut turns = messages.turns(size);
    let mut tally = Tally::default();
    let mut laps = Laps::start(end, trial.samples);
    for _ in 0..trial.samples {
        for _ in 0..trial.batch {
            let (out, into) = turns.both();
            end.exchange(out, into).await?;
            turns.sent();
            turns.received();
        }
        laps.lap(end);
        let messages = u64::from(trial.batch);
        let bytes = messages * trial.size;
        tally += Tally { sent_bytes: bytes, received_bytes: bytes, sent: messages, received: messages };
    }
    drop(turns);
    trial::close(trial, messages, Some(incoming_seed), laps.finish(), tally)
}
