//! What a rank tells the one that conducts: how far it is, and in the end what came of it.

use std::ops::ControlFlow;

use linerate_core::comm::{Comm, CommError};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The length of a report. Unit: bytes.
const REPORT: usize = 32;
/// Kinds of report.
const PROGRESS: u64 = 1;
const DONE: u64 = 2;
/// The most that one rank may tell. Unit: bytes.
const MOST: u64 = 1 << 30;

/// A report.
#[derive(Debug)]
pub(crate) enum Report<T> {
    /// `done` of `all` are done, with this merit until now. It waits for an [answer].
    Progress { done: u64, all: u64, merit: f64 },
    /// What came of it, and bytes to keep.
    Done { result: T, kept: Vec<u8> },
}

fn encoded(numbers: [u64; 4]) -> [u8; REPORT] {
    let mut report = [0; REPORT];
    for (place, number) in report.chunks_exact_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    report
}

/// Says how far it is, and hears whether to go on.
pub(crate) async fn progress<C: Comm>(
    comm: &mut C,
    to: usize,
    (done, all): (u64, u64),
    merit: f64,
) -> Result<ControlFlow<()>, CommError> {
    comm.send_to(to, &encoded([PROGRESS, done, all, merit.to_bits()])).await?;
    let mut answer = [0; 8];
    comm.recv_from(to, &mut answer).await?;
    Ok(if answer == [0; 8] { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
}

/// Answers a report on progress.
pub(crate) async fn answer<C: Comm>(
    comm: &mut C,
    to: usize,
    go_on: ControlFlow<()>,
) -> Result<(), CommError> {
    comm.send_to(to, &u64::from(go_on.is_break()).to_le_bytes()).await
}

/// Says what came of it.
pub(crate) async fn done<C: Comm, T: Serialize>(
    comm: &mut C,
    to: usize,
    result: &T,
    kept: &[u8],
) -> Result<(), CommError> {
    let text = serde_json::to_vec(result).expect("results are written in files");
    comm.send_to(to, &encoded([DONE, text.len() as u64, kept.len() as u64, 0])).await?;
    comm.send_to(to, &text).await?;
    if !kept.is_empty() {
        comm.send_to(to, kept).await?;
    }
    Ok(())
}

/// The next report of rank `from`.
pub(crate) async fn hear<C: Comm, T: DeserializeOwned>(
    comm: &mut C,
    from: usize,
) -> Result<Report<T>, CommError> {
    let lost = |reason: String| CommError::Lost { peer: from, reason };
    let mut report = [0; REPORT];
    comm.recv_from(from, &mut report).await?;
    let number =
        |nth: usize| u64::from_le_bytes(report[nth * 8..][..8].try_into().expect("it has eight bytes"));
    match number(0) {
        PROGRESS => {
            Ok(Report::Progress { done: number(1), all: number(2), merit: f64::from_bits(number(3)) })
        }
        DONE => {
            let room = |bytes: u64| match usize::try_from(bytes) {
                Ok(bytes) if bytes as u64 <= MOST => Ok(vec![0; bytes]),
                _ => Err(lost(format!("it wants to say {bytes} B, and {MOST} B are the most"))),
            };
            let (mut text, mut kept) = (room(number(1))?, room(number(2))?);
            comm.recv_from(from, &mut text).await?;
            if !kept.is_empty() {
                comm.recv_from(from, &mut kept).await?;
            }
            let result = understood(&text).map_err(|why| lost(format!("it said nonsense: {why}")))?;
            Ok(Report::Done { result, kept })
        }
        other => Err(lost(format!("it gave a report that there is not ({other})"))),
    }
}

/// What another rank told, or why it is no `T`.
pub(crate) fn understood<T: DeserializeOwned>(told: &[u8]) -> Result<T, String> {
    let text = str::from_utf8(told).map_err(|error| error.to_string())?;
    serde_json::from_str(text).map_err(|error| error.to_string())
}
