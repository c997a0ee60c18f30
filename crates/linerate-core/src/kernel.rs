//! What the kernel reports about a flow and a host at one moment, and what by that [`limit`]s the
//! flow.

mod effort;
pub mod limit;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Rate, Span};

pub use effort::{Effort, TcpEffort};

/// What TCP reports about a connection at one moment (`TCP_INFO`). Times and counts are since the
/// connection began. What an old kernel does not report is zero, or absent where zero would
/// mislead.
///
/// Source: `struct tcp_info` of linux/tcp.h, whose fields are named here where ours differ; RFC
/// 4898 for the counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TcpSample {
    /// When, since the load began at this end.
    #[serde(rename = "at_ps", alias = "at")]
    pub at: Span,
    /// Smoothed round-trip time.
    #[serde(rename = "rtt_ps", alias = "rtt")]
    pub rtt: Span,
    /// Its mean deviation.
    #[serde(rename = "rttvar_ps", alias = "rttvar")]
    pub rttvar: Span,
    /// The least round-trip time.
    #[serde(rename = "min_rtt_ps", alias = "min_rtt")]
    pub min_rtt: Span,
    /// Congestion window. Unit: segments.
    pub cwnd: u64,
    /// Slow start threshold. Absent before the first loss. Unit: segments.
    pub ssthresh: Option<u64>,
    /// Segments sent again (`tcpi_total_retrans`; `tcpi_retransmits` is only the present timeout's).
    pub retransmits: u64,
    /// Segments with payload sent, repeated ones included; from Linux 4.6.
    #[serde(skip_serializing_if = "is_none")]
    pub data_segments_out: u64,
    /// Segments with payload received; from Linux 4.6.
    #[serde(skip_serializing_if = "is_none")]
    pub data_segments_in: u64,
    /// Segments of which the peer said that a queue on the way marked them (CE, RFC 3168); from
    /// Linux 4.18.
    #[serde(skip_serializing_if = "is_none")]
    pub delivered_ce: u64,
    /// How far TCP assumes that segments may be reordered. Unit: segments.
    pub reordering: u64,
    /// The rate at which bytes were acknowledged over the last round trip. Absent before the first.
    /// Not the mean over the connection.
    #[serde(rename = "delivery_rate_bps", alias = "delivery_rate")]
    pub delivery_rate: Option<Rate>,
    /// TCP's pacing rate. If absent, there is no limit. Only BBR, the queueing discipline `fq` and
    /// `SO_MAX_PACING_RATE` enforce it; the others size their bursts by it.
    #[serde(rename = "pacing_rate_bps", alias = "pacing_rate")]
    pub pacing_rate: Option<Rate>,
    /// Time in which the socket had unacknowledged bytes. Absent before Linux 4.10, which counts
    /// neither this nor the two parts below. The kernel counts in ticks of 1 to 10 ms.
    #[serde(rename = "busy_ps", alias = "busy")]
    pub busy: Option<Span>,
    /// Of that, the time in which the peer's receive window held it back.
    #[serde(rename = "rwnd_limited_ps", alias = "rwnd_limited")]
    pub rwnd_limited: Span,
    /// Of that, the time in which everything was sent and the application waited for room in the
    /// send buffer.
    #[serde(rename = "sndbuf_limited_ps", alias = "sndbuf_limited")]
    pub sndbuf_limited: Span,
    /// Segments that are under way: sent and not acknowledged.
    pub unacked: u64,
    /// Path MTU. Unit: bytes.
    pub pmtu: u64,
    /// Largest segment payload. Unit: bytes.
    pub mss: u64,
    /// Bytes in the socket that were not sent yet.
    pub notsent: u64,
    /// Memory that sent and unsent bytes take until they are acknowledged, including the kernel's
    /// overhead. Compare it with `sndbuf`. From Linux 4.12 (`SK_MEMINFO_WMEM_QUEUED`). Unit: bytes.
    pub queued: u64,
    /// Bytes that the peer has acknowledged; SYN and FIN count as one byte each.
    pub acknowledged: u64,
    /// Bytes received in order; the peer's FIN counts as one.
    pub received: u64,
    /// Receive window that this end offers; from Linux 6.2. Unit: bytes.
    pub rcv_wnd: u64,
    /// Receive window that the peer offers, scaled; from Linux 5.4. Unit: bytes.
    pub snd_wnd: u64,
    /// Send buffer as the kernel states it, after autotuning. Unit: bytes.
    pub sndbuf: u64,
    /// Receive buffer as the kernel states it, after autotuning. Unit: bytes.
    pub rcvbuf: u64,
    /// Memory that bytes take which arrived and were not read yet, including the kernel's overhead. Compare
    /// it with `rcvbuf`. From Linux 4.12 (`SK_MEMINFO_RMEM_ALLOC`). Unit: bytes.
    #[serde(skip_serializing_if = "is_absent")]
    pub unread: u64,
}

