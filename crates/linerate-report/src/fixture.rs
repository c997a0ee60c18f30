//! Runs made by arithmetic: `time = fixed + size x per_byte`, without randomness, with everything
//! that a renderer must handle.

use std::collections::BTreeMap;

use linerate_analysis::assessment::assess;
use linerate_analysis::report::{NamedRun, Report};
use linerate_core::environment::{Environment, Fact, Interface};
use linerate_core::observation::{Activity, Clock, Connection, Counters, Noise, Observation};
use linerate_core::options::Granted;
use linerate_core::pattern::Pattern;
use linerate_core::plan::{CurvePlan, Plan, Task};
use linerate_core::run::{Answering, EndState, Model, Path, Run, Source, State};
use linerate_core::series::{Point, Round, Series, Stop};
use linerate_core::stages::{Marks, Stages};
use linerate_core::traffic::Transfer;
use linerate_core::trial::Tally;
use linerate_core::units::{Rate, Size, Span};

/// A host name that is an attack on every text format at once.
pub(super) const HOSTILE: &str = "<script>alert(1)</script>\"'&\x1b[31m";
/// Sizes of the fixture's dip. Unit: bytes.
pub(super) const DIP: std::ops::RangeInclusive<u64> = 8_189..=8_195;
/// Sizes in the middle of the fixture that were not timed. Unit: bytes.
pub(super) const GAP: std::ops::RangeInclusive<u64> = 196_605..=196_611;
/// The fixture's last timed size. Unit: bytes.
const LAST: u64 = 4_194_307;

/// How far a round's median lies from the size's, in thousandths.
const SPREAD: [i64; 7] = [0, -3, 4, -6, 7, -1, 2];

/// What one fixture run is made of.
pub(super) struct Made {
    pub(super) name: &'static str,
    pub(super) pattern: Pattern,
    /// Unit: nanoseconds.
    pub(super) fixed_ns: u64,
    /// Unit: picoseconds.
    pub(super) per_byte_ps: u64,
    /// Factor of the scatter between rounds, from half a percent.
    pub(super) scatter: i64,
}

/// A gigabit link with a dip, a gap, buffers that were asked for, and a hostile peer.
pub(super) const GIGABIT: Made = Made {
    name: "gigabit.run.json",
    pattern: Pattern::PingPong,
    fixed_ns: 25_000,
    per_byte_ps: 8_600,
    scatter: 1,
};
/// A larger latency on a restless host, where nothing settles.
pub(super) const SLOW_START: Made = Made {
    name: "slow-start.run.json",
    pattern: Pattern::PingPong,
    fixed_ns: 80_000,
    per_byte_ps: 8_520,
    scatter: 12,
};

/// The report of one curve.
pub(super) fn one() -> Report {
    Report::new(vec![GIGABIT.run()])
}

/// The report of two curves.
pub(super) fn two() -> Report {
    Report::new(vec![GIGABIT.run(), SLOW_START.run()])
}

/// The same two curves with five sizes, of which the fourth was not timed, and all that is derived from the
/// whole of each.
pub(super) fn small() -> Report {
    let mut report = two();
    for curve in &mut report.curves {
        curve.points.retain(|point| [1, 64, 8_192, 196_608, 1_048_576].contains(&point.size));
    }
    report
}

/// A run of which only numbers are known, one a size, as an imported file has them.
pub(super) fn bare() -> Report {
    let mut named = GIGABIT.run();
    let run = &mut named.run;
    run.source = Source::Imported("NetPIPE 3.7.2".to_owned());
    run.set_star(EndState::default(), vec![Answering::default()]);
    (run.plan, run.started) = (Plan::default(), String::new());
    for point in &mut run.series[0].points {
        point.rounds.truncate(1);
    }
    run.cautions = assess(run);
    Report::new(vec![named])
}

/// The report of one curve between two ends of a veth, whose driver states 10 Gb/s.
pub(super) fn veth() -> Report {
    let mut named = GIGABIT.run();
    for node in &mut named.run.nodes {
        let Fact::Known(interface) = &mut node.environment.interface else { panic!("it has one") };
        interface.driver = Fact::Known("veth".to_owned());
        interface.speed_mbps = Fact::Known(10_000);
    }
    named.run.cautions = assess(&named.run);
    Report::new(vec![named])
}

/// What makes a run one of a model.
pub(super) fn model() -> Model {
    let link = Rate::from_mbps(1_000.0);
    Model { plan: "seed = 1".to_owned(), link, payload: link, cautions: Vec::new() }
}

/// A run of these loads.
pub(super) fn loads(transfers: Vec<Transfer>) -> Report {
    let mut named = GIGABIT.run();
    (named.run.series, named.run.transfers) = (Vec::new(), transfers);
    Report::new(vec![named])
}

