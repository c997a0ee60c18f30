//! What the two ends say to each other after the greeting.

use linerate_core::environment::Environment;
use linerate_core::kernel::{HostSample, TcpSample};
use linerate_core::observation::{Clock, Observation};
use linerate_core::options::Granted;
use linerate_core::plan::Plan;
use linerate_core::stages::Marks;
use linerate_core::traffic::{Direction, HalfAccount, Interval, Load};
use linerate_core::trial::{Half, Trial};
use serde::{Deserialize, Serialize};

use super::{Challenge, Proof, Rendezvous};

/// 16 random bytes by which a channel is known to belong to a conversation.
pub type ChannelToken = [u8; 16];

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
    /// Channels, for what comes next.
    Open(Opening),
    /// The next trial.
    Trial(Trial),
    /// The next size of stamped messages.
    Stages {
        /// Their size. Unit: bytes.
        size: u64,
        /// How many it will send, warm-up included.
        count: u32,
    },
    /// That its channels stand and the load may begin.
    Start,
    /// That the load has ended at its end, and it would hear the server's accounts; or that it
    /// wants no more stamped messages.
    Collect,
    /// That it is done and would hear what the server observed.
    Finish,
}

/// What channels are opened for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Opening {
    /// One, for the trials of a curve.
    Trials,
    /// One, for stamped messages.
    Stages,
    /// As many as the load has flows.
    Load(Box<Load>),
}

/// What a server says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// That it knows the key too.
    Proof(Proof),
    /// That others are before the client: its place in the queue, from 1.
    Queued(u32),
    /// That it is the client's turn.
    Admitted {
        /// What the server's host is.
        environment: Box<Environment>,
        /// The clock that will time here.
        clock: Clock,
    },
    /// That the client may open its channels.
    #[serde(rename = "meet")]
    Rendezvous {
        /// With this.
        #[serde(rename = "pass")]
        token: ChannelToken,
        /// And there.
        #[serde(rename = "meeting")]
        rendezvous: Rendezvous,
    },
    /// That they stand; what the first one's socket was granted.
    Ready(Box<Granted>),
    /// That this end of the trial starts now.
    Go,
    /// This end's account of the trial.
    Half(Half),
    /// What was noted of each of the stamped messages, in their order.
    Stages(Vec<Marks>),
    /// This end's account of one flow of the load, without what it kept at intervals.
    Flow {
        /// Its number.
        flow: u32,
        /// Which way it went, as the client sees it.
        direction: Direction,
        /// The account.
        half: Box<HalfAccount>,
    },
    /// More of what the flow before kept at intervals.
    More(Vec<Interval>, Vec<TcpSample>),
    /// How many requests of one flow were answered here.
    Answered {
        /// Its number.
        flow: u32,
        /// Transactions, warm-up included.
        transactions: u64,
        /// Their payload, both ways together.
        bytes: u64,
    },
    /// What the host did meanwhile, at intervals.
    Hosts(Vec<HostSample>),
    /// That all accounts are told.
    Told,
    /// What was observed here, and what the socket has at the end.
    Observed(Box<Observation>, Box<Granted>),
    /// That it will not, and why; the connection ends.
    Refused(String),
}
