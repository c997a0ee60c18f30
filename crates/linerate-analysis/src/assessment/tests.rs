use rstest::rstest;

use super::*;
use linerate_core::environment::{Environment, Fact, Interface};
use linerate_core::kernel::{Effort, HostSample};
use linerate_core::observation::{Activity, Clock, Connection, Counters, Noise, Observation, Throttled};
use linerate_core::options::{Ecn, Granted, Waiting};
use linerate_core::pattern::Pattern;
use linerate_core::plan::Plan;
use linerate_core::run::{Answering, EndState, Path, PathMtu, Run, Source, State, WayMtu};
use linerate_core::series::{Round, Series, Stop};
use linerate_core::traffic::{
    self, Datagrams, Direction, EcnCounts, FlowAccount, HalfAccount, Latency, Load, StreamPlan, Transfer,
};
use linerate_core::trial::Tally;
use linerate_core::units::{Rate, Size, Span};

/// One end of which nothing is doubtful.
fn quiet_end(host: &str, cpu: u32) -> EndState {
    let interface = Interface { speed_mbps: Fact::Known(1000), ..Interface::default() };
    let tally = Tally { sent_bytes: 1 << 30, received_bytes: 1 << 30, sent: 1000, received: 1000 };
    let counters = Counters {
        interface: "eth0".to_owned(),
        tx_bytes: 11 << 27,
        rx_bytes: 11 << 27,
        ..Counters::default()
    };
    EndState {
        environment: Environment {
            boot_id: Fact::Known(host.to_owned()),
            network_namespace: Fact::Known(host.to_owned()),
            clocksource: Fact::Known("tsc".to_owned()),
            governor: Fact::Known("performance".to_owned()),
            interface: Fact::Known(interface),
            ..Environment::default()
        },
        granted: Granted::default(),
        observation: Observation {
            clock: Fact::Known(Clock {
                name: "raw".to_owned(),
                reads: 1000,
                cost: Span::from_ns(20),
                resolution: Span::from_ns(1),
                backwards: 0,
            }),
            noise: Fact::Known(Noise {
                watched: Span::from_ms(500),
                lost: Span::ZERO,
                gaps: 0,
                longest: Span::ZERO,
                threshold: Span::from_us(1),
                throttled: Span::ZERO,
            }),
            load: Activity {
                span: Span::from_ms(20_000),
                run_delay: Fact::Known(Span::ZERO),
                ..Activity::default()
            },
            interface: Fact::Known(counters),
            connection: Fact::Known(Connection { segments_out: 1000, ..Connection::default() }),
            tally,
            cpus: vec![cpu],
            ..Observation::default()
        },
    }
}

