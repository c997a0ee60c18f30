//! Curves over every medium, held to closed forms.

#[path = "../support/measured.rs"]
mod measured;
#[path = "../support/plans.rs"]
mod plans;

mod ethernet;
mod failures;
mod forms;
mod goodput;
mod half_duplex;
mod media;
mod window;
