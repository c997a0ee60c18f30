//! Marks in units of axes, and what they are in SVG. No chart is drawn in any other way.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};

use super::Axis;
use crate::text::escaped;

/// Units a pixel: places are whole numbers, which at one a pixel would show as steps.
pub(crate) const UNIT: u32 = 4;
/// Size of a picture. Unit: quarter pixels.
pub(crate) const WIDTH: u32 = 960 * UNIT;
/// See [`WIDTH`].
pub(crate) const HEIGHT: u32 = 440 * UNIT;
/// The inside of a picture: its left and right, and its bottom and top. Unit: quarter pixels.
pub(crate) const ACROSS: [i32; 2] = [440, 3_743];
/// See [`ACROSS`].
pub(crate) const UP: [i32; 2] = [1_511, 48];

/// Sizes of letters. Unit: quarter pixels.
const LABEL: u32 = 13 * UNIT;
const TITLE: u32 = 14 * UNIT;
/// From the inside of a picture to a label, along and across.
const TICK: i32 = 7 * UNIT as i32;
const GAP: i32 = 3 * UNIT as i32;
/// Half the width of an interval's end.
const CAP: i32 = 5 * UNIT as i32;

/// A place in units of two axes.
pub(crate) type Place = (f64, f64);
/// A place in a picture. Unit: quarter pixels, from the left and from the top.
pub(crate) type Spot = (i32, i32);

/// Something that is drawn, in the colour of its layer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Mark {
    /// A line through these places.
    Line {
        #[serde(serialize_with = "places")]
        through: Vec<Place>,
        /// Unit: quarter pixels.
        width: u32,
        /// From 0 to 1.
        dark: f64,
    },
    /// What these places enclose.
    Area {
        #[serde(serialize_with = "places")]
        outline: Vec<Place>,
        /// From 0 to 1.
        dark: f64,
    },
    /// A point; one that is not filled has no colour inside.
    Point {
        at: Place,
        /// Unit: quarter pixels.
        radius: u32,
        filled: bool,
        /// Of what is not filled.
        width: u32,
    },
    /// An interval at one place of the horizontal axis, with a cap at each end.
    Interval { x: f64, ends: [f64; 2], dark: f64 },
    /// SVG as it stands, for what has no form in units of the axes.
    #[serde(skip)]
    Written(String),
}

impl Mark {
    /// A line of full colour.
    pub(crate) fn line(through: impl Into<Vec<Place>>, width: u32) -> Self {
        Self::Line { through: through.into(), width, dark: 1.0 }
    }

    /// A rectangle between two corners.
    pub(crate) fn bar([(left, low), (right, high)]: [Place; 2], dark: f64) -> Self {
        Self::Area { outline: vec![(left, low), (left, high), (right, high), (right, low)], dark }
    }

    /// A filled point.
    pub(crate) const fn point(at: Place, radius: u32) -> Self {
        Self::Point { at, radius, filled: true, width: 0 }
    }

    /// A circle.
    pub(crate) const fn ring(at: Place, radius: u32, width: u32) -> Self {
        Self::Point { at, radius, filled: false, width }
    }

    fn write(&self, axes: [&Axis; 2], svg: &mut String) {
        let stroke = |points: &[Spot], width: u32, dark: f64| {
            format!(
                "<polyline fill=\"none\" opacity=\"{dark}\" stroke=\"currentColor\" stroke-width=\"{width}\" points=\"{}\"/>\n",
                listed(points)
            )
        };
        match self {
            Self::Line { through, width, dark } => {
                let points: Vec<Spot> = through.iter().map(|place| spot(axes, *place)).collect();
                if let [point] = points[..] {
                    svg.push_str(&stroke(&[point, point], *width, *dark));
                } else if !points.is_empty() {
                    svg.push_str(&stroke(&points, *width, *dark));
                }
            }
            Self::Area { outline, dark } => {
                let points: Vec<Spot> = outline.iter().map(|place| spot(axes, *place)).collect();
                let _ = writeln!(
                    svg,
                    "<polygon opacity=\"{dark}\" fill=\"currentColor\" points=\"{}\"/>",
                    listed(&points)
                );
            }
            Self::Point { at, radius, filled, width } => {
                let (x, y) = spot(axes, *at);
                let paint = match filled {
                    true => "fill=\"currentColor\" stroke=\"none\"".to_owned(),
                    false => format!("fill=\"none\" stroke=\"currentColor\" stroke-width=\"{width}\""),
                };
                // Writing to a String cannot fail.
                let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {paint}/>");
            }
            Self::Interval { x, ends, dark } => {
                let ends = ends.map(|end| spot(axes, (*x, end)));
                svg.push_str(&stroke(&ends, UNIT, *dark));
                for (x, y) in ends {
                    svg.push_str(&stroke(&[(x - CAP, y), (x + CAP, y)], UNIT, *dark));
                }
            }
            Self::Written(text) => svg.push_str(text),
        }
    }
}

