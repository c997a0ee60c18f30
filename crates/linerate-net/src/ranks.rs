//! Ranks over TCP: processes on hosts that find each other at rank 0 and then send messages.
//!
//! Rank 0 listens, the others come to it, prove the key and say which rank they are and of which plan. It gives every one
//! the table of all. Two ranks have a connection from their first message on; that with rank 0 is the one by which they
//! came. A message is its length in 8 bytes, little-endian, and then its bytes, in one call.

mod comm;
mod door;
mod introduction;
mod job;
mod member;
mod place;
mod rendezvous;
mod stream;
mod watch;

pub use comm::TcpComm;
pub use introduction::{Comes, Introduction, Reception};
pub use job::Job;
pub use member::{Application, FindApplication, Program, RankError, joining, take_part};
pub use place::{Place, PlaceError, place};
pub use rendezvous::{Absent, Attendance, JoinError, Joining, Meeting, Oversight, Row, Told, join, lead};
pub use watch::RankWatch;
