//! Maps: many cells in few bytes.

use std::fmt::Write as _;

use serde::Serialize;

use super::Axis;
use super::frame::Frame;
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
    /// A path for each shade, in units of cells, of a line for each stretch of a row that has it.
    pub(super) fn write(&self, axes: [&Axis; 2], frame: &Frame, svg: &mut String) {
        let letters: Vec<char> = self.cells.chars().collect();
        let [low, high] = axes[0].range();
        // The last column may stand for fewer units than the others.
        let end = (high - low).abs() / self.wide as f64;
        let mut paths: Vec<(char, String)> = Vec::new();
        for (row, cells) in letters.chunks(self.columns.max(1)).enumerate() {
            let mut first = 0;
            for same in cells.chunk_by(|one, other| one == other) {
                let long = (same.len() as f64).min(end - first as f64);
                let at = paths.iter().position(|(letter, _)| *letter == same[0]).unwrap_or(paths.len());
                if at == paths.len() {
                    paths.push((same[0], String::new()));
                }
                // Writing to a String cannot fail.
                let _ = write!(paths[at].1, "M{first} {row}h{long}");
                first += same.len();
            }
        }
        let [corner, next] = [(-0.5, 0.0), (self.wide as f64 - 0.5, 1.0)].map(|it| frame.exact(axes, it));
        let place = format!(
            "translate({:.1} {:.1}) scale({:.4} {:.4})",
            corner[0],
            corner[1],
            next[0] - corner[0],
            next[1] - corner[1]
        );
        for (letter, path) in paths {
            let (class, colour) = match letter {
                GAP => ("gap".to_owned(), NONE_ON_WHITE.to_owned()),
                BLANK => ("blank".to_owned(), "#ffffff".to_owned()),
                shade => {
                    let shade = usize::from(shade as u8 - b'a');
                    (self.shades.class(shade), on_white(shade))
                }
            };
            // A little taller than a cell, so that no line shows between rows.
            let _ = writeln!(
                svg,
                "<path class=\"tiles {class}\" transform=\"{place}\" fill=\"none\" shape-rendering=\"crispEdges\" stroke=\"{colour}\" stroke-width=\"1.01\" stroke-dasharray=\"none\" d=\"{path}\"/>"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::{Words, columns_of, rows_of};
    use super::*;

    #[test]
    fn a_cell_has_the_letter_of_its_shade() {
        assert_eq!([None, Some(0), Some(19), Some(99)].map(cell), ['.', 'a', 't', 'z']);
        assert_eq!([Shades::Worse.class(3), Shades::Ratio.class(10)], ["m3", "h10"]);
    }

    /// Two columns, of which the second stands for one unit where the first stands for two, and two rows.
    #[test]
    fn cells_of_one_shade_are_one_path_and_a_short_column_ends_with_its_axis() {
        let names = |many: usize| vec![String::new(); many];
        let words = Words { room: Some([10, 10]), ..Words::default() };
        let (x, y) = (columns_of("", &names(3), [10, 10]), rows_of("", &names(2), words));
        let tiles = Tiles { wide: 2, columns: 2, cells: "ab.a".to_owned(), shades: Shades::Worse };
        let mut svg = String::new();
        tiles.write([&x, &y], &Frame::of([&x, &y]), &mut svg);
        let path = |class: &str| {
            let path = svg.lines().find(|line| line.contains(class)).expect(class);
            path.split(" d=\"").nth(1).and_then(|it| it.split('"').next()).expect("it has data").to_owned()
        };
        assert_eq!([path("m0"), path("m1"), path("gap")], ["M0 0h1M1 1h0.5", "M1 0h0.5", "M0 1h1"]);
        // Cells of 20 by 10 pixels, the first at the top.
        assert!(svg.contains("scale(80.0000 40.0000)"), "{svg}");
    }
}
