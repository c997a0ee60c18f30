//! Charts of what was run for the checks, with the published figures marked.

use std::collections::BTreeSet;

use linerate_core::units::Size;
use linerate_study::claims::{self, Mark, Run, Sweep};

use super::Checked;
use super::words::number;
use crate::figure::axis::{Unit, rates, swept};
use crate::figure::curve::{self, Curve, Point};
use crate::figure::{Aim, Figure, Layer, Title};
use crate::plot::{self, Axis, Look, Scale, UNIT};
use crate::text::digits;

/// Most labels of an axis of sizes.
const LABELS: u32 = 14;

/// The charts of what was run; one whose curves others show already is left out.
pub(super) fn figures(checked: &Checked<'_>) -> Vec<Figure> {
    let mut shown: BTreeSet<(Option<&str>, String)> = BTreeSet::new();
    let mut figures = Vec::new();
    for figure in &checked.claims.runs.figures {
        let sweep = figure.sweep.as_ref().and_then(|name| checked.claims.runs.sweeps.get(name));
        let curve = |name: &String| match sweep {
            Some(sweep) => peaks(checked, name, sweep),
            None => by_size(checked, name),
        };
        let drawn: Vec<Curve> = figure.curves.iter().filter_map(curve).collect();
        let before = shown.len();
        shown.extend(drawn.iter().map(|curve| (figure.sweep.as_deref(), curve.name.clone())));
        if shown.len() > before {
            figures.push(draw(checked, figure, sweep, &drawn));
        }
    }
    figures
}

/// The curve of a run, if it was run.
fn by_size(checked: &Checked<'_>, name: &str) -> Option<Curve> {
    let curve = checked.results.curve(checked.claims.runs.run(name)).ok()?;
    let point = |point: &claims::Point| Point {
        x: point.size as f64,
        y: point.mbps,
        interval: None,
        lines: vec![
            Size(point.size).to_string(),
            format!("{} Mb/s, {} us", digits(point.mbps), digits(point.us)),
        ],
    };
    Some(Curve { name: name.to_owned(), points: curve.points.iter().map(point).collect() })
}

/// The peaks of a run at every value of a sweep, if all were run.
fn peaks(checked: &Checked<'_>, name: &str, sweep: &Sweep) -> Option<Curve> {
    let point = |(value, run): (&str, Run)| {
        let peak = checked.results.curve(run).ok()?.peak();
        Some(Point {
            x: value.parse().ok()?,
            y: peak.mbps,
            interval: None,
            lines: vec![
                format!("{} = {value}", sweep.key),
                format!("{} Mb/s at {}", digits(peak.mbps), Size(peak.size)),
            ],
        })
    };
    let points: Option<Vec<Point>> = checked.claims.runs.swept(name, sweep).map(point).collect();
    points.map(|points| Curve { name: name.to_owned(), points })
}

/// Curves, and the published figures as layers above them.
fn draw(checked: &Checked<'_>, figure: &claims::Figure, sweep: Option<&Sweep>, drawn: &[Curve]) -> Figure {
    let marks: Vec<Marked<'_>> = figure.marks.iter().filter_map(|mark| marked(checked, mark)).collect();
    let points = || drawn.iter().flat_map(|curve| &curve.points);
    let tops = points().map(|point| point.y).chain(marks.iter().map(|mark| mark.mbps));
    let y = rates("Throughput", tops.fold(0.0, f64::max));
    let xs: Vec<f64> = points().map(|point| point.x).collect();
    let x = match sweep {
        Some(sweep) => swept(&sweep.axis, Unit::Number, &xs),
        None => sizes(&xs),
    };
    let title = Title { id: figure.id.clone(), title: figure.title.clone(), caption: figure.caption.clone() };
    let mut layers = curve::layers([&x, &y], drawn, true);
    for mark in &marks {
        layers.push(mark.layer(layers.len(), [&x, &y]));
    }
    Figure::new(title, [&x, &y], layers)
}

/// A published figure with its place.
struct Marked<'a> {
    claim: &'a claims::Claim,
    /// Message size or value of the sweep. Absent if it was published without one.
    x: Option<f64>,
    mbps: f64,
}

fn marked<'a>(checked: &Checked<'a>, mark: &Mark) -> Option<Marked<'a>> {
    let claim = checked.claims.claim(&mark.claim)?;
    let value = checked.claims.check(claim).number(claim)?;
    let mbps = if claim.unit == "Gb/s" { value * 1000.0 } else { value };
    Some(Marked { claim, x: mark.size.map(|size| size as f64).or(mark.at), mbps })
}

impl Marked<'_> {
    /// A ring if the size or value is known, else a horizontal line.
    fn layer(&self, index: usize, [x, y]: [&Axis; 2]) -> Layer {
        let place = if self.x.is_some() { " (ring)" } else { "" };
        let name = format!("published {}: {} Mb/s{place}", self.claim.id, number(self.mbps));
        let [start, end] = x.range();
        let place = (self.x.unwrap_or(end), self.mbps);
        let mark = match self.x {
            Some(_) => plot::Mark::ring(place, 7 * UNIT, 2 * UNIT),
            None => plot::Mark::line([start, end].map(|end| (end, self.mbps)), UNIT + UNIT / 2),
        };
        let aim = Aim::at([x, y], place, vec![self.claim.metric.clone()]);
        let layer = Layer::new((index, name), [x, y], vec![mark], vec![aim]);
        let dashes = if self.x.is_some() { layer.look.dashes } else { "36 20" };
        Layer { look: Look { dashes, ..layer.look }, ..layer }
    }
}

