//! Probes of a lost tail: TLP, RFC 8985, section 7.

use linerate_core::units::{Span, Time};

use super::at_tick;
use crate::tcp::{Segment, TimerRules};

/// The timer of probes, and the probe that is on its way.
#[derive(Debug, Default)]
pub(in crate::tcp) struct TailProbe {
    pub(in crate::tcp) deadline: Option<Time>,
    /// A probe is to be sent: it repeats the last segment.
    pub(in crate::tcp) is_due: bool,
    /// What the next position was when the probe left (TLP.end_seq), and whether it was a repeat.
    on_its_way: Option<(u64, bool)>,
}

/// The most that a peer delays an acknowledgement. Source: RFC 8985, 7.2 (`WCDelAckT`).
const DELAYED: Span = Span::from_ms(200);

impl TailProbe {
    /// Starts the timer, if no probe is on its way: two round trips, and the peer's delay if one
    /// segment is all that is outstanding, but no later than the `timeout` (7.2).
    pub(in crate::tcp) fn start(
        &mut self,
        (smoothed, is_alone): (Option<Span>, bool),
        timeout: Time,
        now: Time,
        rules: &TimerRules,
    ) {
        self.deadline = None;
        if self.on_its_way.is_some() || self.is_due {
            return;
        }
        let span = smoothed.map_or(Span::from_ms(1_000), |smoothed| smoothed * 2);
        let span = if is_alone { span + DELAYED } else { span }.max(rules.probe_least);
        self.deadline = Some(at_tick(now, span, rules.tick).min(timeout));
    }

    /// A probe leaves with everything sent before `next`.
    pub(in crate::tcp) fn sent(&mut self, next: u64, is_repeat: bool) {
        self.deadline = None;
        self.is_due = false;
        self.on_its_way = Some((next, is_repeat));
    }

    /// Gives up.
    pub(in crate::tcp) fn stop(&mut self) {
        *self = Self::default();
    }

    /// All before `position` is acknowledged; returns whether the probe repaired a loss, which the
    /// congestion window must learn of (7.4.2).
    pub(in crate::tcp) fn acknowledged(&mut self, position: u64, segment: &Segment, advanced: bool) -> bool {
        let Some((end, is_repeat)) = self.on_its_way.filter(|(end, _)| position >= *end) else {
            return false;
        };
        // Original and repeat both arrived: the second is answered by a bare duplicate.
        let needless = !advanced && segment.is_bare() && segment.sack.is_empty();
        if !is_repeat || needless {
            self.on_its_way = None;
            return false;
        }
        let repaired = position > end;
        if repaired {
            self.on_its_way = None;
        }
        repaired
    }
}
