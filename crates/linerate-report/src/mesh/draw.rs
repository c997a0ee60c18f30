//! A heat map as SVG. Cells of one colour are one path, so that a map of many ranks stays small.

use std::fmt::Write as _;

use linerate_analysis::report::{MeshResult, MeshView};

use super::scale::Scale;
use super::tiles::Tiles;
use super::words::rank;
use crate::plot::palette::{NONE_ON_WHITE, STEPS, is_strong, on_white};
use crate::text::{columns, digits, escaped, shortened};

/// The most cells of a row: more are put together.
pub(super) const MOST_CELLS: usize = 128;
/// The sides of a field. Unit: pixels.
const SIDES: [f64; 2] = [260.0, 640.0];
/// Of a cell, as long as the field is not wider.
const CELL: f64 = 64.0;
/// Over the field: numbers of columns and their title.
const TOP: f64 = 40.0;
/// Beside and below it.
const AIR: f64 = 12.0;
/// Room of a row's median.
const MEDIAN: f64 = 84.0;
/// The longest name. Unit: characters.
const LONGEST_NAME: usize = 18;
/// Width of a character, about.
const CHARACTER: f64 = 7.2;
/// The most ranks with names, with numbers in their cells, and with medians.
const NAMED: usize = 40;
const NUMBERED: usize = 12;
const WITH_MEDIANS: usize = 24;

/// Whose colours are used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    /// Classes of a page's style.
    Page,
    /// Colours on white.
    File,
}

impl Ink {
    fn stroke(self, step: usize) -> String {
        match self {
            Self::Page => format!("class=\"m{step}\""),
            Self::File => format!("stroke=\"{}\"", on_white(step)),
        }
    }

    /// Of what was not measured, and of the diagonal.
    const fn field(self, is_diagonal: bool) -> &'static str {
        match (self, is_diagonal) {
            (Self::Page, false) => "style=\"fill: var(--m-none)\"",
            (Self::Page, true) => "style=\"fill: var(--paper)\"",
            (Self::File, true) => "fill=\"#ffffff\"",
            (Self::File, false) => "fill=\"#c9c9cf\"",
        }
    }

    /// Of text on the page, in a cell, and in a cell of a strong colour.
    const fn text(self, place: Place) -> &'static str {
        match (self, place) {
            (Self::Page, Place::Page) => "class=\"soft\"",
            (Self::Page, Place::Cell) => "style=\"fill: var(--ink)\"",
            (Self::Page, Place::Strong) => "style=\"fill: var(--paper)\"",
            (Self::File, Place::Page) => "fill=\"#555555\"",
            (Self::File, Place::Cell) => "fill=\"#1c1c1e\"",
            (Self::File, Place::Strong) => "fill=\"#ffffff\"",
        }
    }
}

/// Where text stands.
#[derive(Clone, Copy)]
enum Place {
    Page,
    Cell,
    Strong,
}

/// The inside of an SVG document of this size.
pub(super) struct Drawing {
    /// Unit: pixels.
    pub(super) width: f64,
    /// Unit: pixels.
    pub(super) height: f64,
    pub(super) svg: String,
    /// What a cell is, if it is more than a pair.
    pub(super) note: Option<String>,
}

/// Where the parts of a map are.
struct Layout<'a> {
    mesh: &'a MeshResult,
    view: &'a MeshView,
    tiles: &'a Tiles,
    left: f64,
    /// Of a cell.
    pitch: f64,
    ink: Ink,
}

/// The heat map of a view with the names of its ranks.
pub(super) fn map(mesh: &MeshResult, view: &MeshView, ink: Ink) -> Drawing {
    let tiles = Tiles::of(view, MOST_CELLS);
    let scale = Scale::of(view);
    let side = (tiles.side as f64 * CELL).clamp(SIDES[0], SIDES[1]);
    let pitch = side / tiles.side.max(1) as f64;
    let mut layout = Layout { mesh, view, tiles: &tiles, left: 0.0, pitch, ink };
    let longest = (0..tiles.side).map(|row| columns(&layout.label(row))).max().unwrap_or(0);
    layout.left = (longest as f64).mul_add(CHARACTER, AIR + 8.0).max(54.0);
    let mut svg = layout.field(&scale, side);
    svg += &layout.margins(side);
    if tiles.side <= NUMBERED && tiles.ranks == 1 {
        svg += &layout.numbers(&scale);
    }
    let medians = if layout.has_medians() { MEDIAN } else { AIR };
    Drawing { width: layout.left + side + medians, height: TOP + side + AIR, svg, note: tiles.note() }
}

