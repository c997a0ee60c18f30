//! A rank that is told what to do, from its first step to its last word.

use std::time::Duration;

use linerate_core::comm::CommError;
use linerate_core::endpoint::run_ready;
use linerate_core::mesh::{self, Asked, RankAccount};
use linerate_core::plan::Plan;
use linerate_core::units::Span;

use super::comm::TcpComm;
use super::rendezvous::{JoinError, Joining, Meeting, join};
use super::watch::RankWatch;
use crate::control::{Key, RankOrder};
use crate::observe::HostClock;

/// Why a rank did not go to the end. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
pub enum RankError {
    /// The ranks did not find each other.
    #[error(transparent)]
    Join(#[from] JoinError),
    /// Rank 0 is gone.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// The plan asks for no mesh.
    #[error("be a rank: the plan is one for `linerate {0}`")]
    NoMesh(&'static str),
}

/// What `order` says of how to join, with `key` and the clock that times.
#[must_use]
pub fn joining(order: &RankOrder, key: &Key, clock: HostClock) -> Joining {
    Joining {
        rank: order.rank,
        size: order.size,
        name: order.name.clone(),
        plan: order.plan.question(),
        key: key.clone(),
        within: Duration::from_millis(order.within_ms),
        patience: Span::from_ms(order.patience_ms),
        clock,
    }
}

/// What every rank knows of the mesh of `plan`.
///
/// # Errors
///
/// [`RankError::NoMesh`].
pub fn asked<'a>(plan: &'a Plan, order: &RankOrder) -> Result<Asked<'a>, RankError> {
    let mesh = plan.mesh().ok_or_else(|| RankError::NoMesh(plan.task.verb()))?;
    let patience = Span::from_ms(order.patience_ms);
    Ok(Asked { plan: mesh, seed: plan.common.seed, patience, first: order.first })
}

/// Joins rank 0 where `find` says that it is, does what that says, and tells it what was seen. `joined` is called
/// once all ranks have come.
///
/// # Errors
///
/// [`RankError`]; what failed between this rank and another than 0 is told to rank 0.
pub fn take_part(
    order: &RankOrder,
    find: impl FnMut() -> Result<Meeting, String>,
    clock: HostClock,
    joined: impl FnOnce(&TcpComm),
) -> Result<(), RankError> {
    let asked = asked(&order.plan, order)?;
    // The key is the one that is found.
    let mut comm = join(find, joining(order, &Key::fresh().map_err(no_random)?, clock))?;
    joined(&comm);
    let watch = RankWatch::start(&comm, clock);
    let done = run_ready(async {
        mesh::follow(&mut comm, asked).await?;
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
