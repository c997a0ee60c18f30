//! What opens a result, of situations that are drawn.

use super::*;
use crate::explain::{Cost, Which};
use linerate_core::environment::{Environment, Fact, Interface};
use linerate_core::kernel::{Effort, TcpEffort};
use linerate_core::pattern::Pattern;
use linerate_core::plan::{CurvePlan, Load, Plan, StreamTask, Task};
use linerate_core::run::{Answering, EndState, Source};
use linerate_core::series::{Point, Round};
use linerate_core::traffic::{FlowAccount, HalfAccount, StreamPlan};
use linerate_core::trial::Tally;

/// Numbers that a seed draws.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn share(&mut self) -> f64 {
        self.below(1_001) as f64 / 1_000.0
    }
}

/// Every bound; of processors each end.
const BOUNDS: [Bound; 22] = [
    Bound::Link,
    Bound::PathRate,
    Bound::Burst,
    Bound::PathDelay,
    Bound::ReceiverWindow,
    Bound::SendBuffer,
    Bound::CongestionWindow,
    Bound::Retransmissions,
    Bound::Nagle,
    Bound::Processor(Which::Sender, Cost::Message),
    Bound::Processor(Which::Receiver, Cost::Segment),
    Bound::Processor(Which::Both, Cost::Byte),
    Bound::Processor(Which::Shared, Cost::Unknown),
    Bound::Memory,
    Bound::WakeUp,
    Bound::Coalescing,
    Bound::Others,
    Bound::Reader,
    Bound::Application,
    Bound::LinkDown,
    Bound::PerMessage,
    Bound::PerByte,
];

#[test]
fn every_bound_has_an_id_of_its_own_and_reads_well_after_limited_by() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/format.md");
    let documented = std::fs::read_to_string(path).expect("it is in the repository");
    for (nth, bound) in BOUNDS.iter().enumerate() {
        assert!(bound.id().bytes().all(|it| it == b'-' || it.is_ascii_lowercase()), "{}", bound.id());
        assert!(BOUNDS[..nth].iter().all(|other| other.id() != bound.id()), "{}", bound.id());
        assert!(bound.in_sentence().ends_with(bound.name()), "{bound}");
        assert!(documented.contains(&format!("`{}`", bound.id())), "{}", bound.id());
    }
}

/// One of two things is always said: what limits it, or why that is not known.
#[test]
fn a_verdict_names_a_bottleneck_or_says_why_it_cannot() {
    for seed in 0..500 {
        let mut draw = Draw(seed);
        let candidate = |_| {
            let bound = BOUNDS[draw.below(BOUNDS.len() as u64) as usize];
            match draw.below(4) {
                0 => Candidate::unknown(bound, "not seen"),
                _ => Candidate::new(bound, draw.share(), format!("{bound} was seen")),
            }
        };
        let mut candidates: Vec<Candidate> = (0..6).map(candidate).collect();
        candidates.sort_by(|one, other| other.known_share().total_cmp(&one.known_share()));
        let (verdict, certainty) = super::super::band::verdict(&candidates);
        let said = RunVerdict::found(&Found { verdict, certainty, candidates: &candidates });
        assert_eq!(said.bottleneck, verdict.map(Bound::id), "seed {seed}");
        assert_eq!(said.limited_by.is_some(), verdict.is_some(), "seed {seed}");
        assert_eq!(said.evidence.is_some(), verdict.is_some(), "seed {seed}");
        assert_eq!(said.certainty == Certainty::CannotTell, verdict.is_none(), "seed {seed}");
        let told = [verdict.is_some(), !said.between.is_empty(), said.unknown.is_some()];
        assert_eq!(told.iter().filter(|told| **told).count(), 1, "seed {seed}: {said:?}");
        let rivals = said.between.iter().map(|it| it.share);
        assert!(rivals.clone().all(|share| share >= WORTH) && rivals.is_sorted_by(|one, next| one >= next));
        let advice = said.advice.expect("there is always something to do");
        assert!(!advice.confirm.is_empty() && !advice.confirm.ends_with(['.', ' ', ':']), "{advice:?}");
    }
}

/// What was changed settles what is open, confirms a verdict, or speaks against either; `gain` is the logarithm of the ratio.
fn changed(bound: Bound, confirmed: Option<bool>, gain: f64) -> Settled {
    let figure = super::super::settled::Figure::Throughput;
    let outcome = super::super::settled::Outcome::CannotTell;
    let moved = super::super::settled::Moved { figure, ratio: gain.exp(), interval: None, outcome };
    let change = format!("--change {}", bound.id());
    Settled { change, bound: Some(bound), confirmed, moved: vec![moved], failed: None }
}

