//! A rectangle of characters, with lines of finer dots in a part of it.

use unicode_width::UnicodeWidthChar as _;

/// Draws lines of braille dots.
pub(super) const DOTTED: char = '⠒';
/// Dots of a braille character: its columns, and its rows. Unit: dots.
const DOTS: [usize; 2] = [2, 4];
/// The bit of each dot, by column and row (Unicode Standard, section 21.1 "Braille Patterns").
const BITS: [[u32; DOTS[1]]; DOTS[0]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
/// The braille character without a dot.
const NO_DOTS: u32 = 0x2800;
/// Holds the place of the second column of a wide character.
const CONTINUED: char = '\0';

/// A part of a canvas. Unit: characters.
#[derive(Clone, Copy)]
pub(super) struct Area {
    pub(super) left: usize,
    pub(super) top: usize,
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Area {
    /// The first column after it.
    pub(super) const fn right(self) -> usize {
        self.left + self.width
    }

    /// The first row after it.
    pub(super) const fn bottom(self) -> usize {
        self.top + self.height
    }
}

/// Rows of characters. What lies outside is not drawn.
pub(super) struct Canvas {
    rows: Vec<Vec<char>>,
}

impl Canvas {
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self { rows: vec![vec![' '; width]; height] }
    }

    fn cell(&mut self, column: usize, row: usize) -> Option<&mut char> {
        self.rows.get_mut(row)?.get_mut(column)
    }

    fn set(&mut self, column: usize, row: usize, character: char) {
        if let Some(cell) = self.cell(column, row) {
            *cell = character;
        }
    }

    /// Writes `text` in one row, as far as it fits into `room` columns.
    pub(super) fn text(&mut self, column: usize, row: usize, text: &str, room: usize) {
        let mut at = column;
        for character in text.chars() {
            let width = character.width().unwrap_or(0);
            if at + width > column + room {
                return;
            }
            for offset in 0..width {
                self.set(at + offset, row, if offset == 0 { character } else { CONTINUED });
            }
            at += width;
        }
    }

    /// Fills a part of a row.
    pub(super) fn row(&mut self, area: Area, row: usize, character: char) {
        (area.left..area.right()).for_each(|column| self.set(column, row, character));
    }

    /// Draws a straight line within `area`, of `marker`s. Its ends are shares of the width, from the left,
    /// and of the height, from the bottom.
    pub(super) fn line(&mut self, area: Area, marker: char, ends: [(f64, f64); 2]) {
        let dots = if marker == DOTTED { DOTS } else { [1, 1] };
        let nearest = |share: f64, cells: usize, dots: usize| {
            (share.clamp(0.0, 1.0) * (cells * dots).saturating_sub(1) as f64).round()
        };
        let [(x1, y1), (x2, y2)] =
            ends.map(|(x, y)| (nearest(x, area.width, dots[0]), nearest(1.0 - y, area.height, dots[1])));
        let steps = (x2 - x1).abs().max((y2 - y1).abs());
        for step in 0..=steps as usize {
            let way = |one: f64, two: f64| one + (two - one) * step as f64 / steps.max(1.0);
            let [x, y] = [way(x1, x2), way(y1, y2)].map(|dot| dot.round() as usize);
            let (column, row) = (area.left + x / dots[0], area.top + y / dots[1]);
            if marker == DOTTED {
                self.dot(column, row, BITS[x % dots[0]][y % dots[1]]);
            } else {
                self.set(column, row, marker);
            }
        }
    }

    /// Adds a dot to the others of a braille character, which replaces any other.
    fn dot(&mut self, column: usize, row: usize, bit: u32) {
        let Some(cell) = self.cell(column, row) else { return };
        let others = u32::from(*cell).checked_sub(NO_DOTS).filter(|bits| *bits <= 0xff).unwrap_or(0);
        *cell = char::from_u32(NO_DOTS + (others | bit)).unwrap_or(*cell);
    }

    /// The rows as lines without trailing blanks.
    pub(super) fn lines(&self) -> String {
        let line = |row: &Vec<char>| {
            let text: String = row.iter().filter(|character| **character != CONTINUED).collect();
            text.trim_end().to_owned() + "\n"
        };
        self.rows.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = Area { left: 0, top: 0, width: 4, height: 2 };

    fn drawn(draw: impl Fn(&mut Canvas)) -> String {
        let mut canvas = Canvas::new(4, 2);
        draw(&mut canvas);
        canvas.lines()
    }

    #[test]
    fn every_dot_has_its_bit() {
        let all = drawn(|canvas| {
            let place = |dot: usize, of: usize| dot as f64 / (of - 1) as f64;
            for (x, y) in (0..8).flat_map(|x| (0..8).map(move |y| (x, y))) {
                canvas.line(AREA, DOTTED, [(place(x, 8), place(y, 8)); 2]);
            }
        });
        assert_eq!(all, "⣿⣿⣿⣿\n⣿⣿⣿⣿\n");
        let corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)];
        let corners = drawn(|canvas| {
            corners.iter().for_each(|corner| canvas.line(AREA, DOTTED, [*corner; 2]));
        });
        assert_eq!(corners, "⠁  ⠈\n⡀  ⢀\n");
    }

    #[test]
    fn a_line_is_the_same_from_both_ends_and_stays_inside() {
        for (x, y) in [(1.0, 1.0), (0.3, 1.0), (1.0, 0.4), (7.0, -3.0)] {
            let there = drawn(|canvas| canvas.line(AREA, DOTTED, [(0.0, 0.0), (x, y)]));
            let back = drawn(|canvas| canvas.line(AREA, DOTTED, [(x, y), (0.0, 0.0)]));
            assert_eq!(there, back, "to {x}, {y}");
        }
        let steep = drawn(|canvas| canvas.line(AREA, 'o', [(0.0, 0.0), (1.0, 1.0)]));
        assert_eq!(steep, "  oo\noo\n");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(drawn(|canvas| canvas.text(0, 1, "a幅b", 3)), "\na幅\n");
        assert_eq!(drawn(|canvas| canvas.text(1, 0, "a幅", 2)), " a\n\n");
        assert_eq!(drawn(|canvas| canvas.text(2, 5, "out", 9)), "\n\n");
    }
}
