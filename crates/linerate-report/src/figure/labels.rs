//! Where the labels of ceilings stand: where no line, no curve and no other label is.
//!
//! All places are in units of a picture; y grows downwards.

use crate::plot::{Spot, UNIT};

/// Distance of two rows of labels, base line to base line.
const PITCH: i32 = 17 * UNIT as i32;
/// Height of the letters over the base line, and what some reach below it.
const ABOVE: i32 = 12 * UNIT as i32;
const BELOW: i32 = 3 * UNIT as i32;
/// Between a line and a label under it: letters fill the height above their base line, and have a halo.
const GAP: i32 = 4 * UNIT as i32;
/// Width of a character: 0.6 of a font of 13 pixels. Few fonts are wider.
const CHARACTER: i32 = 8 * UNIT as i32;
/// Between a label and the sides of the graph.
const MARGIN: i32 = 8 * UNIT as i32;
/// How many rows a label may stand from its line.
const ROWS: i32 = 6;
/// What it costs a label to stand on another label, and on a line; on a piece of a curve it is 1.
const ON_LABEL: usize = 1_000;
const ON_LINE: usize = 10;

/// A label to place.
pub(super) struct Label {
    pub(super) text: String,
    /// The height of its line; if absent, the line is above the graph.
    pub(super) line: Option<i32>,
    /// Its line is no level: only its right end is at that height.
    pub(super) at_end: bool,
}

/// A rectangle of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rectangle {
    /// Left and right.
    pub(super) x: [i32; 2],
    /// Top and bottom.
    pub(super) y: [i32; 2],
}

impl Rectangle {
    fn overlaps(&self, other: &Self) -> bool {
        let apart = |one: [i32; 2], other: [i32; 2]| one[1] < other[0] || other[1] < one[0];
        !apart(self.x, other.x) && !apart(self.y, other.y)
    }

    fn has_line(&self, y: i32) -> bool {
        (self.y[0]..=self.y[1]).contains(&y)
    }

    /// Whether the piece of a curve between two spots meets it: what each pair of sides leaves of the
    /// piece has something in common.
    fn has_piece(&self, [from, to]: &[Spot; 2]) -> bool {
        let within = |from: i32, to: i32, [low, high]: [i32; 2]| {
            if from == to {
                return if (low..=high).contains(&from) { [0.0, 1.0] } else { [1.0, 0.0] };
            }
            let share = |side: i32| f64::from(side - from) / f64::from(to - from);
            let ends = [share(low), share(high)];
            [ends[0].min(ends[1]), ends[0].max(ends[1])]
        };
        let [x, y] = [within(from.0, to.0, self.x), within(from.1, to.1, self.y)];
        x[0].max(y[0]).max(0.0) <= x[1].min(y[1]).min(1.0)
    }
}

/// The room of lines of text on either side of `x`, the first so many rows below `top`.
pub(super) fn at_top(x: i32, down: usize, lines: &[String], top: i32) -> Rectangle {
    let widest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) as i32;
    let [reach, first] = [MARGIN + widest * CHARACTER, top + down as i32 * PITCH];
    Rectangle { x: [x - reach, x + reach], y: [first, first + lines.len() as i32 * PITCH + BELOW] }
}

/// Where the base line of each label begins, in a graph that fills `area` and has `texts`. A label stands by its
/// line at the left if it can, and else where it is in the way of the least.
pub(super) fn place(
    labels: &[Label],
    area: Rectangle,
    pieces: &[[Spot; 2]],
    texts: &[Rectangle],
) -> Vec<Spot> {
    let mut taken: Vec<Rectangle> = texts.to_vec();
    for label in labels {
        let cost = |it: &Rectangle| {
            ON_LABEL * taken.iter().filter(|other| it.overlaps(other)).count()
                + ON_LINE
                    * labels
                        .iter()
                        .filter(|label| !label.at_end)
                        .filter_map(|label| label.line)
                        .filter(|y| it.has_line(*y))
                        .count()
                + pieces.iter().filter(|piece| it.has_piece(piece)).count()
        };
        let best = candidates(label, area).min_by_key(cost);
        taken.push(best.expect("the first row of the graph is always there"));
    }
    taken[texts.len()..].iter().map(|it| (it.x[0], it.y[1] - BELOW)).collect()
}

/// Where a label can stand, the best first: over its line and under it, then farther off; of each row
/// the left, the right and the middle.
fn candidates(label: &Label, area: Rectangle) -> impl Iterator<Item = Rectangle> {
    let width = label.text.chars().count() as i32 * CHARACTER;
    let [left, right] = [area.x[0] + MARGIN, area.x[1] - MARGIN - width];
    let (top, line) = (area.y[0] + ABOVE, label.line);
    let bases = (0..ROWS).flat_map(move |row| {
        let by_line = |y: i32| [y - BELOW - UNIT as i32 - row * PITCH, y + ABOVE + GAP + row * PITCH];
        line.map_or([top + row * PITCH; 2], by_line)
    });
    let fits = move |base: &i32| (top..=area.y[1] - BELOW).contains(base);
    bases.filter(fits).chain([top]).flat_map(move |base| {
        let sides = [left, right.max(left), i32::midpoint(left, right).max(left)];
        let sides = if label.at_end && line.is_some() { [right.max(left); 3] } else { sides };
        sides.map(|x| Rectangle { x: [x, x + width], y: [base - ABOVE, base + BELOW] })
    })
}

#[cfg(test)]
mod tests;
