//! How an application scales: speed-up, merit and communication against ranks, a curve for each run.

use linerate_analysis::report::{AppResult, AppRow, Report};

use super::axes;
use super::columns::seconds;
use super::words::{merit, name, share, short, title};
use crate::figure::curve::{self, Curve, Point, Style};
use crate::figure::{Aim, Figure, Layer, Title};
use crate::plot::{Axis, Mark, Sign, UNIT, look, look_of};
use crate::text::{about, count};

/// The results of a report by application, whose merits are in one unit: those of a group are drawn over each other.
pub(super) fn groups(report: &Report) -> Vec<Vec<&AppResult>> {
    let mut groups: Vec<Vec<&AppResult>> = Vec::new();
    for app in &report.apps {
        let is_like = |group: &&mut Vec<&AppResult>| group[0].app == app.app && group[0].merit == app.merit;
        match groups.iter_mut().find(is_like) {
            Some(group) => group.push(app),
            None => groups.push(vec![app]),
        }
    }
    groups
}

/// What is drawn of each row, and which interval it has.
type Value = fn(&AppRow) -> Option<(f64, Option<[f64; 2]>)>;

/// The curves of a group, without the rows that have no such value, and without the runs that have no such row.
fn curves(group: &[&AppResult], value: Value) -> Vec<(usize, Curve)> {
    let curve = |(index, app): (usize, &&AppResult)| {
        let point = |row: &AppRow| {
            let (y, interval) = value(row).filter(|(y, _)| y.is_finite() && *y >= 0.0)?;
            Some(Point { x: f64::from(row.ranks), y, interval, lines: lines(app, row) })
        };
        let points: Vec<Point> = app.rows.iter().filter_map(point).collect();
        (!points.is_empty()).then(|| (index, Curve { name: name(&app.name), points }))
    };
    group.iter().enumerate().filter_map(curve).collect()
}

/// The tooltip of a row.
fn lines(app: &AppResult, row: &AppRow) -> Vec<String> {
    let mut lines = vec![count(u64::from(row.ranks), "rank"), merit(&app.merit, row.merit)];
    lines.extend(row.merit_range.map(|[low, high]| {
        format!("{} to {} in {} runs", merit(&app.merit, low), merit(&app.merit, high), row.repetitions)
    }));
    lines.push(seconds(row.seconds));
    if let (Some(speed_up), Some(efficiency)) = (row.speed_up, row.efficiency) {
        lines.push(format!("speed-up x{}, {} of ideal", short(speed_up), share(efficiency)));
    }
    lines.push(format!("communication {}", share(row.communication_share)));
    lines.push(format!("{} with {}", count(row.messages, "message"), about(row.bytes as f64)));
    lines
}

/// The axis of ranks. Absent if there are not two numbers of ranks, which are no course.
fn x_axis(curves: &[(usize, Curve)]) -> Option<Axis> {
    let all: Vec<f64> = curves.iter().flat_map(|(_, curve)| &curve.points).map(|point| point.x).collect();
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    all.iter().any(|ranks| *ranks > least).then(|| axes::ranks(&all))
}

/// A layer for each curve, in its run's colour.
fn layers(axes: [&Axis; 2], curves: Vec<(usize, Curve)>) -> Vec<Layer> {
    let mut layers = Vec::new();
    for (index, curve) in curves {
        for mut layer in curve::each(axes, &[curve], Style::Both) {
            layer.look = look(index);
            layers.push(layer);
        }
    }
    layers
}

/// The line of so many times the merit on so many ranks.
fn ideal(axes: [&Axis; 2], index: usize, ends: [f64; 2]) -> Layer {
    let aim = |end: f64| Aim::at(axes, (end, end), vec![format!("ideal: x{end} on {end} ranks")]);
    let line = Mark::line(ends.map(|end| (end, end)), UNIT);
    let layer = Layer::new((index, "ideal"), axes, vec![line], ends.map(aim).into());
    Layer { look: look_of(index, 1), ..layer }
}

/// Speed-up against ranks, with the ideal. Absent if no run was on one rank and on more.
pub(super) fn speed_up(group: &[&AppResult], id: usize) -> Option<Figure> {
    let curves = curves(group, |row| Some((row.speed_up.filter(|it| *it > 0.0)?, None)));
    let x = x_axis(&curves)?;
    let ranks = || curves.iter().flat_map(|(_, curve)| &curve.points).map(|point| point.x);
    let ends = [ranks().fold(f64::INFINITY, f64::min), ranks().fold(0.0, f64::max)];
    let found = curves.iter().flat_map(|(_, curve)| &curve.points).map(|point| point.y);
    let y = axes::speed_ups(&x, found.chain(ends));
    let axes = [&x, &y];
    let mut layers = layers(axes, curves);
    layers.push(ideal(axes, group.len(), ends));

    let title = Title {
        id: format!("speed-up-{id}"),
        title: format!("{}: speed-up", title(group[0])),
        caption: "The figure of merit over that on one rank of the same run. Ideal: as many times as there are ranks."
            .to_owned(),
    };
    Some(Figure::new(title, axes, layers))
}

/// Merit against ranks. Absent if there are not two numbers of ranks.
pub(super) fn merits(group: &[&AppResult], id: usize) -> Option<Figure> {
    let mut curves = curves(group, |row| Some((row.merit, row.merit_range)));
    let x = x_axis(&curves)?;
    for (_, curve) in &mut curves {
        // An axis of powers has no place for nothing.
        curve.points.retain(|point| point.y > 0.0 || !x.is_logarithmic());
        for point in &mut curve.points {
            point.interval = point.interval.filter(|ends| ends[0] > 0.0 || !x.is_logarithmic());
        }
    }
    curves.retain(|(_, curve)| !curve.points.is_empty());
    let points = || curves.iter().flat_map(|(_, curve)| &curve.points);
    let values = points().flat_map(|point| point.interval.unwrap_or([point.y; 2]));
    let y = axes::merits(&x, &group[0].merit, values);
    let axes = [&x, &y];
    let title = Title {
        id: format!("merit-{id}"),
        title: format!("{}: {} against ranks", title(group[0]), name(&group[0].merit)),
        caption: "Medians over the repetitions. More is better.".to_owned(),
    };
    let bars = [(Sign::Bar, "Bars reach from the lowest to the highest.")];
    Some(Figure::new(title, axes, layers(axes, curves)).explained(&bars))
}

/// The share of communication against ranks. Absent if there are not two numbers of ranks.
pub(super) fn communication(group: &[&AppResult], id: usize) -> Option<Figure> {
    let curves = curves(group, |row| Some((row.communication_share, None)));
    let x = x_axis(&curves)?;
    let highest = curves.iter().flat_map(|(_, curve)| &curve.points).map(|point| point.y).fold(0.0, f64::max);
    let y = axes::time_shares(highest);
    let axes = [&x, &y];
    let title = Title {
        id: format!("communication-{id}"),
        title: format!("{}: communication", title(group[0])),
        caption: "The share of the ranks' time in calls that send and receive: communication, and waiting for others."
            .to_owned(),
    };
    Some(Figure::new(title, axes, layers(axes, curves)))
}
