//! What the flows of a direction did together.

use serde::Serialize;

use crate::assessment::slower_later;
use linerate_core::run::Run;
use linerate_core::stats::Histogram;
use linerate_core::traffic::{Datagrams, Direction, EcnCounts, IoReport, Summary, Transfer};
use linerate_core::units::{Rate, Span};

/// All flows of one direction of a load.
#[derive(Clone, Debug, Serialize)]
pub struct DirectionSum {
    /// Which way.
    pub direction: Direction,
    /// Payload rate that the complete flows had together. Unit: Mb/s (10^6 bit/s).
    pub mbps: Option<f64>,
    /// The same in the second half, if the flows began faster than they went on and were steady then: what
    /// the path carries for long. Unit: Mb/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub later_mbps: Option<f64>,
    /// Payload that the receivers took.
    #[serde(skip)]
    pub bytes: u64,
    /// Flows that completed.
    pub complete: u32,
    /// Flows that stalled.
    pub stalled: u32,
    /// Flows that failed.
    pub failed: u32,
    /// Jain's index of the complete flows' rates, 1/n to 1.
    pub fairness: Option<f64>,
    /// The moment from which the flows shared fairly to the end.
    pub fair_after_s: Option<f64>,
    /// Processor time of the flows' threads for each 10^9 bytes: of the senders, of the receivers.
    pub cpu_s_per_gb: [Option<f64>; 2],
    /// Segments that the senders' TCP retransmitted, for each 10^9 bytes; absent if none says.
    pub retransmits_per_gb: Option<f64>,
    /// The largest IP packet that arrives this way, if that was tried; of several paths the least.
    #[serde(skip)]
    pub path_mtu_bytes: Option<u64>,
    /// What became of the datagrams, if the flows sent any.
    #[serde(skip)]
    pub datagrams: Option<DatagramSum>,
    /// How far apart the paced messages of each flow left.
    #[serde(skip)]
    pub departures_us: Option<Departures>,
    /// What the I/O engines of both ends report.
    #[serde(skip)]
    pub engines: IoReport,
}

/// Datagrams of several flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DatagramSum {
    /// Sent.
    pub sent: u64,
    /// Of these, lost on the path.
    pub lost: u64,
    /// Of these, dropped by the receiver's socket.
    pub dropped: u64,
    /// Share of the datagrams that was lost, 0 to 1.
    pub lost_share: f64,
    /// Share of the datagrams that was dropped.
    pub dropped_share: f64,
    /// With which code point of explicit congestion notification those that arrived came, if it was asked for.
    pub ecn: Option<EcnCounts>,
}

/// Times between departures of paced messages. Unit: us.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Departures {
    /// Median; absent if there are too few messages.
    pub p50: Option<f64>,
    /// 99th percentile; absent if there are too few messages.
    pub p99: Option<f64>,
    /// The longest.
    pub max: Option<f64>,
}

impl DirectionSum {
    pub(super) fn new(run: &Run, transfer: &Transfer, sum: &Summary) -> Self {
        let Summary { direction, complete, stalled, failed, bytes, fairness, .. } = *sum;
        let flows = || transfer.flows.iter().filter(move |flow| flow.direction == direction);
        let fates: Vec<_> = flows().filter_map(|flow| flow.receiver.datagrams.as_ref()).collect();
        let mut departures = Histogram::default();
        flows().filter_map(|flow| flow.sender.departures.as_ref()).for_each(|times| departures.add(times));
        let again: Vec<u64> = flows().filter_map(|flow| flow.sender.retransmits()).collect();
        let reports = flows().flat_map(|flow| [&flow.sender.io, &flow.receiver.io]).flatten();
        Self {
            direction,
            mbps: sum.rate.map(Rate::as_mbps),
            later_mbps: slower_later(transfer, direction).map(|[_, later]| later.as_mbps()),
            bytes,
            complete,
            stalled,
            failed,
            fairness,
            fair_after_s: sum.converged.map(Span::as_seconds),
            cpu_s_per_gb: sum.cpu_per_gigabyte,
            retransmits_per_gb: (!again.is_empty() && bytes > 0)
                .then(|| again.iter().sum::<u64>() as f64 * 1e9 / bytes as f64),
            path_mtu_bytes: run
                .answering()
                .filter_map(|(_, path)| {
                    let mtu = path.mtu.known()?;
                    let way = if direction == Direction::Receive { mtu.back } else { mtu.there };
                    Some(way.largest_bytes)
                })
                .min(),
            datagrams: (!fates.is_empty()).then(|| DatagramSum::of(&fates)),
            departures_us: departures.max().map(|_| Departures::of(&departures)),
            engines: reports.fold(IoReport::default(), |sum, io| IoReport {
                zero_copy_asked: sum.zero_copy_asked + io.zero_copy_asked,
                zero_copy_copied: sum.zero_copy_copied + io.zero_copy_copied,
                mapped_bytes: sum.mapped_bytes + io.mapped_bytes,
                discarded_bytes: sum.discarded_bytes + io.discarded_bytes,
            }),
        }
    }
}

impl DatagramSum {
    fn of(fates: &[&Datagrams]) -> Self {
        let sum = |of: fn(&Datagrams) -> u64| fates.iter().map(|fate| of(fate)).sum::<u64>();
        let (sent, lost) = (sum(|fate| fate.sent), sum(|fate| fate.lost));
        let dropped = sum(|fate| fate.dropped_by_socket);
        let share = |part: u64| part as f64 / sent.max(1) as f64;
        let ecn = fates.iter().filter_map(|fate| fate.ecn).reduce(EcnCounts::plus);
        Self { sent, lost, dropped, lost_share: share(lost), dropped_share: share(dropped), ecn }
    }
}

impl Departures {
    pub(super) fn of(times: &Histogram) -> Self {
        let us = |span: Option<Span>| span.map(Span::as_us);
        Self { p50: us(times.resolved(0.5)), p99: us(times.resolved(0.99)), max: us(times.max()) }
    }
}
