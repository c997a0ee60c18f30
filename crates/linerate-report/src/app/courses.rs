//! The courses that an application found: a chart for each, a curve for each run.

use linerate_analysis::report::{AppResult, Report};
use linerate_core::app::Course;

use super::axes;
use super::words::{case_of, figure, name, title};
use crate::figure::curve::{self, Curve, Point, Style};
use crate::figure::{Figure, Title};
use crate::plot::look;
use crate::text::count;

/// Courses of more points are drawn with so many of them.
const MOST_POINTS: usize = 400;
/// The points of shorter ones are marked.
const MOST_MARKED: usize = 60;

/// A course of a run.
struct Found<'a> {
    /// The run, by its number in the group.
    index: usize,
    ranks: u32,
    course: &'a Course,
}

/// The courses of the shown case on the most ranks of each run of a group.
pub(super) fn figures(report: &Report, group: &[&AppResult], id: usize) -> Vec<Figure> {
    let mut alike: Vec<Vec<Found<'_>>> = Vec::new();
    for (index, app) in group.iter().enumerate() {
        let Some(row) = app.rows.last() else { continue };
        for course in case_of(report, app, row).map_or(&[][..], |case| &case.courses) {
            let is_like = |all: &&mut Vec<Found<'_>>| {
                let first = all[0].course;
                (&first.name, &first.x, &first.y) == (&course.name, &course.x, &course.y)
            };
            let found = Found { index, ranks: row.ranks, course };
            match alike.iter_mut().find(is_like) {
                Some(all) => all.push(found),
                None => alike.push(vec![found]),
            }
        }
    }
    let drawn = |(nth, all): (usize, &Vec<_>)| of_course(group, format!("course-{id}-{nth}"), all);
    alike.iter().enumerate().filter_map(drawn).collect()
}

fn of_course(group: &[&AppResult], id: String, all: &[Found<'_>]) -> Option<Figure> {
    let curves: Vec<(usize, Curve)> = all
        .iter()
        .map(|found| (found.index, curve(&name(&group[found.index].name), found.ranks, found.course)))
        .filter(|(_, curve)| curve.points.len() > 1)
        .collect();
    if curves.is_empty() {
        return None;
    }
    let points = || curves.iter().flat_map(|(_, curve)| &curve.points);
    let first = all[0].course;
    let x = axes::course(&first.x, points().map(|point| point.x));
    let y = axes::course(&first.y, points().map(|point| point.y));
    let is_short = curves.iter().all(|(_, curve)| curve.points.len() <= MOST_MARKED);
    let mark = if is_short { Style::Both } else { Style::Line };
    let axes = [&x, &y];
    let layers = curves.iter().map(|(index, one)| {
        let mut layer = curve::each(axes, std::slice::from_ref(one), mark);
        layer.iter_mut().for_each(|layer| layer.look = look(*index));
        layer
    });
    let layers = layers.flatten().collect();
    let title = Title {
        id,
        title: format!("{}: {}", title(group[0]), name(&first.name)),
        caption: format!("{}, in the run with the median figure of merit.", on(all)),
    };
    Some(Figure::new(title, axes, layers))
}

/// `On 4 ranks`.
fn on(all: &[Found<'_>]) -> String {
    let ranks = all[0].ranks;
    if all.iter().all(|found| found.ranks == ranks) {
        format!("On {}", count(u64::from(ranks), "rank"))
    } else {
        "On the most ranks of each run".to_owned()
    }
}

/// The points that have a place on both axes.
fn curve(name: &str, ranks: u32, course: &Course) -> Curve {
    let (x, y) = (&course.x, &course.y);
    let has_place = |value: f64, log: bool| value.is_finite() && (value > 0.0 || !log);
    let sound: Vec<[f64; 2]> = course
        .points
        .iter()
        .copied()
        .filter(|[at, value]| has_place(*at, x.log) && has_place(*value, y.log))
        .collect();
    let every = sound.len().div_ceil(MOST_POINTS).max(1);
    let last = sound.len().saturating_sub(1);
    let shown = sound.iter().enumerate().filter(|(nth, _)| nth % every == 0 || *nth == last);
    let point = |(_, [at, value]): (usize, &[f64; 2])| {
        let line = |what: &str, value: f64, unit: &str| {
            format!("{} {} {}", self::name(what), figure(value), self::name(unit)).trim_end().to_owned()
        };
        let lines = vec![
            line(&x.what, *at, &x.unit),
            line(&y.what, *value, &y.unit),
            count(u64::from(ranks), "rank"),
        ];
        Point { x: *at, y: *value, interval: None, lines }
    };
    Curve { name: name.to_owned(), points: shown.map(point).collect() }
}
