//! The seam of trials: anywhere a trial can be run.

use crate::endpoint::LinkError;
use crate::payload::Corruption;
use crate::trial::{Half, Sample, Tally, Trial};
use crate::units::Span;

/// Anywhere a trial can be run: two hosts and a wire, or a model of them.
pub trait Bench {
    /// Runs `trial` at both ends and joins their accounts.
    ///
    /// # Errors
    ///
    /// Why the trial gave no sample. The bench may be unusable afterwards.
    fn run(&mut self, trial: &Trial) -> Result<Sample, RunError>;

    /// The time since the first trial began. If absent, no time passes between trials, and the sum
    /// of what they took is the same.
    fn elapsed(&self) -> Option<Span> {
        None
    }

    /// The least round trip, as far as it is known before the first trial; zero if it is not.
    fn round_trip(&self) -> Span {
        Span::ZERO
    }
}

impl Sample {
    /// Joins both ends' accounts.
    ///
    /// # Errors
    ///
    /// [`RunError::Disagree`] when their counts are not mirror images of each other, or are not
    /// what the trial asks; [`RunError::Corrupt`] when either saw a wrong byte;
    /// [`RunError::Untimed`] when a sample is missing.
    pub fn join(trial: &Trial, initiator: &Half, responder: &Half, spent: Span) -> Result<Self, RunError> {
        let [expected, mirror] = trial.tallies();
        if initiator.tally != expected || responder.tally != mirror {
            return Err(RunError::Disagree { here: initiator.tally, there: responder.tally, expected });
        }
        if let Some(source) = initiator.corruption.or(responder.corruption) {
            return Err(RunError::Corrupt { size: trial.size, source });
        }
        let timed = if trial.pattern.timed_by_responder() { responder } else { initiator };
        // The receiver of overlapping messages may have needed up to half of them to catch up.
        let spare = if trial.pattern.overlaps() { trial.samples / 2 } else { 0 };
        let expected = (trial.samples - spare) as usize..=trial.samples as usize;
        if !expected.contains(&timed.elapsed.len()) {
            return Err(RunError::Untimed { expected: trial.samples, found: timed.elapsed.len() });
        }
        let mut times: Vec<Span> = timed.elapsed.iter().map(|sample| trial.per_message(*sample)).collect();
        let read = times.len() as u64 * u64::from(trial.batch) * trial.size;
        let arrived = arrived(read, timed.waiting);
        if let Some(arrived) = arrived.filter(|arrived| *arrived != read) {
            for time in &mut times {
                *time = time.scaled(read, arrived);
            }
        }
        let effort =
            initiator.effort.zip(responder.effort).map(|(initiator, responder)| [initiator, responder]);
        Ok(Self { times, tally: initiator.tally, kept_up: arrived.is_some(), spent, effort })
    }
}

/// What is read and what arrived may differ by this part of it. Both are known exactly; but a receiver that
/// mostly reads what arrived before times its copying.
const WAITING_PART: u64 = 4;

/// How many bytes arrived while `read` were read, if as many waited before and after those as here.
/// `None` if what waited is too large a part of what was read.
fn arrived(read: u64, [before, after]: [u64; 2]) -> Option<u64> {
    let arrived = read.saturating_add(after).saturating_sub(before);
    (arrived.abs_diff(read) <= read / WAITING_PART).then_some(arrived)
}

/// Why a trial gave no sample. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The channel under test failed at this end.
    #[error("run a trial of {size} B: {source}")]
    Link {
        /// Message size. Unit: bytes.
        size: u64,
        /// What failed.
        source: LinkError,
    },
    /// The conversation with the other end failed.
    #[error("agree with the peer on a trial of {size} B: {source}")]
    Control {
        /// Message size. Unit: bytes.
        size: u64,
        /// What failed.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The other end could not run the trial and said why.
    #[error("run a trial of {size} B at the peer: {reason}")]
    Peer {
        /// Message size. Unit: bytes.
        size: u64,
        /// The peer's reason.
        reason: String,
    },
    /// The time of the plan was over before the trial was.
    #[error("end a trial of {size} B in time: it was ended after {after}")]
    Late {
        /// Message size. Unit: bytes.
        size: u64,
        /// How long it had run.
        after: Span,
    },
    /// The user wanted it to end, and the bench saw it first.
    #[error("end a trial of {size} B: it was interrupted")]
    Interrupted {
        /// Message size. Unit: bytes.
        size: u64,
    },
    /// A byte arrived wrong.
    #[error("carry {size} B intact: {source}")]
    Corrupt {
        /// Message size. Unit: bytes.
        size: u64,
        /// Which byte.
        source: Corruption,
    },
    /// The two ends' counts do not match.
    #[error("agree with the peer on what passed: here {here:?}, there {there:?}, planned {expected:?}")]
    Disagree {
        /// What this end counted.
        here: Tally,
        /// What the other end says it counted.
        there: Tally,
        /// What this end should have counted.
        expected: Tally,
    },
    /// The end that times sent too few or too many times.
    #[error("time every sample: {found} times came for {expected} samples")]
    Untimed {
        /// Samples asked for.
        expected: u32,
        /// Times that came.
        found: usize,
    },
}