/// A run with stages, on one clock or on two.
pub(super) fn staged(one_clock: bool) -> Report {
    let mut named = GIGABIT.run();
    let sizes = linerate_core::stages::sizes(&named.run.plan.sizes().expect("the fixture's plan has sizes"));
    if let Task::Curve(curve) = &mut named.run.plan.task {
        curve.stages = Some(10);
    }
    named.run.stages = sizes.into_iter().map(|size| stages(size, one_clock)).collect();
    Report::new(vec![named])
}

/// Ten messages of `size`. With two clocks the round trip of the first was the quickest and nearly
/// all of it the way there, so that the others seem to arrive before they leave.
fn stages(size: u64, one_clock: bool) -> Stages {
    let ahead = if one_clock { 0 } else { 1_000_000 };
    let marks = |nth: u64| {
        let sent = 1_760_000_000_000_000_000 + nth * 1_000_000;
        let queued = sent + 2_000 + size / 8 + nth * 10;
        let driven = queued + 300;
        let (there, back) = match nth {
            _ if one_clock => (9_000, 9_000),
            0 => (17_900, 100),
            _ => (100, 18_000),
        };
        let arrived = driven + there;
        let taken = arrived + 6_000 + size / 4;
        let answered = taken + 1_000;
        let ours = Marks {
            sent,
            queued: Some(queued),
            driven: Some(driven),
            acked: Some(answered + back),
            arrived: Some(answered + back),
            taken: answered + back + 5_000,
        };
        let theirs = Marks {
            sent: answered + ahead,
            queued: Some(answered + ahead),
            driven: Some(answered + ahead),
            acked: None,
            arrived: Some(arrived + ahead),
            taken: taken + ahead,
        };
        (ours, theirs)
    };
    let (ours, theirs): (Vec<_>, Vec<_>) = (0..10).map(marks).unzip();
    let stages = Stages::of(size, 10, one_clock, [&ours, &theirs]);
    Stages { hardware: Fact::Known(!one_clock), ..stages }
}

/// More curves than there are colours, with a name longer than any line.
pub(super) fn many() -> Report {
    let run = |nth: u64| {
        let made = Made { fixed_ns: 20_000 + 5_000 * nth, per_byte_ps: 8_600 + 900 * nth, ..GIGABIT };
        let mut named = made.run();
        named.name = format!("{}.run.json", "a-long-name-".repeat(nth as usize * 2));
        named
    };
    Report::new((1..=8).map(run).collect())
}

impl Made {
    /// The run.
    pub(super) fn run(&self) -> NamedRun {
        let plan = plan(self.pattern);
        let sizes = plan.sizes().expect("the fixture's plan has sizes");
        let points = sizes.into_iter().map(|size| self.point(size)).collect();
        let mut run = Run {
            generator: "linerate 0.1.0".to_owned(),
            started: "2026-01-02T03:04:05+01:00".to_owned(),
            state: State::Complete,
            series: vec![Series { points, ..Series::new(self.pattern, &[]) }],
            ..Run::new(Source::Measured, plan)
        };
        let path = Path {
            transport: "tcp".to_owned(),
            from_address: "10.0.0.1:40000".to_owned(),
            to_address: "10.0.0.2:5003".to_owned(),
            ..Path::default()
        };
        let answering = Answering { end: end(HOSTILE, "powersave", 30), path };
        run.set_star(end("alpha", "performance", 2), vec![answering]);
        run.cautions = assess(&run);
        NamedRun { name: self.name.to_owned(), run }
    }

    fn point(&self, size: u64) -> Point {
        let mut point = Point::new(size);
        if GAP.contains(&size) || size > LAST {
            return point;
        }
        let dip = if DIP.contains(&size) { 1_500 } else { 1_000 };
        let time = (self.fixed_ns * 1_000 + self.per_byte_ps * size) * dip / 1_000;
        // Small messages scatter more, as they do, and some miss the target.
        let spread = self.scatter * if size < 16 { 4 } else { 1 };
        point.rounds = SPREAD
            .iter()
            .enumerate()
            .map(|(round, thousandths)| self.round(round as u32, time, thousandths * spread))
            .collect();
        for round in &point.rounds {
            for span in [round.min, round.median, round.median, round.max] {
                point.histogram.record(span);
            }
        }
        point.verified = true;
        point.stop = Some(if size < 4 || self.scatter > 4 { Stop::Time } else { Stop::Target });
        point
    }

    fn round(&self, round: u32, time_ps: u64, thousandths: i64) -> Round {
        let median = time_ps.saturating_add_signed(time_ps as i64 / 1_000 * thousandths);
        Round {
            pass: 0,
            round,
            samples: 100,
            batch: 1,
            median: Span::from_ps(median),
            mean: Span::from_ps(median + median / 500),
            min: Span::from_ps(median - median / 100),
            max: Span::from_ps(median + median / 10),
            warmup: 5,
            warmup_span: Span::from_ps(median * 5),
            tally: Tally::default(),
            sustained: true,
        }
    }
}

