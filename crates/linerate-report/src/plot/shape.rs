//! The shapes of points, where texts stand, and both in SVG.

use serde::Serialize;

use super::frame::{Frame, LINE};
use super::words::width_of;
use super::{Spot, UNIT, draw};

/// What a point looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shape {
    Disc,
    Ring,
    /// A triangle that points up.
    Up,
    /// One that points down.
    Down,
    Diamond,
    Cross,
}

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Side {
    /// In the middle of a cell, if it has room there.
    Inside,
    /// The same on a shade that needs the colour of the page.
    Over,
    /// Beside a mark, where it covers nothing.
    Beside,
    /// At the top of the chart, beside a rule, so many lines down.
    Top(usize),
}

impl Shape {
    /// The shape at a spot.
    pub(crate) fn svg(self, (x, y): Spot, radius: i32, width: u32) -> String {
        let outline = |corners: &[Spot]| {
            let corners: Vec<Spot> =
                corners.iter().map(|(dx, dy)| (x + dx * radius, y + dy * radius)).collect();
            format!("<polygon fill=\"currentColor\" points=\"{}\"/>\n", listed(&corners))
        };
        match self {
            Self::Disc => format!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"currentColor\" stroke=\"none\"/>\n"
            ),
            Self::Ring => format!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"{width}\"/>\n"
            ),
            Self::Up => outline(&[(-1, 1), (1, 1), (0, -1)]),
            Self::Down => outline(&[(-1, -1), (1, -1), (0, 1)]),
            Self::Diamond => outline(&[(0, -1), (1, 0), (0, 1), (-1, 0)]),
            Self::Cross => [[(-1, -1), (1, 1)], [(-1, 1), (1, -1)]]
                .map(|ends| stroke(&ends.map(|(dx, dy)| (x + dx * radius, y + dy * radius)), width, 1.0))
                .concat(),
        }
    }
}

impl Side {
    /// These lines at a spot.
    pub(super) fn write(self, frame: &Frame, (x, y): Spot, lines: &[String], svg: &mut String) {
        let (pitch, gap) = ((LINE * f64::from(UNIT)) as i32, 10 * UNIT as i32);
        let class = match self {
            Self::Inside => "inside",
            Self::Over => "over",
            Self::Beside | Self::Top(_) => "free",
        };
        let is_left = x > i32::midpoint(frame.across[0], frame.across[1]);
        let beside = if is_left { (x - gap, "end") } else { (x + gap, "start") };
        let middle = y + gap / 2 - (lines.len() as i32 - 1) * pitch / 2;
        let ((x, anchor), first) = match self {
            Self::Inside | Self::Over if lines.iter().any(|line| width_of(line) > frame.column) => return,
            Self::Inside | Self::Over => ((x, "middle"), middle),
            // Over the lines that meet at a mark.
            Self::Beside => (beside, middle - gap),
            Self::Top(down) => (beside, frame.up[1] + pitch * (down as i32 + 1)),
        };
        for (nth, line) in (0..).zip(lines) {
            let text = draw::text((x, first + nth * pitch), anchor, line);
            let text = text.replacen("<text", &format!("<text class=\"{class}\""), 1);
            svg.push_str(&if self == Self::Over { text.replace("currentColor", "#ffffff") } else { text });
        }
    }
}

/// A line through spots.
pub(super) fn stroke(points: &[Spot], width: u32, dark: f64) -> String {
    format!(
        "<polyline fill=\"none\" opacity=\"{dark}\" stroke=\"currentColor\" stroke-width=\"{width}\" points=\"{}\"/>\n",
        listed(points)
    )
}

/// Spots as SVG lists them.
pub(super) fn listed(points: &[Spot]) -> String {
    points.iter().map(|(x, y)| format!("{x},{y} ")).collect()
}
