//! The messages of the two ends after the greeting.

use std::net::IpAddr;

use linerate_core::environment::Environment;
use linerate_core::kernel::{Effort, HostSample, TcpSample};
use linerate_core::observation::{Clock, Observation};
use linerate_core::options::Granted;
use linerate_core::plan::Plan;
use linerate_core::stages::Marks;
use linerate_core::trace::{EndMarks, PacketSeen, TracedEnd};
use linerate_core::traffic::{Direction, HalfAccount, Interval, Load};
use linerate_core::trial::{Half, Trial};
use linerate_core::units::Span;
use serde::{Deserialize, Serialize};

use super::{Challenge, Proof, RankOrder, Reflector, Rendezvous, SettingAsk, SettingReply};

/// 16 random bytes that show that a channel belongs to a conversation.
pub type ChannelToken = [u8; 16];

/// Messages of a client.
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Ask {
    /// It knows the key. Only sent to a server that is not open.
    Prove {
        /// The client's random bytes.
        challenge: Challenge,
        /// Its proof.
        proof: Proof,
    },
    /// The complete plan that it wants to measure. The server refuses what it does not understand.
    Offer(Box<Plan>),
    /// Open channels for the next part.
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
    /// Find out how this end can tell where the messages of the trials' channel are; since version 7.
    Trace,
    /// The next messages to trace; since version 7.
    Traced {
        /// Their size. Unit: bytes.
        size: u64,
        /// How many go before those that are kept.
        warm_up: u32,
        /// How many are kept.
        count: u32,
        /// What is to tell of them.
        telling: Telling,
    },
    /// Its channels are open and the load may start.
    Start,
    /// The load has ended at its end; or it wants no more stamped or traced messages.
    Collect,
    /// About settings of the server's host; since version 5.
    Setting(SettingAsk),
    /// The server is to be a rank of a mesh; since version 6.
    Rank {
        /// The port of the client's host at which rank 0 awaits it.
        port: u16,
        /// Which rank, and of which mesh.
        order: Box<RankOrder>,
    },
    /// It is done and wants the server's observations, or its settings put back.
    Finish,
}

/// What channels are opened for.
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Opening {
    /// One, for the trials of a curve.
    Trials,
    /// One, for stamped messages.
    Stages,
    /// As many as the load has flows.
    Load(Box<Load>),
    /// The same of a load with one server: that the channels are open, which is said once the client has said to start,
    /// means that it starts. Since version 11.
    Alone(Box<Load>),
}

/// The first version of the conversation in which messages can be traced.
pub const TRACES_SINCE: u16 = 7;

/// The first version of the conversation in which a server reports what it counts while a load runs.
pub const REPORTS_SINCE: u16 = 8;

/// What tells where the messages of a block are.
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Telling {
    /// Nothing but the application.
    Nothing,
    /// The best that each end has.
    Best,
    /// That, and the kernel's timestamps as well.
    Both,
}

/// The first version of the conversation in which a client that waits hears who holds the slot.
pub const HOLDERS_SINCE: u16 = 9;

/// The first version of the conversation in which a client may ask for the first channels with its plan, and try the path
/// while they are opened.
pub const AHEAD_SINCE: u16 = 11;

/// The place of a client in the queue of a server, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum QueuePlace {
    /// Without a word about who holds the slot.
    Number(u32),
    /// Behind a client that is served.
    Behind {
        /// The place.
        place: u32,
        /// The client that has been served for longest.
        holder: IpAddr,
        /// For how long. Unit: seconds.
        held_s: u64,
    },
}

impl QueuePlace {
    /// The place alone.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Self::Number(place) | Self::Behind { place, .. } => place,
        }
    }
}

/// Messages of a server.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// It knows the key too.
    Proof(Proof),
    /// The client's place in the queue.
    Queued(QueuePlace),
    /// It is the client's turn.
    Admitted {
        /// The server's host.
        environment: Box<Environment>,
        /// The clock that will time here.
        clock: Clock,
        /// Where it answers datagrams that try how large a packet may be.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reflector: Option<Reflector>,
    },
    /// The client may open its channels.
    #[serde(rename = "meet")]
    Rendezvous {
        /// With this.
        #[serde(rename = "pass")]
        token: ChannelToken,
        /// And there.
        #[serde(rename = "meeting")]
        rendezvous: Rendezvous,
    },
    /// The channels are open; what the first one's socket was granted.
    Ready(Box<Granted>),
    /// This end of the trial starts now.
    Go,
    /// This end's account of the trial.
    Half(Box<Half>),
    /// What was noted of each of the stamped messages, in their order.
    Stages(Vec<Marks>),
    /// What can tell of messages here; since version 7.
    Tracer(Box<TracedEnd>),
    /// What was noted of some of the traced messages, in their order, and by the kernel's timestamps where they tell
    /// as well; since version 7.
    Traced(Vec<EndMarks>, Vec<Marks>),
    /// The end of that: the first packets, and how many events found no room; since version 7.
    Packets(Vec<PacketSeen>, u64),
    /// This end's account of one flow of the load, without its intervals, looks and samples.
    Flow {
        /// Its number.
        flow: u32,
        /// Which way it went, as the client sees it.
        direction: Direction,
        /// The account.
        half: Box<HalfAccount>,
    },
    /// What bulk flows of the load have moved here since the last such message about them; about every second while
    /// the load runs. Since version 8.
    Look {
        /// When, since the load began here.
        until: Span,
        /// The place of the first of these flows, in the order of their channels.
        first: u32,
        /// Payload of each from there on. Unit: bytes.
        bytes: Vec<u64>,
        /// Whether the load has ended here: the accounts follow.
        over: bool,
    },
    /// More intervals and looks of one flow, and samples of its connection.
    More {
        /// Its number.
        flow: u32,
        /// Which way it went, as the client sees it.
        direction: Direction,
        /// The intervals.
        intervals: Vec<Interval>,
        /// The looks; before version 10 they are in its account.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        looks: Vec<Interval>,
        /// The samples.
        samples: Vec<TcpSample>,
    },
    /// How many requests of one flow were answered here.
    Answered {
        /// Its number.
        flow: u32,
        /// Transactions, warm-up included.
        transactions: u64,
        /// Their payload, both ways together.
        bytes: u64,
        /// What this end spent on them. Linerates of before do not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effort: Option<Box<Effort>>,
    },
    /// What the host did meanwhile, at intervals.
    Hosts(Vec<HostSample>),
    /// Several of those about a load, in their order; since version 10.
    Several(Vec<Reply>),
    /// All accounts have been sent.
    Told,
    /// The observations here, and the socket's options at the end.
    Observed(Box<Observation>, Box<Granted>),
    /// About settings of the server's host; since version 5.
    Setting(SettingReply),
    /// It sets out to be a rank, and later: the mesh has ended; since version 6.
    Rank,
    /// A refusal with its reason; the connection ends.
    Refused(String),
}
