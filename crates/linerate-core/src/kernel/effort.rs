//! What one end spent on trials: its processor's time, and what TCP did meanwhile.
//!
//! It is read before and after a trial, never while something is timed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TcpSample;
use crate::units::Span;

/// What one end spent on trials of one size.
///
/// Unit: spans of this end's clock, summed over trials with everything that they moved: the opening message
/// and the messages of warm-up too. Divide by [`messages`](Self::messages).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Effort {
    /// Messages that this end sent and received.
    pub messages: u64,
    /// From before the first call to after the last.
    #[serde(rename = "span_ps")]
    pub span: Span,
    /// Processor time of the thread that sends and receives, in the application and in the kernel. What the
    /// kernel does in interrupts on its behalf is not in it where the kernel accounts for that apart.
    #[serde(rename = "cpu_ps")]
    pub cpu: Span,
    /// Time in which that thread was ready to run and another had its processor. Absent if the host does not
    /// say.
    #[serde(rename = "waited_ps", skip_serializing_if = "Option::is_none")]
    pub waited: Option<Span>,
    /// How often that thread was given a processor: once after every sleep. Absent if the host does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// What TCP did. Absent if it does not carry the messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpEffort>,
}

/// What TCP did at one end during trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TcpEffort {
    /// Segments with payload sent, repeated ones included.
    pub data_segments_out: u64,
    /// Segments with payload received.
    pub data_segments_in: u64,
    /// Segments sent again.
    pub retransmits: u64,
    /// Bytes acknowledged by the other end.
    pub acknowledged_bytes: u64,
    /// Time in which something was unacknowledged. Absent before Linux 4.10. The kernel counts in ticks of 1
    /// to 10 ms.
    #[serde(rename = "busy_ps", skip_serializing_if = "Option::is_none")]
    pub busy: Option<Span>,
    /// Of that, the time in which the other end's receive window held it back.
    #[serde(rename = "rwnd_limited_ps")]
    pub rwnd_limited: Span,
    /// Of that, the time in which the application waited for room in the send buffer.
    #[serde(rename = "sndbuf_limited_ps")]
    pub sndbuf_limited: Span,
    /// How many times the state below was read: once after every trial. Its fields are sums over these.
    pub looks: u64,
    /// Smoothed round-trip time.
    #[serde(rename = "rtt_ps")]
    pub rtt: Span,
    /// The least round-trip time of the connection so far: at first that of its handshake, in which no
    /// application takes part.
    #[serde(rename = "min_rtt_ps")]
    pub min_rtt: Span,
    /// Congestion window. Unit: segments.
    pub cwnd: u64,
    /// Looks at which a congestion window had been reduced: there was a slow start threshold.
    pub reduced: u64,
    /// Largest segment payload. Unit: bytes.
    pub mss: u64,
    /// Receive window that the other end offered. Unit: bytes.
    pub snd_wnd: u64,
    /// Send buffer as the kernel states it. Unit: bytes.
    pub sndbuf: u64,
    /// Memory that bytes took which were not acknowledged yet. Unit: bytes.
    pub queued: u64,
    /// Segments that were under way.
    pub unacked: u64,
    /// Receive buffer as the kernel states it. Unit: bytes.
    pub rcvbuf: u64,
    /// Memory that bytes took which had arrived and were not read yet. Unit: bytes.
    pub unread: u64,
}

impl Effort {
    /// Adds what another trial took.
    pub fn absorb(&mut self, next: &Self) {
        let first = self.messages == 0 && self.span == Span::ZERO;
        // What only some of the trials know would be a wrong mean.
        fn both<T>(one: Option<T>, next: Option<T>, first: bool, add: impl Fn(T, T) -> T) -> Option<T> {
            if first { next } else { one.zip(next).map(|(one, next)| add(one, next)) }
        }
        *self = Self {
            messages: self.messages.saturating_add(next.messages),
            span: self.span + next.span,
            cpu: self.cpu + next.cpu,
            waited: both(self.waited, next.waited, first, |one, next| one + next),
            turns: both(self.turns, next.turns, first, u64::saturating_add),
            tcp: both(self.tcp, next.tcp, first, TcpEffort::and),
        };
    }

    /// A part of the time, as a share of all. Absent if no time passed.
    #[must_use]
    pub fn share(&self, part: Span) -> Option<f64> {
        (self.span > Span::ZERO).then(|| part.as_ps() as f64 / self.span.as_ps() as f64)
    }
}

impl TcpEffort {
    /// What was done from one sample to a later one, and the state at the later one.
    #[must_use]
    pub fn between(before: &TcpSample, after: &TcpSample) -> Self {
        Self {
            data_segments_out: after.data_segments_out.saturating_sub(before.data_segments_out),
            data_segments_in: after.data_segments_in.saturating_sub(before.data_segments_in),
            retransmits: after.retransmits.saturating_sub(before.retransmits),
            acknowledged_bytes: after.acknowledged.saturating_sub(before.acknowledged),
            busy: after.busy.map(|busy| busy.saturating_sub(before.busy.unwrap_or_default())),
            rwnd_limited: after.rwnd_limited.saturating_sub(before.rwnd_limited),
            sndbuf_limited: after.sndbuf_limited.saturating_sub(before.sndbuf_limited),
            looks: 1,
            rtt: after.rtt,
            min_rtt: after.min_rtt,
            cwnd: after.cwnd,
            reduced: after.ssthresh.is_some().into(),
            mss: after.mss,
            snd_wnd: after.snd_wnd,
            sndbuf: after.sndbuf,
            queued: after.queued,
            unacked: after.unacked,
            rcvbuf: after.rcvbuf,
            unread: after.unread,
        }
    }