/// A run of two hosts of which nothing is doubtful.
fn quiet_run() -> Run {
    let mut series = Series::new(Pattern::PingPong, &[1, 1500]);
    for point in &mut series.points {
        let time = Span::from_us(100);
        let one = |round| Round {
            pass: 0,
            round,
            samples: 10,
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
        point.rounds = (0..9).map(one).collect();
        point.stop = Some(Stop::Target);
    }
    let mut run =
        Run { state: State::Complete, series: vec![series], ..Run::new(Source::Measured, Plan::default()) };
    let answering = Answering { end: quiet_end("there", 1), path: Path::default() };
    run.set_star(quiet_end("here", 0), vec![answering]);
    run
}

/// Has gone on one way at this rate (Mb/s) after the curve, whose messages of 1500 B go at 120.
fn sustains(run: &mut Run, mbps: f64) {
    let mut after = run.series[0].clone();
    after.pattern = Pattern::OneWay;
    after.points.remove(0);
    let time = Span::from_us(100).scaled(1_200_000, (mbps * 10_000.0) as u64);
    for round in &mut after.points[0].rounds {
        (round.median, round.mean, round.min, round.max) = (time, time, time, time);
    }
    run.sustained = Some(after);
}

/// The sender and the receiver took this long for it, ran for this long and waited for a processor for this long (ms).
fn occupied(run: &mut Run, sender: (u64, u64, u64), receiver: (u64, u64, u64)) {
    let effort = |(span, cpu, waited)| Effort {
        span: Span::from_ms(span),
        cpu: Span::from_ms(cpu),
        waited: Some(Span::from_ms(waited)),
        ..Effort::default()
    };
    let after = run.sustained.as_mut().expect("it was looked at");
    after.points[0].effort = Some(Box::new([effort(sender), effort(receiver)]));
}

/// A load whose datagrams arrived with these code points of explicit congestion notification.
fn coded(run: &mut Run, code_points: [u64; 4]) {
    paced(run, 100_000);
    let ecn = Some(EcnCounts::new(Ecn::Ect0, code_points));
    run.transfers[0].flows[0].receiver.datagrams = Some(Datagrams { ecn, ..Datagrams::default() });
}

/// Asks for 8 Mb/s, and has this many bytes arrive in 100 ms.
fn paced(run: &mut Run, bytes: u64) {
    let half = HalfAccount {
        ended: traffic::Ended::Complete,
        bytes,
        first: Some(Span::ZERO),
        last: Some(Span::from_ms(100)),
        warm: Some((Span::ZERO, 0)),
        ..HalfAccount::default()
    };
    let flow =
        FlowAccount { flow: 0, peer: 0, direction: Direction::Send, sender: half.clone(), receiver: half };
    let bulk = StreamPlan { rate: Some(Rate::from_mbps(8.0)), ..StreamPlan::default() };
    let load = Load { stream: Some(bulk), ..Load::default() };
    run.transfers = vec![Transfer { load, flows: vec![flow], ..Transfer::default() }];
}

fn kind(caution: &Caution) -> String {
    let json = serde_json::to_value(caution).expect("a caution is JSON");
    json["kind"].as_str().expect("its kind").to_owned()
}

/// A quota stopped this end for so long.
fn throttled(run: &mut Run, end: usize, stopped_ms: u64) {
    run.nodes[end].observation.load.throttled =
        Fact::Known(Throttled { throttled: Span::from_ms(stopped_ms), ..Throttled::default() });
}

/// Changes one thing about a quiet run and lists the kinds that are then raised.
fn raised(change: impl FnOnce(&mut Run)) -> Vec<String> {
    let mut run = quiet_run();
    change(&mut run);
    assess(&run).iter().map(kind).collect()
}

fn known<T>(fact: &mut Fact<T>) -> &mut T {
    match fact {
        Fact::Known(value) => value,
        Fact::Unknown { unknown } => panic!("unknown: {unknown}"),
    }
}

#[test]
fn a_quiet_run_raises_nothing() {
    assert_eq!(raised(|_| ()), [""; 0]);
}

#[rstest]
#[case::same_host("same-host", |run: &mut Run| {
    run.nodes[1].environment.boot_id = run.nodes[0].environment.boot_id.clone();
})]
#[case::slow_clock("slow-clock", |run: &mut Run| run.nodes[1].environment.clocksource = Fact::Known("hpet".into()))]
#[case::backwards("clock-backwards", |run: &mut Run| known(&mut run.nodes[0].observation.clock).backwards = 1)]
#[case::noisy("noisy", |run: &mut Run| known(&mut run.nodes[1].observation.noise).lost = Span::from_ms(5))]
#[case::crowded("crowded", |run: &mut Run| run.nodes[0].observation.load.run_delay = Fact::Known(Span::from_ms(201)))]
#[case::throttled("throttled", |run: &mut Run| throttled(run, 1, 201))]
#[case::throttled_and_its_waiting("throttled", |run: &mut Run| {
    throttled(run, 0, 15_000);
    let observation = &mut run.nodes[0].observation;
    observation.load.run_delay = Fact::Known(Span::from_ms(15_100));
    (known(&mut observation.noise).lost, known(&mut observation.noise).throttled) = (Span::from_ms(420), Span::from_ms(418));
})]
#[case::black_hole("black-hole", |run: &mut Run| run.paths[0].mtu = Fact::Known(PathMtu {
    there: WayMtu { interface_bytes: 1_500, largest_bytes: 1_400, announced_bytes: 1_400 },
    back: WayMtu { interface_bytes: 1_500, largest_bytes: 1_400, announced_bytes: 1_500 },
}))]
#[case::governor("governor", |run: &mut Run| run.nodes[0].environment.governor = Fact::Known("powersave".into()))]
#[case::buffer("not-granted", |run: &mut Run| {
    run.plan.common.socket.rcvbuf = Some(Size(1 << 20));
    run.paths[0].to_granted.rcvbuf = Fact::Known((1 << 20) - 1);
})]
#[case::congestion("not-granted", |run: &mut Run| {
    run.plan.common.socket.congestion = Some("reno".into());
    run.paths[0].from_granted.congestion = Fact::Known("cubic".into());
})]
#[case::mss("not-granted", |run: &mut Run| {
    run.plan.common.socket.mss = Some(1000);
    run.paths[0].from_granted.mss = Fact::Known(1448);
})]
#[case::other_way("path-not-proven", |run: &mut Run| known(&mut run.nodes[0].observation.interface).tx_bytes = (1 << 30) - 1)]
#[case::foreign("foreign", |run: &mut Run| {
    paced(run, 100_000);
    let datagrams = Datagrams { foreign: 1, ..Datagrams::default() };
    run.transfers[0].flows[0].receiver.datagrams = Some(datagrams);
})]
#[case::bleached("bleached", |run: &mut Run| coded(run, [1, 0, 999, 0]))]
#[case::changed("bleached", |run: &mut Run| coded(run, [0, 1, 999, 0]))]
#[case::other_traffic("other-traffic", |run: &mut Run| known(&mut run.nodes[1].observation.interface).rx_bytes = 1 << 33)]
#[case::retransmitted("retransmitted", |run: &mut Run| known(&mut run.nodes[0].observation.connection).retransmitted = 1)]
#[case::few_rounds("few-rounds", |run: &mut Run| run.series[0].points[0].rounds.truncate(5))]
#[case::wide("wide-intervals", |run: &mut Run| run.series[0].points[0].stop = Some(Stop::Time))]
#[case::not_timed("not-timed", |run: &mut Run| run.series[0].points[1].rounds.clear())]
#[case::above_link("above-link", |run: &mut Run| run.series[0].points[1].size = 12_626)]
#[case::above_sustained("above-sustained", |run: &mut Run| sustains(run, 95.9))]
#[case::above_sustained_with_idle_ends("above-sustained", |run: &mut Run| {
    sustains(run, 10.0);
    occupied(run, (1, 1, 0), (100, 40, 26));
})]
#[case::above_sustained_with_spinning_ends("above-sustained", |run: &mut Run| {
    run.plan.common.socket.wait = Waiting::Spin;
    sustains(run, 10.0);
    occupied(run, (100, 100, 0), (100, 100, 0));
})]
#[case::sustained_in_bursts_only("sustained-unknown", |run: &mut Run| {
    sustains(run, 10.0);
    let points = run.sustained.iter_mut().flat_map(|series| &mut series.points);
    points.flat_map(|point| &mut point.rounds).for_each(|round| round.sustained = false);
})]
#[case::sustained_unknown("sustained-unknown", |run: &mut Run| run.sustained = Some(Series::new(Pattern::OneWay, &[])))]
#[case::silent("silent", |run: &mut Run| run.nodes[0].observation.silent = Span::from_ms(2_500))]
#[case::link_down("link-down", |run: &mut Run| run.nodes[1].observation.link_down = Span::from_ms(300))]
#[case::pace("pace-missed", |run: &mut Run| paced(run, 97_000))]
#[case::unsent("unsent", |run: &mut Run| {
    let latency = Latency { unsent: 1, ..Latency::default() };
    run.transfers = vec![Transfer { latencies: vec![latency], ..Transfer::default() }];
})]
#[case::interrupted("incomplete", |run: &mut Run| run.state = State::Interrupted)]
#[case::failed("incomplete", |run: &mut Run| run.state = State::Failed("it broke".into()))]
#[case::imported("imported", |run: &mut Run| run.source = Source::Imported("NetPIPE 3.x".into()))]
fn each_doubt_is_raised_alone(#[case] expected: &str, #[case] change: fn(&mut Run)) {
    assert_eq!(raised(change), [expected]);
}

