//! The heat map of a view: a cell for each pair of ranks, or for several.

use linerate_analysis::report::{MeshResult, MeshView};

use super::scale::Scale;
use super::tiles::Tiles;
use super::words::{meanwhile, rank, shown, view_name};
use crate::figure::{Figure, Layer, Title};
use crate::plot::palette::{STEPS, is_strong};
use crate::plot::{self, BLANK, Mark, Shades, Side, Words, cell};
use crate::section::{Colours, Swatch};
use crate::text::shortened;

/// The most cells of a row: more are put together.
const MOST_CELLS: usize = 96;
/// The least and the greatest side of a map, and of a cell as long as the map is not wider. Unit: pixels.
const SIDES: [usize; 2] = [260, 640];
const CELL: usize = 64;
/// The longest name. Unit: characters.
const LONGEST_NAME: usize = 18;
/// The most ranks with names, with numbers in their cells, and with medians.
const NAMED: usize = 40;
const NUMBERED: usize = 12;
const WITH_MEDIANS: usize = 24;
/// Every so many colours of the legend have a value.
const LABELLED: usize = 5;

/// The map of a view with the names of its ranks; `number` is that among the maps of the page.
pub(super) fn map(mesh: &MeshResult, view: &MeshView, number: usize) -> Figure {
    let (tiles, scale, shown) = (Tiles::of(view, MOST_CELLS), Scale::of(view), shown(view));
    let (side, is_whole) = (tiles.side, tiles.ranks == 1);
    let first = |cell: usize| cell * tiles.ranks;
    let name = |cell: usize| match is_whole && side <= NAMED {
        true => format!("{cell} {}", shortened(&rank(mesh, cell), LONGEST_NAME)),
        false => first(cell).to_string(),
    };
    let median = |from: usize| view.values.sent(from).map_or_else(String::new, |value| shown.number(value));
    let has_medians = is_whole && side <= WITH_MEDIANS;
    let pitch = ((side * CELL).clamp(SIDES[0], SIDES[1]) / side.max(1)).max(1) as u32;
    let words = Words {
        beside: if has_medians { (0..side).map(median).collect() } else { Vec::new() },
        over: "median",
        room: Some([0, pitch]),
    };
    let columns: Vec<String> = (0..side).map(|cell| first(cell).to_string()).collect();
    let rows: Vec<String> = (0..side).map(name).collect();
    let axes =
        [&plot::columns_of("to rank", &columns, [0, pitch]), &plot::rows_of("from rank", &rows, words)];
    let shade = |at: usize| {
        let (from, to) = (at / side, at % side);
        match tiles.get(from, to) {
            None if is_whole && from == to => BLANK,
            value => cell(value.map(|value| scale.step(value, STEPS))),
        }
    };
    let cells = (0..side * side).map(shade).collect();
    let mut marks = vec![Mark::Tiles(plot::Tiles { wide: 1, columns: side, cells, shades: Shades::Worse })];
    if is_whole && side <= NUMBERED {
        marks.extend(view.values.iter().map(|(from, to, value)| Mark::Text {
            at: (to as f64, from as f64),
            side: if is_strong(scale.step(value, STEPS)) { Side::Over } else { Side::Inside },
            lines: vec![shown.number(value)],
        }));
    }
    let note = tiles.note().map_or_else(String::new, |note| format!(" Without a script, {note}."));
    let title = Title {
        id: format!("map-{number}"),
        title: format!("{} ({})", view_name(view), shown.name()),
        caption: format!(
            "Rows send, columns receive: {}. The scale goes from the best pair to the worst, over a quarter at least.{note}",
            meanwhile(view.schedule)
        ),
    };
    Figure::new(title, axes, vec![Layer::new((0, view_name(view)), axes, marks, Vec::new())])
}

/// What the colours of a map mean.
pub(super) fn colours(view: &MeshView) -> Colours {
    let (scale, shown) = (Scale::of(view), shown(view));
    let value = |badness: f64| shown.with_unit(scale.value(badness));
    let until = |step: usize| match step.is_multiple_of(LABELLED) && step < STEPS {
        true => shown.number(scale.value(step as f64 / STEPS as f64)),
        false => String::new(),
    };
    let swatch = |step: usize| Swatch { class: Shades::Worse.class(step), until: until(step + 1) };
    Colours {
        ends: [format!("best {}", value(0.0)), format!("worst {}", value(1.0))],
        swatches: (0..STEPS).map(swatch).collect(),
        none: "not measured",
    }
}
