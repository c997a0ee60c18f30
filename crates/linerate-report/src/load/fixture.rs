//! Studies made by hand, with all that no model under test shows at once.

use linerate_core::caution::Caution;
use linerate_core::units::{Rate, Span};
use linerate_sim::ethernet::network::QueueReport;
use linerate_sim::fabric::{Loss, MacCounters};
use linerate_sim::load::{Delay, Delays, LoadOutcome, StationOutcome};
use linerate_sim::model::Ceiling;
use linerate_sim::plan::ModelPlan;
use linerate_study::{Named, Point, Study};
use toml::Value;

const PLAN: &str = "about = 'made by hand'\n[network]\nmedium = 'ethernet'\ntopology = 'hub'\nstations = 4\n\
     duplex = 'half'\npause = 'symmetric'";

/// A run of `stations` of which each has a part of `efficiency` that grows with its number.
pub(in super::super) fn outcome(stations: u32, efficiency: f64, seed: u64) -> LoadOutcome {
    let line = Rate::from_mbps(1000.0);
    let parts = f64::from(stations * (stations + 1) / 2);
    let mut delays = Delays::default();
    let mut sum = Span::ZERO;
    for nth in 1..=1000_u64 {
        let delay = Span::from_us(12 + nth * nth / 1000 * u64::from(stations));
        sum += delay;
        delays.record(delay);
    }
    let station = |number: u32| {
        let throughput = Rate::from_mbps(1000.0 * efficiency * f64::from(number + 1) / parts);
        StationOutcome {
            station: number,
            sends: true,
            offered: 1200,
            delivered: 1100,
            lost: [(Loss::ExcessiveCollisions, 3), (Loss::Overflow, 7)].into(),
            throughput,
            goodput: Rate::from_bits_per_second(throughput.bits_per_second() * 0.97),
            delay: Some(Span::from_us(100 + u64::from(number))),
            mac: MacCounters {
                sent: 1100,
                received: 1100,
                collisions: 400 + u64::from(number),
                late_collisions: 2,
                excessive_collisions: 3,
                pause_sent: 5,
                pause_received: 6,
                paused: Span::from_us(700),
                ..MacCounters::default()
            },
        }
    };
    let all = u64::from(stations);
    LoadOutcome {
        seed,
        line_rate: line,
        counted: Span::from_ms(95),
        events: 123_456,
        offered: 1200 * all,
        delivered: 1100 * all,
        lost: [(Loss::ExcessiveCollisions, 3 * all), (Loss::Overflow, 7 * all)].into(),
        queued: 90 * all,
        repeated: 0,
        delay: Delay::of(&delays, sum, 1000),
        delays,
        stations: (0..stations).map(station).collect(),
        queues: (0..stations)
            .map(|port| QueueReport {
                name: format!("switch 0 port {port} out"),
                capacity: 131_072,
                peak: 131_072 / u64::from(stations - port),
                mean: 40_000.5 / f64::from(stations - port),
                overflow: 7,
                marked: 0,
                early: 0,
            })
            .collect(),
        cautions: vec![Caution::DuplexMismatch { cable: "s0 to hub".to_owned() }],
    }
}

fn named(name: &str) -> Named {
    Named { name: name.to_owned(), plan: ModelPlan::from_toml(PLAN).expect("a plan") }
}

fn study(keys: &[&str], points: Vec<Point>) -> Study {
    Study {
        plans: vec![named("made")],
        keys: keys.iter().map(|key| (*key).to_owned()).collect(),
        asked: points.iter().map(|point| point.runs.len()).sum(),
        points,
    }
}

/// One run of four stations.
pub(in super::super) fn single() -> Study {
    study(
        &[],
        vec![Point { set: Vec::new(), runs: vec![outcome(4, 0.9, 1)], ceiling: Some(ceiling(1518, 4)) }],
    )
}

/// One run of more stations than are shown.
pub(in super::super) fn crowd() -> Study {
    study(&[], vec![Point { set: Vec::new(), runs: vec![outcome(40, 0.8, 1)], ceiling: None }])
}

/// Stations against frame sizes, each with three seeds.
pub(in super::super) fn sweep() -> Study {
    let mut points = Vec::new();
    for stations in [2_u32, 4, 8, 16, 32, 64] {
        for frame in [64_u32, 512, 1518] {
            let ideal = f64::from(frame) / (f64::from(frame) + 30.0 + f64::from(stations).sqrt() * 12.0);
            let run = |seed: u64| outcome(stations, ideal * (1.0 + 0.02 * (seed as f64 - 2.0)), seed);
            let set = vec![Value::Integer(stations.into()), Value::Integer(frame.into())];
            let ceiling = Some(ceiling(frame, stations));
            points.push(Point { set, runs: (1..=3).map(run).collect(), ceiling });
        }
    }
    study(&["network.stations", "load.frame"], points)
}

/// What framing leaves, and contention a little less of with every station.
fn ceiling(frame: u32, stations: u32) -> Ceiling {
    let framing = f64::from(frame) / (f64::from(frame) + 20.0);
    Ceiling { framing, contention: Some(framing * (1.0 - 0.05 * f64::from(stations).log2())) }
}

/// Three plans side by side, and nothing swept.
pub(in super::super) fn media() -> Study {
    let point = |(name, speed): (&str, f64)| {
        let mut run = outcome(2, 0.9, 1);
        run.stations.iter_mut().for_each(|station| {
            station.throughput = Rate::from_bits_per_second(station.throughput.bits_per_second() * speed);
        });
        Point { set: vec![Value::String(name.to_owned())], runs: vec![run], ceiling: None }
    };
    let names = ["ethernet", "fddi", "ten-gigabit"];
    let points = names.into_iter().zip([0.01, 0.1, 10.0]).map(point).collect();
    Study { plans: names.map(named).into(), ..study(&["plan"], points) }
}

/// A sweep that the user ended in the middle.
pub(in super::super) fn interrupted() -> Study {
    let point = |stations: u32, seeds: u64| Point {
        set: vec![Value::Integer(stations.into())],
        runs: (1..=seeds).map(|seed| outcome(stations, 0.5, seed)).collect(),
        ceiling: None,
    };
    Study { asked: 6, ..study(&["network.stations"], vec![point(2, 2), point(4, 1), point(8, 0)]) }
}
