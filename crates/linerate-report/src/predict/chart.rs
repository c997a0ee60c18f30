//! The prediction's band with the measured points on it.

use linerate_core::units::Span;
use linerate_sim::calibrate::Band;
use linerate_study::prediction::{Compared, Prediction, mbps};

use super::super::figure::{Aim, Figure, Layer, Title, axis};
use super::super::plot::{self, Axis, Labels, Mark, Scale, Shape, Sign, UNIT, decimal, time_label};
use super::super::text::digits;

/// From a size and a time to what is drawn.
type Value = fn(u64, Span) -> f64;

/// How dark a band is, from 0 to 1.
const SHADE: f64 = 0.2;

/// A band or points to draw, in units of the axes.
struct Curve {
    name: String,
    points: Vec<Place>,
    /// How dark its band is if it is a line, from 0 to 1; points have no band.
    band: Option<f64>,
}

struct Place {
    x: f64,
    y: f64,
    /// Both ends of the band, or of the interval.
    ends: Option<[f64; 2]>,
    /// Filled: inside its band.
    solid: bool,
    says: Vec<String>,
}

/// Both charts: times, and throughput.
pub(super) fn figures(prediction: &Prediction) -> Vec<Figure> {
    let time: Value = |_, time| time.as_us();
    let curves = curves(prediction, time);
    let y = times(&curves);
    let first = figure(["time", "One-way time against size"], &curves, prediction, &y);
    let curves = self::curves(prediction, mbps);
    let y = rates(&curves);
    let second = figure(["throughput", "Throughput against size"], &curves, prediction, &y);
    vec![first, second]
}

fn figure([id, title]: [&str; 2], curves: &[Curve], prediction: &Prediction, y: &Axis) -> Figure {
    let title = Title {
        id: id.to_owned(),
        title: title.to_owned(),
        caption: "Shaded: where 95 % of measurements should lie.".to_owned(),
    };
    let axes = [&sizes(prediction), y];
    let layer = |(index, curve): (usize, &Curve)| {
        let aim = |place: &Place| Aim::at(axes, (place.x, place.y), place.says.clone());
        Layer::new((index, curve.name.clone()), axes, marks(curve), curve.points.iter().map(aim).collect())
    };
    Figure::new(title, axes, curves.iter().enumerate().map(layer).collect()).explained(&[
        (Sign::Bar, "Points: medians; bars: their 95 % intervals."),
        (Sign::Shape(Shape::Ring), "Hollow points lie outside their bands."),
    ])
}

/// The predicted curve, that of each change, and the measured points over both.
fn curves(prediction: &Prediction, value: Value) -> Vec<Curve> {
    let band = |name: String, shade: f64, bands: Vec<(&Compared, &Band)>| Curve {
        name,
        points: bands.into_iter().map(|(it, band)| banded(it, band, value)).collect(),
        band: Some(shade),
    };
    let own = prediction.points.iter().map(|it| (it, &it.band)).collect();
    let mut all = vec![band("predicted".to_owned(), SHADE, own)];
    // The bands of several changes lie over each other: together they are as dark as one.
    let shade = SHADE / prediction.what_if.len().max(1) as f64;
    for what_if in &prediction.what_if {
        let pairs = prediction.points.iter().zip(&what_if.bands).collect();
        all.push(band(format!("predicted with {}", what_if.change), shade, pairs));
    }
    for (used, name) in [(false, "measured, held out"), (true, "measured, used for the calibration")] {
        let points: Vec<Place> =
            prediction.points.iter().filter(|it| it.used == used).map(|it| measured(it, value)).collect();
        if !points.is_empty() {
            all.push(Curve { name: name.to_owned(), points, band: None });
        }
    }
    all
}

fn banded(it: &Compared, band: &Band, value: Value) -> Place {
    let size = it.conditions.size;
    let us = |time: Span| digits(time.as_us());
    Place {
        x: size as f64,
        y: value(size, band.centre),
        ends: Some([band.low, band.high].map(|end| value(size, end))),
        solid: true,
        says: vec![
            format!("{size} B: predicted {} us, {} Mb/s", us(band.centre), digits(mbps(size, band.centre))),
            format!("band {} to {} us", us(band.low), us(band.high)),
        ],
    }
}

fn measured(it: &Compared, value: Value) -> Place {
    let size = it.conditions.size;
    let verdict = if it.inside() { "in its band" } else { "outside its band" };
    Place {
        x: size as f64,
        y: value(size, it.measured),
        ends: it.interval.map(|ends| ends.map(|end| value(size, end))),
        solid: it.inside(),
        says: vec![format!(
            "{size} B: measured {} us, {} Mb/s, {verdict}",
            digits(it.measured.as_us()),
            digits(mbps(size, it.measured))
        )],
    }
}

fn marks(curve: &Curve) -> Vec<Mark> {
    if let Some(dark) = curve.band {
        let ends = |nth: usize| move |place: &Place| Some((place.x, place.ends?[nth]));
        let back = curve.points.iter().rev().filter_map(ends(1));
        let outline = curve.points.iter().filter_map(ends(0)).chain(back).collect();
        let line: Vec<plot::Place> = curve.points.iter().map(|place| (place.x, place.y)).collect();
        return vec![Mark::Area { outline, dark }, Mark::line(line, 2 * UNIT)];
    }
    let of_place = |place: &Place| {
        let interval = place.ends.map(|ends| Mark::Interval { x: place.x, ends, dark: 0.7 });
        let at = (place.x, place.y);
        let point = if place.solid { Mark::point(at, 3 * UNIT) } else { Mark::ring(at, 3 * UNIT, UNIT) };
        interval.into_iter().chain([point])
    };
    curve.points.iter().flat_map(of_place).collect()
}

/// Every value of `curves`, ends included.
fn values(curves: &[Curve]) -> impl Iterator<Item = f64> {
    let places = curves.iter().flat_map(|curve| &curve.points);
    places.flat_map(|place| place.ends.unwrap_or([place.y; 2]).into_iter().chain([place.y]))
}

fn sizes(prediction: &Prediction) -> Axis {
    axis::sizes(prediction.points.iter().map(|point| point.conditions.size as f64))
}

fn times(curves: &[Curve]) -> Axis {
    let [low, high] = axis::apart(values(curves));
    let ticks = decimal([low, high]);
    Axis::new("One-way time of a message".to_owned(), Scale::Decimal, [low, high], &ticks, time_label)
        .labelled(Labels::Time)
}

fn rates(curves: &[Curve]) -> Axis {
    let high = values(curves).filter(|value| value.is_finite()).fold(0.0, f64::max).max(1e-3) * 1.05;
    Axis::rates("Throughput", high, 6)
}