fn plan(pattern: Pattern) -> Plan {
    let task = Task::Curve(CurvePlan { pattern, ..CurvePlan::default() });
    let mut plan = Plan { task, ..Plan::default() };
    plan.common.host = Some("beta:5003".to_owned());
    plan.common.socket.sndbuf = Some(Size(65_000));
    plan.common.socket.rcvbuf = Some(Size(65_000));
    plan
}

fn end(hostname: &str, governor: &str, lost_ms: u64) -> EndState {
    EndState {
        environment: environment(hostname, governor),
        granted: Granted {
            sndbuf: Fact::Known(130_000),
            rcvbuf: Fact::Known(130_000),
            usable_window: Fact::Known(65_000),
            nodelay: Fact::Known(true),
            congestion: Fact::Known("cubic".to_owned()),
            mss: Fact::Known(1_448),
            path_mtu: Fact::Known(1_500),
            dscp: Fact::unknown("not asked for"),
            busy_poll: Fact::unknown("not asked for"),
            timestamps: Fact::Known(true),
            multipath: None,
            cipher: None,
            huge_pages: None,
            pinned: Some(1),
            cpu_latency_us: None,
        },
        observation: observation(lost_ms),
    }
}

fn environment(hostname: &str, governor: &str) -> Environment {
    let known = |text: &str| Fact::Known(text.to_owned());
    let offloads = [("generic-receive-offload", true), ("tcp-segmentation-offload", hostname == "alpha")];
    let sysctls =
        [("net.core.rmem_max", known("212992")), ("net.ipv4.tcp_rmem", known("4096 131072 6291456"))];
    let counts = |pairs: &[(&str, u32)]| {
        Fact::Known(
            pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect::<BTreeMap<_, _>>(),
        )
    };
    Environment {
        linerate: "0.1.0".to_owned(),
        hostname: known(hostname),
        kernel: known("Linux 6.18.44"),
        architecture: "x86_64".to_owned(),
        machine: Fact::default(),
        boot_id: known(hostname),
        network_namespace: Fact::unknown("permission denied"),
        cpu_model: known("Example CPU @ 3.00GHz"),
        cpus: Fact::Known(vec![0, 1, 2, 3]),
        smt: Fact::Known(false),
        hypervisor: known("none"),
        governor: known(governor),
        clocksource: known("tsc"),
        page_bytes: Fact::Known(4096),
        memory_bytes: Fact::Known(16 << 30),
        interface: Fact::Known(Interface {
            name: "eth0".to_owned(),
            loopback: false,
            driver: known("e1000e"),
            driver_version: known("6.18.44"),
            firmware: Fact::unknown("the driver does not say"),
            bus: known("0000:00:19.0"),
            speed_mbps: Fact::Known(1_000),
            duplex: known("full"),
            mtu: Fact::Known(1_500),
            offloads: Fact::Known(offloads.map(|(name, on)| (name.to_owned(), on)).into()),
            coalescing: counts(&[("rx-usecs", 3), ("tx-usecs", 0)]),
            rings: counts(&[("rx", 256), ("tx", 256)]),
        }),
        sysctls: sysctls.map(|(name, fact)| (name.to_owned(), fact)).into(),
    }
}

fn observation(lost_ms: u64) -> Observation {
    let tally = Tally { sent_bytes: 3 << 30, received_bytes: 3 << 30, sent: 86_800, received: 86_800 };
    Observation {
        clock: Fact::Known(Clock {
            name: "CLOCK_MONOTONIC_RAW".to_owned(),
            reads: 100_000,
            cost: Span::from_ns(21),
            resolution: Span::from_ns(1),
            backwards: 0,
        }),
        noise: Fact::Known(Noise {
            watched: Span::from_ms(1_000),
            lost: Span::from_ms(lost_ms),
            gaps: 12,
            longest: Span::from_us(900),
            threshold: Span::from_us(1),
            throttled: Span::ZERO,
        }),
        load: Activity { span: Span::from_ms(20_000), ..Activity::default() },
        interface: Fact::Known(Counters {
            interface: "eth0".to_owned(),
            rx_bytes: 3_500_000_000,
            tx_bytes: 3_500_000_000,
            rx_packets: 2_400_000,
            tx_packets: 2_400_000,
            rx_dropped: 0,
            tx_dropped: 0,
        }),
        connection: Fact::Known(Connection {
            retransmitted: 7,
            segments_out: 2_400_000,
            rtt: Span::from_us(52),
            min_rtt: Span::from_us(49),
            congestion_window: 40,
            mss: 1_448,
        }),
        tally,
        cpus: vec![1],
        peak_memory_bytes: Fact::Known(20 << 20),
        first_sample_after: None,
        link_down: Span::ZERO,
        silent: Span::ZERO,
    }
}
