//! Built situations whose truth is known: what both ends spent is written down from the situation, not from the
//! rules.

use super::*;
use linerate_core::environment::{Environment, Fact, Interface};
use linerate_core::host_limits::{CallCosts, CopyCost, HostLimits, Processor, TargetState, WakeUp};
use linerate_core::kernel::{Effort, TcpEffort};
use linerate_core::options::{Granted, Waiting};
use linerate_core::plan::{CurvePlan, Plan, Task};
use linerate_core::run::{Answering, Changed, EndState, Run, Source, Turns};
use linerate_core::series::{Point, Round};
use linerate_core::stats::{Estimate, Histogram};
use linerate_core::trial::Tally;
use linerate_core::units::Span;

/// How a message of one size passed: its time, and what each end had of it. Unit of times: us.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    pub(super) time: f64,
    pub(super) cpu: [f64; 2],
    pub(super) waited: f64,
    pub(super) turns: f64,
    pub(super) tcp: TcpEffort,
}

pub(super) const MESSAGES: u64 = 1_000;

impl Default for Passed {
    fn default() -> Self {
        Self { time: 10.0, cpu: [1.0; 2], waited: 0.0, turns: 0.5, tcp: tcp() }
    }
}

/// A connection at rest: a round trip of 2 us at least, large windows, nothing lost.
pub(super) fn tcp() -> TcpEffort {
    TcpEffort {
        data_segments_out: 500,
        acknowledged_bytes: 500 * 64,
        looks: 1,
        rtt: Span::from_us(20),
        min_rtt: Span::from_us(2),
        cwnd: 1_000,
        mss: 1_448,
        snd_wnd: 4 << 20,
        sndbuf: 4 << 20,
        rcvbuf: 4 << 20,
        busy: Some(Span::from_ms(10)),
        ..TcpEffort::default()
    }
}

pub(super) fn us(time: f64) -> Span {
    Span::from_ps_rounded(time * 1e6)
}

