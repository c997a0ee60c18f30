//! Curves over every medium, held to closed forms.

mod ethernet;
mod failures;
mod forms;
mod goodput;
mod half_duplex;
mod media;
mod window;
