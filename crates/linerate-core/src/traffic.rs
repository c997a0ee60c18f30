//! Loads on a path: bulk streams, and requests with their responses. What is asked, and what came
//! of it at both ends of every flow.

mod account;
mod derive;
mod hdr_log;
mod phases;
mod plan;

pub use account::{Datagrams, Ended, FlowAccount, HalfAccount, Interval, IoReport, Latency, Phase, Transfer};
pub use derive::{Class, FAIR, Summary, jain};
pub use hdr_log::hdr_log;
pub use phases::phases;
pub use plan::{
    Bound, DATAGRAM_HEADER, DATAGRAM_TAG, DEFAULT_MESSAGE, Direction, Load, MOST_FLOWS, RrPlan, StreamPlan,
};