#[rstest]
#[case::little_noise(|run: &mut Run| known(&mut run.nodes[0].observation.noise).lost = Span::from_ms(4))]
#[case::a_narrow_path_that_says_so(|run: &mut Run| run.paths[0].mtu = Fact::Known(PathMtu {
    there: WayMtu { interface_bytes: 1_500, largest_bytes: 1_400, announced_bytes: 1_400 },
    back: WayMtu { interface_bytes: 9_000, largest_bytes: 9_000, announced_bytes: 9_000 },
}))]
#[case::little_throttled(|run: &mut Run| throttled(run, 0, 199))]
#[case::little_waiting(|run: &mut Run| run.nodes[0].observation.load.run_delay = Fact::Known(Span::from_ms(199)))]
#[case::doubled_buffer(|run: &mut Run| {
    run.plan.common.socket.rcvbuf = Some(Size(65_000));
    run.paths[0].from_granted.rcvbuf = Fact::Known(130_000);
    run.paths[0].to_granted.rcvbuf = Fact::Known(130_000);
})]
#[case::pace(|run: &mut Run| paced(run, 98_000))]
#[case::as_sustained(|run: &mut Run| sustains(run, 96.1))]
#[case::a_processor_was_the_bound(|run: &mut Run| {
    sustains(run, 10.0);
    occupied(run, (99, 67, 0), (100, 10, 0));
})]
#[case::another_had_the_processor(|run: &mut Run| {
    sustains(run, 10.0);
    occupied(run, (1, 1, 0), (100, 40, 27));
})]
#[case::at_the_link(|run: &mut Run| run.series[0].points[1].size = 12_500)]
#[case::headers(|run: &mut Run| known(&mut run.nodes[1].observation.interface).rx_bytes = 3 << 29)]
#[case::unknown(|run: &mut Run| run.nodes[0].observation = Observation::default())]
fn what_is_usual_is_not_doubted(#[case] change: fn(&mut Run)) {
    assert_eq!(raised(change), [""; 0]);
}

