//! Results of loads made by hand, so that every number of a text can be told.

use linerate_analysis::report::{
    DatagramSum, Departures, DirectionSum, FlowClass, FlowResult, LatencyRow, LoadResult,
};
use linerate_core::environment::Fact;
use linerate_core::traffic::{Datagrams, Direction, EcnCounts, IoReport};
use linerate_core::units::Span;

/// A load without flows.
pub(super) fn load() -> LoadResult {
    let report = crate::fixture::loads(vec![linerate_core::traffic::Transfer::default()]);
    let mut loads = report.loads;
    let load = loads.swap_remove(0);
    LoadResult {
        name: "a load".to_owned(),
        what: "bulk".to_owned(),
        sums: Vec::new(),
        flows: Vec::new(),
        ..load
    }
}

/// A flow of this number and rate that took a second.
pub(super) fn flow(number: u32, mbps: f64) -> FlowResult {
    FlowResult {
        flow: number,
        peer: 1,
        direction: Direction::Send,
        class: FlowClass::Complete,
        reason: None,
        mbps: Some(mbps),
        share: Some(0.25),
        retransmits: None,
        bytes: 12_500_000,
        sent_in_us: Some(999_000.0),
        received_in_us: Some(1_000_000.0),
        datagrams: None,
        departures_us: None,
        engines: linerate_analysis::report::Engines { sender: None, receiver: None },
        message_bytes: 65_536,
        sndbuf: Fact::Known(131_072),
        rcvbuf: Fact::unknown("not asked"),
        intervals: Vec::new(),
        looks: Vec::new(),
        tcp: Vec::new(),
    }
}

/// A flow that did not complete.
pub(super) fn broken(number: u32, class: FlowClass, reason: &str) -> FlowResult {
    FlowResult { class, reason: Some(reason.to_owned()), ..flow(number, 0.0) }
}

/// What became of 1000 datagrams.
pub(super) fn datagrams() -> Datagrams {
    Datagrams {
        sent: 1_000,
        received: 970,
        duplicated: 3,
        reordered: 7,
        dropped_by_socket: 20,
        lost: 10,
        jitter: Span::from_us(12),
        ..Datagrams::default()
    }
}

/// What flows from here did together: four that completed with 400 Mb/s.
pub(super) fn sum() -> DirectionSum {
    DirectionSum {
        direction: Direction::Send,
        mbps: Some(400.0),
        later_mbps: None,
        bytes: 50_000_000,
        complete: 4,
        stalled: 0,
        failed: 0,
        fairness: Some(0.987_6),
        fair_after_s: Some(0.0),
        cpu_s_per_gb: [Some(0.25), None],
        retransmits_per_gb: None,
        path_mtu_bytes: None,
        datagrams: None,
        departures_us: None,
        engines: IoReport::default(),
    }
}

/// With all that a direction can have.
pub(super) fn full_sum() -> DirectionSum {
    DirectionSum {
        datagrams: Some(DatagramSum {
            sent: 1_000,
            lost: 10,
            dropped: 20,
            lost_share: 0.01,
            dropped_share: 0.02,
            ecn: Some(EcnCounts { unchanged: 900, marked: 60, bleached: 10, ..EcnCounts::default() }),
        }),
        departures_us: Some(Departures { p50: Some(100.0), p99: Some(150.0), max: Some(2_000.0) }),
        engines: IoReport { zero_copy_asked: 8, zero_copy_copied: 2, ..IoReport::default() },
        ..sum()
    }
}

/// Requests of a flow, whose percentiles are 10, 20, 30 us and so on.
pub(super) fn requests(flow: Option<u32>, kind: &'static str) -> LatencyRow {
    LatencyRow {
        flow,
        kind,
        transactions: 1_000_000,
        per_second: Some(12_345.6),
        us: [10.0, 20.0, 30.0, 40.0, 50.0, 60.0].map(Some),
        max_us: Some(1_500.0),
        lost: 4,
        distribution: Vec::new(),
        course: Vec::new(),
    }
}
