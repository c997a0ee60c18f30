//! Where the inside of a picture is. Unit of places: quarter pixels, from the left and from the top.

use super::words::{Words, deepest, widest};
use super::{Axis, Place, Spot, UNIT};

/// Width of a picture.
pub(crate) const WIDTH: u32 = 960 * UNIT;
/// Height of a picture, unless its rows need another.
pub(crate) const HEIGHT: u32 = 440 * UNIT;
/// The inside of a picture without words: its left and right, and its bottom and top.
pub(crate) const ACROSS: [i32; 2] = [440, 3_743];
/// See [`ACROSS`].
pub(crate) const UP: [i32; 2] = [1_511, 48];

/// The least and the most room of names and of what stands beside rows. Unit: pixels.
const NAMES: [f64; 2] = [70.0, 270.0];
const BESIDE: [f64; 2] = [70.0, 400.0];
/// Most room of both together.
const BOTH: f64 = 610.0;
/// Blank around them, and around the lines of a row.
const GAP: f64 = 14.0;
const ROW: f64 = 11.0;
/// Distance of two lines of text.
pub(super) const LINE: f64 = 17.0;
/// Over the inside, for the title of an axis of words.
const TITLE: f64 = 20.0;

/// The inside of a picture over two axes.
pub(crate) struct Frame {
    /// Left and right.
    pub(super) across: [i32; 2],
    /// Bottom and top.
    pub(super) up: [i32; 2],
    /// Room of the names of rows, of what stands beside them, and of a column. Unit: pixels.
    pub(super) names: f64,
    pub(super) beside: f64,
    pub(super) column: f64,
    pub(crate) height: u32,
}

impl Frame {
    pub(crate) fn of([x, y]: [&Axis; 2]) -> Self {
        let mut frame = Self { across: ACROSS, up: UP, names: 0.0, beside: 0.0, column: 0.0, height: HEIGHT };
        let units = |pixels: f64| (pixels * f64::from(UNIT)).round() as i32;
        if let Some(words) = y.words() {
            frame.names = widest(y.ticks.iter().map(|tick| &tick.label), NAMES);
            frame.across[0] = units(frame.names + GAP);
            frame.up[1] += if y.title.is_empty() { 0 } else { units(TITLE) };
            if !words.beside.is_empty() {
                frame.beside = widest(words.beside.iter(), [BESIDE[0], BESIDE[1].min(BOTH - frame.names)]);
                frame.across[1] = WIDTH as i32 - units(frame.beside + GAP);
            }
        }
        let room = f64::from(frame.across[1] - frame.across[0]) / f64::from(UNIT);
        if let Some(words) = x.words() {
            let columns = x.ticks.len().max(1) as f64;
            frame.column = words.room.map_or(room, |[_, most]| f64::from(most)).min(room / columns);
            frame.across[1] = frame.across[0] + units(frame.column * columns);
        }
        if let Some(words) = y.words() {
            let row = frame.row(y, words);
            frame.up[0] = frame.up[1] + units(row * y.ticks.len().max(1) as f64);
            frame.height = (frame.up[0] + HEIGHT as i32 - UP[0]) as u32;
        }
        if frame.column > 0.0 {
            let more = deepest(x.ticks.iter().map(|tick| &tick.label), frame.column) - 1;
            frame.height += (more as f64 * LINE * f64::from(UNIT)) as u32;
        }
        frame
    }

    /// Height of a row: of its lines, or as that of a column if it may.
    fn row(&self, y: &Axis, words: &Words) -> f64 {
        let lines = deepest(y.ticks.iter().map(|tick| &tick.label), self.names)
            .max(deepest(words.beside.iter(), self.beside));
        let of_lines = (lines as f64).mul_add(LINE, ROW);
        words.room.map_or(of_lines, |[least, most]| self.column.clamp(f64::from(least), f64::from(most)))
    }

    /// Where a place is in the picture, between whole numbers.
    pub(super) fn exact(&self, [x, y]: [&Axis; 2], place: Place) -> [f64; 2] {
        [(x, place.0, self.across), (y, place.1, self.up)]
            .map(|(axis, value, [from, to])| axis.share(value).mul_add(f64::from(to - from), f64::from(from)))
    }

    /// Where a place is in the picture.
    pub(super) fn spot(&self, [x, y]: [&Axis; 2], place: Place) -> Spot {
        (along(x, place.0, self.across), along(y, place.1, self.up))
    }
}

/// What is far beyond an axis stays within reach of whole numbers.
pub(super) fn along(axis: &Axis, value: f64, [from, to]: [i32; 2]) -> i32 {
    from + (axis.share(value).clamp(-9.0, 9.0) * f64::from(to - from)).round() as i32
}

#[cfg(test)]
mod tests {
    use super::super::words::{Words, columns_of, rows, rows_of};
    use super::*;
    use crate::plot::Scale;

    fn x() -> Axis {
        Axis::new(String::new(), Scale::Linear, [0.0, 1.0], &[], |_| String::new())
    }

    #[test]
    fn rows_are_as_tall_as_their_lines_and_leave_room_for_their_words() {
        let of = |name: &str, beside: &str| {
            Frame::of([
                &x(),
                &rows(&[name.to_owned(), "b".to_owned()], vec![beside.to_owned(), String::new()]),
            ])
        };
        let short = of("a", "better");
        assert_eq!(short.across, [84 * 4, (960 - 84) * 4], "the least room and a gap");
        assert_eq!(short.up[0] - short.up[1], 2 * 28 * 4, "two rows of a line");
        let long = of(&"word ".repeat(20), "better");
        assert_eq!(long.up[0] - long.up[1], 2 * (3 * 17 + 11) * 4, "two rows of three lines");
        assert_eq!(long.across[0], (270 + 14) * 4);
        assert!(long.height > short.height);
    }

    #[test]
    fn cells_are_no_wider_than_they_may_be_and_as_tall_as_wide() {
        let names = |many: usize| (0..many).map(|nth| nth.to_string()).collect::<Vec<String>>();
        let of = |many: usize| {
            let words = Words { room: Some([0, 64]), ..Words::default() };
            Frame::of([&columns_of("", &names(many), [0, 64]), &rows_of("", &names(many), words)])
        };
        for (many, side) in [(4, 4 * 64), (100, 852)] {
            let frame = of(many);
            assert!((frame.across[1] - frame.across[0] - side * 4).abs() <= 4, "{many}: {:?}", frame.across);
            assert!((frame.up[0] - frame.up[1] - side * 4).abs() <= 4, "{many}: {:?}", frame.up);
        }
    }
}