impl Layout<'_> {
    fn has_medians(&self) -> bool {
        self.tiles.ranks == 1 && self.tiles.side <= WITH_MEDIANS
    }

    /// What stands beside a row, of the rows that have it.
    fn label(&self, row: usize) -> String {
        let number = row * self.tiles.ranks;
        match self.tiles.ranks == 1 && self.tiles.side <= NAMED {
            true => format!("{number} {}", shortened(&rank(self.mesh, row), LONGEST_NAME)),
            false => number.to_string(),
        }
    }

    /// The cells. In units of cells, stretched to the side of the field.
    fn field(&self, scale: &Scale, side: f64) -> String {
        let cells = self.tiles.side;
        let mut paths: Vec<String> = vec![String::new(); STEPS];
        let step = |row, column| self.tiles.get(row, column).map(|value| scale.step(value, STEPS));
        for row in 0..cells {
            let mut column = 0;
            while column < cells {
                let first = column;
                let found = step(row, column);
                while column < cells && step(row, column) == found {
                    column += 1;
                }
                if let Some(found) = found {
                    write!(paths[found], "M{first} {row}.5h{}", column - first)
                        .expect("a String takes everything");
                }
            }
        }
        let mut svg = format!(
            "<svg x=\"{:.1}\" y=\"{TOP}\" width=\"{side}\" height=\"{side}\" viewBox=\"0 0 {cells} {cells}\" preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\"><rect width=\"{cells}\" height=\"{cells}\" {}/>",
            self.left,
            self.ink.field(false)
        );
        if self.tiles.ranks == 1 {
            for at in 0..cells {
                write!(
                    svg,
                    "<rect x=\"{at}\" y=\"{at}\" width=\"1\" height=\"1\" {}/>",
                    self.ink.field(true)
                )
                .expect("a String takes everything");
            }
        }
        for (step, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
            // A little taller than a cell, so that no line shows between rows.
            write!(svg, "<path d=\"{path}\" fill=\"none\" stroke-width=\"1.01\" {}/>", self.ink.stroke(step))
                .expect("a String takes everything");
        }
        svg + "</svg>"
    }

    /// Numbers of columns, names of rows, their medians.
    fn margins(&self, side: f64) -> String {
        let mut svg = String::new();
        let mut write = |x: f64, y: f64, anchor: &str, text: &str| {
            write!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"12\" {}>{}</text>",
                self.ink.text(Place::Page),
                escaped(text)
            )
            .expect("a String takes everything");
        };
        let every = |room: f64| nice((room / self.pitch).ceil() as usize);
        for column in (0..self.tiles.side).step_by(every(30.0)) {
            let x = self.pitch.mul_add(column as f64 + 0.5, self.left);
            write(x, TOP - 6.0, "middle", &(column * self.tiles.ranks).to_string());
        }
        write(self.left, TOP - 24.0, "start", "to rank");
        for row in (0..self.tiles.side).step_by(every(14.0)) {
            let y = self.pitch.mul_add(row as f64 + 0.5, TOP + 4.0);
            write(self.left - 8.0, y, "end", &self.label(row));
            if self.has_medians()
                && let Some(median) = self.view.values.sent(row)
            {
                write(self.left + side + MEDIAN - 8.0, y, "end", &digits(median));
            }
        }
        if self.has_medians() {
            write(self.left + side + MEDIAN - 8.0, TOP - 6.0, "end", "median");
        }
        write(self.left - 8.0, TOP - 6.0, "end", "from");
        svg
    }

    /// The values in their cells.
    fn numbers(&self, scale: &Scale) -> String {
        let mut svg = String::new();
        let size = (self.pitch / 4.2).clamp(10.0, 13.0);
        for (from, to, value) in self.view.values.iter() {
            let place = if is_strong(scale.step(value, STEPS)) { Place::Strong } else { Place::Cell };
            write!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"{size:.1}\" {}>{}</text>",
                self.pitch.mul_add(to as f64 + 0.5, self.left),
                self.pitch.mul_add(from as f64 + 0.5, TOP + 4.0),
                self.ink.text(place),
                digits(value)
            )
            .expect("a String takes everything");
        }
        svg
    }
}

/// The next of 1, 2, 5, 10, 20, 50 and so on.
fn nice(least: usize) -> usize {
    let powers = std::iter::successors(Some(1_usize), |power| power.checked_mul(10));
    let all = powers.flat_map(|power| [1, 2, 5].map(|factor| power.saturating_mul(factor)));
    all.into_iter().find(|step| *step >= least).unwrap_or(least).max(1)
}

/// Width and height of a legend. Unit: pixels.
pub(super) const LEGEND: [f64; 2] = [460.0, 42.0];

/// The colours with values below them, and what was not measured.
pub(super) fn legend(scale: &Scale, ink: Ink) -> String {
    let (left, wide) = (16.0, 330.0);
    let mut svg = String::new();
    for step in 0..STEPS {
        let x = wide / STEPS as f64 * step as f64 + left;
        write!(
            svg,
            "<path d=\"M{x:.1} 8h{:.1}\" fill=\"none\" stroke-width=\"14\" shape-rendering=\"crispEdges\" {}/>",
            wide / STEPS as f64 + 0.5,
            ink.stroke(step)
        )
        .expect("a String takes everything");
    }
    let mut text = |x: f64, y: f64, anchor: &str, text: &str| {
        let soft = ink.text(Place::Page);
        write!(
            svg,
            "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"{anchor}\" font-size=\"12\" {soft}>{text}</text>"
        )
        .expect("a String takes everything");
    };
    for tick in scale.ticks() {
        text(wide.mul_add(scale.badness(tick), left), 32.0, "middle", &label(tick));
    }
    text(left + wide + 12.0, 32.0, "start", scale.unit.name());
    text(left + wide + 32.0, 12.0, "start", "not measured");
    let fill = if ink == Ink::Page {
        "style=\"fill: var(--m-none)\"".to_owned()
    } else {
        format!("fill=\"{}\"", NONE_ON_WHITE)
    };
    write!(svg, "<rect x=\"{:.1}\" y=\"1\" width=\"14\" height=\"14\" {fill}/>", left + wide + 12.0)
        .expect("a String takes everything");
    svg
}

/// A round value without zeros behind it.
fn label(value: f64) -> String {
    let text = digits(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
