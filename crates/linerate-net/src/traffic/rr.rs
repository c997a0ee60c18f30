//! Requests and their responses: the beginning end asks, the answering end answers.
//!
//! A closed loop keeps so many requests under way and asks again as soon as a response is there. An
//! open loop asks at set moments, whether or not the responses have come, and counts its times from
//! those moments, so that a pause of the peer is seen by every request that it kept waiting. With a
//! connection per transaction each one makes its channel anew.
//!
//! On streams responses come in the order of the requests. Datagrams may be lost, so there every
//! request begins with a number that its response repeats: 16 bytes, the number and its complement.

mod agree;
mod anew;
mod answer;
mod answerers;
mod ask;
mod askers;
mod asking;
mod hosts;
mod places;
mod tag;
mod under_way;

pub use answer::Answering;
pub use asking::Asking;
pub use linerate_core::traffic::Schedule;

pub(crate) use agree::agree;
pub(crate) use answer::{Answered, answer};
pub(crate) use answerers::{Arrival, answer_all, answer_anew};
pub(crate) use ask::ask;
pub(crate) use askers::{Askers, Held, Join};
pub(crate) use asking::GIVE_UP;
pub(crate) use hosts::watched;
pub(crate) use places::places;

/// Seed of the bytes of every request and response.
const SEED: u64 = 0x7265_7175_6573_7473;
