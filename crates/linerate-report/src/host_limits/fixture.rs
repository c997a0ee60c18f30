//! A host with everything that can be known, and one where much is unknown.

use linerate_core::environment::{Environment, Fact};
use linerate_core::host_limits::{
    Adaptor, Cache, CallCosts, CopyCost, EventRates, HostLimits, HostLimitsFile, HostState, IdleState,
    KernelRate, LimitCaution, MemoryLimits, NodesRate, PacketCosts, PciLink, Pressure, Processor,
    StreamRates, TargetState, ThreadsRate, WakeUp, WorkingSet,
};
use linerate_core::observation::{Activity, Clock, Noise};
use linerate_core::stats::Estimate;
use linerate_core::units::Span;

fn about(median: f64) -> Estimate {
    Estimate { median, interval: Some([median * 0.98, median * 1.03]) }
}

fn known(ns: f64) -> Fact<Estimate> {
    Fact::Known(about(ns))
}

fn rates(gigabytes: f64) -> StreamRates {
    let rate = |factor: f64| KernelRate {
        best_bytes_per_second: gigabytes * factor * 1.05e9,
        bytes_per_second: about(gigabytes * factor * 1e9),
    };
    StreamRates { passes: 12, copy: rate(1.0), scale: rate(0.7), add: rate(0.8), triad: rate(0.81) }
}

fn memory() -> MemoryLimits {
    let cache = |level, bytes, instances| Cache { level, bytes, instances };
    let sets = (12..=27).map(|power| {
        let bytes = 1_u64 << power;
        let gigabytes = [120.0, 60.0, 30.0, 12.0][[15, 20, 25].iter().filter(|last| power > **last).count()];
        WorkingSet {
            bytes,
            copy_bytes_per_second: about(gigabytes * 1e9),
            triad_bytes_per_second: about(gigabytes * 0.9e9),
        }
    });
    MemoryLimits {
        caches: Fact::Known(vec![cache(1, 32 << 10, 4), cache(2, 1 << 20, 4), cache(3, 32 << 20, 1)]),
        array_bytes: 128 << 20,
        threads: [(1, 12.0), (2, 20.0), (4, 24.0)]
            .map(|(threads, rate)| ThreadsRate { threads, rates: rates(rate) })
            .into(),
        nodes: Fact::Known(Vec::new()),
        across_nodes: [(0, 1), (1, 0)]
            .map(|(threads_on, memory_on)| NodesRate { threads_on, memory_on, threads: 2, rates: rates(9.0) })
            .into(),
        working_sets: sets.collect(),
    }
}

fn calls() -> CallCosts {
    let wake = |processor, state, time_ns| WakeUp { processor, state, time_ns };
    let state = |name: &str, us, disabled| IdleState {
        name: name.to_owned(),
        exit_latency: Span::from_us(us),
        target_residency: Span::from_us(3 * us),
        disabled,
    };
    CallCosts {
        system_call_ns: known(61.5),
        socket_call_ns: known(142.0),
        context_switch_ns: known(912.0),
        futex_call_ns: known(75.0),
        futex_wake_ns: known(4_820.0),
        wake_ups: vec![
            wake(Processor::Same, TargetState::Busy, known(1_410.0)),
            wake(Processor::Other, TargetState::Idle, known(5_120.0)),
            wake(Processor::Other, TargetState::Busy, Fact::unknown("Operation not permitted (os error 1)")),
        ],
        clock: Fact::Known(Clock {
            name: "CLOCK_MONOTONIC_RAW".to_owned(),
            reads: 100_032,
            cost: Span::from_ps(21_500),
            resolution: Span::from_ns(10),
            backwards: 0,
        }),
        idle_states: Fact::Known(vec![
            state("POLL", 0, false),
            state("C1", 2, false),
            state("C6", 133, true),
        ]),
    }
}

