//! The bounds of every number that a client sends.
//!
//! A server reads a client's messages in one place, and holds each to these before anything else sees it. What is larger
//! than its own limits, which its operator sets, it refuses besides.

use std::ops::RangeInclusive;

use linerate_core::mesh::MOST_RANKS;
use linerate_core::plan::{LARGEST_TRACED, MOST_TRACED, PlanError};
use linerate_core::stages::{LARGEST, MOST_MESSAGES, WARM_UP};
use linerate_core::trial::{MAX_SAMPLES, Trial};

use super::{Ask, Opening, RankOrder};

/// The longest that ranks may wait for each other. Unit: milliseconds.
const LONGEST_WAIT_MS: u64 = 24 * 3600 * 1000;
/// The largest message of a trial, far above what a host has memory for. Unit: bytes.
const LARGEST_OF_A_TRIAL: u64 = 1 << 48;
/// The most messages of a sample of a trial.
const MOST_OF_A_BATCH: u32 = u32::MAX >> 1;

/// A number that no server accepts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutOfBounds {
    /// Of the message itself.
    #[error("{field} of the {message} is {value}, and may be {least} to {most}")]
    Number {
        /// What was asked for.
        message: &'static str,
        /// Which number of it.
        field: &'static str,
        /// What it is.
        value: u64,
        /// The smallest that is accepted.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// Of a plan or a load.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// Checks the numbers of one message.
struct Within(&'static str);

impl Within {
    fn check(
        &self,
        field: &'static str,
        value: impl Into<u64>,
        bounds: RangeInclusive<u64>,
    ) -> Result<(), OutOfBounds> {
        let (value, least, most) = (value.into(), *bounds.start(), *bounds.end());
        let Self(message) = *self;
        if bounds.contains(&value) {
            return Ok(());
        }
        Err(OutOfBounds::Number { message, field, value, least, most })
    }
}

impl Ask {
    /// Holds every number of the message to its bounds. Each field is named, so that a new one does not compile until it
    /// is bounded here.
    ///
    /// # Errors
    ///
    /// [`OutOfBounds`] with the first that is not.
    pub fn check(&self) -> Result<(), OutOfBounds> {
        match self {
            // Of fixed length, and of texts no more than a frame holds.
            Self::Prove { challenge: _, proof: _ }
            | Self::Setting(_)
            | Self::Trace
            | Self::Start
            | Self::Collect
            | Self::Finish => Ok(()),
            Self::Offer(plan) => Ok(plan.check()?),
            Self::Open(Opening::Trials | Opening::Stages) => Ok(()),
            Self::Open(Opening::Load(load) | Opening::Alone(load)) => Ok(load.check()?),
            Self::Trial(trial) => check_trial(trial),
            Self::Stages { size, count } => {
                let within = Within("stamped messages");
                within.check("size", *size, 1..=LARGEST)?;
                within.check("count", *count, 1..=u64::from(MOST_MESSAGES + WARM_UP))
            }
            Self::Traced { size, warm_up, count, telling: _ } => {
                let within = Within("traced messages");
                within.check("size", *size, 1..=LARGEST_TRACED)?;
                within.check("warm_up", *warm_up, 0..=u64::from(WARM_UP))?;
                within.check("count", *count, 1..=u64::from(MOST_TRACED))
            }
            Self::Rank { port, order } => {
                Within("rank").check("port", *port, 1..=u64::from(u16::MAX))?;
                order.check()
            }
        }
    }
}

fn check_trial(trial: &Trial) -> Result<(), OutOfBounds> {
    // Every seed is as good as another.
    let Trial { pattern: _, size, samples, lead, batch, seed: _, check: _ } = trial;
    let within = Within("trial");
    within.check("size", *size, 1..=LARGEST_OF_A_TRIAL)?;
    within.check("samples", *samples, 1..=u64::from(MAX_SAMPLES))?;
    within.check("lead", *lead, 0..=u64::from(MOST_OF_A_BATCH))?;
    within.check("batch", *batch, 1..=u64::from(MOST_OF_A_BATCH))?;
    // All bytes of it are counted.
    within.check("bytes", trial.messages().saturating_mul(*size), 1..=u64::MAX >> 1)
}

impl RankOrder {
    fn check(&self) -> Result<(), OutOfBounds> {
        let Self { rank, size, first, name: _, plan, within_ms, patience_ms } = self;
        let (rank, size, first) = (*rank as u64, *size as u64, *first as u64);
        let within = Within("rank");
        within.check("size", size, 2..=MOST_RANKS as u64)?;
        // Rank 0 is the client, which is measured itself or conducts.
        within.check("number", rank, 1..=size - 1)?;
        within.check("first", first, 0..=1)?;
        within.check("within_ms", *within_ms, 0..=LONGEST_WAIT_MS)?;
        within.check("patience_ms", *patience_ms, 1..=LONGEST_WAIT_MS)?;
        Ok(plan.check()?)
    }
}
