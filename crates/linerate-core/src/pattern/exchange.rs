//! A message each way at once.

use crate::endpoint::{Endpoint, LinkError};
use crate::payload::Buffers;
use crate::trial::{self, Half, Laps, Tally, Trial, reply_seed};

pub(super) async fn initiate<E: Endpoint>(
    end: &mut E,
    trial: &Trial,
    buffers: &mut Buffers,
) -> Result<Half, LinkError> {
    both_ways(end, trial, buffers, trial.seed, reply_seed(trial.seed)).await
}

pub(super) async fn respond<E: Endpoint>(
    end: &mut E,
    trial: &Trial,
    buffers: &mut Buffers,
) -> Result<Half, LinkError> {
    let half = both_ways(end, trial, buffers, reply_seed(trial.seed), trial.seed).await?;
    Ok(Half { elapsed: Vec::new(), ..half })
}

async fn both_ways<E: Endpoint>(
    end: &mut E,
    trial: &Trial,
    buffers: &mut Buffers,
    outgoing_seed: u64,
    incoming_seed: u64,
) -> Result<Half, LinkError> {
    let size = trial.message_len()?;
    buffers.prepare(size, outgoing_seed, trial.check);
    let (out, into) = buffers.message(size);
    let mut tally = Tally::default();
    let mut laps = Laps::start(end, trial.samples);
    for _ in 0..trial.samples {
        for _ in 0..trial.batch {
            end.exchange(out, into).await?;
        }
        laps.lap(end);
        let messages = u64::from(trial.batch);
        let bytes = messages * trial.size;
        tally += Tally { sent_bytes: bytes, received_bytes: bytes, sent: messages, received: messages };
    }
    trial::close(trial, buffers, Some(incoming_seed), laps.finish(), tally)
}
