//! Whether a receiver sleeps until the next datagram comes, or looks for it.

use linerate_core::units::{Span, Time};

/// If a flow's datagrams follow each other within this time, the receiver polls for this long
/// before the thread sleeps. A sleeper costs the sender: on one host it is the sender's thread that
/// wakes it, which takes as long as sending a datagram, or several on a virtual machine.
const LOOK: Span = Span::from_us(20);
/// A polling thread misses this much time only when another thread got the processor.
const TAKEN: Span = Span::from_us(200);
/// How long not to poll on a processor that others want.
const SHARED: Span = Span::from_ms(50);

/// How the last looks went.
#[derive(Debug)]
pub(super) struct Watch {
    sleeps: bool,
    arrived: Time,
    looked: Time,
    shared_until: Time,
}

impl Watch {
    /// Begins with sleep.
    pub(super) const fn new(now: Time) -> Self {
        Self { sleeps: true, arrived: now, looked: now, shared_until: now }
    }

    /// Whether the next look may sleep.
    pub(super) const fn sleeps(&self) -> bool {
        self.sleeps
    }

    /// Notes that something came.
    #[inline]
    pub(super) fn arrived(&mut self, now: Time) {
        let since = now.since(std::mem::replace(&mut self.arrived, now));
        self.looked(now);
        self.sleeps = since > LOOK || now < self.shared_until;
    }

    /// Notes a look.
    #[inline]
    pub(super) fn looked(&mut self, now: Time) {
        let away = now.since(std::mem::replace(&mut self.looked, now));
        if !self.sleeps && away > TAKEN {
            self.shared_until = now + SHARED;
        }
        self.sleeps = now.since(self.arrived) > LOOK || now < self.shared_until;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    #[test]
    fn a_slow_flow_is_slept_for_and_a_fast_one_looked_for() {
        let mut watch = Watch::new(at(0));
        assert!(watch.sleeps());
        watch.arrived(at(1000));
        assert!(watch.sleeps(), "it follows nothing");
        watch.arrived(at(1010));
        assert!(!watch.sleeps(), "the next may come as soon");
        watch.looked(at(1030));
        assert!(!watch.sleeps());
        watch.looked(at(1031));
        assert!(watch.sleeps(), "it did not");
    }

    #[test]
    fn who_was_sent_away_while_looking_sleeps_for_a_while() {
        let mut watch = Watch::new(at(0));
        watch.arrived(at(10));
        watch.looked(at(12));
        watch.arrived(at(2000));
        assert!(watch.sleeps(), "another thread had the processor");
        for us in (2010..52_000).step_by(10) {
            watch.arrived(at(us));
            assert!(watch.sleeps(), "at {us} us");
        }
        watch.arrived(at(52_009));
        assert!(!watch.sleeps(), "and then it is tried again");
    }
}
