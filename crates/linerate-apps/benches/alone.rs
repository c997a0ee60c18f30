//! The only rank of an application, with the clock of the wall.

use std::time::Instant;

use linerate_core::comm::alone::Alone;
use linerate_core::units::{Span, Time};

pub(crate) fn alone() -> Alone<impl Fn() -> Time> {
    let zero = Instant::now();
    Alone(move || Time::ZERO + Span::from(zero.elapsed()))
}
