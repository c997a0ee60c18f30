//! NetPIPE's graphs as charts.

use linerate_analysis::explain::{Band, explain};
use linerate_analysis::report::{Curve, Report, Timed};

use super::graph::Graph;
use crate::figure::{Aim, Ceiling, Figure, Layer, Title};
use crate::plot::{Axis, Mark, PALE, Place, Shape, Side, UNIT};
use crate::text::{band_name, curve_name, digits, percent, plain};

/// The throughput, the signature and the saturation graph of every curve of `report`.
pub(crate) fn figures(report: &Report) -> Vec<Figure> {
    Graph::ALL.into_iter().map(|graph| figure(report, graph)).collect()
}

fn figure(report: &Report, graph: Graph) -> Figure {
    let (x, y) = (graph.x(report), graph.y(report));
    let axes = [&x, &y];
    let layer = |(nth, curve): (usize, &Curve)| {
        let name = format!("{} ({})", curve_name(report, nth), curve.pattern);
        let aim = |(size, timed): (u64, Timed)| Aim::at(axes, graph.place(size, &timed), lines(size, &timed));
        Layer::new((nth, name), axes, marks(graph, curve), curve.timed().map(aim).collect())
    };
    let title = Title {
        id: graph.name().to_owned(),
        title: graph.title().to_owned(),
        caption: graph.caption().to_owned(),
    };
    let mut layers: Vec<Layer> = report.curves.iter().enumerate().map(layer).collect();
    if graph == Graph::Throughput {
        layers.extend(limits(axes, &bands(report)));
    }
    Figure::new(title, axes, layers).explained(&Graph::SIGNS).below(ceilings(report, graph, &x))
}

/// The bands of sizes with one bottleneck. Empty where there are several curves, whose bands would not be told apart.
fn bands(report: &Report) -> Vec<Band> {
    let ([_], [named]) = (&report.curves[..], &report.runs[..]) else { return Vec::new() };
    let explained = explain(&named.run).map(|it| it.curves).unwrap_or_default();
    explained.into_iter().next().map(|curve| curve.bands).unwrap_or_default()
}

/// A layer for each band, if there are several: its number at the top, which the legend names, and a line where it begins.
fn limits(axes: [&Axis; 2], bands: &[Band]) -> Vec<Layer> {
    let middle = |one: u64, other: u64| (one as f64 * other as f64).sqrt();
    let layer = |(nth, band): (usize, &Band)| {
        let number = Mark::Text {
            at: (middle(band.from_bytes, band.to_bytes), 0.0),
            side: Side::Top(0),
            lines: vec![(nth + 1).to_string()],
        };
        let before = nth.checked_sub(1).map(|before| bands[before].to_bytes);
        let rule = before.map(|end| Mark::Rule { at: middle(end, band.from_bytes), width: UNIT });
        let name = format!("limit {}: {}", nth + 1, band_name(band));
        Layer::new((PALE, name), axes, rule.into_iter().chain([number]).collect(), Vec::new())
    };
    bands.iter().enumerate().filter(|_| bands.len() > 1).map(layer).collect()
}

/// The highest first, so that names stand in the order of their lines.
fn ceilings(report: &Report, graph: Graph, x: &Axis) -> Vec<Ceiling> {
    if !graph.has_ceilings() {
        return Vec::new();
    }
    let mut levels: Vec<_> = report.ceilings.iter().collect();
    levels.sort_by(|one, other| other.mbps.total_cmp(&one.mbps));
    let mut all: Vec<Ceiling> = levels
        .into_iter()
        .map(|ceiling| Ceiling {
            name: plain(&ceiling.label),
            line: x.range().map(|end| (end, ceiling.mbps)).into(),
            at_end: false,
        })
        .collect();
    if graph == Graph::Throughput {
        all.extend(report.size_ceilings.iter().map(|ceiling| Ceiling {
            name: plain(&ceiling.label),
            line: ceiling.points.iter().map(|(size, mbps)| (*size as f64, *mbps)).collect(),
            at_end: true,
        }));
    }
    all
}

/// Lines with gaps where nothing was timed, intervals, points, and what the curve says.
fn marks(graph: Graph, curve: &Curve) -> Vec<Mark> {
    let mut marks = Vec::new();
    for stretch in curve.stretches() {
        marks.extend(intervals(graph, &stretch));
        let line: Vec<Place> = stretch.iter().map(|(size, timed)| graph.place(*size, timed)).collect();
        marks.push(Mark::line(line, 2 * UNIT));
        // A hollow point says that its interval is wider than asked.
        marks.extend(stretch.iter().map(|(size, timed)| {
            let (at, radius) = (graph.place(*size, timed), 5 * UNIT / 2);
            if timed.settled { Mark::point(at, radius) } else { Mark::ring(at, radius, UNIT) }
        }));
    }
    marks.extend(found(graph, curve));
    marks
}

