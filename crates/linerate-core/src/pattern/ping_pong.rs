//! A message there, a message back.

use crate::endpoint::{Endpoint, LinkError};
use crate::payload::Buffers;
use crate::trial::{self, Half, Laps, Tally, Trial, reply_seed};

pub(super) async fn initiate<E: Endpoint>(
    end: &mut E,
    trial: &Trial,
    buffers: &mut Buffers,
) -> Result<Half, LinkError> {
    let size = trial.message_len()?;
    buffers.prepare(size, trial.seed, trial.check);
    let (out, into) = buffers.message(size);
    let mut tally = Tally::default();
    let mut laps = Laps::start(end, trial.samples);
    for _ in 0..trial.samples {
        for _ in 0..trial.batch {
            end.send(out).await?;
            end.recv(into).await?;
        }
        laps.lap(end);
        count(&mut tally, trial);
    }
    trial::close(trial, buffers, Some(reply_seed(trial.seed)), laps.finish(), tally)
}

pub(super) async fn respond<E: Endpoint>(
    end: &mut E,
    trial: &Trial,
    buffers: &mut Buffers,
) -> Result<Half, LinkError> {
    let size = trial.message_len()?;
    buffers.prepare(size, reply_seed(trial.seed), trial.check);
    let (out, into) = buffers.message(size);
    let mut tally = Tally::default();
    for _ in 0..trial.samples {
        for _ in 0..trial.batch {
            end.recv(into).await?;
            end.send(out).await?;
        }
        count(&mut tally, trial);
    }
    trial::close(trial, buffers, Some(trial.seed), Vec::new(), tally)
}

fn count(tally: &mut Tally, trial: &Trial) {
    let messages = u64::from(trial.batch);
    let bytes = messages * trial.size;
    *tally += Tally { sent_bytes: bytes, received_bytes: bytes, sent: messages, received: messages };
}
