//! The state of an end, in the form of a kernel's `TCP_INFO`.

use linerate_core::kernel::TcpSample;
use linerate_core::units::{Span, Time};

use super::Connection;
use crate::tcp::congestion::LARGEST;

impl Connection {
    /// What a kernel's `TCP_INFO` would report now, as far as the model has it; the caller sets the
    /// time. No rate is modelled: those are absent.
    #[must_use]
    pub fn sample(&self, now: Time) -> TcpSample {
        let mss = u64::from(self.agreed.mss.max(1));
        let [sndbuf, rcvbuf] = self.granted();
        let (first, next) = (self.board.first(), self.board.next());
        let threshold = self.congestion.window.threshold;
        let expected = self.queue.expected();
        let [busy, rwnd_limited, sndbuf_limited] = self.waits.times(now);
        TcpSample {
            rtt: self.smoothed_rtt().unwrap_or(Span::ZERO),
            min_rtt: self.retransmission.least().unwrap_or(Span::ZERO),
            rttvar: self.retransmission.variation(),
            cwnd: self.congestion.window.bytes / mss,
            ssthresh: (threshold < LARGEST).then_some(threshold / mss),
            retransmits: self.counters.retransmitted,
            data_segments_out: self.counters.data_segments_sent,
            data_segments_in: self.counters.data_segments_received,
            delivered_ce: self.counters.marked_bytes.div_ceil(mss),
            reordering: self.rules().congestion.duplicates.into(),
            busy: Some(busy),
            rwnd_limited,
            sndbuf_limited,
            unacked: self.board.outstanding().div_ceil(mss),
            pmtu: self.settings.mtu.into(),
            mss,
            notsent: self.writer.end.saturating_sub(next),
            queued: self.writer.used(first),
            acknowledged: first,
            // SYN does not count.
            received: expected.saturating_sub(1),
            rcv_wnd: self.offer.edge().saturating_sub(expected),
            snd_wnd: self.peer.window(),
            sndbuf,
            rcvbuf,
            ..TcpSample::default()
        }
    }
}
