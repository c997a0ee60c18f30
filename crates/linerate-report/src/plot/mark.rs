//! Marks in units of axes, and what they are in SVG. No chart is drawn in any other way.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};

use super::frame::Frame;
use super::shape::{Shape, Side, listed, stroke};
use super::tiles::Tiles;
use super::{Axis, Place, Spot, UNIT};

/// Half the width of an interval's end.
const CAP: i32 = 5 * UNIT as i32;

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
    /// A point.
    Point {
        at: Place,
        /// Unit: quarter pixels.
        radius: u32,
        shape: Shape,
        /// Of the outline of a ring or a cross.
        width: u32,
    },
    /// An interval at one place of the horizontal axis, with a cap at each end.
    Interval { x: f64, ends: [f64; 2], dark: f64 },
    /// Many points.
    Points {
        #[serde(serialize_with = "places")]
        at: Vec<Place>,
        /// Unit: quarter pixels.
        radius: u32,
    },
    /// Many intervals without caps: a place of the horizontal axis and both ends.
    Bars {
        #[serde(serialize_with = "bars")]
        ends: Vec<[f64; 3]>,
        dark: f64,
    },
    /// A line across the whole chart at a place of the horizontal axis.
    Rule {
        at: f64,
        /// Unit: quarter pixels.
        width: u32,
    },
    /// Cells of a map.
    Tiles(Tiles),
    /// Lines of text.
    Text { at: Place, side: Side, lines: Vec<String> },
}

/// What a reader tells marks apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// A point of this shape.
    Shape(Shape),
    /// A pale band, or a pale bar.
    Pale,
    /// A bar that is an interval.
    Bar,
}

impl Mark {
    /// Whether it is such a sign.
    pub(crate) fn is(&self, sign: Sign) -> bool {
        match (self, sign) {
            (Self::Point { shape, .. }, Sign::Shape(wanted)) => *shape == wanted,
            (Self::Points { at, .. }, Sign::Shape(Shape::Disc)) => !at.is_empty(),
            (Self::Area { dark, outline: list } | Self::Line { dark, through: list, .. }, Sign::Pale) => {
                *dark < 1.0 && !list.is_empty()
            }
            (Self::Bars { ends, .. }, Sign::Bar) => !ends.is_empty(),
            (Self::Interval { .. }, Sign::Bar) => true,
            _ => false,
        }
    }

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
        Self::Point { at, radius, shape: Shape::Disc, width: 0 }
    }

    /// A circle.
    pub(crate) const fn ring(at: Place, radius: u32, width: u32) -> Self {
        Self::Point { at, radius, shape: Shape::Ring, width }
    }

    /// Whether all its places are numbers.
    pub(crate) fn is_sound(&self) -> bool {
        let known = |(x, y): &Place| x.is_finite() && y.is_finite();
        match self {
            Self::Line { through: list, .. } | Self::Area { outline: list, .. } => list.iter().all(known),
            Self::Points { at: list, .. } => list.iter().all(known),
            Self::Bars { ends, .. } => ends.iter().flatten().all(|it| it.is_finite()),
            Self::Point { at, .. } | Self::Text { at, .. } => known(at),
            Self::Interval { x, ends, .. } => [*x, ends[0], ends[1]].iter().all(|it| it.is_finite()),
            Self::Rule { at, .. } => at.is_finite(),
            Self::Tiles(_) => true,
        }
    }

    fn write(&self, axes: [&Axis; 2], frame: &Frame, svg: &mut String) {
        let spots = |places: &[Place]| places.iter().map(|place| frame.spot(axes, *place)).collect();
        match self {
            Self::Line { through, width, dark } => {
                let points: Vec<Spot> = spots(through);
                if let [point] = points[..] {
                    svg.push_str(&stroke(&[point, point], *width, *dark));
                } else if !points.is_empty() {
                    svg.push_str(&stroke(&points, *width, *dark));
                }
            }
            Self::Area { outline, dark } => {
                let points: Vec<Spot> = spots(outline);
                // Writing to a String cannot fail.
                let _ = writeln!(
                    svg,
                    "<polygon opacity=\"{dark}\" fill=\"currentColor\" points=\"{}\"/>",
                    listed(&points)
                );
            }
            Self::Point { at, radius, shape, width } => {
                svg.push_str(&shape.svg(frame.spot(axes, *at), *radius as i32, *width));
            }
            Self::Interval { x, ends, dark } => {
                let ends = ends.map(|end| frame.spot(axes, (*x, end)));
                svg.push_str(&stroke(&ends, UNIT, *dark));
                for (x, y) in ends {
                    svg.push_str(&stroke(&[(x - CAP, y), (x + CAP, y)], UNIT, *dark));
                }
            }
            Self::Points { at, radius } => {
                let points: Vec<Spot> = spots(at);
                let data: String = points.iter().map(|(x, y)| format!("M{x} {y}h0")).collect();
                let _ = writeln!(
                    svg,
                    "<path fill=\"none\" stroke=\"currentColor\" stroke-linecap=\"round\" stroke-width=\"{}\" d=\"{data}\"/>",
                    2 * radius
                );
            }
            Self::Bars { ends, dark } => {
                let bar = |[x, low, high]: &[f64; 3]| {
                    let [(x, low), (_, high)] = [*low, *high].map(|end| frame.spot(axes, (*x, end)));
                    format!("M{x} {low}V{high}")
                };
                let data: String = ends.iter().map(bar).collect();
                let _ = writeln!(
                    svg,
                    "<path fill=\"none\" opacity=\"{dark}\" stroke=\"currentColor\" stroke-width=\"{UNIT}\" d=\"{data}\"/>"
                );
            }
            Self::Rule { at, width } => {
                let (x, _) = frame.spot(axes, (*at, 0.0));
                svg.push_str(&stroke(&frame.up.map(|y| (x, y)), *width, 1.0));
            }
            Self::Tiles(tiles) => tiles.write(axes, frame, svg),
            Self::Text { at, side, lines } => side.write(frame, frame.spot(axes, *at), lines, svg),
        }
    }
}

/// Places with as many digits as a picture can show.
fn places<S: Serializer>(places: &[Place], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(places.iter().map(|(x, y)| [short(*x), short(*y)]))
}

fn bars<S: Serializer>(bars: &[[f64; 3]], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(bars.iter().map(|bar| bar.map(short)))
}

/// A number of six digits.
pub(crate) fn short(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// The marks of a layer, a line each.
pub(crate) fn svg(axes: [&Axis; 2], marks: &[Mark]) -> String {
    let (frame, mut svg) = (Frame::of(axes), String::new());
    for mark in marks {
        mark.write(axes, &frame, &mut svg);
    }
    svg.trim_end().to_owned()
}
