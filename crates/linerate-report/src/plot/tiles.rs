//! Maps: many cells in few bytes.

use std::fmt::Write as _;

use serde::Serialize;

use super::Axis;
use super::frame::{Frame, along};
use super::palette::{NONE_ON_WHITE, on_white};

/// The letter of what was not measured.
const GAP: char = '.';
/// The letter of a place that has no cell.
pub(crate) const BLANK: char = '-';

/// The cells of a map, from the one at (0, 0) of its axes: each is one unit tall and `wide` units wide.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Tiles {
    /// A column may stand for several units.
    pub(crate) wide: usize,
    /// How many cells a row has.
    pub(crate) columns: usize,
    /// A letter for each cell, row by row: the shade from `a` on.
    pub(crate) cells: String,
    pub(crate) shades: Shades,
}

/// What the shades of a map mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shades {
    /// From good to bad: classes `m0` and on.
    Worse,
    /// From less over the same to more: classes `h0` and on.
    Ratio,
}

impl Shades {
    /// The class of a shade.
    pub(crate) fn class(self, shade: usize) -> String {
        format!("{}{shade}", if self == Self::Worse { 'm' } else { 'h' })
    }
}

/// The letter of a cell.
pub(crate) fn cell(shade: Option<usize>) -> char {
    shade.map_or(GAP, |shade| char::from(b'a' + shade.min(25) as u8))
}

impl Tiles {
    /// A path for each shade, of a line for each stretch of a row that has it.
    pub(super) fn write(&self, [x, y]: [&Axis; 2], frame: &Frame, svg: &mut String) {
        let letters: Vec<char> = self.cells.chars().collect();
        let rows: Vec<&[char]> = letters.chunks(self.columns.max(1)).collect();
        // The last column may stand for fewer units than the others.
        let [one, other] = x.range();
        let left =
            |column: usize| along(x, ((column * self.wide) as f64 - 0.5).min(one.max(other)), frame.across);
        let edge = |row: usize| along(y, row as f64 - 0.5, frame.up);
        let mut paths: Vec<(char, String)> = Vec::new();
        for (row, cells) in rows.iter().enumerate() {
            let (mut first, middle) = (0, i32::midpoint(edge(row), edge(row + 1)));
            for same in cells.chunk_by(|one, other| one == other) {
                let [from, to] = [left(first), left(first + same.len())];
                first += same.len();
                let at = paths.iter().position(|(letter, _)| *letter == same[0]).unwrap_or(paths.len());
                if at == paths.len() {
                    paths.push((same[0], String::new()));
                }
                // Writing to a String cannot fail.
                let _ = write!(paths[at].1, "M{from} {middle}h{}", to - from);
            }
        }
        let tall = (0..rows.len()).map(|row| (edge(row) - edge(row + 1)).abs()).max().unwrap_or(1);
        for (letter, path) in paths {
            let (class, colour) = match letter {
                GAP => ("gap".to_owned(), NONE_ON_WHITE.to_owned()),
                BLANK => ("blank".to_owned(), "#ffffff".to_owned()),
                shade => {
                    let shade = usize::from(shade as u8 - b'a');
                    (self.shades.class(shade), on_white(shade))
                }
            };
            let _ = writeln!(
                svg,
                "<path class=\"tiles {class}\" stroke=\"{colour}\" stroke-width=\"{tall}\" d=\"{path}\"/>"
            );
        }
    }
}
