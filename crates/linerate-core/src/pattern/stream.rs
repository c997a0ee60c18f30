//! Messages one way without pause.
//!
//! The receiver times: its clock starts when the first message is complete and is read at the
//! last byte of every sample, so that neither the sender's buffers nor the time to start count.

use crate::endpoint::{Endpoint, LinkError};
use crate::payload::Buffers;
use crate::trial::{self, Half, Laps, Tally, Trial};

pub(super) async fn initiate<E: Endpoint>(
    end: &mut E,
    trial: &Trial,
    buffers: &mut Buffers,
) -> Result<Half, LinkError> {
    let size = trial.message_len()?;
    buffers.prepare(size, trial.seed, trial.check);
    let (out, _) = buffers.message(size);
    for _ in 0..trial.messages() {
        end.send(out).await?;
    }
    let sent = trial.messages();
    let tally = Tally { sent_bytes: sent * trial.size, sent, ..Tally::default() };
    trial::close(trial, buffers, None, Vec::new(), tally)
}

pub(super) async fn respond<E: Endpoint>(
    end: &mut E,
    trial: &Trial,
    buffers: &mut Buffers,
) -> Result<Half, LinkError> {
    let size = trial.message_len()?;
    let (_, into) = buffers.message(size);
    let mut received = 0;
    for _ in 0..trial.pattern.opening_messages() {
        end.recv(into).await?;
        received += 1;
    }
    let mut laps = Laps::start(end, trial.samples);
    for _ in 0..trial.samples {
        for _ in 0..trial.batch {
            end.recv(into).await?;
        }
        laps.lap(end);
        received += u64::from(trial.batch);
    }
    let tally = Tally { received_bytes: received * trial.size, received, ..Tally::default() };
    trial::close(trial, buffers, Some(trial.seed), laps.finish(), tally)
}
