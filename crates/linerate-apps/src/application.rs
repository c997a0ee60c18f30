//! What every application has: a plan that checks itself, and a program that every rank runs.

use std::fmt;

use linerate_core::app::{AppFigure, Check, Course};
use linerate_core::comm::{Comm, CommError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use crate::watch::{AppWatch, Unwatched};
use crate::work::Work;

/// An application with all that it is asked.
///
/// Its plan is this type itself, as it is written in files: `Serialize` and `DeserializeOwned`. Every rank has the same.
pub trait Application: Clone + fmt::Debug + Serialize + DeserializeOwned {
    /// What a rank found. That of rank 0 is the result; the others may have less.
    type Outcome: fmt::Debug + Serialize + DeserializeOwned;

    /// How people write it, such as `hint`.
    const NAME: &'static str;
    /// What one unit of its work is, such as `step of an atom`.
    const UNIT: &'static str;
    /// What it is measured by, such as `photons/s`.
    const MERIT: &'static str;
    /// What people call it, such as `Lennard-Jones MD`.
    const TITLE: &'static str;

    /// Whether `ranks` can do what is asked.
    ///
    /// # Errors
    ///
    /// [`AppError::Plan`]: one sentence that says what to ask for instead.
    fn check(&self, ranks: usize) -> Result<(), AppError>;

    /// About the memory that a rank takes, if there are so many. Unit: bytes.
    fn memory(&self, ranks: usize) -> u64;

    /// What people are told of a result.
    fn told(&self, outcome: &Self::Outcome) -> Told;

    /// What it can show besides: a picture, or a trajectory. Empty if there is nothing.
    ///
    /// # Errors
    ///
    /// [`AppError::Plan`] if it cannot be drawn.
    fn shown(&self, outcome: &Self::Outcome) -> Result<Vec<u8>, AppError>;

    /// What a rank does. The plan was checked, and all ranks have the same one.
    fn run<C: Comm>(
        &self,
        work: &mut Work<'_, C>,
        watch: &mut dyn AppWatch,
    ) -> impl Future<Output = Result<Self::Outcome, AppError>>;
}

/// What people are told of a result: the part of an [`AppCase`](linerate_core::app::AppCase) that the application knows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// The merit, in the unit of [`Application::MERIT`].
    pub merit: f64,
    /// Whether it was ended early.
    pub interrupted: bool,
    /// Numbers by name.
    pub figures: Vec<AppFigure>,
    /// Courses by name.
    pub courses: Vec<Course>,
    /// What was checked.
    pub checks: Vec<Check>,
}

/// Why an application has no result. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppError {
    /// The plan asks for something impossible.
    #[error("{0}")]
    Plan(String),
    /// Ranks have different plans.
    #[error(
        "agree on what to do: rank {rank} was asked for something else than rank 0; start every rank with the same options"
    )]
    Disagree {
        /// The first one that differs.
        rank: usize,
    },
    /// The calculation cannot go on.
    #[error("{0}")]
    Calculation(String),
    /// What arrived from another rank makes no sense.
    #[error("understand what rank {rank} sent: {reason}")]
    Nonsense {
        /// Who sent it.
        rank: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The carrier's error.
    #[error(transparent)]
    Comm(#[from] CommError),
}

/// Compares the plans of all ranks, so that none waits for what no other will send. Messages: one of 32 B from each rank
/// to rank 0, one of 8 B back.
///
/// # Errors
///
/// [`AppError::Disagree`] at every rank, or the carrier's error.
pub async fn agree<A: Application>(plan: &A, comm: &mut impl Comm) -> Result<(), AppError> {
    let text = serde_json::to_vec(plan).expect("a plan is written in files");
    let mine: [u8; 32] = Sha256::new().chain_update(A::NAME).chain_update(text).finalize().into();
    let mut verdict = [0; 8];
    if comm.rank() == 0 {
        let mut first = 0_u64;
        for rank in 1..comm.size() {
            let mut theirs = [0; 32];
            comm.recv_from(rank, &mut theirs).await?;
            if theirs != mine && first == 0 {
                first = rank as u64;
            }
        }
        verdict = first.to_le_bytes();
        for rank in 1..comm.size() {
            comm.send_to(rank, &verdict).await?;
        }
    } else {
        comm.send_to(0, &mine).await?;
        comm.recv_from(0, &mut verdict).await?;
    }
    match u64::from_le_bytes(verdict) {
        0 => Ok(()),
        rank => Err(AppError::Disagree { rank: usize::try_from(rank).unwrap_or(usize::MAX) }),
    }
}
