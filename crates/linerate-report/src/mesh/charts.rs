//! Charts of a mesh: all pairs from the worst to the best, and the time of collectives against size.

use linerate_analysis::facts::Unit;
use linerate_analysis::report::{CollectiveRow, MeshResult, MeshUnit, MeshView, PairValue};
use linerate_core::units::Size;

use super::words::{pair, shown, significant, view_name};
use crate::figure::axis::{self, apart};
use crate::figure::curve::{self, Curve, Point, Style};
use crate::figure::{Figure, Title};
use crate::numbers::quantity;
use crate::plot::{Axis, Scale, decimal};
use crate::text::{plain, shortened};

/// Of the worst so many pairs each is drawn, and from there on fewer and fewer.
const EACH: usize = 100;
/// Pairs that are drawn are this share of all before them apart.
const SPARSE: usize = 40;
/// The most curves of a chart.
const MOST_CURVES: usize = 12;
/// The longest name of an algorithm. Unit: characters.
const LONGEST: usize = 32;
/// Rates this many times apart are spread by powers of ten.
const FAR: f64 = 10.0;

/// The sorted pairs, a chart for latencies and one for throughputs; `id` tells meshes apart.
pub(super) fn sorted(mesh: &MeshResult, id: usize) -> Vec<Figure> {
    let units = [MeshUnit::Microseconds, MeshUnit::Mbps];
    units.into_iter().filter_map(|unit| of_unit(mesh, id, unit)).collect()
}

fn of_unit(mesh: &MeshResult, id: usize, unit: MeshUnit) -> Option<Figure> {
    let views: Vec<&MeshView> =
        mesh.views.iter().filter(|view| view.unit == unit).take(MOST_CURVES).collect();
    if views.is_empty() {
        return None;
    }
    let curves: Vec<Curve> = views.iter().map(|view| course(mesh, view)).collect();
    let longest = views.iter().map(|view| view.sorted.len()).max().unwrap_or(1);
    let ends = apart([1.0, longest as f64].into_iter());
    let x = Axis::new("Pairs, the worst first".to_owned(), Scale::Decimal, ends, &decimal(ends), digits_of);
    let values = || views.iter().flat_map(|view| [view.best.value, view.worst.value]);
    let [low, high] = apart(values());
    let (name, y) = match unit {
        MeshUnit::Microseconds => ("latency", axis::times("Latency of a pair", low, high)),
        MeshUnit::Mbps if high > low * FAR => {
            ("throughput", axis::rates_by_decades("Throughput of a pair (Mb/s)", low, high))
        }
        MeshUnit::Mbps => ("throughput", axis::rates("Throughput of a pair", high)),
    };
    let title = Title {
        id: format!("sorted-{name}-{id}"),
        title: format!("Every pair by {name}, the worst first"),
        caption:
            "A step at the left is a few bad links; a slope through all of it is a network that is uneven."
                .to_owned(),
    };
    let axes = [&x, &y];
    Some(Figure::new(title, axes, curve::each(axes, &curves, Style::Line)))
}

fn digits_of(value: f64) -> String {
    format!("{value}")
}

fn course(mesh: &MeshResult, view: &MeshView) -> Curve {
    let (all, shown) = (view.sorted.len(), shown(view));
    let mut places = Vec::new();
    let mut next = 0;
    while next < all {
        places.push(next);
        next += if next < EACH { 1 } else { next / SPARSE };
    }
    if places.last().is_some_and(|last| *last + 1 < all) {
        places.push(all - 1);
    }
    let point = |place: usize| {
        let PairValue { value: y, .. } = view.sorted[place];
        let lines = vec![
            pair(mesh, view.sorted[place]),
            format!("{}, {} times the median", shown.with_unit(y), significant(y / view.median)),
            format!("pair {} of {all}, the worst first", place + 1),
        ];
        Point { x: place as f64 + 1.0, y, interval: None, lines }
    };
    // What took no time has no place on a logarithmic axis.
    let points = places.into_iter().map(point).filter(|point| point.y > 0.0).collect();
    Curve { name: view_name(view), points }
}

/// The time of each collective against size, a curve for each algorithm.
pub(super) fn collectives(mesh: &MeshResult, id: usize) -> Vec<Figure> {
    let mut names: Vec<&str> = Vec::new();
    for row in &mesh.collectives {
        if !names.contains(&row.collective.as_str()) {
            names.push(&row.collective);
        }
    }
    let figure = |(nth, name): (usize, &&str)| collective(mesh, format!("collective-{id}-{nth}"), name);
    names.iter().enumerate().filter_map(figure).collect()
}

fn collective(mesh: &MeshResult, id: String, name: &str) -> Option<Figure> {
    let rows = mesh.collectives.iter().filter(|row| row.collective == name && row.bytes > 0);
    let mut curves: Vec<(String, Curve)> = Vec::new();
    for row in rows {
        let Some(point) = moment(row) else { continue };
        match curves.iter_mut().find(|(algorithm, _)| *algorithm == row.algorithm) {
            Some((_, curve)) => curve.points.push(point),
            None => {
                let shown = shortened(&plain(&row.algorithm), LONGEST);
                curves.push((row.algorithm.clone(), Curve { name: shown, points: vec![point] }));
            }
        }
    }
    curves.truncate(MOST_CURVES);
    let mut curves: Vec<Curve> = curves.into_iter().map(|(_, curve)| curve).collect();
    curves.iter_mut().for_each(|curve| curve.points.sort_by(|one, other| one.x.total_cmp(&other.x)));
    let points = || curves.iter().flat_map(|curve| &curve.points);
    // One size alone is no curve: the table has it.
    let least = points().map(|point| point.x).fold(f64::INFINITY, f64::min);
    if points().all(|point| point.x <= least) {
        return None;
    }
    let x = axis::sizes(points().map(|point| point.x));
    let [low, high] = apart(points().map(|point| point.y));
    let y = axis::times("Until all ranks are done", low, high);
    let name = shortened(&plain(name), LONGEST);
    let title = Title {
        id,
        title: format!("Time of {name} against size"),
        caption: "The mean over the calls of the slowest rank's time. Size: of the whole vector, or of one rank's block of an allgather, one pair's of an alltoall."
            .to_owned(),
    };
    let axes = [&x, &y];
    Some(Figure::new(title, axes, curve::each(axes, &curves, Style::Both)))
}

fn moment(row: &CollectiveRow) -> Option<Point> {
    let us = row.slowest_mean_us.filter(|us| *us > 0.0)?;
    let mut lines =
        vec![Size(row.bytes).to_string(), format!("all done after {}", quantity(Unit::Microseconds, us))];
    lines.extend(row.slowest_p99_us.map(|p99| format!("p99 {}", quantity(Unit::Microseconds, p99))));
    lines.extend(row.bus_mbps.map(|bus| format!("bus rate {}", quantity(Unit::Mbps, bus))));
    Some(Point { x: row.bytes as f64, y: us, interval: None, lines })
}
