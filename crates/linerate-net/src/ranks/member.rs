//! A rank that is told what to do, from its first step to its last word.

use std::time::Duration;

use linerate_core::comm::CommError;
use linerate_core::endpoint::run_ready;
use linerate_core::mesh::{self, Asked, RankAccount};
use linerate_core::plan::{AppPlan, MeshMemory, PlanError, Task};
use linerate_core::units::Span;

use super::comm::TcpComm;
use super::rendezvous::{JoinError, Joining, Meeting, Oversight, join};
use super::watch::RankWatch;
use crate::control::{Key, RankOrder};
use crate::observe::HostClock;

/// Why a rank did not go to the end. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RankError {
    /// The ranks did not find each other.
    #[error(transparent)]
    Join(#[from] JoinError),
    /// Rank 0 is gone.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// Ranks have nothing to do with the plan.
    #[error("be a rank: the plan is one for `linerate {0}`")]
    NoRanks(&'static str),
    /// So many ranks cannot do it.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The plan of an application is none.
    #[error("{0}")]
    App(String),
}

/// An application as a rank runs it.
pub trait Application: std::fmt::Debug {
    /// About the memory that a rank takes, if there are so many. Unit: bytes.
    fn memory(&self, ranks: usize) -> u64;

    /// Does what rank 0 orders until it has no more orders. The ranks that are measured begin with `first`; one that does not
    /// move a byte for as long as `patience` is lost.
    ///
    /// # Errors
    ///
    /// When rank 0 is gone.
    fn follow(&self, comm: &mut TcpComm, first: usize, patience: Span) -> Result<(), CommError>;
}

/// Finds the application of a plan that so many ranks can run. This crate knows none of them.
pub type FindApplication = fn(&AppPlan, usize) -> Result<Box<dyn Application>, RankError>;

/// What the ranks of a plan do.
#[derive(Debug)]
pub enum Program<'a> {
    /// They measure their pairs.
    Mesh(Asked<'a>),
    /// They run an application.
    App {
        /// Which, with its options.
        app: Box<dyn Application>,
        /// The first rank that is measured.
        first: usize,
        /// A rank that does not move a byte for so long is lost.
        patience: Span,
    },
}

/// What `order` says of how to join, with `key` and the clock that times.
#[must_use]
pub fn joining(order: &RankOrder, key: &Key, clock: HostClock) -> Joining {
    Joining {
        rank: order.rank,
        size: order.size,
        first: order.first,
        name: order.name.clone(),
        plan: order.plan.question(),
        key: key.clone(),
        within: Duration::from_millis(order.within_ms),
        patience: Span::from_ms(order.patience_ms),
        clock,
        oversight: Oversight::default(),
    }
}

impl<'a> Program<'a> {
    /// What the ranks of `order` do, with the applications that `find` knows.
    ///
    /// # Errors
    ///
    /// When its plan is none for ranks, or so many cannot do it.
    pub fn of(order: &'a RankOrder, find: FindApplication) -> Result<Self, RankError> {
        let (first, patience) = (order.first, Span::from_ms(order.patience_ms));
        let ranks = order.size.saturating_sub(first);
        match &order.plan.task {
            Task::Mesh(mesh) => {
                mesh.check_for(ranks)?;
                Ok(Self::Mesh(Asked { plan: mesh, seed: order.plan.common.seed, patience, first }))
            }
            Task::App(plan) => Ok(Self::App { app: find(plan, ranks)?, first, patience }),
            other => Err(RankError::NoRanks(other.verb())),
        }
    }

    /// The largest message that is known beforehand, and about the memory that a rank takes, if there are `ranks`. Unit:
    /// bytes.
    #[must_use]
    pub fn memory(&self, ranks: usize) -> MeshMemory {
        match self {
            Self::Mesh(asked) => asked.plan.memory(ranks),
            // One rank alone has all of it.
            Self::App { app, .. } => MeshMemory { message: 0, all: app.memory(1).max(app.memory(ranks)) },
        }
    }

    async fn follow(&self, comm: &mut TcpComm) -> Result<(), CommError> {
        match self {
            Self::Mesh(asked) => mesh::follow(comm, *asked).await,
            Self::App { app, first, patience } => app.follow(comm, *first, *patience),
        }
    }
}

/// Joins rank 0 where `meet` says that it is, does what that says, and tells it what was seen, unless its `oversight` ends it.
///
/// # Errors
///
/// [`RankError`]; what failed between this rank and another than 0 is told to rank 0.
pub fn take_part(
    order: &RankOrder,
    find: FindApplication,
    meet: impl FnMut() -> Result<Meeting, String>,
    clock: HostClock,
    oversight: Oversight,
) -> Result<(), RankError> {
    let program = Program::of(order, find)?;
    // The key is the one that is found.
    let joining = joining(order, &Key::fresh().map_err(no_random)?, clock);
    let mut comm = join(meet, Joining { oversight, ..joining })?;
    let watch = RankWatch::start(&comm, clock);
    let done = run_ready(async {
        program.follow(&mut comm).await?;
        let account = watch.finish(&comm, order.first);
        mesh::tell(&mut comm, &told(&account)).await
    });
    done.map_err(RankError::from)
}

fn no_random(source: std::io::Error) -> JoinError {
    JoinError::System { operation: "draw random numbers", source }
}

fn told(account: &RankAccount) -> String {
    serde_json::to_string(account).expect("every field of an account has a JSON form")
}
