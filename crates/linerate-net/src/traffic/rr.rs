//! Requests and their responses: the initiator asks, the responder answers.
//!
//! A closed loop keeps a fixed number of requests in flight and sends the next one when a response
//! arrives. An open loop sends at scheduled times, whether or not responses have arrived, and
//! counts its times from then, so that a pause of the peer shows in every request that it delayed.
//! With a connection per transaction each one makes its channel anew.
//!
//! On streams responses come in the order of the requests. Datagrams may be lost, so there every
//! request begins with a number that its response repeats: 16 bytes, the number and its complement.

mod agree;
mod answerers;
mod askers;
mod by_connection;
mod hosts;
mod places;

pub(crate) use agree::agree;
pub(crate) use answerers::{NextChannel, answer_all, answer_by_connection, tally};
pub(crate) use askers::{Askers, Held, Join, asked};
pub(crate) use hosts::{Beside, watched};
pub(crate) use places::places;
