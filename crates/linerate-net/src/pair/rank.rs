//! A server that is a rank of this client's mesh.

use std::ops::ControlFlow;
use std::time::Duration;

use linerate_core::plan::LocalOptions;
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

use super::conversation::{STEP, hear, introduce, say};
use super::{PairError, Target};
use crate::control::{Ask, Control, Key, RANKS_SINCE, RankOrder, Reply};

/// A server that is to join, or has joined, as a rank.
#[derive(Debug)]
pub struct ServerRank {
    control: Control,
}

impl ServerRank {
    /// Asks the server at `target` to be a rank of the mesh whose rank 0 listens at `port` of this host, and waits until it
    /// sets out; `queued` is told its place in the server's queue. A host that does not accept within `patience` is absent.
    ///
    /// # Errors
    ///
    /// When it cannot be reached, has another key, is too old, or refuses the plan.
    pub fn ask(
        target: &Target,
        key: &Key,
        (local, patience): (&LocalOptions, Duration),
        (port, order): (u16, RankOrder),
        queued: &mut impl FnMut(u32) -> ControlFlow<()>,
    ) -> Result<Self, PairError> {
        let at = |error: PairError| error.at(target);
        let control = introduce(target, Some(key), local, patience).map_err(at)?;
        if control.version() < RANKS_SINCE {
            let reason = "it is too old to be a rank; use the same version of linerate on all hosts";
            return Err(at(PairError::Refused { reason: reason.to_owned() }));
        }
        say(&control, &Ask::Rank { port, order: Box::new(order) }).map_err(at)?;
        loop {
            match hear(&control, STEP).map_err(at)? {
                Reply::Rank => return Ok(Self { control }),
                Reply::Queued(place) => {
                    if queued(place.number()).is_break() {
                        return Err(PairError::Interrupted);
                    }
                }
                other => return Err(at(PairError::unexpected(other))),
            }
        }
    }

    /// Why the server gave up, if it has said so. It does not wait.
    #[must_use]
    pub fn gave_up(&self) -> Option<String> {
        let said = recv(self.control.stream(), &mut [0_u8; 1][..], RecvFlags::PEEK | RecvFlags::DONTWAIT);
        if matches!(said, Err(Errno::AGAIN | Errno::INTR)) {
            return None;
        }
        match hear(&self.control, STEP) {
            Err(PairError::Refused { reason }) => Some(reason),
            Err(error) => Some(error.to_string()),
            Ok(_) => None,
        }
    }
}