/// The 95 % intervals of a stretch: a band where neighbours have one, a bar for a lone one and everywhere in the
/// signature graph, which may cross itself.
fn intervals(graph: Graph, stretch: &[(u64, Timed)]) -> Vec<Mark> {
    let ends = |(size, timed): &(u64, Timed)| graph.interval(*size, timed);
    let all: Vec<Option<[Place; 2]>> = stretch.iter().map(ends).collect();
    let mut marks = Vec::new();
    for run in all.split(Option::is_none) {
        let run: Vec<[Place; 2]> = run.iter().copied().flatten().collect();
        if run.len() > 1 && graph != Graph::Signature {
            let there = run.iter().map(|[low, _]| *low);
            let back = run.iter().rev().map(|[_, high]| *high);
            marks.push(Mark::Area { outline: there.chain(back).collect(), dark: 0.25 });
        } else {
            let bar = |ends: [Place; 2]| Mark::Line { through: ends.into(), width: 2 * UNIT, dark: 0.35 };
            marks.extend(run.into_iter().map(bar));
        }
    }
    marks
}

/// A dip is a triangle, and the saturation point an interval with a diamond in it: each mark has one meaning.
fn found(graph: Graph, curve: &Curve) -> Vec<Mark> {
    match graph {
        Graph::Signature => Vec::new(),
        Graph::Throughput => {
            let sizes: Vec<u64> = curve.derived.dips.iter().map(|dip| dip.size).collect();
            let dips = curve.timed().filter(|(size, _)| sizes.contains(size));
            dips.map(|(size, timed)| found_at(graph.place(size, &timed), Shape::Down)).collect()
        }
        Graph::Saturation => {
            let Some(knee) = curve.derived.saturation else { return Vec::new() };
            // At the knee the bytes take as long as the fixed part.
            let us = knee.fixed_ps * 2.0 / 1e6;
            let through = knee.interval.map(|size| (size, us));
            vec![Mark::line(through, 3 * UNIT), found_at((knee.size, us), Shape::Diamond)]
        }
    }
}

const fn found_at(at: Place, shape: Shape) -> Mark {
    Mark::Point { at, radius: 7 * UNIT, shape, width: 0 }
}

fn lines(size: u64, timed: &Timed) -> Vec<String> {
    let interval = |ends: Option<[f64; 2]>| {
        ends.map_or_else(String::new, |[low, high]| format!(" ({} to {})", digits(low), digits(high)))
    };
    let share =
        timed.link_share.map_or_else(String::new, |share| format!(", {} of the link", percent(share)));
    let settled = if timed.settled { "" } else { "not settled: its interval is wider than its target" };
    let lines = [
        format!("{size} B"),
        format!("time {} us{}", digits(timed.median_us), interval(timed.interval_us)),
        format!("throughput {} Mb/s{}{share}", digits(timed.mbps), interval(timed.mbps_interval)),
        format!("p99 {} us, longest {} us", digits(timed.p99_us), digits(timed.max_us)),
        settled.to_owned(),
    ];
    lines.into_iter().filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn a_tooltip_says_what_is_known_of_its_point() {
        let figures = figures(&fixture::small());
        let names: Vec<&str> = figures[0].layers.iter().map(|layer| layer.name.as_str()).collect();
        assert_eq!(names, ["gigabit.run.json (ping-pong)", "slow-start.run.json (ping-pong)"]);
        assert_eq!(
            figures[0].layers[0].aims[3].lines,
            [
                "1048576 B",
                "time 9043 us (8988 to 9106)",
                "throughput 928 Mb/s (921 to 933), 92.8 % of the link",
                "p99 10017 us, longest 10017 us",
            ]
        );
        let unsettled = figures[0].layers[0].aims[0].lines.last().expect("it has lines");
        assert_eq!(unsettled, "not settled: its interval is wider than its target");
        assert_eq!(figures.len(), 3);
        assert!(figures.iter().all(|figure| figure.layers.len() == 2));
        assert!(figures[0].layers.iter().all(|layer| layer.aims.len() == 4));
    }
}
