//! What copies on the initiator's host allow at each message size, as lines over the size.

use serde::Serialize;

use linerate_core::host_limits::HostLimits;
use linerate_core::run::Run;
use linerate_core::transport::Transport;
use linerate_core::units::{Rate, Span};

/// A rate at each message size that work on a host allows, if one processor does all of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeCeiling {
    /// What it is.
    pub label: String,
    /// Message size in bytes and rate in Mb/s (10^6 bit/s of payload), by size.
    pub points: Vec<(u64, f64)>,
}

/// The lines of a run whose host was measured: at the sizes of its curves.
pub(super) fn by_size(run: &Run) -> Vec<SizeCeiling> {
    let Some(limits) = limits_of(run) else { return Vec::new() };
    let mut sizes: Vec<u64> =
        run.series.iter().flat_map(|series| series.points.iter().map(|point| point.size)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let line = |label: String, time: &dyn Fn(u64) -> Option<Span>| {
        let point = |size: &u64| Some((*size, Rate::of(*size, time(*size)?)?.as_mbps()));
        let points: Vec<(u64, f64)> = sizes.iter().filter_map(point).collect();
        (!points.is_empty()).then_some(SizeCeiling { label, points })
    };
    let mut lines = Vec::new();
    if through_kernel(run) {
        let in_turn = "copies into and out of the kernel, in turn".to_owned();
        lines.extend(line(in_turn, &|size| limits.copy_time(size)));
        lines.extend(line("the slower of the two copies".to_owned(), &|size| limits.slower_copy_time(size)));
    }
    if let Some(copied) = memory_copy(limits) {
        let label = format!("copy beyond the caches by one thread: {copied}");
        let points = sizes.iter().map(|size| (*size, copied.as_mbps()));
        lines.extend((!sizes.is_empty()).then(|| SizeCeiling { label, points: points.collect() }));
    }
    lines
}

/// The rate at which one thread copies memory: half of what it reads and writes.
fn memory_copy(limits: &HostLimits) -> Option<Rate> {
    let moved = limits.memory_rate(1)?;
    Some(Rate::from_bits_per_second(moved.bits_per_second() / 2.0))
}

/// Whether messages are copied into the kernel and out of it. Not where both ends share their memory.
fn through_kernel(run: &Run) -> bool {
    !matches!(run.path().transport.parse(), Ok(Transport::Memory | Transport::SharedMemory))
}

/// The limits of the initiator's host.
fn limits_of(run: &Run) -> Option<&HostLimits> {
    run.nodes.get(run.paths.first()?.from as usize)?.limits.as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{NamedRun, Report};
    use linerate_core::environment::Fact;
    use linerate_core::host_limits::{CopyCost, KernelRate, MemoryLimits, StreamRates, ThreadsRate};
    use linerate_core::pattern::Pattern;
    use linerate_core::plan::Plan;
    use linerate_core::run::Source;
    use linerate_core::series::Series;
    use linerate_core::stats::Estimate;

    fn measured() -> Run {
        let exactly = |median| Estimate { median, interval: None };
        let copy = |bytes, into, out| CopyCost {
            bytes,
            within_ns: exactly(1.0),
            into_kernel_ns: exactly(into),
            out_of_kernel_ns: exactly(out),
            checksum_ns: exactly(1.0),
        };
        let rate = KernelRate { best_bytes_per_second: 9e9, bytes_per_second: exactly(8e9) };
        let rates = StreamRates { passes: 3, copy: rate, scale: rate, add: rate, triad: rate };
        let limits = HostLimits {
            copies: Fact::Known(vec![copy(64, 300.0, 212.0), copy(1000, 500.0, 1500.0)]),
            memory: Fact::Known(MemoryLimits {
                threads: vec![ThreadsRate { threads: 1, rates }],
                ..MemoryLimits::default()
            }),
            ..HostLimits::default()
        };
        let mut run = Run::new(Source::Measured, Plan::default());
        run.series = vec![Series::new(Pattern::PingPong, &[64, 1000]), Series::new(Pattern::OneWay, &[64])];
        run.set_limits(&limits);
        run
    }

    /// 64 B in 512 ns is 1 Gb/s, in 300 ns 1.7067 Gb/s; 1000 B in 2 us is 4 Gb/s, in 1.5 us 5.333 Gb/s.
    #[test]
    fn lines_are_bits_over_the_time_of_copies_at_the_sizes_of_the_curves() {
        let report = Report::new(vec![NamedRun { name: "x".to_owned(), run: measured() }]);
        let [both, slower, memory] = &report.size_ceilings[..] else { panic!("{:?}", report.size_ceilings) };
        let close = |found: &[(u64, f64)], expected: [(u64, f64); 2]| {
            let near =
                |(one, other): (&(u64, f64), (u64, f64))| one.0 == other.0 && (one.1 - other.1).abs() < 0.1;
            found.len() == 2 && found.iter().zip(expected).all(near)
        };
        assert!(close(&both.points, [(64, 1000.0), (1000, 4000.0)]), "{both:?}");
        assert!(close(&slower.points, [(64, 1706.7), (1000, 5333.3)]), "{slower:?}");
        // 8 GB/s read and written are 4 GB/s copied.
        assert_eq!(memory.label, "copy beyond the caches by one thread: 32.0 Gb/s");
        assert!(close(&memory.points, [(64, 32_000.0), (1000, 32_000.0)]), "{memory:?}");
        assert!(report.ceilings.is_empty(), "a curve may exceed each of them");
    }

    #[test]
    fn ends_that_share_memory_have_no_copies_by_the_kernel() {
        for transport in ["memory", "shared-memory"] {
            let mut run = measured();
            run.paths[0].transport = transport.to_owned();
            assert_eq!(by_size(&run).len(), 1, "{transport}: the copy of memory alone");
        }
    }

    #[test]
    fn a_run_without_limits_has_no_lines() {
        let run = Run::new(Source::Measured, Plan::default());
        let report = Report::new(vec![NamedRun { name: "x".to_owned(), run }]);
        assert!(report.size_ceilings.is_empty() && report.ceilings.is_empty());
        let json = serde_json::to_string(&report).expect("JSON");
        assert!(!json.contains("size_ceilings"), "older readers see what they know");
    }
}
