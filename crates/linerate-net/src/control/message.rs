//! What the two ends say to each other after the greeting.

use linerate_core::environment::Environment;
use linerate_core::observation::{Clock, Observation};
use linerate_core::options::Granted;
use linerate_core::plan::Plan;
use linerate_core::trial::{Half, Trial};
use serde::{Deserialize, Serialize};

use super::{Challenge, Proof};

/// By which a data connection is known to belong to a conversation.
pub type Pass = [u8; 16];

/// What a client says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Ask {
    /// That it knows the key; only to a server that is not open.
    Prove {
        /// The client's random bytes.
        challenge: Challenge,
        /// Its proof.
        proof: Proof,
    },
    /// What it would measure, whole: the server refuses what it does not understand.
    Offer(Box<Plan>),
    /// The next trial.
    Trial(Trial),
    /// That it is done and would hear what the server observed.
    Finish,
}

/// What a server says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// That it knows the key too.
    Proof(Proof),
    /// That others are before the client: its place in the queue, from 1.
    Queued(u32),
    /// That the client may open its data connection.
    Admitted {
        /// With this.
        pass: Pass,
        /// What the server's host is.
        environment: Box<Environment>,
        /// The clock that will time here.
        clock: Clock,
    },
    /// That the data connection stands.
    Ready(Box<Granted>),
    /// That this end of the trial starts now.
    Go,
    /// This end's account of the trial.
    Half(Half),
    /// What was observed here, and what the socket has at the end.
    Observed(Box<Observation>, Box<Granted>),
    /// That it will not, and why; the connection ends.
    Refused(String),
}
