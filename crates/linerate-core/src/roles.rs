//! What each end does in a trial: every pattern is a pair of functions, one for each role.
//!
//! The functions run over any [`Endpoint`]: a real one under [`crate::endpoint::run_ready`], a
//! modelled one under its simulator's executor.

mod exchange;
mod one_way;
mod ping_pong;

use crate::endpoint::{Endpoint, LinkError};
use crate::pattern::Pattern;
use crate::payload::Messages;
use crate::trial::{Half, Trial, reply_seed};

impl Pattern {
    /// Runs the initiator.
    ///
    /// # Errors
    ///
    /// The endpoint's error.
    pub async fn initiate<E: Endpoint, M: Messages>(
        self,
        end: &mut E,
        trial: &Trial,
        messages: &mut M,
    ) -> Result<Half, LinkError> {
        match self {
            Self::PingPong => ping_pong::initiate(end, trial, messages).await,
            Self::OneWay => one_way::initiate(end, trial, messages).await,
            Self::Exchange => exchange::initiate(end, trial, messages).await,
        }
    }

    /// Writes what the responder will send in `trial`. Memory that takes long to write and
    /// remembers what it holds is then ready when the other end's clock starts.
    ///
    /// # Errors
    ///
    /// A message longer than this host's memory can be.
    pub fn prepare_answer<M: Messages>(self, trial: &Trial, messages: &mut M) -> Result<(), LinkError> {
        match self {
            Self::OneWay => {}
            Self::PingPong | Self::Exchange => {
                messages.prepare(trial.message_len()?, reply_seed(trial.seed), trial.check);
            }
        }
        Ok(())
    }

    /// Runs the responder.
    ///
    /// # Errors
    ///
    /// The endpoint's error.
    pub async fn respond<E: Endpoint, M: Messages>(
        self,
        end: &mut E,
        trial: &Trial,
        messages: &mut M,
    ) -> Result<Half, LinkError> {
        match self {
            Self::PingPong => ping_pong::respond(end, trial, messages).await,
            Self::OneWay => one_way::respond(end, trial, messages).await,
            Self::Exchange => exchange::respond(end, trial, messages).await,
        }
    }
}
