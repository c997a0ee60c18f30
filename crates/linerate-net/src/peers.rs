//! Servers of other tools as peers: a file for each, which speaks the tool's protocol and carries loads over it.
//!
//! What they say is a stranger's word: lengths are bounded, every wait ends, and what they do not report stays unknown.

mod error;
pub mod iperf3;

pub use error::ToolError;
pub use iperf3::Iperf3;
