//! Requests are messages to and fro; and what confirms the verdict of a load.

use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use super::super::tests::{Passed, point, run, tcp, us};
use super::super::{Change, Figure, Outcome, Part, RunVerdict, explain};
use super::*;
use linerate_core::kernel::{Effort, TcpEffort};
use linerate_core::plan::{Load, RrPlan, StreamPlan, StreamTask, Task};
use linerate_core::run::{Changed, Turns};
use linerate_core::series::Series;
use linerate_core::traffic::{Direction, Ended};
use linerate_core::units::{Rate, Size, Span};

const COUNT: u64 = 500;

/// A transfer of requests of which each message passed so, and the span of each end's account.
fn requests(rr: RrPlan, passed: Passed, spans: Span) -> Transfer {
    let of_curve = point(1, passed).effort.expect("both ends say");
    let mut latency = Latency { ended: Ended::Complete, transactions: COUNT, ..Latency::default() };
    (0..COUNT).for_each(|_| latency.service.record(us(2.0 * passed.time)));
    latency.effort = Some(Box::new(of_curve.map(|end| Effort { span: spans, ..end })));
    Transfer {
        load: Load { rr: Some(rr), ..Load::default() },
        latencies: vec![latency],
        ..Transfer::default()
    }
}

fn explained(run: &Run, transfer: Transfer) -> ExplainedLoad {
    let run = Run { transfers: vec![transfer], ..run.clone() };
    explain(&run).expect("a load").loads.remove(0)
}

/// Messages of one size in every situation that one can be in.
fn drawn(rng: &mut Pcg64) -> (u64, Passed) {
    let size = 1 << rng.random_range(0..20);
    let time = 10.0_f64.powf(rng.random_range(0.5..4.0));
    let share = |rng: &mut Pcg64| rng.random_range(0.0..0.6) * time;
    let cpu = [share(rng), share(rng)];
    let least = Span::from_us(rng.random_range(0..time as u64 * 2 + 1));
    let limited = Span::from_ms(rng.random_range(0..50));
    let state = TcpEffort {
        min_rtt: least,
        rtt: least * rng.random_range(1..4),
        rwnd_limited: limited,
        retransmits: rng.random_range(0..3),
        ..tcp()
    };
    (size, Passed { time, cpu, waited: share(rng) / 3.0, turns: rng.random_range(0.0..1.2), tcp: state })
}

#[test]
fn what_is_said_of_requests_is_what_is_said_of_messages_to_and_fro() {
    let run = run(Pattern::PingPong, Some(1_000), None);
    let mut verdicts = 0;
    for seed in 0..300 {
        let (size, passed) = drawn(&mut Pcg64::seed_from_u64(seed));
        let mut series = Series::new(Pattern::PingPong, &[]);
        series.points = vec![point(size, passed)];
        let of_curve =
            explain(&Run { series: vec![series], ..run.clone() }).expect("a curve").curves.remove(0);
        let of_curve = &of_curve.bands[0];
        let closed = RrPlan { request: Size(size), response: Size(size), ..RrPlan::default() };
        // An open loop that asks once in a while is idle most of the time.
        let rate = 0.3e6 / (2.0 * passed.time);
        let open = RrPlan { rate: Some(rate), ..closed.clone() };
        let busy = us(passed.time) * 1_000;
        for (rr, spans) in [(closed, busy), (open, busy * 7)] {
            let load = explained(&run, requests(rr, passed, spans));
            assert_eq!((load.verdict, load.certainty), (of_curve.verdict, of_curve.certainty), "seed {seed}");
        }
        verdicts += usize::from(of_curve.verdict.is_some());
    }
    assert!(verdicts > 50, "{verdicts} of the situations have a verdict");
}

#[test]
fn of_requests_that_overlap_or_have_connections_of_their_own_nothing_is_said() {
    let run = run(Pattern::PingPong, None, None);
    let passed = Passed { time: 45.0, cpu: [4.0; 2], ..Passed::default() };
    let of = |rr: RrPlan| explained(&run, requests(rr, passed, us(45.0) * 1_000));
    assert_eq!(of(RrPlan::default()).verdict, Some(Bound::WakeUp));
    let overlapping = [
        RrPlan { depth: 4, ..RrPlan::default() },
        RrPlan { connect: true, ..RrPlan::default() },
        // 90 us each, and one is due every 100 us.
        RrPlan { rate: Some(1e4), ..RrPlan::default() },
    ];
    for rr in overlapping {
        let load = of(rr.clone());
        assert_eq!((load.verdict, load.candidates.len()), (None, 0), "{rr:?}");
    }
    // Half as often they hardly ever meet.
    assert!(of(RrPlan { rate: Some(5e3), ..RrPlan::default() }).verdict.is_some());
}

