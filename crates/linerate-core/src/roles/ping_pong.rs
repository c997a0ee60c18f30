//! A message there, a message back.

use crate::endpoint::{Endpoint, LinkError};
use crate::payload::{Messages, Turns};
use crate::trial::{self, Half, Laps, Tally, Trial, reply_seed};

pub(super) async fn initiate<E: Endpoint, M: Messages>(
    end: &mut E,
    trial: &Trial,
    messages: &mut M,
) -> Result<Half, LinkError> {
    let size = trial.message_len()?;
    messages.prepare(size, trial.seed, trial.check);
    let mut turns = messages.turns(size);
    let mut tally = Tally::default();
    let mut laps = Laps::start(end, trial.samples);
    for _ in 0..trial.samples {
        for _ in 0..trial.batch {
            end.send(turns.outgoing()).await?;
            turns.sent();
            end.recv(turns.incoming()).await?;
            turns.received();
        }
        laps.lap(end);
        count(&mut tally, trial);
    }
    drop(turns);
    trial::close(trial, messages, Some(reply_seed(trial.seed)), laps.finish(), tally)
}

pub(super) async fn respond<E: Endpoint, M: Messages>(
    end: &mut E,
    trial: &Trial,
    messages: &mut M,
) -> Result<Half, LinkError> {
    let size = trial.message_len()?;
    messages.prepare(size, reply_seed(trial.seed), trial.check);
    let mut turns = messages.turns(size);
    let mut tally = Tally::default();
    for _ in 0..trial.samples {
        for _ in 0..trial.batch {
            end.recv(turns.incoming()).await?;
            turns.received();
            end.send(turns.outgoing()).await?;
            turns.sent();
        }
        count(&mut tally, trial);
    }
    drop(turns);
    trial::close(trial, messages, Some(trial.seed), Vec::new(), tally)
}

fn count(tally: &mut Tally, trial: &Trial) {
    let messages = u64::from(trial.batch);
    let bytes = messages * trial.size;
    *tally += Tally { sent_bytes: bytes, received_bytes: bytes, sent: messages, received: messages };
}
