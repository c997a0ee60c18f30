//! Lookups, rates and the file.

use super::*;
use crate::environment::Environment;
use crate::stats::Estimate;
use crate::units::Rate;

fn exactly(value: f64) -> Estimate {
    Estimate { median: value, interval: Some([value * 0.9, value * 1.1]) }
}

/// A copy of `bytes` whose times are these nanoseconds: within, in, out.
fn copy(bytes: u64, [within, into, out]: [f64; 3]) -> CopyCost {
    CopyCost {
        bytes,
        within_ns: exactly(within),
        into_kernel_ns: exactly(into),
        out_of_kernel_ns: exactly(out),
        checksum_ns: exactly(1.0),
    }
}

fn rates(copy: f64) -> StreamRates {
    let rate = |value| KernelRate { best_bytes_per_second: value, bytes_per_second: exactly(value) };
    StreamRates { passes: 9, copy: rate(copy), scale: rate(2.0), add: rate(3.0), triad: rate(4.0) }
}

fn limits() -> HostLimits {
    let threads = |threads, copy| ThreadsRate { threads, rates: rates(copy) };
    let wake = |processor, state, time_ns| WakeUp { processor, state, time_ns };
    HostLimits {
        memory: Fact::Known(MemoryLimits {
            array_bytes: 1 << 27,
            threads: vec![threads(1, 1e10), threads(4, 3e10)],
            ..MemoryLimits::default()
        }),
        copies: Fact::Known(vec![
            copy(64, [10.0, 300.0, 200.0]),
            copy(1064, [110.0, 400.0, 500.0]),
            copy(2064, [110.0, 800.0, 500.0]),
        ]),
        calls: Fact::Known(CallCosts {
            system_call_ns: Fact::Known(exactly(55.5)),
            wake_ups: vec![
                wake(Processor::Other, TargetState::Idle, Fact::Known(exactly(4_000.0))),
                wake(Processor::Other, TargetState::Busy, Fact::unknown("not permitted")),
            ],
            ..CallCosts::default()
        }),
        cautions: vec![LimitCaution::Noisy { lost_share: 0.25 }],
        ..HostLimits::default()
    }
}

#[test]
fn a_copy_is_interpolated_in_size() {
    let limits = limits();
    let ns = |bytes| limits.copy_time(bytes).expect("it was measured");
    assert_eq!(ns(64), Span::from_ns(500));
    assert_eq!(ns(1064), Span::from_ns(900));
    assert_eq!(ns(564), Span::from_ns(700), "half way");
    assert_eq!(ns(1564), Span::from_ns(1100), "half way");
    assert_eq!(ns(1), Span::from_ns(500), "calls cost the same for a byte");
    assert_eq!(ns(0), Span::from_ns(500));
    assert_eq!(ns(4128), Span::from_ns(2600), "twice the largest");
    assert_eq!(limits.slower_copy_time(64), Some(Span::from_ns(300)));
    assert_eq!(limits.slower_copy_time(1064), Some(Span::from_ns(500)));
}

#[test]
fn what_was_measured_is_found() {
    let limits = limits();
    assert_eq!(limits.memory_rate(1), Some(Rate::from_bits_per_second(8e10)));
    assert_eq!(limits.memory_rate(3), Some(Rate::from_bits_per_second(8e10)), "the most that are no more");
    assert_eq!(limits.memory_rate(64), Some(Rate::from_bits_per_second(24e10)));
    assert_eq!(limits.memory_rate(0), None);
    assert_eq!(limits.system_call(), Some(Span::from_ps(55_500)));
    assert_eq!(limits.wake_up(Processor::Other, TargetState::Idle), Some(Span::from_ns(4_000)));
    assert_eq!(limits.wake_up(Processor::Other, TargetState::Busy), None, "it is unknown");
    assert_eq!(limits.wake_up(Processor::Same, TargetState::Busy), None, "it is not there");
}

#[test]
fn what_was_not_measured_is_absent() {
    let nothing = HostLimits::default();
    assert_eq!(nothing.copy_time(64), None);
    assert_eq!(nothing.memory_rate(1), None);
    assert_eq!(nothing.system_call(), None);
    assert_eq!(nothing.wake_up(Processor::Same, TargetState::Busy), None);
    let empty = HostLimits { copies: Fact::Known(Vec::new()), ..HostLimits::default() };
    assert_eq!(empty.copy_time(64), None);
}

/// 1000 elements: copy and scale move 16,000 bytes, add and triad 24,000.
#[test]
fn the_first_pass_does_not_count_and_the_best_is_the_shortest() {
    let pass = |us: u64| [Span::from_us(us); 4];
    let passes = [pass(1), pass(4), pass(2), pass(8)];
    let rates = StreamRates::of(1000, &passes).expect("there are passes");
    assert_eq!(rates.passes, 4);
    for (kernel, bytes) in Kernel::ALL.into_iter().zip([16e3, 16e3, 24e3, 24e3]) {
        let rate = rates.rate(kernel);
        assert!((rate.best_bytes_per_second - bytes / 2e-6).abs() < 1.0, "{kernel:?}: {rate:?}");
        assert!((rate.bytes_per_second.median - bytes / 4e-6).abs() < 1.0, "{kernel:?}: {rate:?}");
        assert_eq!(rate.bytes_per_second.interval, None, "three passes have no 95 % interval");
    }
    assert_eq!(StreamRates::of(1000, &passes[..1]), None, "the first pass alone");
    assert_eq!(StreamRates::of(1000, &[]), None);
    assert_eq!(StreamRates::of(1000, &[pass(0), pass(0)]), None, "no time passed");
}

#[test]
fn the_file_is_read_as_it_was_written() {
    let file = HostLimitsFile::new("2026-11-25T12:00:00+00:00".to_owned(), Environment::default(), limits());
    let text = file.to_json();
    assert!(is_host_limits(&text));
    assert_eq!(HostLimitsFile::from_json(&text).expect("its own form"), file);
}

#[test]
fn another_file_says_what_it_is() {
    let why = |text: &str| HostLimitsFile::from_json(text).expect_err(text).to_string();
    assert_eq!(
        why(r#"{"kind": "host-limits", "format": 2}"#),
        "it has format 2, and this linerate reads up to 1; read it with a newer linerate"
    );
    assert_eq!(
        why(r#"{"kind": "pie", "format": 1}"#),
        "it says that it is of kind `pie`, and not host-limits"
    );
    assert!(why(r#"{"kind": "host-limits", "format": 1}"#).contains("missing field"));
    assert!(!is_host_limits(r#"{"format": 3, "id": ""}"#));
    assert!(!is_host_limits("# not JSON"));
}

#[test]
fn a_caution_of_a_later_version_is_read() {
    let caution: LimitCaution =
        serde_json::from_str(r#"{"kind": "sunspots", "number": 7}"#).expect("it is read");
    assert_eq!(caution, LimitCaution::Unknown);
}

#[test]
fn a_caution_is_a_sentence_with_its_numbers() {
    let because = "the time allows no more".to_owned();
    let caution = LimitCaution::SmallArrays { array_bytes: 1 << 20, wanted_bytes: 1 << 27, because };
    let expected = "each array has 1 MiB and not 128 MiB, because the time allows no more: ";
    assert!(caution.to_string().starts_with(expected), "{caution}");
    let noisy = LimitCaution::Noisy { lost_share: 0.123 };
    assert!(noisy.to_string().contains("lost 12.3 % of its time"), "{noisy}");
}