#[test]
fn changes_confirm_a_verdict_settle_an_open_one_or_speak_against_it() {
    let mut kinds = [0; 4];
    for seed in 0..2_000 {
        let mut draw = Draw(seed);
        let share = 0.05 + 0.4 * draw.share();
        let first = draw.below(BOUNDS.len() as u64) as usize;
        let three = [0, 1, 2].map(|nth| BOUNDS[(first + nth * 5) % BOUNDS.len()]);
        // A time without a cause is none.
        let sure = draw.below(2) == 0 && !matches!(three[0], Bound::PerMessage | Bound::PerByte);
        let shares = [if sure { 0.9 } else { share }, share * 0.95, share * 0.9];
        let candidates: Vec<Candidate> =
            three.iter().zip(shares).map(|(bound, share)| Candidate::new(*bound, share, "seen")).collect();
        let (verdict, certainty) = super::super::band::verdict(&candidates);
        assert_eq!(verdict.is_some(), sure, "seed {seed}");
        let found = Found { verdict, certainty, candidates: &candidates };
        let mut all = Vec::new();
        for bound in three {
            for _ in 0..draw.below(3) {
                let confirmed = [Some(true), Some(false), None][draw.below(3) as usize];
                all.push(changed(bound, confirmed, 0.1 + draw.share()));
            }
        }
        let said = RunVerdict::found(&found).tried(&all, &found);
        // A change that speaks against a bound outweighs those for it.
        let of = |bound: Bound| all.iter().filter(move |it| it.bound == Some(bound));
        let told = |bound: Bound| of(bound).filter_map(|it| it.confirmed).min();
        let gain = |bound: Bound| {
            of(bound).filter(|it| it.confirmed == Some(true)).map(Settled::moved_by).fold(0.0, f64::max)
        };
        let best = three.into_iter().filter(|bound| told(*bound) == Some(true));
        let best = best.max_by(|one, other| gain(*one).total_cmp(&gain(*other)));
        if let Some(bound) = verdict {
            kinds[0] += 1;
            assert_eq!(said.bottleneck, Some(bound.id()), "seed {seed}");
            assert_eq!(said.tried.map(|it| it.confirmed), told(bound), "seed {seed}");
        } else if let Some(bound) = best {
            kinds[1] += 1;
            assert_eq!(said.bottleneck, Some(bound.id()), "seed {seed}: {said:?}");
            assert_eq!(said.limited_by, Some(bound.in_sentence()), "seed {seed}");
            assert_eq!((said.certainty, said.between.len()), (Certainty::Likely, 0), "seed {seed}");
            let change = format!("--change {}", bound.id());
            assert_eq!(said.tried, Some(Tried { change, confirmed: true }), "seed {seed}");
        } else {
            let left = three.iter().zip(shares).filter(|(bound, _)| told(**bound).is_none());
            let left: Vec<_> =
                left.filter(|(_, share)| *share >= WORTH).map(|(bound, _)| bound.id()).collect();
            kinds[if left.is_empty() { 2 } else { 3 }] += 1;
            let between: Vec<_> = said.between.iter().map(|it| it.bottleneck).collect();
            assert_eq!(between, left[..left.len().min(2)], "seed {seed}: {said:?}");
            assert_eq!((said.bottleneck, said.tried), (None, None), "seed {seed}");
            assert_eq!(said.unknown.is_some(), left.is_empty(), "seed {seed}");
            assert!(said.advice.is_some(), "seed {seed}: there is always something to do");
        }
    }
    assert!(kinds.iter().all(|kind| *kind > 20), "{kinds:?}");
}

/// What other bands of a curve were asked is no answer for the one that is open.
#[test]
fn a_change_of_other_sizes_is_none_of_a_band() {
    let of = |sizes: &[u64]| {
        let mut settled = changed(Bound::WakeUp, Some(true), 0.5);
        let time = |size: &u64| super::super::settled::Moved {
            figure: super::super::settled::Figure::Time { size_bytes: *size },
            ..settled.moved[0].clone()
        };
        settled.moved = sizes.iter().map(time).collect();
        settled
    };
    assert!(of(&[64]).is_about(1..=100) && of(&[1, 100]).is_about(1..=100));
    assert!(!of(&[64, 4_096]).is_about(1..=100) && !of(&[4_096]).is_about(1..=100));
    assert!(!changed(Bound::WakeUp, Some(true), 0.5).is_about(1..=100), "a load has no sizes");
}