/// One host that measures itself over `lo`, which counted so much each way, while it sent and
/// received so much.
fn looped(sent: u64, received: u64, counted: u64) -> Vec<String> {
    let mut raised = raised(|run: &mut Run| {
        let mut end = quiet_end("here", 0);
        end.observation.tally = Tally { sent_bytes: sent, received_bytes: received, ..Tally::default() };
        let counters = known(&mut end.observation.interface);
        *counters = Counters {
            interface: "lo".to_owned(),
            tx_bytes: counted,
            rx_bytes: counted,
            ..Counters::default()
        };
        let mut other = end.clone();
        other.observation.cpus = vec![1];
        run.set_star(end, vec![Answering { end: other, path: Path::default() }]);
    });
    raised.retain(|kind| kind != "same-host");
    raised
}

#[test]
fn what_one_end_sends_on_a_loopback_is_received_there_too() {
    // As counted by `lo` while two flows sent: 8.617 GB of payload, and .1 % more.
    assert_eq!(looped(8_617_000_000, 0, 8_627_740_363), [""; 0]);
    assert_eq!(looped(1 << 30, 1 << 30, 5 << 29), [""; 0], "messages both ways, and their headers");
    assert_eq!(looped(1 << 30, 0, 3 << 30), ["other-traffic"]);
    assert_eq!(looped(1 << 30, 1 << 30, (1 << 31) - 1), ["path-not-proven"]);
}

#[test]
fn one_processor_for_both_ends_is_doubted_on_one_host_only() {
    assert_eq!(raised(|run| run.nodes[1].observation.cpus = vec![0]), [""; 0]);
    let one_host = raised(|run: &mut Run| {
        run.nodes[1].environment.boot_id = run.nodes[0].environment.boot_id.clone();
        run.nodes[1].observation.cpus = vec![0];
    });
    assert_eq!(one_host, ["same-host", "same-cpu"]);
}

/// Two ranks, and the processors that each may use; on one host unless the second is `apart`.
fn of_ranks(cpus: [&[u32]; 2], apart: bool) -> Vec<String> {
    raised(|run: &mut Run| {
        run.paths[0].transport = "mpi".to_owned();
        for (node, cpus) in run.nodes.iter_mut().zip(cpus) {
            node.environment.cpus = Fact::Known(cpus.to_vec());
        }
        if !apart {
            run.nodes[1].environment.boot_id = run.nodes[0].environment.boot_id.clone();
        }
    })
}

#[test]
fn ranks_that_share_a_host_or_its_processors_are_doubted() {
    assert_eq!(of_ranks([&[0], &[0]], true), [""; 0], "each host has its own processor 0");
    assert_eq!(of_ranks([&[0, 1], &[0, 1]], false), ["ranks-share-host"]);
    assert_eq!(of_ranks([&[0], &[1]], false), ["ranks-share-host"], "one each");
    assert_eq!(of_ranks([&[0], &[0]], false), ["ranks-share-host", "more-ranks-than-processors"]);
}

