//! What each end saw of its own clock, its own noise and its own counters during a run.

mod sum;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::Fact;
use crate::trial::Tally;
use crate::units::Span;

/// One end's observations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Observation {
    /// The clock that timed.
    pub clock: Fact<Clock>,
    /// How often a loop that only reads the clock lost the processor.
    pub noise: Fact<Noise>,
    /// Pressure and waiting during the run.
    pub load: Activity,
    /// Increase of the interface's counters over the run.
    pub interface: Fact<Counters>,
    /// What TCP reports about the data connection at the end.
    pub connection: Fact<Connection>,
    /// What this end counted over all trials, verification included.
    pub tally: Tally,
    /// Processors on which the measuring thread was seen.
    pub cpus: Vec<u32>,
    /// Largest memory of the process (`VmHWM`). Unit: bytes.
    pub peak_memory_bytes: Fact<u64>,
    /// From the start of the process to the first timed sample; only at the initiator.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "first_sample_after_ps", alias = "first_sample_after")]
    pub first_sample_after: Option<Span>,
    /// For how long its link was down during the run: the interface was switched off, or had no carrier.
    #[serde(rename = "link_down_ps", skip_serializing_if = "is_no_time")]
    pub link_down: Span,
    /// For how long nothing had come from the peer when the time was over in the middle of a trial, if that is no wait
    /// for a slow path; only at the initiator.
    #[serde(rename = "silent_ps", skip_serializing_if = "is_no_time")]
    pub silent: Span,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_no_time(span: &Span) -> bool {
    *span == Span::ZERO
}

/// The properties of a clock, found by reading it many times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Clock {
    /// Which clock, such as `CLOCK_MONOTONIC_RAW`.
    pub name: String,
    /// How many times it was read.
    pub reads: u64,
    /// Median cost of a read. Unit: picoseconds.
    #[serde(rename = "cost_ps", alias = "cost")]
    pub cost: Span,
    /// Smallest step seen between two different readings. Unit: picoseconds.
    #[serde(rename = "resolution_ps", alias = "resolution")]
    pub resolution: Span,
    /// Readings earlier than the one before.
    pub backwards: u64,
}

/// Gaps in a loop that only reads the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Noise {
    /// How long the loop ran.
    #[serde(rename = "watched_ps", alias = "watched")]
    pub watched: Span,
    /// Time lost in gaps.
    #[serde(rename = "lost_ps", alias = "lost")]
    pub lost: Span,
    /// How many gaps there were.
    pub gaps: u64,
    /// The longest.
    #[serde(rename = "longest_ps", alias = "longest")]
    pub longest: Span,
    /// What counts as a gap: a read that took longer than this.
    #[serde(rename = "threshold_ps", alias = "threshold")]
    pub threshold: Span,
    /// Time lost in gaps to a CPU quota.
    #[serde(rename = "throttled_ps", default)]
    pub throttled: Span,
}

/// How quiet a host was. Source: shares of time lost to gaps, `docs/method.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Grade {
    /// Less than 0.1 % of the time lost.
    A,
    /// Less than 1 %.
    B,
    /// Less than 5 %.
    C,
    /// More.
    D,
}

impl Noise {
    /// Share of the time lost to gaps, 0 to 1, less what a CPU quota took.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.lost.saturating_sub(self.throttled).share_of(self.watched)
    }

    /// The grade that this share earns.
    #[must_use]
    pub fn grade(&self) -> Grade {
        match self.share() {
            share if share < 0.001 => Grade::A,
            share if share < 0.01 => Grade::B,
            share if share < 0.05 => Grade::C,
            _ => Grade::D,
        }
    }
}

/// How busy the host was during a run: the increase of its counters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Activity {
    /// How long the run took on this end's clock.
    #[serde(rename = "span_ps", alias = "span")]
    pub span: Span,
    /// Time in which at least one task of the host waited for a processor (`/proc/pressure/cpu`).
    #[serde(rename = "cpu_pressure_ps", alias = "cpu_pressure")]
    pub cpu_pressure: Fact<Span>,
    /// Time in which the measuring thread was ready but did not run (`schedstat`).
    #[serde(rename = "run_delay_ps", alias = "run_delay")]
    pub run_delay: Fact<Span>,
    /// Involuntary context switches of the measuring thread.
    pub involuntary_switches: Fact<u64>,
    /// Time that the hypervisor gave to other guests (steal), over all processors.
    #[serde(rename = "steal_ps", alias = "steal")]
    pub steal: Fact<Span>,
    /// What the tightest CPU quota did.
    #[serde(skip_serializing_if = "Fact::is_not_looked_for")]
    pub throttled: Fact<Throttled>,
}

impl Activity {
    /// How long a CPU quota stopped the process, by its counters: at most as long as the run.
    #[must_use]
    pub fn throttled(&self) -> Span {
        self.throttled.known().map_or(Span::ZERO, |quota| quota.throttled.min(self.span))
    }
}

/// A CPU quota of a control group, and how often it was used up.
///
/// Source: kernel documentation, scheduler/sched-bwc and admin-guide/cgroup-v2.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Throttled {
    /// The group, from where the hierarchy is mounted.
    pub group: String,
    /// Processor time that the group may use in a period, all processors together.
    #[serde(rename = "quota_ps")]
    pub quota: Span,
    /// The period.
    #[serde(rename = "period_ps")]
    pub period: Span,
    /// Periods in which the group ran.
    pub periods: u64,
    /// Those in which it used up its quota.
    pub throttled_periods: u64,
    /// How long it was stopped, summed over processors.
    #[serde(rename = "throttled_ps")]
    pub throttled: Span,
}

impl Throttled {
    /// How many processors the quota is worth.
    #[must_use]
    pub fn processors(&self) -> f64 {
        self.quota.as_seconds() / self.period.as_seconds().max(f64::MIN_POSITIVE)
    }
}

/// Increase of an interface's counters over a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counters {
    /// The interface.
    pub interface: String,
    /// Bytes received, as the driver counts them.
    pub rx_bytes: u64,
    /// Bytes sent.
    pub tx_bytes: u64,
    /// Packets received.
    pub rx_packets: u64,
    /// Packets sent.
    pub tx_packets: u64,
    /// Packets lost on receipt or with errors.
    pub rx_dropped: u64,
    /// Packets lost on sending or with errors.
    pub tx_dropped: u64,
}

/// What TCP reports about a connection (`TCP_INFO`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Connection {
    /// Segments retransmitted over the whole connection.
    pub retransmitted: u64,
    /// Segments sent over the whole connection.
    pub segments_out: u64,
    /// Smoothed round-trip time.
    #[serde(rename = "rtt_ps", alias = "rtt")]
    pub rtt: Span,
    /// Least round-trip time.
    #[serde(rename = "min_rtt_ps", alias = "min_rtt")]
    pub min_rtt: Span,
    /// Congestion window. Unit: segments.
    pub congestion_window: u64,
    /// Largest segment payload sent. Unit: bytes.
    pub mss: u64,
}
