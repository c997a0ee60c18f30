use linerate_core::kernel::TcpSample;
use linerate_core::stats::Histogram;
use linerate_core::traffic::{
    Ended, FlowAccount, HalfAccount, Interval, Latency, LatencyLook, Load, StreamPlan, Transfer,
};
use linerate_core::units::Span;

use super::*;
use crate::fixture;
use crate::plot::WIDTH;

/// A flow of two seconds with an interval each and 64 looks, whose receiver took so many bytes in each.
fn flow(number: u32, direction: Direction, bytes: u64) -> FlowAccount {
    let look = |nth: u64| Interval { until: Span::from_us(31_250 * nth), bytes };
    let tcp = |nth: u64| TcpSample {
        at: look(nth).until,
        rtt: Span::from_us(40 + nth),
        cwnd: 10 + nth,
        ..TcpSample::default()
    };
    let half = HalfAccount {
        ended: Ended::Complete,
        bytes: 64 * bytes,
        first: Some(Span::ZERO),
        last: Some(Span::from_ms(2_000)),
        warm: Some((Span::ZERO, 0)),
        intervals: [32, 64].map(|nth| Interval { bytes: 32 * bytes, ..look(nth) }).into(),
        looks: (1..=64).map(look).collect(),
        tcp: (1..=64).map(tcp).collect(),
        ..HalfAccount::default()
    };
    FlowAccount { flow: number, peer: 0, direction, sender: half.clone(), receiver: half }
}

fn bulk(flows: Vec<FlowAccount>) -> Transfer {
    let load = Load { stream: Some(StreamPlan::default()), ..Load::default() };
    Transfer { load, flows, ..Transfer::default() }
}

fn figure<'a>(figures: &'a [Figure], id: &str) -> &'a Figure {
    figures.iter().find(|figure| figure.id == id).unwrap_or_else(|| panic!("{id} is drawn"))
}

#[test]
fn charts_show_every_look_and_not_only_the_intervals() {
    let report = fixture::loads(vec![bulk(vec![flow(0, Direction::Send, 400_000)])]);
    let figures = figures(&report);
    for id in ["throughput", "rtt", "cwnd"] {
        assert_eq!(figure(&figures, id).layers[0].aims.len(), 64, "{id}");
    }
    // The time of all charts is the same, so that one can be read beside the other.
    let last = |id| figure(&figures, id).layers[0].aims[63].x;
    assert!(last("throughput") == last("rtt") && last("throughput") > WIDTH as i32 / 2);
    let axes = figure(&figures, "throughput").axes();
    assert!(axes.contains("Throughput (Mb/s)") && figure(&figures, "rtt").axes().contains("time (us)"));
}

#[test]
fn an_old_run_has_its_intervals_for_looks() {
    let mut old = flow(0, Direction::Send, 400_000);
    old.receiver.looks.clear();
    let report = fixture::loads(vec![bulk(vec![old])]);
    let figures = figures(&report);
    assert_eq!(figure(&figures, "throughput").layers[0].aims.len(), 2);
}

#[test]
fn a_direction_is_a_dash_and_the_legend_says_so() {
    let flows = |direction: Direction| (0..2).map(move |number| flow(number, direction, 4_000_000));
    let both = flows(Direction::Send).chain(flows(Direction::Receive)).collect();
    let figures = figures(&fixture::loads(vec![bulk(both)]));
    let layers = &figure(&figures, "throughput").layers;
    let looks: Vec<_> =
        layers.iter().map(|it| (it.name.as_str(), it.look.colour, it.look.dashes != "none")).collect();
    let expected = [
        ("flow #1 from here", 0, false),
        ("flow #2 from here", 1, false),
        ("flow #1 to here, dashed", 0, true),
        ("flow #2 to here, dashed", 1, true),
    ];
    assert_eq!(looks, expected);
    assert!(figure(&figures, "throughput").axes().contains("Mb/s"));
    let one_way = figures_of(flows(Direction::Receive).collect());
    let names: Vec<&str> = figure(&one_way, "throughput").layers.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["flow #1 to here", "flow #2 to here"]);
    assert!(figure(&one_way, "throughput").layers.iter().all(|it| it.look.dashes == "none"));
}

fn figures_of(flows: Vec<FlowAccount>) -> Vec<Figure> {
    figures(&fixture::loads(vec![bulk(flows)]))
}

/// Requests of which each look has 200, all of so many us but one of ten times that.
fn requests(us: u64) -> Transfer {
    let mut service = Histogram::default();
    (0..64 * 199).for_each(|_| service.record(Span::from_us(us)));
    (0..64).for_each(|_| service.record(Span::from_us(us * 10)));
    let look = |nth: u64| LatencyLook {
        until: Span::from_us(31_250 * nth),
        transactions: 200,
        p50: Some(Span::from_us(us)),
        p99: Some(Span::from_us(us + 1)),
        max: Some(Span::from_us(us * 10)),
    };
    let latency = Latency {
        ended: Ended::Complete,
        transactions: 12_800,
        span: Span::from_ms(2_000),
        service,
        looks: (1..=64).map(look).collect(),
        ..Latency::default()
    };
    let load = Load { head_start: Span::from_ms(1_000), ..Load::default() };
    Transfer { load, latencies: vec![latency], ..Transfer::default() }
}

#[test]
fn latency_is_shown_against_time_with_its_median_p99_and_longest() {
    let figures = figures(&fixture::loads(vec![requests(50)]));
    let ids: Vec<&str> = figures.iter().map(|figure| figure.id.as_str()).collect();
    assert_eq!(ids, ["latency-time", "transactions"]);
    let layers = &figure(&figures, "latency-time").layers;
    let shown: Vec<_> = layers.iter().map(|it| (it.look.colour, it.look.dashes, it.aims.len())).collect();
    assert!(shown.iter().all(|(colour, _, points)| (*colour, *points) == (0, 64)), "{shown:?}");
    assert!(shown[0].1 == "none" && shown[1].1 != "none" && shown[2].1 != shown[1].1, "{shown:?}");
    // The requests began a second after the load.
    assert_eq!(layers[0].aims[63].lines, ["median 50.0 us until 3.00 s"]);
    let rate = &figure(&figures, "transactions").layers[0].aims[0].lines;
    assert_eq!(rate, &["6400 a second until 1.03 s"]);
}

#[test]
fn a_tail_is_as_wide_as_the_transactions_allow() {
    let tail = latencies(&fixture::loads(vec![requests(50)])).expect("there are requests");
    for label in ["0 %", "50 %", "90 %", "99 %", "99.9 %", "99.99 %"] {
        assert!(tail.axes().contains(label), "{label} in {}", tail.axes());
    }
    // One in 200 is slow: half of the axis, which is of 12,800 transactions, shows the step.
    let aims = &tail.layers[0].aims;
    let step = aims.windows(2).find(|pair| pair[1].y < pair[0].y - 200).expect("a step");
    let (left, right) = (aims[0].x, aims[aims.len() - 1].x);
    let place = f64::from(step[1].x - left) / f64::from(right - left);
    assert!((0.45..0.6).contains(&place), "{place}");
    assert!(aims[aims.len() - 1].lines[0].starts_with("the longest took 500 "));
}