#[test]
fn a_kind_of_a_later_version_is_kept_as_such() {
    let read: Caution = serde_json::from_str(r#"{"kind": "cosmic-rays"}"#).expect("a caution");
    assert_eq!(read, Caution::Later);
}

#[test]
fn every_caution_says_what_to_do() {
    let mut run = quiet_run();
    run.state = State::Interrupted;
    run.nodes[0].environment.governor = Fact::Known("powersave".into());
    for caution in assess(&run) {
        let text = caution.to_string();
        assert!(text.contains("; ") && !caution.advice().is_empty(), "{text}");
    }
}

/// Thirty rounds of the smallest size, of which the last so many take five times as long.
fn slow_rounds(run: &mut Run, slow: usize) {
    let rounds = &mut run.series[0].points[0].rounds;
    let one = rounds[0];
    *rounds = (0..30).map(|round| linerate_core::series::Round { round, ..one }).collect();
    for round in rounds.iter_mut().skip(30 - slow) {
        round.median = one.median * 5;
    }
}

#[test]
fn wake_ups_that_drift_are_told_from_a_few_slow_rounds_and_from_receivers_that_spin() {
    let drifting = |run: &mut Run| slow_rounds(run, 12);
    assert_eq!(raised(drifting), ["wake-ups-drift"]);
    let silent: [fn(&mut Run); 4] = [
        |run| slow_rounds(run, 2),
        |run| {
            slow_rounds(run, 12);
            run.plan.common.socket.wait = linerate_core::options::Waiting::Spin;
        },
        |run| {
            slow_rounds(run, 12);
            run.series[0].pattern = Pattern::OneWay;
        },
        |run| {
            slow_rounds(run, 12);
            run.series[0].points[0].size = 4096;
        },
    ];
    for change in silent {
        assert_eq!(raised(change), [""; 0]);
    }
}

#[test]
fn a_segment_that_the_path_cut_is_said_and_the_room_of_timestamps_is_not() {
    let with = |asked: u16, granted: u64| {
        raised(|run| {
            run.plan.common.socket.mss = Some(asked);
            for path in &mut run.paths {
                path.from_granted.mss = Fact::Known(granted);
                path.to_granted.mss = Fact::Known(granted);
            }
        })
    };
    assert_eq!(with(1400, 1388), [""; 0], "timestamps");
    assert_eq!(with(1400, 1400), [""; 0]);
    assert_eq!(with(8960, 1448), ["not-granted"; 2]);
}

/// Bulk whose receiver counted so many bytes in looks of 50 ms each.
fn looked_at(run: &mut Run, bytes: impl Iterator<Item = u64>) {
    paced(run, 1 << 20);
    let transfer = &mut run.transfers[0];
    transfer.load.stream = Some(StreamPlan::default());
    let look = |(nth, bytes): (u64, u64)| traffic::Interval { until: Span::from_ms(50 * nth), bytes };
    transfer.flows[0].receiver.looks = (1..).zip(bytes).map(look).collect();
}

#[test]
fn a_burst_at_the_beginning_is_told_from_a_rate_that_varies() {
    // 10 Mb/s are 62,500 B in 50 ms; the shaper let 1 MB through at once.
    let burst = || std::iter::once(1_062_500).chain(std::iter::repeat_n(62_500, 80));
    assert_eq!(raised(|run| looked_at(run, burst())), ["began-faster"]);
    // In-order delivery after losses makes single looks jump.
    let lossy = burst().enumerate().map(|(nth, bytes)| if nth % 5 == 3 { bytes * 2 } else { bytes * 3 / 4 });
    assert_eq!(raised(|run| looked_at(run, lossy)), ["began-faster"]);
    let silent: [&dyn Fn(&mut Run); 5] = [
        &|run| looked_at(run, std::iter::repeat_n(62_500, 81)),
        // A slow start.
        &|run| looked_at(run, [1_000, 8_000].into_iter().chain(std::iter::repeat_n(62_500, 80))),
        // A rate that goes on falling, or varies all the time, says nothing of its beginning.
        &|run| looked_at(run, (0..81).map(|nth| 90_000 - nth * 500)),
        &|run| looked_at(run, (0..81).map(|nth| if (nth / 10) % 2 == 0 { 90_000 } else { 62_500 })),
        &|run| {
            looked_at(run, burst());
            let stream = run.transfers[0].load.stream.as_mut().expect("it is bulk");
            stream.warm_up = Span::from_ms(1_000);
        },
    ];
    for change in silent {
        assert_eq!(raised(change), [""; 0]);
    }
}

#[test]
fn an_end_that_told_nothing_of_its_host_is_named_and_no_host_of_a_model_is() {
    let late = |hosts: [usize; 3]| {
        let raised = raised(|run| {
            paced(run, 1 << 20);
            run.transfers[0].hosts = hosts.map(|looks| vec![HostSample::default(); looks]).to_vec();
        });
        raised.iter().filter(|key| *key == "account-late").count()
    };
    assert_eq!([[3, 2, 1], [3, 0, 1], [3, 0, 0], [0, 0, 0]].map(late), [0, 1, 2, 0]);
}

/// A lower rate helps an account that comes late, and not one whose end is gone.
#[test]
fn the_advice_about_a_missing_account_goes_by_why_it_is_missing() {
    let advice = |change: fn(&mut Run)| {
        let mut run = quiet_run();
        paced(&mut run, 1 << 20);
        run.transfers[0].hosts = vec![vec![HostSample::default(); 3], Vec::new()];
        change(&mut run);
        let late = assess(&run).into_iter().find(|caution| kind(caution) == "account-late");
        late.expect("it is missing").advice().into_owned()
    };
    let slow = advice(|_| ());
    assert!(slow.contains("--rate"), "{slow}");
    let gone: [fn(&mut Run); 2] = [
        |run| run.state = State::Failed("the peer closed the connection".into()),
        |run| {
            run.transfers[0].flows[0].sender.ended =
                traffic::Ended::Failed("the connection was reset".into());
        },
    ];
    for change in gone {
        let text = advice(change);
        assert!(!text.contains("--rate") && text.contains("what ended"), "{text}");
    }
}

#[test]
fn two_namespaces_of_one_host_are_told_from_one() {
    let same_host = |namespaces: [&str; 2]| {
        let mut run = quiet_run();
        run.paths[0].transport = "tcp".to_owned();
        for (node, namespace) in run.nodes.iter_mut().zip(namespaces) {
            node.environment.boot_id = Fact::Known("one".into());
            node.environment.network_namespace = Fact::Known(namespace.into());
        }
        let cautions = assess(&run);
        cautions.into_iter().filter(|caution| kind(caution) == "same-host").collect::<Vec<_>>()
    };
    assert_eq!(same_host(["1", "1"]), [Caution::SameHost { apart: false }]);
    assert_eq!(same_host(["1", "2"]), [Caution::SameHost { apart: true }]);
}

#[test]
fn a_path_that_marks_does_not_bleach() {
    assert!(!raised(|run| coded(run, [0, 0, 990, 10])).contains(&"bleached".to_owned()));
}

/// A sender hands over more than a slow path brings in time: what was discarded need not have crossed the interface.
#[test]
fn what_was_cut_off_did_not_take_another_way() {
    let cut = |cut_off: bool| {
        raised(|run| {
            paced(run, 1 << 20);
            let transfer = &mut run.transfers[0];
            transfer.load.stream = Some(StreamPlan::default());
            let flow = &mut transfer.flows[0];
            let sent = run.nodes[0].observation.interface.known().map_or(0, |counted| counted.tx_bytes) + 1;
            run.nodes[0].observation.tally.sent_bytes = sent;
            (flow.sender.bytes, flow.receiver.bytes) = (sent, if cut_off { sent / 2 } else { sent });
            flow.sender.cut_off = cut_off;
        })
    };
    assert!(cut(false).contains(&"path-not-proven".to_owned()), "{:?}", cut(false));
    let raised = cut(true);
    assert!(
        raised.contains(&"cut-off".to_owned()) && !raised.contains(&"path-not-proven".to_owned()),
        "{raised:?}"
    );
}

#[test]
fn a_load_of_few_messages_and_a_closed_loop_that_waited_say_so() {
    let brief = |messages: u64, count: Option<u64>| {
        raised(|run| {
            paced(run, 1 << 20);
            let transfer = &mut run.transfers[0];
            transfer.load.stream = Some(StreamPlan { count, ..StreamPlan::default() });
            transfer.flows[0].sender.messages = messages;
        })
        .contains(&"brief".to_owned())
    };
    assert!(brief(1, Some(1)) && !brief(1_000, Some(1_000)) && !brief(1, None));

    let omitted = |longest: Span, rate: Option<f64>| {
        raised(|run| {
            let mut latency = traffic::Latency::default();
            (0..20_000).for_each(|_| latency.service.record(Span::from_us(50)));
            latency.service.record(longest);
            let rr = Some(linerate_core::plan::RrPlan { rate, ..Default::default() });
            let load = traffic::Load { rr, ..Default::default() };
            run.transfers = vec![traffic::Transfer { load, latencies: vec![latency], ..Default::default() }];
        })
        .contains(&"omitted".to_owned())
    };
    assert!(omitted(Span::from_ms(500), None));
    assert!(!omitted(Span::from_ms(5), None), "every host wakes late now and then");
    assert!(!omitted(Span::from_ms(500), Some(20_000.0)), "an open loop counts from the moment that was due");
}
