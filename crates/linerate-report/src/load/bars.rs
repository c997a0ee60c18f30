//! Charts of a single run: what each station got, the delays, the queues.

use linerate_sim::ethernet::network::QueueReport;
use linerate_sim::load::LoadOutcome;

use super::super::figure::axis::{from_zero, numbers, shares, times};
use super::super::figure::curve::{self, Curve, Point};
use super::super::figure::{Aim, Figure, Layer, Title};
use super::super::plot::{Axis, Mark, UNIT};
use super::super::text::{digits, percent, plain};
use super::stations::share;

/// Points of a distribution's curve.
const STEPS: u32 = 200;
/// Half the width of a bar, as a share of the distance of two.
const HALF_BAR: f64 = 0.38;

/// The charts of a single run.
pub(super) fn figures(run: &LoadOutcome) -> Vec<Figure> {
    let mut figures = vec![stations(run)];
    figures.extend(losses(run));
    figures.extend(delays(run));
    if !run.queues.is_empty() {
        figures.push(queues(run));
    }
    figures
}

/// A bar: where, how high, and what it says.
struct Bar {
    number: u32,
    height: f64,
    lines: Vec<String>,
}

fn stations(run: &LoadOutcome) -> Figure {
    let bars: Vec<Bar> = run
        .stations
        .iter()
        .map(|station| Bar {
            number: station.station,
            height: station.throughput.as_mbps(),
            lines: vec![
                format!("station {}", station.station),
                format!("{}, {} of all", station.throughput, percent(share(run, station))),
            ],
        })
        .collect();
    let highest = bars.iter().map(|bar| bar.height).fold(0.0, f64::max);
    let x = numbers("Station", 0, bars.len());
    let y = from_zero("Throughput (Mb/s)", highest);
    let title = Title {
        id: "stations".to_owned(),
        title: "What each station sent".to_owned(),
        caption: "Bits of the frames of each station that arrived, from header to check sequence.".to_owned(),
    };
    let layers = vec![drawn([&x, &y], (0, "throughput"), Style::Filled, &bars)];
    Figure::new(title, [&x, &y], layers)
}

/// What each station lost. Absent if nothing was lost.
fn losses(run: &LoadOutcome) -> Option<Figure> {
    if run.all_lost() == 0 {
        return None;
    }
    let bars: Vec<Bar> = run
        .stations
        .iter()
        .map(|station| {
            let lost: u64 = station.lost.values().sum();
            let share = lost as f64 / station.offered.max(1) as f64;
            let line = format!("{lost} of {} frames, {}", station.offered, percent(share));
            let lines = vec![format!("station {}", station.station), line];
            Bar { number: station.station, height: share * 100.0, lines }
        })
        .collect();
    let highest = bars.iter().map(|bar| bar.height).fold(0.0, f64::max);
    let x = numbers("Station", 0, bars.len());
    let y = from_zero("Lost (% of the frames offered)", highest);
    let title = Title {
        id: "losses".to_owned(),
        title: "What each station lost".to_owned(),
        caption: "Lost frames are in no delay and in no throughput; the table says why they were lost."
            .to_owned(),
    };
    let layers = vec![drawn([&x, &y], (1, "lost"), Style::Filled, &bars)];
    Some(Figure::new(title, [&x, &y], layers))
}

/// What a delay is, and of how many frames there is none.
fn delay_caption(run: &LoadOutcome) -> String {
    let lost = run.all_lost();
    let share = lost as f64 / run.offered.max(1) as f64;
    let without = match lost {
        0 => String::new(),
        _ => format!(" The {} that were lost have no delay.", percent(share)),
    };
    format!("From offered to arrived; from a saturated sender, since the frame before left it.{without}")
}

/// The distribution of delays. Absent if no frame arrived, or if it was not kept.
fn delays(run: &LoadOutcome) -> Option<Figure> {
    let at = |nth: u32| {
        let share = f64::from(nth) / f64::from(STEPS);
        let us = run.delays.quantile(share)?.as_us();
        let lines = vec![format!("{} of the frames took {} us at most", percent(share), digits(us))];
        Some(Point { x: us, y: share, interval: None, lines })
    };
    let points = (0..=STEPS).map(at).collect::<Option<Vec<Point>>>()?;
    let [low, high] = [&points[0], &points[points.len() - 1]].map(|point| point.x);
    let x = times("Delay", low, high);
    let y = shares("Frames that took no longer", 1.0);
    let title = Title {
        id: "delays".to_owned(),
        title: "Distribution of delays".to_owned(),
        caption: delay_caption(run),
    };
    let curve = Curve { name: "all frames".to_owned(), points };
    Some(curve::figure(title, [&x, &y], &[curve], false))
}

fn queues(run: &LoadOutcome) -> Figure {
    let bars = |what: &str, level: &dyn Fn(&QueueReport) -> f64| -> Vec<Bar> {
        let queues = (1..).zip(&run.queues);
        let bar = |(number, queue): (u32, &QueueReport)| {
            let lines =
                vec![plain(&queue.name), format!("{what} {:.0} of {} B", level(queue), queue.capacity)];
            Bar { number, height: level(queue) / 1024.0, lines }
        };
        queues.map(bar).collect()
    };
    let peaks = bars("at most", &|queue| queue.peak as f64);
    let means = bars("on average", &|queue| queue.mean);
    let rooms = bars("room for", &|queue| queue.capacity as f64);
    let highest = peaks.iter().chain(&means).chain(&rooms).map(|bar| bar.height).fold(0.0, f64::max);
    let x = numbers("Queue, as numbered in the table below", 1, run.queues.len());
    let y = from_zero("Level (KiB)", highest);
    let title = Title {
        id: "queues".to_owned(),
        title: "How full the queues were".to_owned(),
        caption: "KiB is 1024 B of frames.".to_owned(),
    };
    let layers = vec![
        drawn([&x, &y], (1, "room"), Style::Tops, &rooms),
        drawn([&x, &y], (2, "most that was in it"), Style::Outlined, &peaks),
        drawn([&x, &y], (0, "average over time"), Style::Filled, &means),
    ];
    Figure::new(title, [&x, &y], layers)
}

/// Left and right end of a bar.
fn sides(bar: &Bar) -> [f64; 2] {
    [f64::from(bar.number) - HALF_BAR, f64::from(bar.number) + HALF_BAR]
}

/// How bars are drawn.
#[derive(Clone, Copy)]
enum Style {
    Filled,
    Outlined,
    /// Their tops alone.
    Tops,
}

/// A layer of bars; `index` gives their colour.
fn drawn(axes: [&Axis; 2], (index, name): (usize, &str), style: Style, bars: &[Bar]) -> Layer {
    let mark = |bar: &Bar| {
        let ([left, right], top) = (sides(bar), bar.height);
        match style {
            Style::Filled => Mark::bar([(left, 0.0), (right, top)], 0.75),
            Style::Outlined => Mark::line([(left, 0.0), (left, top), (right, top), (right, 0.0)], 2 * UNIT),
            Style::Tops => Mark::line([(left, top), (right, top)], 2 * UNIT),
        }
    };
    let aim = |bar: &Bar| Aim::at(axes, (f64::from(bar.number), bar.height), bar.lines.clone());
    Layer::new((index, name), axes, bars.iter().map(mark).collect(), bars.iter().map(aim).collect())
}

#[cfg(test)]
mod tests;
