//! A run under load whose every measure differs from the others, made by hand.

use linerate_core::caution::Caution;
use linerate_core::units::{Rate, Span};
use linerate_sim::ethernet::network::QueueReport;
use linerate_sim::fabric::{Loss, MacCounters};
use linerate_sim::load::{Delay, Delays, LoadOutcome, StationOutcome};

/// Two senders of 300 and 100 Mb/s on lines of 1 Gb/s, and a station that only listens. Of 1000
/// frames 900 arrived and 65 were lost.
pub(crate) fn outcome() -> LoadOutcome {
    let us = Span::from_us;
    let busy = MacCounters {
        collisions: 100,
        late_collisions: 20,
        excessive_collisions: 10,
        pause_sent: 4,
        pause_received: 5,
        paused: us(7),
        ..MacCounters::default()
    };
    let other = MacCounters {
        collisions: 80,
        late_collisions: 1,
        excessive_collisions: 2,
        pause_sent: 0,
        pause_received: 1,
        paused: us(3),
        ..MacCounters::default()
    };
    LoadOutcome {
        seed: 1,
        line_rate: Rate::from_mbps(1000.0),
        counted: Span::from_ms(10),
        events: 5_000,
        offered: 1_000,
        delivered: 900,
        lost: [
            (Loss::ExcessiveCollisions, 10),
            (Loss::LateCollision, 20),
            (Loss::Overflow, 30),
            (Loss::Error, 5),
        ]
        .into(),
        queued: 35,
        repeated: 0,
        delay: Delay {
            mean: Some(us(12)),
            p50: Some(us(10)),
            p90: Some(us(20)),
            p99: Some(us(30)),
            p999: Some(us(40)),
            max: Some(us(50)),
        },
        delays: Delays::default(),
        stations: vec![
            station(0, 300.0, busy),
            station(1, 100.0, other),
            station(2, 0.0, MacCounters::default()),
        ],
        queues: [100, 700, 300].map(queue).into(),
        cautions: Vec::new(),
    }
}

fn station(station: u32, mbps: f64, mac: MacCounters) -> StationOutcome {
    StationOutcome {
        station,
        sends: mbps > 0.0,
        offered: 500,
        delivered: 450,
        lost: [].into(),
        throughput: Rate::from_mbps(mbps),
        goodput: Rate::from_mbps(mbps * 0.8),
        delay: None,
        mac,
    }
}

fn queue(peak: u64) -> QueueReport {
    QueueReport {
        name: "switch 0 port 0 out".to_owned(),
        capacity: 1_000,
        peak,
        mean: 50.0,
        overflow: 0,
        early: 0,
        marked: 0,
    }
}

/// A caution of frames that were lost.
pub(crate) fn lost(lost: u64, offered: u64) -> Caution {
    Caution::FramesLost { lost, offered, cause: "overflow".to_owned() }
}
