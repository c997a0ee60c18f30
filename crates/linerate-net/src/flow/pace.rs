//! Waiting until a paced message is due.

use linerate_core::traffic::Pace;
use linerate_core::units::Span;

use crate::observe::HostClock;

/// Closer to a departure than this the thread does not sleep, because a sleeping thread wakes about
/// this late.
const SPIN: Span = Span::from_us(60);

/// Waits until the next message of `pace` is due.
pub(super) fn wait(pace: &Pace, clock: &HostClock) {
    let Some(due) = pace.due() else { return };
    loop {
        let now = clock.now();
        if now >= due {
            return;
        }
        let left = due.since(now);
        if left > SPIN {
            std::thread::sleep((left - SPIN).to_duration());
        } else {
            std::hint::spin_loop();
        }
    }
}
