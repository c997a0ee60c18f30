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
mod answerers;
mod askers;
mod by_connection;
mod hosts;
mod places;

pub(crate) use agree::agree;
pub(crate) use answerers::{NextChannel, answer_all, answer_by_connection};
pub(crate) use askers::{Askers, Held, Join};
pub(crate) use hosts::watched;
pub(crate) use places::places;