impl TcpSample {
    /// Whether this end of a bulk flow is the one that sends.
    #[must_use]
    pub const fn sends(&self) -> bool {
        self.acknowledged > self.received
    }

    /// Whether a small segment waits though both windows have room for it: with Nagle's algorithm, for the
    /// acknowledgement of what is under way.
    ///
    /// Source: RFC 9293, section 3.7.4.
    #[must_use]
    pub const fn small_segment_waits(&self) -> bool {
        let small = self.notsent > 0 && self.notsent < self.mss;
        let fits = self.snd_wnd == 0
            || self.unacked.saturating_mul(self.mss).saturating_add(self.notsent) <= self.snd_wnd;
        small && fits && self.unacked > 0 && self.unacked < self.cwnd
    }
}

/// What a host did between two readings. What the host does not report is zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HostSample {
    /// The end of the interval, since the load began at this end.
    #[serde(rename = "until_ps", alias = "until")]
    pub until: Span,
    /// How long the interval was.
    #[serde(rename = "span_ps", alias = "span")]
    pub span: Span,
    /// Processors of the host.
    pub processors: u32,
    /// Time of all processors in user code. The kernel counts this and the next five in ticks,
    /// mostly of 10 ms.
    #[serde(rename = "user_ps", alias = "user")]
    pub user: Span,
    /// In the kernel, without interrupts.
    #[serde(rename = "system_ps", alias = "system")]
    pub system: Span,
    /// In hardware interrupts.
    #[serde(rename = "irq_ps", alias = "irq")]
    pub irq: Span,
    /// In software interrupts, where the network stack receives.
    #[serde(rename = "softirq_ps", alias = "softirq")]
    pub softirq: Span,
    /// Time that the hypervisor gave to other guests (steal).
    #[serde(rename = "steal_ps", alias = "steal")]
    pub steal: Span,
    /// Doing nothing, or waiting for a disk.
    #[serde(rename = "idle_ps", alias = "idle")]
    pub idle: Span,
    /// The busiest processor's share of time not idle, 0 to 1.
    pub busiest: f64,
    /// The largest share of one processor's time in hardware and software interrupts, 0 to 1. Of a
    /// modelled host, all of its busiest processor's work, which is the network's.
    #[serde(skip_serializing_if = "is_zero")]
    pub busiest_interrupts: f64,
    /// Load average of one minute, as history only.
    pub load_average: f64,
    /// Processor time of this process.
    #[serde(rename = "process_ps", alias = "process")]
    pub process: Span,
    /// Processor time of its busiest thread: the one that was running, or ready to run, for the
    /// longest time.
    #[serde(rename = "busiest_thread_ps", alias = "busiest_thread")]
    pub busiest_thread: Span,
    /// How long that thread was ready to run and waited for a processor.
    #[serde(rename = "busiest_thread_waited_ps", alias = "busiest_thread_waited")]
    pub busiest_thread_waited: Span,
    /// The share of time not idle of the processor that this thread ran on last, whoever used it, 0
    /// to 1.
    #[serde(skip_serializing_if = "is_zero")]
    pub busiest_thread_processor: f64,
    /// That processor's share of time in hardware and software interrupts, 0 to 1.
    #[serde(skip_serializing_if = "is_zero")]
    pub busiest_thread_interrupts: f64,
    /// Voluntary context switches of the process's threads: they waited for something.
    pub voluntary_switches: u64,
    /// Involuntary context switches: the processor was given to others.
    pub involuntary_switches: u64,
    /// Packets that the host took from its devices (/proc/net/softnet_stat).
    pub softnet_packets: u64,
    /// Packets that it dropped because a processor's queue was full.
    pub softnet_dropped: u64,
    /// Times that receiving stopped because its budget was used up.
    pub softnet_squeezed: u64,
    /// For how long its link was down: the interface was switched off, or had no carrier.
    #[serde(rename = "link_down_ps", skip_serializing_if = "is_no_time")]
    pub link_down: Span,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_none(count: &u64) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_absent(bytes: &u64) -> bool {
    *bytes == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_no_time(span: &Span) -> bool {
    *span == Span::ZERO
}

impl HostSample {
    /// Adds the interval that follows this one, so that both become one.
    pub fn absorb(&mut self, next: &Self) {
        let [weight, more] = [self.span, next.span].map(Span::as_seconds);
        let mean = |share: f64, next: f64| {
            if weight + more > 0.0 { (share * weight + next * more) / (weight + more) } else { share }
        };
        *self = Self {
            until: next.until,
            span: self.span + next.span,
            processors: next.processors,
            user: self.user + next.user,
            system: self.system + next.system,
            irq: self.irq + next.irq,
            softirq: self.softirq + next.softirq,
            steal: self.steal + next.steal,
            idle: self.idle + next.idle,
            busiest: mean(self.busiest, next.busiest),
            busiest_interrupts: mean(self.busiest_interrupts, next.busiest_interrupts),
            load_average: next.load_average,
            process: self.process + next.process,
            busiest_thread: self.busiest_thread + next.busiest_thread,
            busiest_thread_waited: self.busiest_thread_waited + next.busiest_thread_waited,
            busiest_thread_processor: mean(self.busiest_thread_processor, next.busiest_thread_processor),
            busiest_thread_interrupts: mean(self.busiest_thread_interrupts, next.busiest_thread_interrupts),
            voluntary_switches: self.voluntary_switches.saturating_add(next.voluntary_switches),
            involuntary_switches: self.involuntary_switches.saturating_add(next.involuntary_switches),
            softnet_packets: self.softnet_packets.saturating_add(next.softnet_packets),
            softnet_dropped: self.softnet_dropped.saturating_add(next.softnet_dropped),
            softnet_squeezed: self.softnet_squeezed.saturating_add(next.softnet_squeezed),
            link_down: self.link_down + next.link_down,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_intervals_become_one() {
        let look = |until: u64, span: u64, busiest: f64, count: u64| HostSample {
            until: Span::from_ms(until),
            span: Span::from_ms(span),
            processors: 2,
            user: Span::from_ms(count),
            idle: Span::from_ms(count),
            busiest,
            busiest_interrupts: busiest / 2.0,
            busiest_thread_processor: busiest / 4.0,
            busiest_thread_interrupts: busiest / 8.0,
            load_average: count as f64,
            voluntary_switches: count,
            softnet_dropped: count,
            ..HostSample::default()
        };
        let mut first = look(250, 250, 1.0, 1);
        first.absorb(&look(1_000, 750, 0.5, 5));
        assert_eq!(first, HostSample { load_average: 5.0, ..look(1_000, 1_000, 0.625, 6) });
    }

    #[test]
    fn every_count_of_two_intervals_is_added() {
        // Each field has a number of its own: base + place.
        let look = |base: u64| HostSample {
            until: Span::from_ms(base),
            span: Span::from_ms(base + 1),
            processors: 4,
            user: Span::from_ms(base + 2),
            system: Span::from_ms(base + 3),
            irq: Span::from_ms(base + 4),
            softirq: Span::from_ms(base + 5),
            steal: Span::from_ms(base + 6),
            idle: Span::from_ms(base + 7),
            busiest: 0.0,
            busiest_interrupts: 0.0,
            load_average: 0.25,
            process: Span::from_ms(base + 8),
            busiest_thread: Span::from_ms(base + 9),
            busiest_thread_waited: Span::from_ms(base + 10),
            busiest_thread_processor: 0.0,
            busiest_thread_interrupts: 0.0,
            voluntary_switches: base + 11,
            involuntary_switches: base + 12,
            softnet_packets: base + 13,
            softnet_dropped: base + 14,
            softnet_squeezed: base + 15,
            link_down: Span::from_ms(base + 16),
        };
        let mut sum = look(100);
        sum.absorb(&look(1_000));
        let expected = HostSample {
            until: Span::from_ms(1_000),
            span: Span::from_ms(1_102),
            processors: 4,
            user: Span::from_ms(1_104),
            system: Span::from_ms(1_106),
            irq: Span::from_ms(1_108),
            softirq: Span::from_ms(1_110),
            steal: Span::from_ms(1_112),
            idle: Span::from_ms(1_114),
            busiest: 0.0,
            busiest_interrupts: 0.0,
            load_average: 0.25,
            process: Span::from_ms(1_116),
            busiest_thread: Span::from_ms(1_118),
            busiest_thread_waited: Span::from_ms(1_120),
            busiest_thread_processor: 0.0,
            busiest_thread_interrupts: 0.0,
            voluntary_switches: 1_122,
            involuntary_switches: 1_124,
            softnet_packets: 1_126,
            softnet_dropped: 1_128,
            softnet_squeezed: 1_130,
            link_down: Span::from_ms(1_132),
        };
        assert_eq!(sum, expected);
    }

    #[test]
    fn intervals_of_no_time_keep_the_first_share() {
        let look = |busiest| HostSample { busiest, ..HostSample::default() };
        let mut first = look(0.75);
        first.absorb(&look(0.25));
        assert_eq!(first.busiest, 0.75);
    }
}
