//! The retransmission timeout: RFC 6298.

mod probe;
mod rack;
mod scoreboard;

pub(super) use probe::TailProbe;
pub(super) use rack::{Patience, Rack};
pub(super) use scoreboard::{Delivered, Scoreboard, Sent};

use linerate_core::units::{Span, Time};

use super::TimerRules;

/// The first multiple of `tick` that is not before `span` after `now`, and after `now` at any rate.
pub(super) fn at_tick(now: Time, span: Span, tick: Span) -> Time {
    let tick = tick.as_ps();
    let due = (now + span).as_ps().max(now.as_ps().saturating_add(1));
    Time::from_ps(due.div_ceil(tick).saturating_mul(tick))
}

/// The round-trip time as it is estimated, the timeout that follows, and the timer.
#[derive(Debug)]
pub(super) struct Retransmission {
    smoothed: Option<Span>,
    least: Option<Span>,
    variance: Span,
    timeout: Span,
    backoff: u32,
    /// How often the first segment was retransmitted without success.
    pub(super) retries: u32,
    /// When the timer runs out, or `None` if it is stopped.
    pub(super) deadline: Option<Time>,
}

impl Retransmission {
    pub(super) fn new(rules: &TimerRules) -> Self {
        Self {
            smoothed: None,
            least: None,
            variance: Span::ZERO,
            timeout: rules.rto_initial,
            backoff: 0,
            retries: 0,
            deadline: None,
        }
    }

    pub(super) const fn smoothed(&self) -> Option<Span> {
        self.smoothed
    }

    /// The least round trip so far.
    pub(super) const fn least(&self) -> Option<Span> {
        self.least
    }

    /// A segment that was sent once was acknowledged after `rtt`.
    pub(super) fn measured(&mut self, rtt: Span) {
        self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
    }

    /// Mean deviation of the round-trip time.
    pub(super) const fn variation(&self) -> Span {
        self.variance
    }

    /// A round trip took `sample` (RFC 6298, 2.2 and 2.3). It ends a backing off (Karn's algorithm:
    /// only a segment that was sent once gives a sample, section 3).
    pub(super) fn sample(&mut self, sample: Span, rules: &TimerRules) {
        match self.smoothed {
            None => {
                self.smoothed = Some(sample);
                self.variance = sample / 2;
            }
            Some(smoothed) => {
                let apart = sample.saturating_sub(smoothed) + smoothed.saturating_sub(sample);
                self.variance = (self.variance * 3 + apart) / 4;
                self.smoothed = Some((smoothed * 7 + sample) / 8);
            }
        }
        self.backoff = 0;
        let smoothed = self.smoothed.unwrap_or(sample);
        let spread = (self.variance * 4).max(rules.tick);
        let timeout = if rules.rto_least_is_of_variance {
            smoothed + spread.max(rules.rto_least)
        } else {
            (smoothed + spread).max(rules.rto_least)
        };
        self.timeout = timeout.min(rules.rto_most);
    }

    /// The timeout as it is backed off (RFC 6298, 5.5).
    pub(super) fn timeout(&self, rules: &TimerRules) -> Span {
        backed_off(self.timeout, self.backoff, rules)
    }

    /// The timer starts anew (RFC 6298, 5.1 and 5.3).
    pub(super) fn restart(&mut self, now: Time, rules: &TimerRules) {
        self.deadline = Some(at_tick(now, self.timeout(rules), rules.tick));
    }

    /// The timer expired: the next timeout is twice as long (RFC 6298, 5.5).
    pub(super) fn back_off(&mut self) {
        self.backoff += 1;
        self.retries += 1;
    }
}

/// The timer of window probes (RFC 9293, 3.8.6.1): it begins at the retransmission timeout and
/// doubles.
#[derive(Debug, Default)]
pub(super) struct Persist {
    pub(super) deadline: Option<Time>,
    backoff: u32,
    /// How many probes nobody answered.
    pub(super) unanswered: u32,
    /// A probe is to be sent now.
    pub(super) due: bool,
}

impl Persist {
    pub(super) fn start(&mut self, now: Time, timeout: Span, rules: &TimerRules) {
        self.deadline = Some(at_tick(now, backed_off(timeout, self.backoff, rules), rules.tick));
    }

    pub(super) fn ran_out(&mut self) {
        self.deadline = None;
        self.due = true;
        self.backoff += 1;
        self.unanswered += 1;
    }

    pub(super) fn stop(&mut self) {
        *self = Self::default();
    }
}

fn backed_off(timeout: Span, backoff: u32, rules: &TimerRules) -> Span {
    (timeout * (1 << backoff.min(32))).min(rules.rto_most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::Rules;

    fn rules() -> TimerRules {
        TimerRules {
            tick: Span::from_ms(1),
            rto_least: Span::from_ms(1),
            rto_least_is_of_variance: false,
            ..Rules::find("linux-modern").expect("it is shipped").timers
        }
    }

    #[test]
    fn the_timeout_follows_the_round_trips_rfc_6298_2() {
        let rules = rules();
        let mut timer = Retransmission::new(&rules);
        assert_eq!(timer.timeout(&rules), rules.rto_initial);
        timer.sample(Span::from_ms(80), &rules);
        assert_eq!(timer.timeout(&rules), Span::from_ms(80 + 4 * 40));
        // RTTVAR = 3/4 40 + 1/4 |80 - 160| = 50, SRTT = 7/8 80 + 1/8 160 = 90.
        timer.sample(Span::from_ms(160), &rules);
        assert_eq!(timer.smoothed(), Some(Span::from_ms(90)));
        assert_eq!(timer.timeout(&rules), Span::from_ms(90 + 4 * 50));
    }

    #[test]
    fn it_doubles_up_to_the_most_and_a_sample_ends_that_rfc_6298_5_5() {
        let rules = rules();
        let mut timer = Retransmission::new(&rules);
        timer.sample(Span::from_ms(100), &rules);
        for factor in [2, 4, 8] {
            timer.back_off();
            assert_eq!(timer.timeout(&rules), Span::from_ms(300) * factor);
        }
        for _ in 0..60 {
            timer.back_off();
        }
        assert_eq!(timer.timeout(&rules), rules.rto_most);
        timer.sample(Span::from_ms(100), &rules);
        assert_eq!(timer.timeout(&rules), Span::from_ms(100 + 4 * 37) + Span::from_us(500) * 4);
    }

    #[test]
    fn a_timer_runs_out_at_a_tick_and_never_at_once() {
        let tick = Span::from_ms(10);
        let at = |now_ms, span_ms| {
            at_tick(Time::ZERO + Span::from_ms(now_ms), Span::from_ms(span_ms), tick).since(Time::ZERO)
        };
        assert_eq!(at(3, 0), Span::from_ms(10));
        assert_eq!(at(10, 0), Span::from_ms(20));
        assert_eq!(at(3, 20), Span::from_ms(30));
        assert_eq!(at(10, 20), Span::from_ms(30));
    }
}
