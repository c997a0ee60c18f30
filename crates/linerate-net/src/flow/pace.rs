//! Waiting until a paced message is due.

use std::sync::atomic::{AtomicBool, Ordering};

use linerate_core::units::{Span, Time};

use crate::observe::HostClock;

/// Closer to a departure than this the thread does not sleep, because a sleeping thread wakes about
/// this late.
const SPIN: Span = Span::from_us(60);
/// The longest sleep, so that a flow that is to end notices it.
const NAP: Span = Span::from_ms(100);

/// Waits until `until`, or until `stop` is set.
pub(super) fn wait(until: Time, clock: &HostClock, stop: Option<&AtomicBool>) {
    loop {
        let left = until.since(clock.now());
        if left == Span::ZERO || stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return;
        }
        if left > SPIN {
            std::thread::sleep((left - SPIN).min(NAP).to_duration());
        } else {
            std::hint::spin_loop();
        }
    }
}
