//! Curves over the plans, by the method that `linerate measure` uses.

use linerate_core::measure::{Ended, Method, Outcome, Unwatched, measure};
use linerate_core::plan::Task;
use linerate_core::schedule::Schedule;
use linerate_core::units::{Size, Span};

use linerate_sim::frame::Port;
use linerate_sim::model::{self, Curve};
use linerate_sim::plan::ModelPlan;
use toml::Value;

use super::shipped::{assert_near, changed};

const MIB: u64 = 1 << 20;

fn run(mut plan: ModelPlan, sizes: &[u64]) -> (Curve, Outcome) {
    let mut asked = plan.measure.curve().expect("a curve").clone();
    asked.schedule = Schedule::List(sizes.iter().map(|size| Size(*size)).collect());
    plan.measure.task = Task::Curve(asked.clone());
    let mut curve = model::curve(&plan, None).expect("it can be built");
    let method = curve.method(&plan.measure.common, &asked).expect("there are sizes");
    // A model without chance takes the time that it needs; the others get enough for three rounds.
    let time = Span::from_ms(10_000).min(method.time);
    let method = Method { rounds: 3, time, ..method };
    let outcome = measure(&mut curve.bench, &method, &mut Unwatched);
    (curve, outcome)
}

/// Rates of messages of 1 MiB, and what framing leaves. Unit: Mb/s.
fn peak(name: &str) -> [f64; 2] {
    let (curve, outcome) = run(changed(name, &[]), &[MIB]);
    assert!(matches!(outcome.ended, Ended::Complete), "{name}: {:?}", outcome.ended);
    let rate = outcome.series.points[0].throughput().expect("it was timed").as_mbps();
    println!("{name}: {rate:.2} of {:.2} Mb/s", curve.payload.as_mbps());
    [rate, curve.payload.as_mbps()]
}

#[test]
fn the_networks_side_by_side_reach_what_their_framing_leaves() {
    // Payload of TCP at the usual MTU, in Mb/s: docs/models of each medium, and (MTU - 40) / (MTU + 38) of Ethernet.
    let networks = [
        ("fast-ethernet", 94.9285),
        ("fddi", 98.268),
        ("atm-oc3c", 134.513),
        ("fibre-channel", 824.914),
        ("gigabit", 949.285),
        ("myrinet", 1273.324),
        ("ten-gigabit-wan", 9492.85 * 104.0 / 112.0),
        ("ten-gigabit", 9492.85),
    ];
    let mut before = 0.0;
    for (name, expected) in networks {
        let [rate, payload] = peak(name);
        assert_near(payload, expected, 1e-5);
        assert!(rate <= payload && rate > 0.995 * payload, "{name}: {rate} of {payload}");
        assert!(rate > before, "{name} is faster than the one before");
        before = rate;
    }
    // Half duplex: acknowledgements collide with data.
    let [rate, payload] = peak("ethernet");
    assert!((7.0..0.95 * payload).contains(&rate), "{rate} of {payload}");
}

#[test]
fn a_large_window_in_half_duplex_goes_on_after_sixteen_collisions() {
    let given_up = |window: &str| {
        let (curve, outcome) = run(changed("ethernet", &[("transport.window", window.into())]), &[MIB]);
        assert!(matches!(outcome.ended, Ended::Complete), "{:?}", outcome.ended);
        assert!(outcome.series.points[0].time().is_some());
        curve.bench.look(|world| world.medium.counters(Port(1)).excessive_collisions)
    };
    assert_eq!(given_up("16K"), 0);
    // What captures the medium keeps it until an acknowledgement is given up.
    assert!(given_up("256K") > 0);
}

#[test]
fn jumbo_frames_leave_more_of_the_line() {
    for (mtu, share) in [(512, 0.858_182), (1500, 0.949_285), (3500, 0.977_954), (9000, 0.991_370)] {
        let (curve, outcome) = run(changed("jumbo", &[("network.mtu", Value::from(mtu))]), &[MIB]);
        assert_near(curve.payload.as_mbps(), share * 1000.0, 1e-5);
        let rate = outcome.series.points[0].throughput().expect("it was timed").as_mbps();
        assert_near(rate, share * 1000.0, 1e-3);
    }
}

#[test]
fn a_curve_over_a_duplex_mismatch_collapses_when_both_ends_send_at_once() {
    let (_, outcome) = run(changed("duplex-mismatch", &[]), &[64, 1024, 8192]);
    assert!(matches!(outcome.ended, Ended::Complete), "{:?}", outcome.ended);
    let rates: Vec<f64> = outcome
        .series
        .points
        .iter()
        .map(|point| point.throughput().expect("it was timed").as_mbps())
        .collect();
    assert!(rates[1] > 90.0, "one frame at a time passes: {rates:?}");
    assert!(rates[2] < 5.0, "data and acknowledgements meet, and wait to be sent again: {rates:?}");
}

#[test]
fn datagrams_over_a_duplex_mismatch_end_with_the_first_loss() {
    let changes = [("transport.kind", "datagram".into()), ("measure.pattern", "exchange".into())];
    let (_, outcome) = run(changed("duplex-mismatch", &changes), &[MIB]);
    let Ended::Failed(error) = outcome.ended else { panic!("{:?}", outcome.ended) };
    assert!(error.to_string().contains("lost a frame of it (error)"), "{error}");
}

#[test]
fn a_desk_of_the_campus_gets_its_own_line_of_the_server() {
    let [rate, payload] = peak("campus");
    assert_near(payload, 94.9285, 1e-5);
    assert!(rate > 0.99 * payload, "{rate}");
}

#[test]
fn each_switch_on_the_way_adds_a_frame_and_a_cable_to_a_small_message() {
    let time = |name: &str| {
        let (_, outcome) = run(changed(name, &[]), &[1]);
        outcome.series.points[0].time().expect("it was timed").median / 1e6
    };
    let [direct, indirect] = ["direct", "indirect"].map(time);
    // 72 B at 1 Gb/s and 100 m of 5.56 ns, once and, through four switches, five times.
    assert_near(direct, 0.576 + 0.556, 1e-6);
    assert_near(indirect, 5.0 * (0.576 + 0.556), 1e-6);
}

#[test]
fn a_window_limits_the_rate_to_its_whole_packets_a_round_trip() {
    // 1000 km of fibre, 5 ns/m; 44 packets of 1460 B fit 64 KiB, acknowledged in pairs.
    let changes = [
        ("network.phy", "1000BASE-X".into()),
        ("network.length-m", Value::from(1e6)),
        ("transport.window", "64K".into()),
        ("measure.pattern", "one-way".into()),
    ];
    let windows = 44 * 1460 * 10;
    let (curve, outcome) = run(changed("gigabit", &changes), &[windows]);
    let second_begins = 12_304_000;
    let (packet, acknowledgement, there_and_back) = (12_208_000, 576_000, 10_000_000_000);
    let cycle = second_begins + packet + acknowledgement + there_and_back;
    let medians: Vec<u64> =
        outcome.series.points[0].rounds.iter().map(|round| round.median.as_ps()).collect();
    assert_eq!(medians, [10 * cycle], "ten windows, to the picosecond");
    let sent = [0, 1].map(|port| curve.bench.look(|world| world.medium.counters(Port(port)).sent));
    // But for the packets at the beginning and at the end.
    assert!(sent[0].abs_diff(2 * sent[1]) <= 2, "one acknowledgement for two packets: {sent:?}");
}
