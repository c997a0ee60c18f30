//! What the kernel knows of a flow and of a host, at one moment.

use serde::{Deserialize, Serialize};

use crate::units::{Rate, Span};

/// What TCP says of a connection at one moment (`TCP_INFO`). Source: `struct tcp_info` of
/// linux/tcp.h; times and counts are since the connection began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TcpSample {
    /// When, since the load began at this end.
    pub at: Span,
    /// Smoothed round-trip time.
    pub rtt: Span,
    /// Its mean deviation.
    pub rttvar: Span,
    /// The least round-trip time.
    pub min_rtt: Span,
    /// Congestion window. Unit: segments.
    pub cwnd: u64,
    /// Slow start threshold; none before the first loss. Unit: segments.
    pub ssthresh: Option<u64>,
    /// Segments sent again.
    pub retransmits: u64,
    /// How far TCP believes segments to overtake each other. Unit: segments.
    pub reordering: u64,
    /// Bytes acknowledged over time, as TCP sees it.
    pub delivery_rate: Option<Rate>,
    /// Rate at which TCP spaces its segments; none is not paced.
    pub pacing_rate: Option<Rate>,
    /// Time with data to send.
    pub busy: Span,
    /// Of that, the time in which the peer's window held it back.
    pub rwnd_limited: Span,
    /// Of that, the time in which the send buffer held it back.
    pub sndbuf_limited: Span,
    /// Segments that are not acknowledged.
    pub unacked: u64,
    /// Path MTU. Unit: bytes.
    pub pmtu: u64,
    /// Largest segment payload. Unit: bytes.
    pub mss: u64,
    /// Bytes in the socket that were not sent yet.
    pub notsent: u64,
    /// Bytes that the peer has acknowledged.
    pub acknowledged: u64,
    /// Bytes received.
    pub received: u64,
    /// Receive window that this end offers. Unit: bytes.
    pub rcv_wnd: u64,
    /// Receive window that the peer offers. Unit: bytes.
    pub snd_wnd: u64,
    /// Send buffer as the kernel states it, after autotuning. Unit: bytes.
    pub sndbuf: u64,
    /// Receive buffer as the kernel states it, after autotuning. Unit: bytes.
    pub rcvbuf: u64,
}

/// What a host did between two looks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostSample {
    /// The end of the interval, since the load began at this end.
    pub until: Span,
    /// How long the interval was.
    pub span: Span,
    /// Processors of the host.
    pub processors: u32,
    /// Time of all processors in user code.
    pub user: Span,
    /// In the kernel, without interrupts.
    pub system: Span,
    /// In hardware interrupts.
    pub irq: Span,
    /// In software interrupts, where the network stack receives.
    pub softirq: Span,
    /// Time that the hypervisor gave to others.
    pub steal: Span,
    /// Doing nothing, or waiting for a disk.
    pub idle: Span,
    /// The busiest processor's share of time not idle, 0 to 1.
    pub busiest: f64,
    /// Load average of one minute, as history only.
    pub load_average: f64,
    /// Processor time of this process.
    pub process: Span,
    /// Of the process's threads, the largest processor time of one.
    pub busiest_thread: Span,
    /// Context switches of the process's threads that they asked for.
    pub voluntary_switches: u64,
    /// And those that they did not ask for.
    pub involuntary_switches: u64,
    /// Packets that the host took from its devices (/proc/net/softnet_stat).
    pub softnet_packets: u64,
    /// Packets that it dropped because a processor's queue was full.
    pub softnet_dropped: u64,
    /// Times that receiving stopped because its budget was used up.
    pub softnet_squeezed: u64,
}
