//! Where a message is on its way from one application to the other, and when: in the kernels of two hosts, or in a
//! model of them.
//!
//! ```text
//! sender    call -> accepted -> queued -> driven
//! receiver  handed -> arrived -> segment -> ready -> woken -> running -> taken
//! ```
//!
//! A message is where its last byte is: the times between two points that follow each other add up to the whole, from
//! call to taken. A point that a host does not tell of is absent, and the stage that would begin there begins at the
//! point before.

mod end_marks;
mod message;
mod packet;
mod point;
mod round_trips;
mod stage;
#[cfg(test)]
mod tests;
mod told;

pub use end_marks::{EndMarks, Receiving, Sending};
pub use message::Message;
pub use packet::PacketSeen;
pub use point::Point;
pub use round_trips::{Overhead, RoundTrips};
pub use stage::rank;
pub use stage::{Stage, common_points, complete, middle, stages};
pub use told::{Means, Stamped, Trace, TracedEnd, TracedSize, Way};