fn point(size: u64, us: f64) -> Point {
    let time = Span::from_ps_rounded(us * 1e6);
    let round = |round| Round {
        pass: 0,
        round,
        samples: 1_000,
        batch: 1,
        median: time,
        mean: time,
        min: time,
        max: time,
        warmup: 0,
        warmup_span: Span::ZERO,
        tally: Tally::default(),
        sustained: true,
    };
    Point { rounds: (0..7).map(round).collect(), verified: true, ..Point::new(size) }
}

/// Of a curve the sizes that reach the peak are the news, whatever limits the small ones.
#[test]
fn a_curve_is_judged_by_the_band_of_its_peak() {
    for seed in 0..60 {
        let mut draw = Draw(seed);
        let mbps = [100, 1_000, 10_000][draw.below(3) as usize];
        let fixed_us = 20.0 + 60.0 * draw.share();
        let task = Task::Curve(CurvePlan { pattern: Pattern::PingPong, ..CurvePlan::default() });
        let mut run = Run::new(Source::Measured, Plan { task, ..Plan::default() });
        let interface = Interface {
            name: "eth0".to_owned(),
            mtu: Fact::Known(1_500),
            speed_mbps: Fact::Known(mbps),
            ..Interface::default()
        };
        let environment = Environment { interface: Fact::Known(interface), ..Environment::default() };
        let end = EndState { environment, ..EndState::default() };
        run.set_star(end.clone(), vec![Answering { end, ..Answering::default() }]);
        let mut series = Series::new(Pattern::PingPong, &[]);
        // 94.1 % of the link carries payload.
        let time = |size: u64| fixed_us + size as f64 * 8.0 / (0.941 * mbps as f64);
        series.points = (0..=22).map(|power| 1 << power).map(|size| point(size, time(size))).collect();
        run.series = vec![series];
        let verdict = RunVerdict::of(&run).expect("it is a curve");
        assert_eq!(verdict.bottleneck, Some("link"), "seed {seed}: {verdict:?}");
        let [reached] = &verdict.reached[..] else { panic!("seed {seed}: {verdict:?}") };
        assert_eq!((reached.what, reached.unit, reached.size_bytes), ("peak", Unit::Mbps, Some(1 << 22)));
        let peak = (1_u64 << 22) as f64 * 8.0 / time(1 << 22);
        assert!((reached.value / peak - 1.0).abs() < 1e-3, "seed {seed}: {} is not {peak}", reached.value);
    }
}

/// A curve to and fro whose large messages a token bucket lets pass, and a rate one way that the bucket does not.
#[test]
fn what_limits_a_sustained_rate_is_said_of_that_and_not_of_a_burst() {
    for seed in 0..60 {
        let mut draw = Draw(seed);
        let mbps = 10 + draw.below(2_000);
        let mut run = Run::new(Source::Measured, Plan::default());
        run.set_star(EndState::default(), vec![Answering::default()]);
        let spent = |size: u64, time_us: f64, tcp: TcpEffort| {
            let span = Span::from_ps_rounded(time_us * 1e9);
            let end = Effort {
                messages: 1_000,
                span,
                cpu: span * 9 / 10,
                waited: Some(Span::ZERO),
                turns: Some(100),
                tcp: Some(TcpEffort { busy: Some(span), ..tcp }),
            };
            Point { effort: Some(Box::new([end; 2])), ..point(size, time_us) }
        };
        let tcp = TcpEffort {
            looks: 1,
            mss: 1_448,
            cwnd: 100,
            snd_wnd: 4 << 20,
            sndbuf: 4 << 20,
            ..TcpEffort::default()
        };
        let near = TcpEffort { rtt: Span::from_us(30), min_rtt: Span::from_us(20), ..tcp };
        // A queue of 20 ms holds what is under way.
        let under_way = (mbps as f64 * 1e6 / 8.0 * 0.02 / 1_448.0) as u64;
        let queued = TcpEffort { rtt: Span::from_ms(20), unacked: under_way, cwnd: under_way, ..near };
        let mut bursts = Series::new(Pattern::PingPong, &[]);
        bursts.points = [1 << 10, 1 << 16].map(|size| spent(size, 15.0 + size as f64 / 4e3, near)).to_vec();
        run.series = vec![bursts];
        let own = RunVerdict::of(&run).expect("a curve");
        assert_ne!(own.bottleneck, Some("path-rate"), "seed {seed}: {own:?}");
        let mut sustained = Series::new(Pattern::OneWay, &[]);
        let time_us = f64::from(1_u32 << 16) * 8.0 / mbps as f64;
        let mut one_way = spent(1 << 16, time_us, queued);
        for end in one_way.effort.iter_mut().flat_map(|both| both.iter_mut()) {
            end.cpu = end.span / 20;
        }
        sustained.points = vec![one_way];
        run.sustained = Some(sustained);
        let verdict = RunVerdict::of(&run).expect("a curve");
        assert_eq!(verdict.bottleneck, Some("path-rate"), "seed {seed}: {verdict:?}");
        let [reached] = &verdict.reached[..] else { panic!("seed {seed}: {verdict:?}") };
        assert!((reached.value / mbps as f64 - 1.0).abs() < 0.01, "seed {seed}: {reached:?}");
    }
}

