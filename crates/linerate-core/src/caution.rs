//! Cautions: what is doubtful about a run, and what to do about it.
//!
//! A caution is never an error and never only a log line: it is kept in the run file and printed
//! with the result.

mod merge;
mod text;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Rate, Span};

pub use merge::{Merged, merged};

/// Which end a caution speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The initiator.
    Local,
    /// The responder.
    Remote,
    /// With several responders, the one with this number, from 2.
    Other(u32),
}

impl fmt::Display for Side {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => out.write_str("this host"),
            Self::Remote => out.write_str("the peer"),
            Self::Other(number) => write!(out, "peer {number}"),
        }
    }
}

/// Something doubtful. Its text is the finding, then the advice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Caution {
    /// Both ends are on one host.
    SameHost {
        /// In network namespaces of their own, with a virtual network between them.
        #[serde(default, skip_serializing_if = "is_false")]
        apart: bool,
    },
    /// Both measuring threads ran on the same processor.
    SameCpu {
        /// Which.
        cpu: u32,
    },
    /// The kernel does not read the time from the processor's own counter.
    SlowClock {
        /// Which end.
        side: Side,
        /// The clock source.
        clocksource: String,
    },
    /// A clock stepped back.
    ClockBackwards {
        /// Which end.
        side: Side,
        /// How many times.
        times: u64,
    },
    /// Something else used the processor.
    Noisy {
        /// Which end.
        side: Side,
        /// Share of the time lost, 0 to 1.
        share: f64,
        /// Longest gap. Unit: picoseconds.
        #[serde(rename = "longest_ps", alias = "longest")]
        longest: Span,
    },
    /// The measuring thread often waited for a processor.
    Crowded {
        /// Which end.
        side: Side,
        /// Share of the run spent waiting, 0 to 1.
        share: f64,
    },
    /// A CPU quota stopped the process.
    Throttled {
        /// Which end.
        side: Side,
        /// The control group that has the quota.
        group: String,
        /// Processor time in each period.
        #[serde(rename = "quota_ps")]
        quota: Span,
        /// The period.
        #[serde(rename = "period_ps")]
        period: Span,
        /// Share of the run in which it was stopped, 0 to 1.
        share: f64,
    },
    /// Packets that an end may send vanish on the way, and no router says so.
    BlackHole {
        /// Which end sends.
        side: Side,
        /// The largest packet that arrived. Unit: bytes.
        largest: u64,
        /// What the end may send, as far as it knows. Unit: bytes.
        mtu: u64,
    },
    /// The flows of a direction did not keep the requested rate.
    PaceMissed {
        /// The rate requested of all of them together.
        #[serde(rename = "asked_bps", alias = "asked")]
        asked: Rate,
        /// The rate they achieved together, in the slowest load.
        #[serde(rename = "got_bps", alias = "got")]
        got: Rate,
    },
    /// Nothing came from the peer when the time was over.
    Silent {
        /// For how long.
        #[serde(rename = "silent_ps")]
        silent: Span,
    },
    /// The link of an end was down while a load or a curve ran.
    LinkDown {
        /// Which end.
        side: Side,
        /// For how long, as far as the looks tell.
        #[serde(rename = "down_ps")]
        down: Span,
    },
    /// Requests waited for acknowledgements (Nagle's algorithm).
    Nagle {
        /// The share of the looks that found one waiting, 0 to 1.
        share: f64,
    },
    /// An open loop ended before it had sent every request that was due.
    Unsent {
        /// How many requests.
        requests: u64,
    },
    /// The processor's frequency may change.
    Governor {
        /// Which end.
        side: Side,
        /// The governor in force.
        governor: String,
    },
    /// The system granted an option another value than requested.
    NotGranted {
        /// Which end.
        side: Side,
        /// The option.
        option: String,
        /// What was asked.
        asked: String,
        /// What was granted.
        granted: String,
    },
    /// The interface's counters do not account for the payload.
    PathNotProven {
        /// Which end.
        side: Side,
        /// The interface.
        interface: String,
        /// Payload that passed. Unit: bytes.
        payload: u64,
        /// What the interface counted. Unit: bytes.
        counted: u64,
    },
    /// The interface carried much other traffic.
    OtherTraffic {
        /// Which end.
        side: Side,
        /// The interface.
        interface: String,
        /// Bytes beyond payload and headers.
        extra: u64,
    },
    /// TCP retransmitted segments.
    Retransmitted {
        /// Which end.
        side: Side,
        /// How many.
        segments: u64,
        /// Out of how many.
        of: u64,
    },
    /// Some sizes were measured too few times for an interval.
    FewRounds {
        /// How many sizes.
        sizes: u64,
        /// The smallest of them. Unit: bytes.
        from: u64,
    },
    /// Some intervals are wider than requested.
    WideIntervals {
        /// How many sizes.
        sizes: u64,
        /// Out of how many.
        of: u64,
        /// What was asked: half-width as a share of the median.
        target: f64,
    },
    /// Sizes of the schedule were not timed.
    NotTimed {
        /// How many.
        sizes: u64,
        /// The smallest of them. Unit: bytes.
        from: u64,
        /// How long the verification and one round of every size would have taken, where that was
        /// the reason. Unit: picoseconds.
        #[serde(rename = "needed_ps", default, skip_serializing_if = "Option::is_none")]
        needed: Option<Span>,
    },
    /// The time was over before everything had arrived.
    CutOff {
        /// Payload that still waited in buffers and queues, and was discarded. Unit: bytes.
        bytes: u64,
    },
    /// The account of an end that answered came too late.
    AccountLate {
        /// The end.
        side: Side,
        /// It was gone, or the connection to it: no account will come.
        #[serde(default, skip_serializing_if = "is_false")]
        gone: bool,
    },
    /// A flow bounded in bytes or messages was so short that its rate is that of a burst.
    Brief {
        /// What it moved. Unit: bytes.
        bytes: u64,
        /// In how many messages.
        messages: u64,
        /// How long that took.
        #[serde(rename = "span_ps")]
        span: Span,
    },
    /// A closed loop waited so long for a response that its percentiles leave out what others would have met.
    Omitted {
        /// The longest wait.
        #[serde(rename = "longest_ps")]
        longest: Span,
        /// How many requests would have been sent meanwhile at the usual pace.
        requests: u64,
    },
    /// Bulk began faster than it went on, steadily.
    BeganFaster {
        /// The rate of all of it.
        #[serde(rename = "whole_bps")]
        whole: Rate,
        /// The rate of its second half.
        #[serde(rename = "later_bps")]
        later: Rate,
    },
    /// Small messages took longer or shorter from round to round, as wake-ups of idle processors do.
    WakeUpsDrift {
        /// How many times longer than fast rounds slow ones took: the ninth decile of the rounds over
        /// the first.
        ratio: f64,
    },
    /// Sizes were timed in bursts only.
    InBursts {
        /// How many.
        sizes: u64,
        /// The smallest of them. Unit: bytes.
        from: u64,
    },
    /// It was not seen what the path sustains one way, so there is no peak.
    SustainedUnknown {
        /// The time of a curve that would be enough. Unit: picoseconds. Absent if none is known to be.
        #[serde(rename = "needed_ps", default, skip_serializing_if = "Option::is_none")]
        needed: Option<Span>,
    },
    /// Ping-pong came out faster than the path is one way.
    AboveSustained {
        /// The message size of the highest rate. Unit: bytes.
        size: u64,
        /// Its rate.
        #[serde(rename = "rate_bps")]
        rate: Rate,
        /// The rate one way.
        #[serde(rename = "sustained_bps")]
        sustained: Rate,
    },
    /// A trial was ended because the time was over.
    Late {
        /// Message size. Unit: bytes.
        size: u64,
        /// How long it had run. Unit: picoseconds.
        #[serde(rename = "after_ps")]
        after: Span,
    },
    /// A size came out faster than the link.
    AboveLink {
        /// Message size. Unit: bytes.
        size: u64,
        /// What was measured.
        #[serde(rename = "throughput_bps", alias = "throughput")]
        throughput: Rate,
        /// The link's rate.
        #[serde(rename = "link_bps", alias = "link")]
        link: Rate,
    },
    /// The run did not end as planned.
    Incomplete {
        /// Why.
        reason: String,
    },
    /// The numbers come from a file that does not say how they were measured.
    Imported {
        /// The program that wrote it.
        program: String,
    },
    /// Lines of a file of another program were skipped.
    LinesSkipped {
        /// How many.
        lines: u64,
        /// The first of them, each with what is wrong with it.
        which: Vec<String>,
    },
    /// A modelled collision domain is wider than its slot time, so its results include late
    /// collisions, and collisions that the senders do not hear.
    IllegalDiameter {
        /// Longest round trip between two stations. Unit: bit times.
        round_trip_bits: u64,
        /// Slot time. Unit: bit times.
        slot_bits: u64,
    },
    /// Datagrams arrived that do not belong to the load.
    Foreign {
        /// How many.
        datagrams: u64,
    },
    /// Datagrams that left with a code point of explicit congestion notification arrived without it, or with another.
    Bleached {
        /// The end that sent them.
        side: Side,
        /// How many.
        datagrams: u64,
        /// Of so many that arrived.
        arrived: u64,
    },
    /// One end of a modelled cable is full duplex and the other half duplex.
    DuplexMismatch {
        /// The cable, by what it connects.
        cable: String,
    },
    /// A modelled network lost a considerable share of what was offered.
    FramesLost {
        /// Frames that were lost for this cause.
        lost: u64,
        /// Frames that were offered.
        offered: u64,
        /// Why most of them were lost.
        cause: String,
    },
    /// A key of a model's plan that this network or load does not use.
    WithoutEffect {
        /// Its path in the plan.
        key: String,
        /// Why.
        why: String,
    },
    /// Some ranks are on one host and in one network namespace.
    RanksShareHost {
        /// How many ranks have another beside them.
        ranks: u64,
        /// Out of how many.
        of: u64,
    },
    /// A host has more ranks than processors.
    MoreRanksThanProcessors {
        /// The host.
        host: String,
        /// Its ranks.
        ranks: u64,
        /// The processors that they may use.
        processors: u64,
    },
    /// Ranks of one host were only ever seen on the same processor.
    RanksShareProcessor {
        /// The host.
        host: String,
        /// How many ranks.
        ranks: u64,
        /// Which processor.
        cpu: u32,
    },
    /// What passed between ranks of different hosts did not cross the interface that it should.
    RanksTookAnotherWay {
        /// The host, and how many more there are like it.
        host: String,
        /// How many more hosts are like it.
        more: u64,
        /// The interface of its ranks' address.
        interface: String,
        /// Payload that passed. Unit: bytes.
        payload: u64,
        /// What the interface counted. Unit: bytes.
        counted: u64,
    },
    /// Something else used the processors of some hosts.
    NoisyHosts {
        /// How many.
        hosts: u64,
        /// Out of how many.
        of: u64,
        /// The one that lost the largest share of its time.
        worst: String,
        /// That share, 0 to 1.
        share: f64,
    },
    /// CPU quotas stopped the processes of some hosts.
    ThrottledHosts {
        /// How many.
        hosts: u64,
        /// Out of how many.
        of: u64,
        /// The one that was stopped for longest.
        worst: String,
        /// The share of the run, 0 to 1.
        share: f64,
    },
    /// Messages one way between ranks came out faster the smaller they were: in the burst of a shaper.
    MeshInBursts {
        /// The smallest size that did. Unit: bytes.
        size: u64,
        /// Its median rate over all pairs.
        #[serde(rename = "rate_bps")]
        rate: Rate,
        /// The largest size. Unit: bytes.
        largest: u64,
        /// Its median rate over all pairs.
        #[serde(rename = "largest_rate_bps")]
        largest_rate: Rate,
    },
    /// A kind that only a later linerate knows.
    #[serde(other)]
    Later,
}

// The signature is serde's.
#[expect(clippy::trivially_copy_pass_by_ref)]
const fn is_false(value: &bool) -> bool {
    !*value
}