/// Bulk that a path carried at this rate, with round trips as the senders saw them.
fn bulk(mbps: f64, round_trip_ms: u64) -> Transfer {
    let time = Span::from_ms(1_000);
    let look = |rtt| TcpSample { rtt, min_rtt: Span::from_ms(2), ..TcpSample::default() };
    let half = |tcp| HalfAccount {
        ended: Ended::Complete,
        bytes: (mbps * 1e6 / 8.0) as u64,
        first: Some(Span::ZERO),
        last: Some(time),
        warm: Some((Span::ZERO, 0)),
        tcp,
        ..HalfAccount::default()
    };
    let rtt = Span::from_ms(round_trip_ms);
    let flow = FlowAccount {
        flow: 0,
        peer: 0,
        direction: Direction::Send,
        sender: half(vec![look(rtt); 5]),
        receiver: half(Vec::new()),
    };
    let stream = Some(StreamPlan::default());
    Transfer { load: Load { stream, ..Load::default() }, flows: vec![flow], ..Transfer::default() }
}

#[test]
fn a_shaper_is_confirmed_by_flows_below_and_above_its_rate() {
    let mut run = run(Pattern::OneWay, None, None);
    run.plan.task = Task::Stream(StreamTask::default());
    run.transfers = vec![bulk(956.0, 40)];
    let paced = Change::all(Bound::PathRate, &run, &Part::Load(0));
    let said: Vec<String> = paced.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["--rate 860M", "--rate 1.05G"]);
    let time = Span::from_ms(10);
    let rate = |plan: linerate_core::plan::Plan| plan.stream().and_then(|stream| stream.bulk.rate);
    assert_eq!(rate(paced[0].usual(&run, time)), None);
    assert_eq!(rate(paced[0].changed(&run, time)).map(Rate::as_mbps), Some(860.0), "as the flag says");
    assert_eq!(paced[0].usual(&run, time).common.time, Span::from_ms(1_000), "a queue needs time to fill");
    let turns = |all: [(f64, u64); 3]| Turns::Loads(all.map(|(mbps, ms)| bulk(mbps, ms)).to_vec());
    let usual = || turns([(956.0, 40), (955.0, 41), (957.0, 39)]);
    let tried =
        |change: &str, changed| Changed { change: change.to_owned(), usual: usual(), changed, failed: None };
    let below = tried("--rate 860M", turns([(860.0, 3), (860.0, 2), (859.9, 3)]));
    let above = tried("--rate 1.05G", turns([(956.0, 40), (955.0, 38), (957.0, 39)]));
    let more = tried("--rate 1.05G", turns([(1_050.0, 3), (1_050.1, 3), (1_050.0, 2)]));
    let of = |changed: &[Changed]| super::super::settled::settled(changed, &paced);
    let settled = of(&[below, above, more]);
    let shown: Vec<_> = settled.iter().map(|it| (it.bound, it.confirmed)).collect();
    let shaper = Some(Bound::PathRate);
    assert_eq!(shown, [(shaper, Some(true)), (shaper, None), (shaper, Some(false))]);
    let of_below: Vec<_> = settled[0].moved.iter().map(|it| (it.figure, it.outcome)).collect();
    assert_eq!(of_below, [(Figure::Throughput, Outcome::Fell), (Figure::RoundTrip, Outcome::Fell)]);
}

#[test]
fn what_was_confirmed_stands_in_the_verdict() {
    let mut run = run(Pattern::PingPong, None, None);
    let passed = |time| Passed { time, cpu: [4.0; 2], ..Passed::default() };
    let load = |time: f64| requests(RrPlan::default(), passed(time), us(time) * 1_000);
    run.plan.task = Task::Requests(RrPlan::default());
    run.transfers = vec![load(45.0)];
    let turns = |all: [f64; 3]| Turns::Loads(all.map(load).to_vec());
    let verdict = |after| {
        let usual = turns([45.0, 46.0, 44.5]);
        let changed = turns(after);
        let change = "--wait spin".to_owned();
        RunVerdict::of(&Run {
            changed: vec![Changed { change, usual, changed, failed: None }],
            ..run.clone()
        })
        .and_then(|verdict| verdict.tried)
        .map(|tried| tried.confirmed)
    };
    assert_eq!(verdict([9.0, 10.0, 9.5]), Some(true));
    assert_eq!(verdict([45.5, 45.2, 45.0]), Some(false));
    assert_eq!(verdict([9.0, 70.0, 45.0]), None);
}