fn half(ended: Ended, bytes: u64, last: Span) -> HalfAccount {
    let [first, last] = [Span::ZERO, last].map(Some);
    HalfAccount { ended, bytes, first, last, warm: Some((Span::ZERO, 0)), ..HalfAccount::default() }
}

/// The news of a load with a flow that failed is the failure, and never what its sender then waited for.
#[test]
fn a_flow_that_failed_is_the_news_of_its_load() {
    let mut failures = 0;
    for seed in 0..300 {
        let mut draw = Draw(seed);
        let mut run =
            Run::new(Source::Measured, Plan { task: Task::Stream(StreamTask::default()), ..Plan::default() });
        let loads = 1 + draw.below(3);
        let mut broken = Vec::new();
        for label in 0..loads {
            let flows = 1 + draw.below(4);
            let mut has_failed = false;
            let flow = |flow| {
                let bytes = 1_000_000 * (1 + draw.below(1_000));
                let fails = draw.below(6) == 0;
                has_failed |= fails;
                let ended =
                    if fails { Ended::Failed("reset by the peer".to_owned()) } else { Ended::Complete };
                let sender = half(ended, bytes, Span::from_ms(2_000));
                let receiver = half(Ended::Complete, bytes, Span::from_ms(2_000));
                FlowAccount { flow, peer: 0, direction: Direction::Send, sender, receiver }
            };
            let flows = (0..u32::try_from(flows).expect("few")).map(flow).collect();
            let load = Load { stream: Some(StreamPlan::default()), ..Load::default() };
            run.transfers.push(Transfer {
                label: format!("row {label}"),
                load,
                flows,
                ..Transfer::default()
            });
            broken.push(has_failed);
        }
        let explanation = explain(&run).expect("it has loads");
        // As if the account of each had said that there was nothing left to send.
        let explanation = Explanation {
            loads: explanation
                .loads
                .into_iter()
                .map(|load| ExplainedLoad {
                    verdict: Some(Bound::Application),
                    certainty: Certainty::Sure,
                    candidates: vec![Candidate::new(Bound::Application, 1.0, "nothing was left to send")],
                    ..load
                })
                .collect(),
            ..explanation
        };
        let verdict = RunVerdict::new(&run, &explanation);
        let rate = |transfer: &Transfer| transfer.slowest().map_or(0.0, Rate::as_mbps);
        let fastest = run.transfers.iter().map(rate).fold(0.0, f64::max);
        assert!((verdict.reached[0].value - fastest).abs() < 1e-6, "seed {seed}: {verdict:?}");
        let chosen =
            run.transfers.iter().position(|it| (rate(it) - fastest).abs() < 1e-6).expect("it is one");
        failures += u32::from(broken[chosen]);
        if broken[chosen] {
            assert!(verdict.bottleneck.is_none() && verdict.advice.is_none(), "seed {seed}: {verdict:?}");
            let why = verdict.unknown.expect("it says why");
            assert!(why.contains("failed (reset by the peer)"), "seed {seed}: {why}");
        } else {
            assert_eq!(verdict.bottleneck, Some("sending-application"), "seed {seed}");
        }
        for (nth, transfer) in run.transfers.iter().enumerate() {
            let load = |verdict| ExplainedLoad { verdict: Some(verdict), ..explanation.loads[nth].clone() };
            assert_eq!(trouble(transfer, &load(Bound::Application)).is_some(), broken[nth], "seed {seed}");
            assert_eq!(trouble(transfer, &load(Bound::LinkDown)), None, "seed {seed}: that is why");
        }
    }
    assert!(failures > 50, "{failures}");
}
