//! The results of loads on a path, bulk and requests, at both ends of every flow.

mod account;
mod course;
mod derive;
mod hdr_log;
mod latency_looks;
mod looks;
mod pace;
mod progress;
mod requests;
mod schedule;

pub use crate::plan::{
    Bound, DATAGRAM_HEADER, DATAGRAM_TAG, DEFAULT_MESSAGE, Direction, Load, MOST_FLOWS, Phase, RrPlan,
    StreamPlan,
};
pub use account::{
    Datagrams, EcnCounts, Ended, FlowAccount, HalfAccount, Interval, IoReport, Latency, LatencyLook, Transfer,
};
pub use derive::{Class, FAIR, Summary, jain};
pub use hdr_log::hdr_log;
pub use looks::{Cadence, FlowLooks, FlowRecord, Join, Kept};
pub use pace::{Pace, ReaderPace};
pub use progress::{PATIENCE, Progress, SendProgress};
pub use requests::{Request, RequestProgress};
pub use schedule::Schedule;