fn adaptors() -> Vec<Adaptor> {
    let link = |speed_gt_per_second, lanes| Fact::Known(PciLink { speed_gt_per_second, lanes });
    let virtual_one = || Fact::unknown("the device has no PCI Express link, as virtual ones");
    vec![
        Adaptor {
            interface: "enp3s0".to_owned(),
            address: "0000:03:00.0".to_owned(),
            link: link(8.0, 8),
            best_link: link(16.0, 16),
            port_mbps: Fact::Known(100_000),
        },
        Adaptor {
            interface: "eth0".to_owned(),
            address: "0000:00:03.0".to_owned(),
            link: virtual_one(),
            best_link: virtual_one(),
            port_mbps: Fact::unknown("the driver says -1"),
        },
    ]
}

fn state() -> HostState {
    let events = |rates: &[(&str, f64)]| {
        Fact::Known(EventRates {
            all_per_second: rates.iter().map(|(_, rate)| rate).sum(),
            by_kind_per_second: rates.iter().map(|(kind, rate)| ((*kind).to_owned(), *rate)).collect(),
        })
    };
    HostState {
        load_average: Fact::Known([0.3, 1.37, 2.11]),
        pressure: Fact::Known(Pressure {
            cpu: Fact::Known(0.015),
            memory: Fact::Known(0.0),
            io: Fact::unknown("no such file"),
        }),
        activity: Activity {
            span: Span::from_ms(60_000),
            steal: Fact::Known(Span::from_ms(40)),
            ..Activity::default()
        },
        noise: Fact::Known(Noise {
            watched: Span::from_ms(3_000),
            lost: Span::from_us(750),
            gaps: 41,
            longest: Span::from_us(120),
            threshold: Span::from_us(1),
            throttled: Span::ZERO,
        }),
        interrupts: events(&[("LOC", 500.0), ("RES", 220.0), ("38 virtio2-input.0", 12.5)]),
        softirqs: events(&[("NET_RX", 90_000.0), ("TIMER", 200.0)]),
    }
}

/// Everything is known that can be.
pub(crate) fn whole() -> HostLimitsFile {
    let copy = |bytes: u64| {
        let ns = bytes as f64;
        CopyCost {
            bytes,
            within_ns: about(5.0 + ns * 0.03),
            into_kernel_ns: about(310.0 + ns * 0.08),
            out_of_kernel_ns: about(240.0 + ns * 0.06),
            checksum_ns: about(4.0 + ns * 0.1),
        }
    };
    let limits = HostLimits {
        quick: false,
        interrupted: false,
        took: Span::from_ms(61_300),
        memory: Fact::Known(memory()),
        copies: Fact::Known([64, 1_024, 16_384, 1_048_576].map(copy).into()),
        calls: Fact::Known(calls()),
        packets: Fact::Known(PacketCosts {
            delivered_ns: known(1_900.0),
            kept_ns: known(520.0),
            received_at_most_ns: known(1_380.0),
        }),
        adaptors: Fact::Known(adaptors()),
        state: state(),
        cautions: vec![LimitCaution::SmallArrays {
            array_bytes: 64 << 20,
            wanted_bytes: 128 << 20,
            because: "the time allows no more".to_owned(),
        }],
    };
    let environment = Environment {
        hostname: Fact::Known("node7".to_owned()),
        kernel: Fact::Known("Linux 6.18.1".to_owned()),
        cpu_model: Fact::Known("A Processor".to_owned()),
        cpus: Fact::Known(vec![0, 1, 2, 3]),
        smt: Fact::Known(false),
        hypervisor: Fact::Known("none".to_owned()),
        governor: Fact::Known("performance".to_owned()),
        clocksource: Fact::Known("tsc".to_owned()),
        ..Environment::default()
    };
    HostLimitsFile::new("2026-11-25T12:00:00+00:00".to_owned(), environment, limits)
}

/// Nothing was measured, on a host that says nothing.
pub(super) fn bare() -> HostLimitsFile {
    let limits = HostLimits { interrupted: true, ..HostLimits::default() };
    HostLimitsFile::new(String::new(), Environment::default(), limits)
}