pub(super) fn point(size: u64, passed: Passed) -> Point {
    let time = us(passed.time);
    let round = Round {
        pass: 0,
        round: 0,
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
    let end = |cpu: f64| Effort {
        messages: MESSAGES,
        span: time * MESSAGES,
        cpu: us(cpu) * MESSAGES,
        waited: Some(us(passed.waited / 2.0) * MESSAGES),
        turns: Some((passed.turns * MESSAGES as f64) as u64),
        tcp: Some(passed.tcp),
    };
    Point {
        size,
        verified: true,
        rounds: vec![round; 7],
        histogram: Histogram::default(),
        stop: None,
        effort: Some(Box::new(passed.cpu.map(end))),
    }
}

/// A run between two hosts, whose interfaces state this speed and this timer.
pub(super) fn run(pattern: Pattern, mbps: Option<u64>, timer_us: Option<u32>) -> Run {
    let plan = Plan::default();
    let plan = Plan { task: Task::Curve(CurvePlan { pattern, ..CurvePlan::default() }), ..plan };
    let mut run = Run::new(Source::Measured, plan);
    let interface = Interface {
        name: "eth0".to_owned(),
        driver: Fact::Known("e1000".to_owned()),
        mtu: Fact::Known(1_500),
        speed_mbps: mbps.map_or_else(Fact::default, Fact::Known),
        coalescing: timer_us
            .map_or_else(Fact::default, |timer| Fact::Known([("rx-usecs".to_owned(), timer)].into())),
        ..Interface::default()
    };
    let end = |boot: &str| EndState {
        environment: Environment {
            interface: Fact::Known(interface.clone()),
            boot_id: Fact::Known(boot.to_owned()),
            ..Environment::default()
        },
        granted: Granted { nodelay: Fact::Known(true), timestamps: Fact::Known(true), ..Granted::default() },
        ..EndState::default()
    };
    run.set_star(end("one"), vec![Answering { end: end("other"), ..Answering::default() }]);
    run
}

/// The bands of a curve on which messages passed so.
pub(super) fn bands(run: &Run, pattern: Pattern, sizes: &[u64], passed: impl Fn(u64) -> Passed) -> Vec<Band> {
    let mut run = run.clone();
    let mut series = Series::new(pattern, &[]);
    series.points = sizes.iter().map(|size| point(*size, passed(*size))).collect();
    run.series = vec![series];
    explain(&run).expect("it is a curve").curves.remove(0).bands
}

/// The one verdict of a curve that has one.
pub(super) fn verdict(
    run: &Run,
    pattern: Pattern,
    sizes: &[u64],
    passed: impl Fn(u64) -> Passed,
) -> (Option<Bound>, Certainty) {
    let bands = bands(run, pattern, sizes, passed);
    assert_eq!(bands.len(), 1, "{bands:#?}");
    (bands[0].verdict, bands[0].certainty)
}

pub(super) const SMALL: [u64; 4] = [1, 8, 32, 64];
pub(super) const LARGE: [u64; 5] = [1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22];

#[test]
fn small_messages_are_bound_by_what_takes_their_time() {
    let run = run(Pattern::PingPong, None, None);
    let of = |passed| verdict(&run, Pattern::PingPong, &SMALL, |_| passed);
    let idle = Passed { time: 45.0, cpu: [4.0; 2], ..Passed::default() };
    assert_eq!(of(idle), (Some(Bound::WakeUp), Certainty::Sure));
    let far = TcpEffort { min_rtt: Span::from_us(80), ..tcp() };
    assert_eq!(of(Passed { tcp: far, ..idle }), (Some(Bound::PathDelay), Certainty::Sure));
    let processors = Bound::Processor(Which::Both, Cost::Message);
    let busy = Passed { time: 10.0, cpu: [4.5; 2], ..Passed::default() };
    assert_eq!(of(busy), (Some(processors), Certainty::Sure));
    let crowded = Passed { time: 4_000.0, waited: 3_900.0, ..busy };
    assert_eq!(of(crowded), (Some(Bound::Others), Certainty::Sure));
    let even = Passed { time: 18.0, ..busy };
    assert_eq!(of(even), (None, Certainty::CannotTell), "half of it is the processors', half waking");
}

#[test]
fn nobody_is_woken_who_spins() {
    let mut run = run(Pattern::PingPong, None, None);
    run.plan.common.socket.wait = Waiting::Spin;
    let of = |time| Passed { time, cpu: [time / 2.0; 2], turns: 0.0, ..Passed::default() };
    let (found, _) = verdict(&run, Pattern::PingPong, &SMALL, |_| of(9.0));
    assert_eq!(found, Some(Bound::Processor(Which::Both, Cost::Message)));
}

#[test]
fn an_interface_that_delays_its_interrupts_is_named_and_not_the_path() {
    let run = run(Pattern::PingPong, Some(1_000), Some(100));
    let tcp = TcpEffort { min_rtt: Span::from_us(240), ..tcp() };
    let passed = Passed { time: 130.0, cpu: [6.0; 2], tcp, ..Passed::default() };
    let found = verdict(&run, Pattern::PingPong, &SMALL, |_| passed);
    assert_eq!(found, (Some(Bound::Coalescing), Certainty::Sure));
}

#[test]
fn large_messages_are_bound_by_the_link_if_it_states_its_rate_and_by_the_path_if_not() {
    // 941.5 Mb/s of payload at 1500 B with timestamps.
    let wire = |size: u64| 30.0 + size as f64 * 8.0 / 941.482;
    let passed = |size: u64| Passed {
        time: wire(size),
        cpu: [size as f64 * 0.001, size as f64 * 0.0015],
        tcp: TcpEffort { acknowledged_bytes: 500 * size, data_segments_out: 500 * size / 1_448, ..tcp() },
        ..Passed::default()
    };
    let stated = run(Pattern::PingPong, Some(1_000), None);
    assert_eq!(verdict(&stated, Pattern::PingPong, &LARGE, passed), (Some(Bound::Link), Certainty::Sure));
    let silent = run(Pattern::PingPong, None, None);
    let (found, _) = verdict(&silent, Pattern::PingPong, &LARGE, passed);
    assert_eq!(found, Some(Bound::PathRate));
}

/// A single size says nothing of what grows: a slower hop, or wake-ups that are longer than any.
#[test]
fn what_a_single_size_takes_is_a_slower_hops_where_no_wake_up_is_so_long() {
    let run = run(Pattern::PingPong, None, None);
    let of = |time, sizes: &[u64]| {
        verdict(&run, Pattern::PingPong, sizes, |_| Passed { time, ..Passed::default() })
    };
    assert_eq!(of(85_000.0, &[11_164]), (Some(Bound::PathRate), Certainty::Sure));
    assert_eq!(of(500.0, &[4_411]), (None, Certainty::CannotTell), "either");
    assert_eq!(of(500.0, &[1]), (Some(Bound::WakeUp), Certainty::Sure), "a byte does not grow");
}

/// One size of a message over a hop, beside what the path sustains one way: the time of a message is held against it.
#[test]
fn what_the_path_sustains_tells_a_slower_hop_from_what_overlaps_with_it() {
    let mut run = run(Pattern::PingPong, None, None);
    let queue = TcpEffort { rtt: Span::from_ms(40), unacked: 500, cwnd: 500, busy: None, ..tcp() };
    let mut sustained = Series::new(Pattern::OneWay, &[]);
    sustained.points = vec![point(65_536, Passed { time: 65_536.0, tcp: queue, ..Passed::default() })];
    run.sustained = Some(sustained);
    let of = |passed| verdict(&run, Pattern::PingPong, &[10_000], |_| passed).0;
    let hop = Passed { time: 10_500.0, ..Passed::default() };
    assert_eq!(of(hop), Some(Bound::PathRate));
    assert_eq!(of(Passed { waited: 9_000.0, ..hop }), Some(Bound::PathRate), "segments come in meanwhile");
    let lost = TcpEffort { retransmits: 4 * MESSAGES, min_rtt: Span::from_ms(4), ..tcp() };
    assert_eq!(of(Passed { tcp: lost, ..hop }), Some(Bound::PathRate));
    assert_eq!(of(Passed { time: 5_100.0, ..hop }), Some(Bound::PathRate), "tokens come in both ways");
    let busy = Passed { time: 2_000.0, cpu: [900.0; 2], ..Passed::default() };
    assert_eq!(of(busy), Some(Bound::Processor(Which::Both, Cost::Message)), "tokens let it pass at once");
}

/// The kernel counts no full window of a few segments.
#[test]
fn a_window_that_a_round_trip_fills_is_the_receivers() {
    let run = run(Pattern::OneWay, None, None);
    let of = |snd_wnd| {
        let far = TcpEffort {
            min_rtt: Span::from_ms(24),
            rtt: Span::from_ms(24),
            cwnd: 58,
            unacked: 4,
            snd_wnd,
            ..tcp()
        };
        let passed = Passed { time: 850.0, tcp: TcpEffort { busy: None, ..far }, ..Passed::default() };
        verdict(&run, Pattern::OneWay, &[352], |_| passed)
    };
    assert_eq!(of(10_000), (Some(Bound::ReceiverWindow), Certainty::Sure));
    assert_eq!(of(40_000).0, None, "there is room for more");
}

#[test]
fn a_window_smaller_than_a_message_costs_round_trips() {
    let run = run(Pattern::PingPong, Some(10_000), None);
    // 64 KiB a round trip of 10 ms, after half a round trip.
    let of = |tcp: TcpEffort| {
        move |size: u64| Passed {
            time: 5_000.0 + (size >> 16) as f64 * 10_000.0,
            cpu: [size as f64 * 0.0005; 2],
            tcp: TcpEffort { min_rtt: Span::from_ms(10), ..tcp },
            ..Passed::default()
        }
    };
    let offered = TcpEffort { snd_wnd: 65_536, ..tcp() };
    assert_eq!(verdict(&run, Pattern::PingPong, &LARGE, of(offered)).0, Some(Bound::ReceiverWindow));
    let congested = TcpEffort { cwnd: 45, ..tcp() };
    assert_eq!(verdict(&run, Pattern::PingPong, &LARGE, of(congested)).0, Some(Bound::CongestionWindow));
}

/// A hop of 940 Mb/s, 0.8 ms away, that no interface states.
#[test]
fn neither_an_ample_window_nor_what_is_sent_again_in_its_shade_is_the_bound_of_a_slower_hop() {
    let run = run(Pattern::PingPong, None, None);
    let far = TcpEffort { min_rtt: Span::from_us(1_600), rtt: Span::from_us(2_700), ..tcp() };
    let of = |tcp: TcpEffort| {
        move |size: u64| Passed {
            time: 810.0 + size as f64 * 8.0 / 940.0,
            cpu: [size as f64 * 0.0001; 2],
            tcp,
            ..Passed::default()
        }
    };
    let sizes = [200_000, 800_000, 3_200_000];
    let hop = (Some(Bound::PathRate), Certainty::Sure);
    let ample = TcpEffort { cwnd: 200, ..far };
    assert_eq!(verdict(&run, Pattern::PingPong, &sizes, of(ample)), hop);
    // One size lost four segments a message, and another takes no less for its bytes.
    let lost = TcpEffort { retransmits: 4 * MESSAGES / 2, ..ample };
    let now_and_then = |size| if size == 800_000 { of(lost)(size) } else { of(ample)(size) };
    assert_eq!(verdict(&run, Pattern::PingPong, &sizes, now_and_then), hop);
    let narrow = TcpEffort { cwnd: 130, rtt: Span::from_us(1_600), ..far };
    let found = verdict(&run, Pattern::PingPong, &sizes, of(narrow)).0;
    assert_eq!(found, Some(Bound::CongestionWindow), "what goes in a round trip is the window");
    let offered = TcpEffort { snd_wnd: 27_000, rtt: Span::from_ms(20), rwnd_limited: us(5e6), ..tcp() };
    let slow = |size: u64| Passed { time: 100.0 + size as f64 * 0.8, tcp: offered, ..of(ample)(size) };
    assert_eq!(verdict(&run, Pattern::PingPong, &sizes, slow), hop, "its bytes wait in a queue");
}

#[test]
fn a_stall_of_forty_milliseconds_is_nagles_only_without_nodelay() {
    let mut run = run(Pattern::PingPong, Some(1_000), None);
    let passed = |_: u64| Passed { time: 41_000.0, cpu: [6.0; 2], ..Passed::default() };
    let sizes = [2_896, 3_000, 4_000];
    let (found, _) = verdict(&run, Pattern::PingPong, &sizes, passed);
    assert_ne!(found, Some(Bound::Nagle));
    run.paths[0].from_granted.nodelay = Fact::Known(false);
    assert_eq!(verdict(&run, Pattern::PingPong, &sizes, passed), (Some(Bound::Nagle), Certainty::Sure));
    // A path so long needs no Nagle.
    let far = TcpEffort { min_rtt: Span::from_ms(81), ..tcp() };
    let passed = |size| Passed { tcp: far, ..passed(size) };
    assert_eq!(verdict(&run, Pattern::PingPong, &sizes, passed).0, Some(Bound::PathDelay));
}

#[test]
fn time_outs_are_retransmissions() {
    let run = run(Pattern::PingPong, Some(1_000), None);
    let lost = |one_in, time| {
        let tcp = TcpEffort { retransmits: MESSAGES / one_in / 2, ..tcp() };
        let passed = Passed { time, cpu: [6.0; 2], tcp, ..Passed::default() };
        verdict(&run, Pattern::PingPong, &[100, 120], |_| passed)
    };
    // Every message is sent again after 200 ms.
    assert_eq!(lost(1, 200_020.0), (Some(Bound::Retransmissions), Certainty::Sure));
    // Every fifth is: the message in the middle is none of them, whatever the mean has.
    assert_eq!(lost(5, 20.0).0, Some(Bound::Processor(Which::Both, Cost::Message)));
}

#[test]
fn a_curve_of_another_tool_shows_what_is_fixed_and_what_grows_and_no_more() {
    let line = |size: u64| Passed { time: 50.0 + size as f64 * 0.01, ..Passed::default() };
    let mut run = run(Pattern::PingPong, None, None);
    let mut series = Series::new(Pattern::PingPong, &[]);
    series.points = SMALL.iter().chain(&LARGE).map(|size| point(*size, line(*size))).collect();
    series.points.iter_mut().for_each(|point| point.effort = None);
    run.series = vec![series];
    let curve = explain(&run).expect("it is a curve").curves.remove(0);
    let said: Vec<_> = curve.bands.iter().map(|band| (band.verdict, band.candidates[0].bound)).collect();
    assert_eq!(said, [(None, Bound::PerMessage), (None, Bound::PerByte)]);
    assert!(curve.missing[0].starts_with("what processors and TCP did"), "{:?}", curve.missing);
}

#[test]
fn copies_are_told_from_other_work_where_the_host_was_asked_what_they_cost() {
    let mut run = run(Pattern::PingPong, None, None);
    // Of 0.5 ns a byte at each end 0.4 ns are copies.
    let passed = |size: u64| Passed {
        time: size as f64 * 0.00105,
        cpu: [size as f64 * 0.0005; 2],
        tcp: TcpEffort { data_segments_in: 500, ..tcp() },
        ..Passed::default()
    };
    let bound = |run: &Run| bands(run, Pattern::PingPong, &LARGE, passed)[0].verdict;
    assert!(matches!(bound(&run), Some(Bound::Processor(Which::Both, _))));
    let estimate = |ns: f64| Estimate { median: ns, interval: None };
    let cost = |bytes: u64| CopyCost {
        bytes,
        within_ns: estimate(1.0),
        into_kernel_ns: estimate(bytes as f64 * 0.4),
        out_of_kernel_ns: estimate(bytes as f64 * 0.4),
        checksum_ns: estimate(1.0),
    };
    let copies = Fact::Known(vec![cost(64), cost(1 << 20)]);
    run.nodes[0].limits = Some(HostLimits { copies, ..HostLimits::default() });
    assert_eq!(bound(&run), Some(Bound::Memory));
}

#[test]
fn work_of_waking_is_told_from_other_work_where_the_host_was_asked_what_a_wake_up_takes() {
    let mut run = run(Pattern::PingPong, None, None);
    // Each end sleeps once a round trip, and wakes the other for 8 us of its 10 us.
    let passed = Passed { time: 26.0, cpu: [10.0; 2], ..Passed::default() };
    let found = |run: &Run| verdict(run, Pattern::PingPong, &SMALL, |_| passed).0;
    assert_eq!(found(&run), Some(Bound::Processor(Which::Both, Cost::Message)));
    let wake_up = |processor, state, us: f64| WakeUp {
        processor,
        state,
        time_ns: Fact::Known(Estimate { median: us * 1e3, interval: None }),
    };
    let wake_ups = vec![
        wake_up(Processor::Same, TargetState::Busy, 3.0),
        wake_up(Processor::Other, TargetState::Idle, 24.0),
    ];
    let calls = Fact::Known(CallCosts { wake_ups, ..CallCosts::default() });
    run.nodes[0].limits = Some(HostLimits { calls, ..HostLimits::default() });
    assert_eq!(found(&run), Some(Bound::WakeUp));
}

#[test]
fn what_settles_it_is_one_change_for_each_bound_and_what_moved_is_said() {
    let mut run = run(Pattern::PingPong, None, None);
    let idle = Passed { time: 45.0, cpu: [4.0; 2], ..Passed::default() };
    let mut series = Series::new(Pattern::PingPong, &[]);
    series.points = SMALL.iter().map(|size| point(*size, idle)).collect();
    run.series = vec![series];
    let changes = changes(&run);
    let said: Vec<String> = changes.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["--wait spin"]);
    assert_eq!(changes[0].of, Part::Sizes(vec![32]), "one of four");
    let [usual, changed] =
        [changes[0].usual(&run, Span::from_ms(300)), changes[0].changed(&run, Span::from_ms(300))];
    assert_eq!(usual.common.socket.wait, Waiting::Block);
    assert_eq!(changed.common.socket.wait, Waiting::Spin);
    assert_eq!(changed.curve().and_then(|curve| curve.sizes(&changed.common).ok()), Some(vec![32]));
    // Three turns of each, a third as long with the change.
    let turns = |times: [f64; 3]| {
        let mut all = Series::new(Pattern::PingPong, &[32]);
        for (pass, time) in (0..).zip(times) {
            let mut of_turn = Series::new(Pattern::PingPong, &[]);
            of_turn.points = vec![point(32, Passed { time, ..idle })];
            all.add_pass(pass, of_turn);
        }
        all
    };
    let tried = |after| Changed {
        change: "--wait spin".to_owned(),
        usual: Turns::Sizes(turns([45.0, 46.0, 44.0])),
        changed: Turns::Sizes(turns(after)),
        failed: None,
    };
    run.changed = vec![tried([15.0, 15.3, 14.7]), tried([45.1, 45.9, 44.0]), tried([15.0, 70.0, 44.0])];
    let settled = explain(&run).expect("a curve").settled;
    let outcomes: Vec<Outcome> = settled.iter().map(|settled| settled.moved[0].outcome).collect();
    assert_eq!(outcomes, [Outcome::Fell, Outcome::CannotTell, Outcome::CannotTell]);
    assert!((settled[0].moved[0].ratio - 1.0 / 3.0).abs() < 0.01, "{settled:?}");
}

#[test]
fn noise_at_single_sizes_makes_no_bands() {
    let run = run(Pattern::PingPong, None, None);
    let sizes: Vec<u64> = (1..=40).collect();
    let passed = |size: u64| {
        // Every seventh size met a busy processor.
        let waited = if size.is_multiple_of(7) { 30.0 } else { 0.0 };
        Passed { time: 45.0 + waited, cpu: [4.0; 2], waited, ..Passed::default() }
    };
    let (found, _) = verdict(&run, Pattern::PingPong, &sizes, passed);
    assert_eq!(found, Some(Bound::WakeUp));
}

#[test]
fn what_is_no_curve_and_no_load_is_refused() {
    let run = run(Pattern::PingPong, None, None);
    assert_eq!(explain(&run).expect_err("nothing was timed"), Unexplained::Nothing);
}
