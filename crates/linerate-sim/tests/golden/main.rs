//! Tables in virtual time, to be read in a diff: a number that moves is a model that changed.

#[path = "../support/measured.rs"]
mod measured;
#[path = "../support/plans.rs"]
mod plans;

mod hubs;
mod media;
mod watermarks;