/// Places with as many digits as a picture can show.
fn places<S: Serializer>(places: &[Place], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(places.iter().map(|(x, y)| [short(*x), short(*y)]))
}

/// A number of six digits.
pub(crate) fn short(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

fn listed(points: &[Spot]) -> String {
    points.iter().map(|(x, y)| format!("{x},{y} ")).collect()
}

/// Where a place is in a picture.
pub(crate) fn spot([x, y]: [&Axis; 2], place: Place) -> Spot {
    (along(x, place.0, ACROSS), along(y, place.1, UP))
}

/// What is far beyond an axis stays within reach of whole numbers.
fn along(axis: &Axis, value: f64, [from, to]: [i32; 2]) -> i32 {
    from + (axis.share(value).clamp(-9.0, 9.0) * f64::from(to - from)).round() as i32
}

/// The marks of a layer, a line each.
pub(crate) fn svg(axes: [&Axis; 2], marks: &[Mark]) -> String {
    let mut svg = String::new();
    for mark in marks {
        mark.write(axes, &mut svg);
    }
    svg.trim_end().to_owned()
}

/// Text at a spot; `anchor` is start, middle or end.
pub(crate) fn text((x, y): Spot, anchor: &str, text: &str) -> String {
    format!(
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" font-size=\"{LABEL}\" fill=\"currentColor\">\n{}\n</text>\n",
        escaped(text)
    )
}

/// Grid, labels and titles of a picture.
pub(crate) fn axes([x, y]: [&Axis; 2]) -> String {
    let mut svg = String::new();
    let mut line = |from: Spot, to: Spot| {
        let _ = writeln!(
            svg,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#DDDDDD\" stroke-width=\"{UNIT}\"/>",
            from.0, from.1, to.0, to.1
        );
    };
    let ([left, right], [bottom, top]) = (ACROSS, UP);
    line((left, bottom), (right, bottom));
    line((left, bottom), (left, top));
    let [across, up] = [
        |axis: &Axis, value: f64| along(axis, value, ACROSS),
        |axis: &Axis, value: f64| along(axis, value, UP),
    ];
    for tick in &x.ticks {
        line((across(x, tick.value), bottom + TICK), (across(x, tick.value), top));
    }
    for tick in &y.ticks {
        line((left - TICK, up(y, tick.value)), (right, up(y, tick.value)));
    }
    let half = LABEL as i32 / 3;
    for tick in &x.ticks {
        svg.push_str(&text(
            (across(x, tick.value), bottom + TICK + GAP + LABEL as i32 * 4 / 5),
            "middle",
            &tick.label,
        ));
    }
    for tick in &y.ticks {
        svg.push_str(&text((left - TICK - GAP, up(y, tick.value) + half), "end", &tick.label));
    }
    let below = HEIGHT as i32 - 3 * UNIT as i32;
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{below}\" text-anchor=\"middle\" font-size=\"{TITLE}\" fill=\"currentColor\">\n{}\n</text>",
        i32::midpoint(left, right),
        escaped(&x.title)
    );
    let (at, middle) = (TITLE as i32 + GAP, i32::midpoint(top, bottom));
    let _ = writeln!(
        svg,
        "<text x=\"{at}\" y=\"{middle}\" text-anchor=\"middle\" font-size=\"{TITLE}\" fill=\"currentColor\" transform=\"rotate(-90 {at} {middle})\">\n{}\n</text>",
        escaped(&y.title)
    );
    svg.trim_end().to_owned()
}
