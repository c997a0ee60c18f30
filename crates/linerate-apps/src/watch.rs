//! Who sees how far an application is.

use std::ops::ControlFlow;

/// Sees how far an application is: called at rank 0 only.
pub trait AppWatch {
    /// `done` of `all` are done, and the merit until now is this. `Break` ends the run early, at every rank, with what
    /// there is.
    fn progress(&mut self, done: u64, all: u64, merit: f64) -> ControlFlow<()>;
}

/// Sees nothing and ends nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl AppWatch for Unwatched {
    fn progress(&mut self, _: u64, _: u64, _: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