    fn and(self, next: Self) -> Self {
        let add = u64::saturating_add;
        Self {
            data_segments_out: add(self.data_segments_out, next.data_segments_out),
            data_segments_in: add(self.data_segments_in, next.data_segments_in),
            retransmits: add(self.retransmits, next.retransmits),
            acknowledged_bytes: add(self.acknowledged_bytes, next.acknowledged_bytes),
            busy: self.busy.zip(next.busy).map(|(one, next)| one + next),
            rwnd_limited: self.rwnd_limited + next.rwnd_limited,
            sndbuf_limited: self.sndbuf_limited + next.sndbuf_limited,
            looks: add(self.looks, next.looks),
            rtt: self.rtt + next.rtt,
            min_rtt: self.min_rtt + next.min_rtt,
            cwnd: add(self.cwnd, next.cwnd),
            reduced: add(self.reduced, next.reduced),
            mss: add(self.mss, next.mss),
            snd_wnd: add(self.snd_wnd, next.snd_wnd),
            sndbuf: add(self.sndbuf, next.sndbuf),
            queued: add(self.queued, next.queued),
            unacked: add(self.unacked, next.unacked),
            rcvbuf: add(self.rcvbuf, next.rcvbuf),
            unread: add(self.unread, next.unread),
        }
    }

    /// The mean of one of the fields that are sums over looks. Zero without looks.
    #[must_use]
    pub fn mean(&self, sum: u64) -> f64 {
        sum as f64 / self.looks.max(1) as f64
    }

    /// The mean of a round-trip time. Zero without looks.
    #[must_use]
    pub fn mean_span(&self, sum: Span) -> Span {
        sum / self.looks.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(base: u64) -> TcpSample {
        TcpSample {
            data_segments_out: base + 1,
            data_segments_in: base + 2,
            retransmits: base + 3,
            acknowledged: base + 4,
            busy: Some(Span::from_us(base + 5)),
            rwnd_limited: Span::from_us(base + 6),
            sndbuf_limited: Span::from_us(base + 7),
            rtt: Span::from_us(base + 8),
            min_rtt: Span::from_us(base + 9),
            cwnd: base + 10,
            mss: base + 11,
            snd_wnd: base + 12,
            sndbuf: base + 13,
            queued: base + 14,
            unacked: base + 15,
            unread: base + 16,
            rcvbuf: base + 17,
            ..TcpSample::default()
        }
    }

    #[test]
    fn counts_grow_from_sample_to_sample_and_the_state_is_the_later_ones() {
        let done = TcpEffort::between(&sample(100), &sample(350));
        let counts =
            [done.data_segments_out, done.data_segments_in, done.retransmits, done.acknowledged_bytes];
        assert_eq!(counts, [250; 4]);
        assert_eq!(
            [done.busy, Some(done.rwnd_limited), Some(done.sndbuf_limited)],
            [Some(Span::from_us(250)); 3]
        );
        assert_eq!((done.rtt, done.min_rtt), (Span::from_us(358), Span::from_us(359)));
        let state = [
            done.cwnd,
            done.mss,
            done.snd_wnd,
            done.sndbuf,
            done.queued,
            done.unacked,
            done.unread,
            done.rcvbuf,
        ];
        assert_eq!(state, [360, 361, 362, 363, 364, 365, 366, 367]);
        assert_eq!((done.looks, done.reduced), (1, 0));
    }

    #[test]
    fn what_two_trials_took_is_added_and_a_state_is_a_mean() {
        let of = |messages: u64, base: u64| Effort {
            messages,
            span: Span::from_us(10 * messages),
            cpu: Span::from_us(4 * messages),
            waited: Some(Span::from_us(messages)),
            turns: Some(messages),
            tcp: Some(TcpEffort::between(&sample(0), &sample(base))),
        };
        let mut sum = Effort::default();
        sum.absorb(&of(10, 100));
        assert_eq!(sum, of(10, 100), "the first is all there is");
        sum.absorb(&of(30, 300));
        assert_eq!((sum.messages, sum.span, sum.cpu), (40, Span::from_us(400), Span::from_us(160)));
        assert_eq!((sum.waited, sum.turns), (Some(Span::from_us(40)), Some(40)));
        let tcp = sum.tcp.expect("both had it");
        assert_eq!((tcp.retransmits, tcp.looks, tcp.mean(tcp.cwnd)), (400, 2, 210.0));
        assert_eq!(tcp.mean_span(tcp.rtt), Span::from_us(208));
        assert_eq!(sum.share(sum.cpu), Some(0.4));
    }

    #[test]
    fn what_only_one_trial_knows_is_not_known_of_both() {
        let mut sum = Effort { messages: 1, span: Span::from_us(1), turns: Some(1), ..Effort::default() };
        sum.absorb(&Effort {
            messages: 1,
            span: Span::from_us(1),
            waited: Some(Span::ZERO),
            ..Effort::default()
        });
        assert_eq!((sum.turns, sum.waited, sum.tcp), (None, None, None));
    }
}
