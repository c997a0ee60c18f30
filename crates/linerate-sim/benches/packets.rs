//! How many data packets and events a CPU second models.
//!
//! usage: cargo bench -p linerate-sim --bench packets [-- WORD]
//!
//! With a word only the scenarios whose name has it.
//! The scenarios run in turn, five times; printed are the medians and the range of packets a CPU
//! second. `docs/performance.md` has the figures and what they are compared with.

#[path = "../tests/support/models.rs"]
#[expect(dead_code, reason = "tests use the rest")]
mod models;

use linerate_core::bench::Bench as _;
use linerate_core::measure::{Ended, Unwatched, measure};
use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::plan::Plan;
use linerate_core::trial::Trial;
use linerate_sim::model::{curve, load};
use linerate_sim::plan::ModelPlan;
use linerate_sim::stack::{Kind, Side};
use rustix::time::{ClockId, clock_gettime};

const ROUNDS: usize = 5;

/// A host with costs.
const MODERN: &str = "[host]\nprofile = 'modern'";

/// A name, and how to run it.
type Scenario = (&'static str, fn() -> Modelled);

/// Data packets delivered, and events that it took.
struct Modelled {
    packets: u64,
    events: u64,
}

fn main() {
    let scenarios: [Scenario; 13] = [
        ("UDP-like 1472 B, one full-duplex 1 Gb/s link", || stream(Kind::Datagram, 1472)),
        ("TCP-like 1448 B, one full-duplex 1 Gb/s link", || stream(Kind::Stream, 1448)),
        ("TCP 1448 B, hosts that cost nothing, 1 Gb/s", || tcp("")),
        ("TCP 1448 B, host stages on, 1 Gb/s", || tcp(MODERN)),
        ("TCP curve, ping-pong, hosts that cost nothing", || tcp_curve("", "ping-pong")),
        ("TCP curve, one-way, hosts that cost nothing", || tcp_curve("", "one-way")),
        ("TCP curve, ping-pong, host stages on", || tcp_curve(MODERN, "ping-pong")),
        ("TCP curve, one-way, host stages on", || tcp_curve(MODERN, "one-way")),
        ("64 B frames, one full-duplex 1 Gb/s link", || loaded("topology = 'direct'", 64, 100)),
        ("64 B frames, 2 stations, half duplex 1 Gb/s", || loaded("topology = 'hub'\nstations = 2", 64, 700)),
        ("64 B frames, 21 stations, half duplex 1 Gb/s", || {
            loaded("topology = 'hub'\nstations = 21", 64, 700)
        }),
        ("64 B frames, 100 stations, half duplex 1 Gb/s", || {
            loaded("topology = 'hub'\nstations = 100", 64, 700)
        }),
        ("1518 B frames, 21 stations, half duplex 1 Gb/s", || {
            loaded("topology = 'hub'\nstations = 21", 1518, 5000)
        }),
    ];
    // Cargo adds a flag of its own.
    let word = std::env::args().skip(1).find(|word| !word.starts_with("--")).unwrap_or_default();
    let scenarios: Vec<Scenario> = scenarios.into_iter().filter(|(name, _)| name.contains(&word)).collect();
    let mut speeds = vec![Vec::new(); scenarios.len()];
    for _ in 0..ROUNDS {
        for (speeds, (_, run)) in speeds.iter_mut().zip(&scenarios) {
            let before = cpu_seconds();
            let Modelled { packets, events } = run();
            let spent = cpu_seconds() - before;
            speeds.push((packets as f64 / spent, events as f64 / spent));
        }
    }
    println!("{:<48} {:>12} {:>25} {:>12}", "scenario", "packets/s", "lowest to highest", "events/s");
    for ((name, _), mut speeds) in scenarios.into_iter().zip(speeds) {
        speeds.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (packets, events) = speeds[ROUNDS / 2];
        let (low, high) = (speeds[0].0, speeds[ROUNDS - 1].0);
        println!("{name:<48} {packets:>12.0} {low:>12.0}-{high:>12.0} {events:>12.0}");
    }
}

/// CPU time of this process. Unit: seconds.
fn cpu_seconds() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// A stream of messages of one packet each, between two applications.
fn stream(kind: Kind, size: u64) -> Modelled {
    const SAMPLES: u32 = 1000;
    const BATCH: u32 = 500;
    let mut bench = models::gigabit(kind);
    let trial = Trial {
        pattern: Pattern::OneWay,
        size,
        samples: SAMPLES,
        batch: BATCH,
        lead: 0,
        seed: 1,
        check: Check::Marks,
    };
    let sample = bench.run(&trial).expect("the model carries it");
    Modelled { packets: sample.tally.sent, events: bench.events() }
}

/// A TCP stream in segments of 1448 B, written and read 64 KiB at a time.
fn tcp(host: &str) -> Modelled {
    let text = format!("[tcp]\npersonality = 'linux-modern'\n{host}");
    let plan = ModelPlan::from_toml(&text).expect("a plan");
    let mut bench = curve(&plan, None).expect("it can be built").bench;
    let trial = Trial {
        pattern: Pattern::OneWay,
        size: 64 << 10,
        samples: 400,
        batch: 10,
        lead: 0,
        seed: 1,
        check: Check::Marks,
    };
    let sample = bench.run(&trial).expect("the model carries it");
    Modelled { packets: sample.tally.sent_bytes / 1448, events: bench.events() }
}

/// A whole curve over TCP as `linerate measure --model` takes it: `NetPIPE`'s sizes to 10 MB, every
/// byte compared. Its packets are the segments with data.
fn tcp_curve(host: &str, pattern: &str) -> Modelled {
    let text = format!("[tcp]\npersonality = 'linux-modern'\n{host}");
    let plan = ModelPlan::from_toml(&text).expect("a plan");
    let mut curve = curve(&plan, None).expect("it can be built");
    let asked = Plan::from_toml(&format!("pattern = '{pattern}'")).expect("a measurement");
    let method = curve.method(&asked.common, asked.curve().expect("a curve")).expect("sizes");
    let outcome = measure(&mut curve.bench, &method, &mut Unwatched);
    assert!(matches!(outcome.ended, Ended::Complete), "{:?}", outcome.ended);
    let packets = curve.bench.look(|world| {
        let ends = [Side::First, Side::Second].map(|side| world.stations.connection(0, side));
        ends.iter().flatten().map(|end| end.counters().data_segments_sent).sum()
    });
    Modelled { packets, events: curve.bench.events() }
}

/// A 1 Gb/s Ethernet whose stations are all saturated.
fn loaded(network: &str, frame: u32, milliseconds: u32) -> Modelled {
    let text = format!(
        "[network]\nmedium = 'ethernet'\n{network}\n[load]\nframe = {frame}\ntime = '{milliseconds}ms'"
    );
    let plan = ModelPlan::from_toml(&text).expect("a plan");
    let outcome = load(&plan, None).expect("it can be built").outcome;
    Modelled { packets: outcome.delivered, events: outcome.events }
}
