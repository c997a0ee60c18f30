//! Bursts: what a mean load does not show.

use linerate_core::carrier::{Carrier as _, LoadWatch, Look};
use linerate_core::traffic::{Direction, Load, RrPlan, StreamPlan};
use linerate_core::units::Span;
use linerate_sim::carrier::{Ends, ModelCarrier};
use linerate_sim::fabric::Loss;

use super::shipped::{assert_near, changed, load, lost};

#[test]
fn an_incast_loses_what_neither_the_queue_nor_the_line_takes() {
    // 44 frames of 1500 B hold 64 KiB; 86 of 1518 B fit into 128 KiB.
    let [bursts, senders, each, room] = [10, 8, 44, 86];
    let outcome = load("incast", &[]);
    assert_eq!(outcome.offered, bursts * senders * each);
    let expected = bursts * (each + room);
    assert_near(outcome.delivered as f64, expected as f64, 0.02);
    assert_eq!(lost(&outcome, Loss::Overflow), outcome.offered - outcome.delivered);
    // With room for all of them the last waits for the others: 352 frames of 12.304 us, and the ways in and out.
    let outcome = load("incast", &[("network.queue", "1M".into())]);
    assert_eq!(outcome.all_lost(), 0);
    assert_near(outcome.delay.max.expect("frames").as_us(), 352.0 * 12.304 + 13.0, 0.01);
}

#[test]
fn on_off_senders_of_the_same_mean_wait_far_longer_than_random_ones() {
    let bursts = load("on-off", &[]);
    let random = [("load.arrivals", "poisson".into()), ("load.station-load", 0.2.into())];
    let random = load("on-off", &random);
    // 400 periods of each of four senders: the mean is known to some per cent.
    assert_near(bursts.efficiency(), 0.8, 0.12);
    assert_near(random.efficiency(), 0.8, 0.02);
    let [bursts, random] = [bursts, random].map(|outcome| outcome.delay.mean.expect("frames").as_us());
    assert!(bursts > 5.0 * random, "{bursts} us, {random} us");
}

#[test]
fn a_station_of_its_own_offers_what_it_says() {
    let own = "stations = [1]\nload = 0.1\nframe = 64".parse::<toml::Table>().expect("TOML");
    let changes = [
        ("load.arrivals", "periodic".into()),
        ("load.station-load", 0.2.into()),
        ("load.station", toml::Value::Array(vec![own.into()])),
    ];
    let outcome = load("on-off", &changes);
    for (station, share) in [(1, 0.1), (2, 0.2), (3, 0.2)] {
        assert_near(outcome.stations[station].throughput.as_mbps(), 1000.0 * share, 0.001);
    }
}

struct Silent;

impl LoadWatch for Silent {
    fn interval(&mut self, _: &Look) {}

    fn go_on(&mut self) -> std::ops::ControlFlow<()> {
        std::ops::ControlFlow::Continue(())
    }
}

/// The median of requests beside a flow. Unit: milliseconds.
fn beside(queue: &str) -> f64 {
    let plan = changed("bufferbloat", &[("network.queue", queue.into())]);
    let mut carrier = ModelCarrier::build(&plan, &Ends::outermost(&plan), None).expect("a model");
    let warm_up = Span::from_ms(2_000);
    let stream = StreamPlan { direction: Direction::Send, warm_up, ..StreamPlan::default() };
    let rr = RrPlan { rate: Some(200.0), ..RrPlan::default() };
    let (stream, rr) = (Some(stream), Some(rr));
    let head_start = Span::from_ms(3_000);
    let load = Load { stream, rr, head_start, time: Span::from_ms(3_000), ..Load::default() };
    let transfer = carrier.carry(&load, &mut Silent).transfer.expect("it began");
    transfer.latencies[0].response.quantile(0.5).expect("some").as_us() / 1e3
}

#[test]
fn a_flow_keeps_its_window_in_a_large_queue_and_requests_wait_for_it() {
    // 147 segments of 1448 B hold 208 KiB; each is 1538 B with preamble and gap at 100 Mb/s.
    assert_near(beside("1M"), 147.0 * 0.12304, 0.03);
    // A queue of 64 KiB holds 43 frames, and loses the rest.
    let median = beside("64K");
    assert!(median <= 1.05 * 43.0 * 0.12304, "{median} ms");
}
