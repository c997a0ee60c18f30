//! The timers: retransmission, delayed acknowledgement, window probe.

use linerate_core::units::Time;

use super::{Connection, Failure, Stage};

/// A time that never comes.
const NEVER: Time = Time::from_ps(u64::MAX);

impl Connection {
    /// When the next timer expires, or `None` if no timer runs.
    #[must_use]
    pub fn next_timer(&self) -> Option<Time> {
        let recovery = [self.retransmission.deadline, self.probe.deadline, self.rack_deadline()];
        let others = [self.owed.deadline(), self.persist.deadline, self.pacer.deadline];
        // Asked after every event: two short loops without branches are a few times faster than a chain
        // of iterators.
        let earlier = |first: Time, timer: &Option<Time>| timer.map_or(first, |timer| first.min(timer));
        let first = others.iter().fold(recovery.iter().fold(NEVER, earlier), earlier);
        (first != NEVER).then_some(first)
    }

    /// Lets the timers that have run out by `now` take effect.
    pub fn expire(&mut self, now: Time) {
        let ran_out = |deadline: Option<Time>| deadline.is_some_and(|deadline| deadline <= now);
        self.pacer.pass(now);
        if ran_out(self.rack_deadline()) {
            self.overtaken_is_lost(now);
        }
        if ran_out(self.probe.deadline) {
            self.probe_tail(now);
        }
        if ran_out(self.owed.deadline()) {
            self.counters.delayed_acknowledgements += 1;
            self.owed.now();
        }
        if ran_out(self.retransmission.deadline) {
            self.retransmission_ran_out(now);
        }
        if ran_out(self.persist.deadline) {
            self.persist.ran_out();
            if self.persist.unanswered > self.rules().timers.retries {
                self.fail(Failure::TimedOut);
            }
        }
        self.watch_window(now);
        self.watch_waits(now);
    }

    /// RFC 6298, 5.4 to 5.6; RFC 5681, 3.1.
    fn retransmission_ran_out(&mut self, now: Time) {
        self.retransmission.deadline = None;
        if self.board.outstanding() == 0 {
            return;
        }
        let timers = &self.settings.rules.timers;
        let most = if self.stage == Stage::Open { timers.retries } else { timers.syn_retries };
        if self.retransmission.retries >= most {
            self.fail(Failure::TimedOut);
            return;
        }
        self.counters.timeouts += 1;
        let again = self.retransmission.retries > 0;
        let (flight, next) = (self.board.outstanding(), self.board.next());
        self.congestion.timeout(flight, next, again);
        self.duplicates = 0;
        self.lose_timed_out(now);
        self.forced = true;
        self.probe.stop();
        self.retransmission.back_off();
        self.retransmission.restart(now, &self.settings.rules.timers);
    }

    /// Starts the timer of probes where a closed window is all that holds data back, and stops it
    /// where that is no longer so (RFC 9293, 3.8.6.1).
    pub(super) fn watch_window(&mut self, now: Time) {
        if self.failure.is_some() || self.persist.due {
            return;
        }
        let next = self.board.next();
        let unsent = self.writer.end.saturating_sub(next);
        let wanted = unsent.min(u64::from(self.agreed.mss));
        let shut = self.stage == Stage::Open
            && unsent > 0
            && self.board.outstanding() == 0
            && self.peer.usable(next) < wanted
            && 2 * self.peer.usable(next) < self.peer.largest();
        if !shut {
            self.persist.stop();
        } else if self.persist.deadline.is_none() {
            let timers = &self.settings.rules.timers;
            self.persist.start(now, self.retransmission.timeout(timers), timers);
        }
    }
}
