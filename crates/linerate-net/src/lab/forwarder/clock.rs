//! When the forwarder sleeps, and when it looks at the clock instead so as not to be late.

use std::time::Instant;

use linerate_core::units::{Span, Time};

/// How long before a departure it looks at the clock: at first, and at least and at most later. A wake-up took 60 us
/// after a sleep of 5 ms and 150 us after one of 1 s on a virtual machine.
const FIRST_SPIN: Span = Span::from_us(200);
const SPINS: [Span; 2] = [Span::from_us(40), Span::from_us(500)];
/// What the latest wake-up is exceeded by.
const SPARE: Span = Span::from_us(20);
/// How long it may be awake without paying for it, and what a time asleep pays for. A thread of real time that never
/// sleeps is stopped by the kernel for 50 ms of each second where others wait for its processor.
const MOST_OWED: Span = Span::from_ms(50);
const PAID_BY_SLEEP: u64 = 10;

/// The time since it was started.
#[derive(Debug)]
pub(super) struct Clock {
    begun: Instant,
    /// How long before a departure it wakes.
    spin: Span,
    woke: Time,
    /// Time awake that no sleep has paid for yet, until it woke last.
    owed: Span,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self { begun: Instant::now(), spin: FIRST_SPIN, woke: Time::ZERO, owed: Span::ZERO }
    }

    pub(super) fn now(&self) -> Time {
        Time::ZERO + Span::from(self.begun.elapsed())
    }

    /// Whether it has been awake for too long.
    pub(super) fn is_overdue(&self) -> bool {
        self.owed + self.now().since(self.woke) > MOST_OWED
    }

    /// How long to sleep before the departure at `next`, if there is one.
    pub(super) fn sleep(&self, next: Option<Time>) -> Span {
        let now = self.now();
        let spin = if self.is_overdue() { Span::ZERO } else { self.spin };
        next.map_or(Span::MAX, |next| next.since(now).saturating_sub(spin))
    }

    /// That it slept since `from` for `patience`, or until a frame came. The latest wake-up counts, and is forgotten
    /// little by little.
    pub(super) fn slept(&mut self, from: Time, patience: Span, over: bool) {
        let now = self.now();
        if over {
            let [least, most] = SPINS;
            let late = now.since(from + patience);
            self.spin = (late + SPARE).max(self.spin - self.spin / 16).clamp(least, most);
        }
        self.owed = (self.owed + from.since(self.woke)).saturating_sub(now.since(from) * PAID_BY_SLEEP);
        self.woke = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    #[test]
    fn it_wakes_before_a_departure_as_early_as_wake_ups_are_late() {
        let mut clock = Clock::start();
        let far = clock.now() + Span::from_ms(100_000);
        let spin = |clock: &Clock| {
            let left = far.since(clock.now());
            (left - clock.sleep(Some(far))).as_us().round()
        };
        assert!(clock.sleep(None) == Span::MAX && spin(&clock) >= 200.0);
        // Of a sleep that was to end before the clock began it is as late as it can be.
        clock.slept(Time::ZERO, Span::ZERO, true);
        let early = spin(&clock);
        assert!((40.0..=510.0).contains(&early), "{early}");
    }

    #[test]
    fn who_never_sleeps_sleeps_to_the_end_until_it_has_paid() {
        let mut clock = Clock { woke: Time::ZERO, owed: Span::from_ms(60), ..Clock::start() };
        let next = clock.now() + Span::from_ms(10_000);
        let whole = clock.sleep(Some(next));
        assert!(
            clock.is_overdue() && next.since(clock.now()) <= whole + Span::from_us(1),
            "it sleeps to the end"
        );
        // 1 ms pays for 10 ms.
        clock.begun -= std::time::Duration::from_millis(20);
        clock.slept(at(0), Span::from_ms(2), true);
        assert!(clock.owed == Span::ZERO, "{}", clock.owed);
        assert!(clock.sleep(Some(next)) < next.since(clock.now()));
    }
}
