//! Who sends when: each pattern is a pair of functions, one for each end.
//!
//! The functions run over any [`Endpoint`]: a real one under [`crate::endpoint::run_ready`], a
//! modelled one under its simulator's executor.

mod exchange;
mod ping_pong;
mod stream;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::endpoint::{Endpoint, LinkError};
use crate::payload::Messages;
use crate::trial::{Half, Tally, Trial, reply_seed};

/// Who sends when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// A message there, a message back; half the round trip is the one-way time.
    #[default]
    PingPong,
    /// Messages one way without pause, timed where they arrive.
    Stream,
    /// A message each way at once; the time until both have arrived.
    Exchange,
}

impl Pattern {
    /// Every pattern, for help texts and tests.
    pub const ALL: [Self; 3] = [Self::PingPong, Self::Stream, Self::Exchange];

    /// The name on the command line and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PingPong => "ping-pong",
            Self::Stream => "stream",
            Self::Exchange => "exchange",
        }
    }

    /// Runs the end that starts.
    ///
    /// # Errors
    ///
    /// What the endpoint met.
    pub async fn initiate<E: Endpoint, M: Messages>(
        self,
        end: &mut E,
        trial: &Trial,
        messages: &mut M,
    ) -> Result<Half, LinkError> {
        match self {
            Self::PingPong => ping_pong::initiate(end, trial, messages).await,
            Self::Stream => stream::initiate(end, trial, messages).await,
            Self::Exchange => exchange::initiate(end, trial, messages).await,
        }
    }

    /// Writes what the answering end will send in `trial`. Memory that takes long to write and
    /// remembers what it holds is then ready when the other end's clock starts.
    ///
    /// # Errors
    ///
    /// A message longer than this host's memory can be.
    pub fn prepare_answer<M: Messages>(self, trial: &Trial, messages: &mut M) -> Result<(), LinkError> {
        match self {
            Self::Stream => {}
            Self::PingPong | Self::Exchange => {
                messages.prepare(trial.message_len()?, reply_seed(trial.seed), trial.check);
            }
        }
        Ok(())
    }

    /// Runs the end that answers.
    ///
    /// # Errors
    ///
    /// What the endpoint met.
    pub async fn respond<E: Endpoint, M: Messages>(
        self,
        end: &mut E,
        trial: &Trial,
        messages: &mut M,
    ) -> Result<Half, LinkError> {
        match self {
            Self::PingPong => ping_pong::respond(end, trial, messages).await,
            Self::Stream => stream::respond(end, trial, messages).await,
            Self::Exchange => exchange::respond(end, trial, messages).await,
        }
    }

    /// Whether the samples are timed on the responder's clock.
    #[must_use]
    pub const fn timed_by_responder(self) -> bool {
        matches!(self, Self::Stream)
    }

    /// Whether messages follow each other without waiting for an answer: they coalesce on the way,
    /// so that single arrivals say nothing, and there is no latency to be had from them.
    #[must_use]
    pub const fn overlaps(self) -> bool {
        matches!(self, Self::Stream)
    }

    /// Messages that pass one after the other within one timed message: two for a round trip.
    #[must_use]
    pub const fn legs(self) -> u64 {
        match self {
            Self::PingPong => 2,
            Self::Stream | Self::Exchange => 1,
        }
    }

    /// Messages that pass before the first sample begins.
    #[must_use]
    pub const fn opening_messages(self) -> u64 {
        match self {
            Self::Stream => 1,
            Self::PingPong | Self::Exchange => 0,
        }
    }

    /// What the initiator and the responder must have counted after `trial`.
    pub(crate) fn tallies(self, trial: &Trial) -> [Tally; 2] {
        let messages = trial.messages();
        let one_way = Tally { sent_bytes: messages * trial.size, sent: messages, ..Tally::default() };
        let other_way =
            Tally { received_bytes: messages * trial.size, received: messages, ..Tally::default() };
        let both = Tally { sent: messages, sent_bytes: messages * trial.size, ..other_way };
        match self {
            Self::Stream => [one_way, other_way],
            Self::PingPong | Self::Exchange => [both, both],
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Pattern {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|pattern| pattern.name() == text)
            .ok_or_else(|| format!("`{text}` is none of ping-pong, stream, exchange"))
    }
}
