//! A virtual clock and an executor of two tasks, small enough to be seen to be right.
//!
//! Time passes only when neither task can go on: then the clock jumps to the next event, events at
//! one instant in the order in which they were set. Tasks are polled in a fixed order. Nothing
//! here depends on the host, so that equal inputs give equal runs.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use linerate_core::units::Time;

/// The clock, its future, and whether anything happened at the present instant.
#[derive(Clone)]
pub(crate) struct Kernel(Rc<RefCell<State>>);

struct State {
    now: Time,
    sequence: u64,
    alarms: BinaryHeap<Reverse<(Time, u64)>>,
    progress: u64,
}

impl Kernel {
    pub(crate) fn starting_at(now: Time) -> Self {
        Self(Rc::new(RefCell::new(State { now, sequence: 0, alarms: BinaryHeap::new(), progress: 0 })))
    }

    pub(crate) fn now(&self) -> Time {
        self.0.borrow().now
    }

    /// Makes the clock stop at `at`, so that who waits for it is polled then.
    pub(crate) fn alarm(&self, at: Time) {
        let mut state = self.0.borrow_mut();
        state.sequence += 1;
        let entry = (at, state.sequence);
        state.alarms.push(Reverse(entry));
    }

    /// Says that something changed which the other task may wait for.
    pub(crate) fn stir(&self) {
        self.0.borrow_mut().progress += 1;
    }

    fn progress(&self) -> u64 {
        self.0.borrow().progress
    }

    /// Jumps to the next event; false if there is none.
    fn advance(&self) -> bool {
        let mut state = self.0.borrow_mut();
        let Some(Reverse((at, _))) = state.alarms.pop() else { return false };
        assert!(at >= state.now, "an alarm was set in the past");
        state.now = at;
        true
    }

    /// Runs both tasks to their ends. None stands for a task that waits for what will never come.
    pub(crate) fn run<A: Future, B: Future>(
        &self,
        one: A,
        other: B,
    ) -> (Option<A::Output>, Option<B::Output>) {
        let (mut one, mut other) = (pin!(one), pin!(other));
        let mut outputs = (None, None);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            let before = self.progress();
            if outputs.0.is_none()
                && let Poll::Ready(output) = one.as_mut().poll(&mut context)
            {
                outputs.0 = Some(output);
            }
            if outputs.1.is_none()
                && let Poll::Ready(output) = other.as_mut().poll(&mut context)
            {
                outputs.1 = Some(output);
            }
            let both = outputs.0.is_some() && outputs.1.is_some();
            if both || (self.progress() == before && !self.advance()) {
                return outputs;
            }
        }
    }
}
