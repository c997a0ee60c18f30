use super::*;
use linerate_core::pattern::Pattern;
use linerate_core::schedule::{Bounds, Schedule};
use linerate_core::series::Round;
use linerate_core::trial::Tally;
use linerate_core::units::Span;

/// A curve with `time(size)` microseconds and +-`noise` between nine rounds.
pub(crate) fn series(noise: f64, time: impl Fn(u64) -> f64) -> Series {
    let sizes = Schedule::Netpipe.sizes(Bounds::default()).expect("NetPIPE's schedule");
    let mut series = Series::new(Pattern::PingPong, &sizes);
    for point in &mut series.points {
        for round in 0..9 {
            let factor = 1.0 + noise * (f64::from(round) - 4.0) / 4.0;
            let median = Span::from_seconds(time(point.size) * factor * 1e-6);
            point.rounds.push(Round {
                pass: 0,
                round,
                samples: 1,
                batch: 1,
                median,
                mean: median,
                min: median,
                max: median,
                warmup: 0,
                warmup_span: Span::ZERO,
                tally: Tally::default(),
                sustained: true,
            });
        }
    }
    series
}

pub(crate) fn line(size: u64) -> f64 {
    50.0 + 0.008 * size as f64
}

#[test]
fn a_straight_path_gives_its_own_numbers_back() {
    let derived = derive(&series(0.01, line), None, &Boundaries::default());
    let latency = derived.latency.expect("sizes below 64 B");
    assert_eq!(latency.size, 1);
    assert!((latency.time.median - 50.008e6).abs() < 1e3);
    let bandwidth = derived.bandwidth.expect("it was timed");
    assert_eq!(bandwidth.peak.size, 8_388_611);
    // N1/2 of a + b n is a / b for the asymptote; the peak is a little below that.
    let half = bandwidth.half_performance_bytes.expect("half the peak is reached");
    assert!((half / 6250.0 - 1.0).abs() < 0.05, "{half}");
    let saturation = derived.saturation.expect("a knee");
    assert!((saturation.size / 6250.0 - 1.0).abs() < 0.05, "{saturation:?}");
    assert!(saturation.interval[0] <= 6250.0 && 6250.0 <= saturation.interval[1], "{saturation:?}");
    assert_eq!(derived.dips, []);
}

#[test]
fn a_dip_three_bytes_wide_is_found_and_named() {
    let dipped = series(0.01, |size| line(size) * if (2897..=3072).contains(&size) { 1.5 } else { 1.0 });
    let boundaries = Boundaries { segment: Some(1448), ..Boundaries::default() };
    let found = dips(&dipped, &boundaries);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].extent, [3069, 3072]);
    assert!((found[0].depth - 1.0 / 3.0).abs() < 0.02, "{found:?}");
    // The last size before it is 2051: between the two, a message begins to need a third segment.
    let boundary = found[0].boundary.expect("2 x 1448 lies between 2051 and 3069");
    assert_eq!((boundary.multiple, boundary.bytes), (2, 2896));
}

#[test]
fn noise_alone_is_no_dip() {
    assert_eq!(dips(&series(0.3, line), &Boundaries::default()), []);
}

#[test]
fn a_stream_has_no_latency() {
    let mut one_way = series(0.01, line);
    one_way.pattern = Pattern::OneWay;
    assert_eq!(derive(&one_way, None, &Boundaries::default()).latency, None);
}

#[test]
fn a_time_of_0_has_no_rate() {
    let coarse = series(0.0, |size| if size < 1000 { 0.0 } else { line(size) });
    let derived = derive(&coarse, None, &Boundaries::default());
    let half = derived.bandwidth.and_then(|it| it.half_performance_bytes).expect("half the peak is reached");
    assert!((half / 6250.0 - 1.0).abs() < 0.05, "{half}");
    let mut sometimes = series(0.0, line);
    sometimes.points[0].rounds.iter_mut().take(3).for_each(|round| round.median = Span::ZERO);
    let [low, high] = derive(&sometimes, None, &Boundaries::default())
        .bandwidth
        .and_then(|it| it.half_performance_interval_bytes)
        .expect("nine rounds");
    assert!((low / 6250.0 - 1.0).abs() < 0.05 && (high / 6250.0 - 1.0).abs() < 0.05, "{low} {high}");
}

#[test]
fn the_peak_is_what_the_path_sustains_one_way() {
    let curve = series(0.01, line);
    let plain = derive(&curve, None, &Boundaries::default());
    assert_eq!(plain.bandwidth.expect("it was timed").burst, None);
    // 8 ns a byte are 1 Gb/s.
    let mut after = Series { pattern: Pattern::OneWay, ..series(0.01, |size| 0.08 * size as f64) };
    after.points.retain(|point| point.size == 65_536);
    let shaped = derive(&curve, Some(&after), &Boundaries::default());
    let shaped = shaped.bandwidth.expect("it was timed");
    let peak = shaped.peak;
    assert!((peak.throughput.as_mbps() - 100.0).abs() < 0.1 && peak.interval.is_some(), "{peak:?}");
    assert_eq!((peak.pattern, shaped.burst.map(|burst| burst.size)), (Pattern::OneWay, Some(8_388_611)));
    let half = shaped.half_performance_bytes.expect("half the peak is reached");
    // t(n) = n / (50 Mb/s): 50 + 0.008 n = 0.16 n.
    assert!((half / (50.0 / 0.152) - 1.0).abs() < 0.05, "{half}");
    // The way back may be slower.
    after.points[0].rounds.iter_mut().for_each(|round| round.median = round.median / 100);
    let faster = derive(&curve, Some(&after), &Boundaries::default());
    let faster = faster.bandwidth.expect("it was timed");
    assert_eq!((faster.peak.pattern, faster.burst), (Pattern::OneWay, None));
    let unknown = derive(&curve, Some(&Series::new(Pattern::OneWay, &[])), &Boundaries::default());
    assert_eq!(unknown.bandwidth, None);
}
