//! Requests: the same times as a curve of the same model, and what a queue adds to them.

use linerate_core::bench::Bench as _;
use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::traffic::{Ended, Latency, Load, RrPlan, StreamPlan};
use linerate_core::trial::Trial;
use linerate_core::units::{Size, Span};
use linerate_sim::model;
use rstest::rstest;

use super::{assert_near, bulk, carried, carrier, requests};
use crate::support::plans::plan;

const DIRECT: &str = "[network]\nmedium = 'ethernet'\n";

fn only(load: &Load, text: &str, answering: &[u32]) -> Latency {
    let mut transfer = carried(&mut carrier(text, answering), load);
    let latency = transfer.latencies.pop().expect("a flow of requests");
    assert_eq!(latency.ended, Ended::Complete);
    latency
}

#[rstest]
fn a_closed_loop_takes_as_long_as_the_ping_pong_of_a_curve(
    #[values("", "[tcp]", "[tcp]\n[host]\nprofile = 'modern'", "[tcp]\n[host]\nprofile = 'pentium-ii-350'")]
    upper: &str,
    #[values(1, 100, 1448, 5_000)] size: u64,
) {
    let text = format!("{DIRECT}{upper}");
    let mut curve = model::curve(&plan(&text), None).expect("a model");
    let trial = Trial {
        pattern: Pattern::PingPong,
        size,
        samples: 60,
        batch: 1,
        lead: 0,
        seed: 1,
        check: Check::Marks,
    };
    let times = curve.bench.run(&trial).expect("a sample").times;
    let settled = *times.last().expect("sixty");
    let rr = RrPlan { request: Size(size), response: Size(size), count: Some(1), ..RrPlan::default() };
    let warm = |count| RrPlan { count: Some(count), ..rr.clone() };
    // The span of sixty less that of all but one is the last round trip alone.
    let [more, less] = [60, 59].map(|count| only(&requests(warm(count), 1_000), &text, &[1]).span);
    let round_trip = more.saturating_sub(less);
    assert!(
        round_trip == settled * 2 || round_trip == settled * 2 + Span::from_ps(1),
        "{round_trip:?} and {settled:?}"
    );
}

#[test]
fn a_depth_fills_the_round_trip() {
    let text = format!("{DIRECT}length-m = 200_000.0\n[tcp]");
    let at = |depth| {
        let rr = RrPlan { depth, count: Some(800), ..RrPlan::default() };
        only(&requests(rr, 1_000), &text, &[1]).per_second().expect("a rate")
    };
    // 1.112 ms each way: eight requests in one round trip instead of one.
    assert_near(at(8), 8.0 * at(1), 0.02);
}

#[test]
fn an_open_loop_asks_at_its_moments_and_counts_from_them() {
    let text = format!("{DIRECT}[tcp]");
    let rr = RrPlan { rate: Some(10_000.0), flows: 4, warm_up: Span::from_ms(10), ..RrPlan::default() };
    let transfer = carried(&mut carrier(&text, &[1]), &requests(rr, 100));
    for latency in &transfer.latencies {
        // 2500 a second each, for 10 ms and 100 ms.
        assert_eq!((latency.transactions, latency.warm_up, latency.unsent), (275, 25, 0));
        assert_eq!((latency.service.count(), latency.response.count()), (250, 250));
        assert_eq!(latency.service.max(), latency.response.max(), "none waited");
    }
}

/// The receiver's window keeps this many packets under way, and the slow port of the switch has them
/// all but those elsewhere: who comes then waits for them.
#[test]
fn a_full_queue_in_front_of_a_slow_port_is_what_requests_wait_for() {
    let text = "[network]\nmedium = 'ethernet'\ntopology = 'graph'\nstations = 2\nqueue = '1MiB'\n\
                [[network.relay]]\nname = 'a'\nkind = 'switch'\n\
                [[network.cable]]\nbetween = ['s0', 'a']\n\
                [[network.cable]]\nbetween = ['a', 's1']\nphy = '100M'\n\
                [tcp]\nreceive-buffer = '128KiB'";
    let rr = RrPlan { rate: Some(500.0), ..RrPlan::default() };
    let idle = only(&requests(rr.clone(), 500), text, &[1]);
    let stream = StreamPlan { warm_up: Span::from_ms(1_500), ..StreamPlan::default() };
    let beside = Load { rr: Some(rr), head_start: Span::from_ms(1_000), ..bulk(stream, 500) };
    let loaded = only(&beside, text, &[1]);
    let mut network = carrier(text, &[1]);
    let stream = StreamPlan { interval: Span::from_ms(100), ..StreamPlan::default() };
    // Slow start ends early: the congestion window takes half a second to leave the other as the limit.
    let transfer = carried(&mut network, &bulk(stream, 1_000));
    let samples = &transfer.flows[0].sender.tcp;
    let sample = samples.iter().find(|sample| sample.at >= Span::from_ms(900)).expect("it lasts a second");
    let window = network.answering[0].end.granted.usable_window.known().copied().expect("TCP has one");
    assert!(sample.snd_wnd <= window && sample.cwnd > sample.unacked, "{sample:?}, {window}");
    // A packet of 1538 B takes 123.04 us at 100 Mb/s.
    let packets = (sample.snd_wnd / 1448) as f64;
    let median = loaded.response.quantile(0.5).expect("some").as_us();
    assert_near(median, packets * 123.04, 0.05);
    let alone = idle.response.quantile(0.5).expect("some").as_us();
    assert!(alone < 30.0, "{alone} us without it");
}