/// An axis of message sizes, labelled at powers of two.
fn sizes(values: &[f64]) -> Axis {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min).max(1.0);
    let high = values.iter().copied().fold(low, f64::max).max(low * 2.0);
    let (first, last) = (low.log2().ceil() as u32, high.log2().floor() as u32);
    let step = (last - first).div_ceil(LABELS).max(1);
    let ticks: Vec<f64> =
        (first..=last).step_by(step as usize).map(|power| f64::from(power).exp2()).collect();
    let label = |bytes: f64| Size(bytes as u64).to_string();
    Axis::new("Message size".to_owned(), Scale::Binary, [low, high], &ticks, label)
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn charts_show_what_was_run_and_what_was_published() {
        fixture::with(false, |checked| {
            let figures = figures(checked);
            let [sizes, sweep] = &figures[..] else { panic!("two: {}", figures.len()) };
            // 24 sizes of each curve, and the five values of the sweep.
            let points = |figure: &Figure| {
                let curves = figure.layers.iter().filter(|layer| !layer.name.starts_with("published "));
                curves.map(|layer| (layer.name.clone(), layer.aims.len())).collect::<Vec<_>>()
            };
            assert_eq!(points(sizes)[0].1, 24);
            assert!(
                points(sweep)[0].0 == "acenic"
                    && points(sweep)[0].1 == checked.claims.runs.sweeps["mtu"].values.len()
            );
            let tips = &sweep.layers[0].aims[0].lines;
            assert!(tips[0].starts_with("network.mtu = ") && tips[1].contains(" Mb/s at "), "{tips:?}");
            let tips = &sizes.layers[0].aims[10].lines;
            assert!(
                tips[0] == "1 KiB" && tips[1].contains(" Mb/s, ") && tips[1].ends_with(" us"),
                "{tips:?}"
            );
        });
    }

    /// 226 Mb/s at a size is a ring there; a figure without one is a line from side to side.
    #[test]
    fn a_published_figure_is_a_ring_where_its_size_is_known_and_else_a_line() {
        fixture::with(false, |checked| {
            let figures = figures(checked);
            let marks: Vec<&Layer> = figures
                .iter()
                .flat_map(|it| &it.layers)
                .filter(|it| it.name.starts_with("published "))
                .collect();
            assert!(marks.iter().any(|it| it.name.ends_with(" (ring)")));
            for mark in marks {
                let ring = mark.name.ends_with(" (ring)");
                let count = |shape: &str| mark.svg.matches(shape).count();
                assert_eq!((count("<circle"), count("<polyline")), if ring { (1, 0) } else { (0, 1) });
                assert!(ring || mark.look.dashes == "36 20", "{}", mark.name);
                assert_eq!(mark.aims.len(), 1);
                let claim =
                    checked.claims.claims.iter().find(|it| mark.name.contains(&format!(" {}:", it.id)));
                assert_eq!(mark.aims[0].lines, [claim.expect("it is one").metric.clone()]);
            }
        });
    }

    #[test]
    fn gigabits_are_marked_in_megabits_and_a_place_is_a_size_or_a_value() {
        fixture::with(false, |checked| {
            let rates = |unit: &str| {
                let claims = checked.claims.claims.iter().filter(|claim| claim.unit == unit);
                claims.filter_map(|claim| Some((claim, checked.claims.check(claim).number(claim)?))).next()
            };
            for (unit, factor) in [("Mb/s", 1.0), ("Gb/s", 1_000.0)] {
                let (claim, value) = rates(unit).expect("there is one");
                let mark = |size, at| Mark { claim: claim.id.clone(), size, at };
                let place =
                    |mark: Mark| marked(checked, &mark).map(|it| (it.x, it.mbps)).expect("it has a rate");
                assert_eq!(place(mark(None, None)), (None, value * factor));
                assert_eq!(place(mark(Some(64), None)).0, Some(64.0));
                assert_eq!(place(mark(None, Some(1.5))).0, Some(1.5));
            }
            let none = Mark { claim: "Q999".to_owned(), size: None, at: None };
            assert!(marked(checked, &none).is_none());
        });
    }

    #[test]
    fn sizes_are_labelled_at_powers_of_two() {
        let labels = |values: &[f64]| {
            let axis = sizes(values);
            axis.ticks.iter().map(|tick| tick.label.clone()).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(labels(&[1.0, 16.0]), "1 B, 2 B, 4 B, 8 B, 16 B");
        assert_eq!(labels(&[3.0, 70.0]), "4 B, 8 B, 16 B, 32 B, 64 B");
        // 23 doublings have a label at every second.
        assert_eq!(sizes(&[1.0, f64::from(1 << 23)]).ticks.len(), 12);
        assert_eq!(sizes(&[1.0, f64::from(1 << 14)]).ticks.len(), 15, "and 14 at every one");
        assert_eq!(labels(&[8.0]), "8 B, 16 B");
        assert!((sizes(&[1.0, 16.0]).share(4.0) - 0.5).abs() < 1e-9);
    }
}
