//! The charts of a page: memory by working set, memory by threads, what copies cost.

use linerate_core::host_limits::{CopyCost, HostLimits, Kernel, MemoryLimits, ThreadsRate, WorkingSet};
use linerate_core::stats::Estimate;
use linerate_core::units::Size;

use super::words::{cache_name, gigabytes, within};
use crate::figure::curve::{Curve, Point, Style, each, theory};
use crate::figure::{Figure, Title, axis};
use crate::plot::{Axis, Scale, Sign, decimal};

/// What the bars of its charts are.
const BARS: [(Sign, &str); 1] = [(Sign::Bar, "Bars: 95 % intervals.")];
use crate::text::count;

/// How far the points of two kernels stand apart, as a share of the distance of two numbers of threads.
const APART: f64 = 0.12;

/// Every chart that there are numbers for.
pub(super) fn figures(limits: &HostLimits) -> Vec<Figure> {
    let mut found = Vec::new();
    if let Some(memory) = limits.memory.known() {
        if !memory.working_sets.is_empty() {
            found.push(working_sets(memory));
        }
        if !memory.threads.is_empty() {
            found.push(threads(&memory.threads));
        }
    }
    if let Some(costs) = limits.copies.known().filter(|costs| !costs.is_empty()) {
        found.push(copies(costs));
    }
    found
}

/// A point of a rate in GB/s.
fn rate_at(x: f64, rate: &Estimate, what: &str) -> Point {
    Point {
        x,
        y: rate.median / 1e9,
        interval: rate.interval.map(|ends| ends.map(|end| end / 1e9)),
        lines: vec![format!("{what}: {} GB/s", gigabytes(rate.median))],
    }
}

fn ends(curves: &[Curve]) -> [f64; 2] {
    let points = curves.iter().flat_map(|curve| &curve.points);
    axis::apart(points.flat_map(|point| point.interval.unwrap_or([point.y; 2])))
}

fn working_sets(memory: &MemoryLimits) -> Figure {
    let curve = |name: &str, of: fn(&WorkingSet) -> &Estimate| {
        let point =
            |set: &WorkingSet| rate_at(set.bytes as f64, of(set), &format!("{name}, {}", Size(set.bytes)));
        Curve { name: name.to_owned(), points: memory.working_sets.iter().map(point).collect() }
    };
    let curves =
        [curve("copy", |it| &it.copy_bytes_per_second), curve("triad", |it| &it.triad_bytes_per_second)];
    let [low, high] = ends(&curves);
    let mut x = axis::sizes(memory.working_sets.iter().map(|set| set.bytes as f64));
    x.title = "Working set".to_owned();
    let y = rates_by_decades(low, high);
    let axes = [&x, &y];
    let largest = memory.working_sets.iter().map(|set| set.bytes).max().unwrap_or(0);
    let caches = memory.caches.known().map_or(&[][..], Vec::as_slice);
    let lines: Vec<Curve> = caches
        .iter()
        .filter(|cache| cache.bytes <= largest)
        .map(|cache| {
            let lines = vec![cache_name(cache)];
            let end = |y| Point { x: cache.bytes as f64, y, interval: None, lines: lines.clone() };
            Curve { name: cache_name(cache), points: vec![end(low), end(high)] }
        })
        .collect();
    let mut layers = each(axes, &curves, Style::Both);
    for (nth, line) in lines.iter().enumerate() {
        layers.push(theory(axes, (curves.len() + nth, line), Style::Line));
    }

    let title = Title {
        id: "working-sets".to_owned(),
        title: "Memory by working set, one thread".to_owned(),
        caption: if lines.is_empty() {
            "Medians."
        } else {
            "Medians. Upright lines: the sizes of the caches."
        }
        .to_owned(),
    };
    Figure::new(title, axes, layers).explained(&BARS)
}

/// GB/s by powers of ten, or by round values where there is less than a few powers.
fn rates_by_decades(low: f64, high: f64) -> Axis {
    let label = |value: f64| {
        let text = format!("{value:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let title = "Read and written (GB/s)".to_owned();
    Axis::new(title, Scale::Decimal, [low, high], &decimal([low, high]), label)
}

fn threads(all: &[ThreadsRate]) -> Figure {
    let words: Vec<String> = all.iter().map(|it| count(u64::from(it.threads), "thread")).collect();
    let curve = |kernel: Kernel| {
        let shift = (kernel as usize as f64 - 1.5) * APART;
        let point = |(nth, it): (usize, &ThreadsRate)| {
            let rate = &it.rates.rate(kernel).bytes_per_second;
            rate_at(nth as f64 + shift, rate, &format!("{}, {}", kernel.name(), words[nth]))
        };
        Curve { name: kernel.name().to_owned(), points: all.iter().enumerate().map(point).collect() }
    };
    let curves = Kernel::ALL.map(curve);
    let [_, high] = ends(&curves);
    let axes = [&axis::words("Threads", &words), &axis::from_zero("Read and written (GB/s)", high)];
    let title = Title {
        id: "threads".to_owned(),
        title: "Memory bandwidth: a variant of STREAM, not a STREAM result".to_owned(),
        caption: "Medians.".to_owned(),
    };
    Figure::new(title, axes, each(axes, &curves, Style::Points)).explained(&BARS)
}

fn copies(costs: &[CopyCost]) -> Figure {
    let curve = |name: &str, of: fn(&CopyCost) -> &Estimate| {
        let point = |cost: &CopyCost| {
            let time = of(cost);
            let lines = vec![format!("{name}, {}: {} ns", Size(cost.bytes), within(time))];
            let us = |ns: f64| ns / 1e3;
            Point {
                x: cost.bytes as f64,
                y: us(time.median),
                interval: time.interval.map(|ends| ends.map(us)),
                lines,
            }
        };
        Curve { name: name.to_owned(), points: costs.iter().map(point).collect() }
    };
    let curves = [
        curve("copy within the application", |it| &it.within_ns),
        curve("into the kernel", |it| &it.into_kernel_ns),
        curve("out of the kernel", |it| &it.out_of_kernel_ns),
        curve("checksum", |it| &it.checksum_ns),
    ];
    let [low, high] = ends(&curves);
    let mut x = axis::sizes(costs.iter().map(|cost| cost.bytes as f64));
    x.title = "Bytes at once".to_owned();
    let axes = [&x, &axis::times("Time", low, high)];
    let title = Title {
        id: "copies".to_owned(),
        title: "Copies and checksums of bytes in the cache".to_owned(),
        caption: "Medians; calls are included.".to_owned(),
    };
    Figure::new(title, axes, each(axes, &curves, Style::Both)).explained(&BARS)
}
