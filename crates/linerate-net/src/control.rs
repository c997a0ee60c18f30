//! The conversation between the two ends beside the connection under test.
//!
//! Every connection begins with a greeting of fixed length in both directions; what follows on a
//! control connection is frames of at most 64 KiB, each a message in JSON, which may be packed. Nothing a peer sends
//! is trusted before its length, its form and, unless the server is open, its key and each frame's code are checked.

use std::time::Duration;

mod bounds;
mod connection;
mod deadline;
mod frame;
mod greeting;
mod key;
mod message;
mod rank;
mod reflect;
mod rendezvous;
mod seal;
mod setting;
mod side;

pub use bounds::OutOfBounds;
pub(crate) use connection::Control;
pub use deadline::{Deadline, TimedStream};
pub(crate) use deadline::{closed_by_peer, keep_alive};
pub use frame::{
    FrameError, MAX_FRAME, PACKED, PACKED_SINCE, decode, encode, read_frame, read_sealed, write_frame,
    write_sealed,
};
pub use greeting::{
    CHALLENGE_LEN, Challenge, GREETING_LEN, Greeting, GreetingError, PROTOCOL, Purpose, Versions, Welcome,
};
pub(crate) use greeting::{WELCOME_LEN, harmless, readable};
pub(crate) use key::random;
pub use key::{Key, KeyError, Proof, Unauthenticated};
pub use message::{
    AHEAD_SINCE, Ask, ChannelToken, HOLDERS_SINCE, Opening, QueuePlace, REPORTS_SINCE, Reply, TRACES_SINCE,
    Telling,
};
pub use rank::{RANKS_SINCE, RankOrder};
pub use reflect::Reflector;
pub(crate) use reflect::{Probe, is_ipv6};
pub use rendezvous::{ChannelAddress, Rendezvous};
pub use seal::{CODE_LEN, SEALED_SINCE, Seal, Seals};
pub use setting::{
    LONGEST_NAME, LONGEST_VALUE, MOST_SETTINGS, SETTINGS_SINCE, SettingAsk, SettingEnd, SettingReply,
};
pub(crate) use side::Side;

/// How often a server reports what the flows of a load have moved, at least.
pub(crate) const REPORT: Duration = Duration::from_secs(1);
/// How many channels of a load are opened at the same time.
pub(crate) const AT_ONCE: u32 = 64;
/// The default port of `serve` and `measure`.
pub const DEFAULT_PORT: u16 = 5470;
