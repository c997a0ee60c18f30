//! The curves of both sides of the last change.

use std::collections::BTreeMap;

use linerate_analysis::changes::Kind;
use linerate_core::pattern::Pattern;

use super::super::figure::curve::{Curve, Point, Style, each};
use super::super::figure::{Figure, Title, axis};
use super::super::plot::{Axis, Sign};
use super::super::text::{count, digits};
use super::grid::middle;
use super::shown::{Shown, ShownMember};
use super::{PathHistory, dates, words};

/// At most this many runs of a side.
const RUNS: usize = 10;
/// A drift that ends with fewer runs than this is held against its last ones.
const FEW: usize = 3;

/// The middle of the runs of a side by size, and their least and greatest. Unit: us.
struct Side {
    runs: usize,
    times: BTreeMap<u64, [f64; 3]>,
}

/// For each pattern in which something changed, the throughput before and after the last change, and the
/// times of both over that before.
pub(super) fn figures(path: &PathHistory, shown: &Shown<'_>) -> Vec<Figure> {
    let mut figures = Vec::new();
    for pattern in path.curves.keys() {
        let Some((sides, what)) = sides(path, *pattern, shown) else { continue };
        figures.push(overlay(*pattern, &sides, &what));
        figures.push(ratios(*pattern, &sides, &what));
    }
    figures
}

/// Both sides of the last change of a pattern, and the change in words. Absent without a change and
/// without a curve on either side.
fn sides(path: &PathHistory, pattern: Pattern, shown: &Shown<'_>) -> Option<([Side; 2], String)> {
    let of_pattern =
        |it: &&ShownMember<'_>| it.key().subject == pattern.name() && it.member.kind != Kind::Spread;
    let events: Vec<Vec<&ShownMember<'_>>> =
        shown.events.iter().map(|it| it.members.iter().filter(of_pattern).collect()).collect();
    let mut changes = events.iter().filter(|members: &&Vec<_>| !members.is_empty()).rev();
    let last = changes.next()?;
    let [from, to] = extent(last);
    let start = changes.next().map_or(0, |before| extent(before)[1]);
    let curves = &path.curves[&pattern];
    let before: Vec<_> = curves.iter().filter(|(run, _)| (start..from).contains(run)).collect();
    let mut after: Vec<_> = curves.iter().filter(|(run, _)| *run >= to).take(RUNS).collect();
    if to > from && after.len() < FEW {
        after = curves.iter().filter(|(run, _)| *run > from).rev().take(FEW).collect();
    }
    if before.is_empty() || after.is_empty() {
        return None;
    }
    let lead = words::lead(last.iter().map(|it| it.member), &path.changes.figures)?;
    let key = &path.changes.figures.get(lead.figure)?.key;
    let by = lead.change.map(|change| words::by(key, change.value)).unwrap_or_default();
    let when = path.runs.get(from).map_or(0, |run| run.started_us);
    let what = format!("The {} of {}: {} {by}", words::kind(lead.kind), dates::day(when), words::name(key));
    Some(([side(&before[before.len().saturating_sub(RUNS)..]), side(&after)], what))
}

/// The first run of these changes, and the last of a drift.
fn extent(members: &[&ShownMember<'_>]) -> [usize; 2] {
    let ends = members.iter().map(|it| [it.member.at, it.member.to]);
    ends.reduce(|[from, to], [at, until]| [from.min(at), to.max(until)]).unwrap_or_default()
}

fn side(curves: &[&(usize, BTreeMap<u64, f64>)]) -> Side {
    let times = middle(curves).into_iter().map(|(size, us)| {
        let all = curves.iter().filter_map(|(_, curve)| curve.get(&size)).filter(|us| us.is_finite());
        let [least, most] =
            all.fold([f64::INFINITY, 0.0], |[least, most], us| [least.min(*us), most.max(*us)]);
        (size, [us, least, most])
    });
    Side { runs: curves.len(), times: times.collect() }
}

fn names(sides: &[Side; 2]) -> [String; 2] {
    let name = |side: &Side, when: &str| format!("{when}, {}", count(side.runs as u64, "run"));
    [name(&sides[0], "before"), name(&sides[1], "after")]
}

fn overlay(pattern: Pattern, sides: &[Side; 2], what: &str) -> Figure {
    let title = Title {
        id: format!("sides-{}", pattern.name()),
        title: format!("{pattern}: throughput before and after the last change"),
        caption: format!("{what}. Lines: the middle of the runs."),
    };
    let mbps = |size: u64, us: f64| size as f64 * 8.0 / us;
    let point = |(size, [us, least, most]): (&u64, &[f64; 3])| Point {
        x: *size as f64,
        y: mbps(*size, *us),
        interval: Some([mbps(*size, *most), mbps(*size, *least)]),
        lines: vec![
            format!("{size} B: {} us, {} Mb/s", digits(*us), digits(mbps(*size, *us))),
            format!("runs: {} to {} us", digits(*least), digits(*most)),
        ],
    };
    let curves: Vec<Curve> = sides
        .iter()
        .zip(names(sides))
        .map(|(side, name)| Curve { name, points: side.times.iter().map(point).collect() })
        .collect();
    let highest = curves.iter().flat_map(|curve| &curve.points).filter_map(|point| Some(point.interval?[1]));
    let axes = [&sizes(sides), &axis::rates("Throughput", highest.fold(0.0, f64::max))];
    Figure::new(title, axes, each(axes, &curves, Style::Band))
        .explained(&[(Sign::Pale, "Shaded: from the slowest run to the fastest.")])
}

fn ratios(pattern: Pattern, sides: &[Side; 2], what: &str) -> Figure {
    let title = Title {
        id: format!("sides-ratio-{}", pattern.name()),
        title: format!("{pattern}: one-way time over that before the last change"),
        caption: format!("{what}. Above 1 the run is slower than the middle before."),
    };
    let before = &sides[0].times;
    let point = |(size, times): (&u64, &[f64; 3])| {
        let [middle, least, most] = times.map(|us| us / before.get(size).map_or(f64::NAN, |times| times[0]));
        let lines = vec![format!("{size} B: {middle:.3}"), format!("runs: {least:.3} to {most:.3}")];
        middle.is_finite().then_some(Point {
            x: *size as f64,
            y: middle,
            interval: Some([least, most]),
            lines,
        })
    };
    let curves: Vec<Curve> = sides
        .iter()
        .zip(names(sides))
        .map(|(side, name)| Curve { name, points: side.times.iter().filter_map(point).collect() })
        .collect();
    let ends = curves.iter().flat_map(|curve| &curve.points).filter_map(|point| point.interval).flatten();
    let axes = [&sizes(sides), &axis::ratios("Ratio", ends)];
    Figure::new(title, axes, each(axes, &curves, Style::Band))
        .explained(&[(Sign::Pale, "Shaded: from the fastest run to the slowest.")])
}

fn sizes(sides: &[Side; 2]) -> Axis {
    axis::sizes(sides.iter().flat_map(|side| side.times.keys().map(|size| *size as f64)))
}
