//! A heat map of a view in the cells of a terminal: numbers where there is room for them, and else shades.

use std::fmt::Write as _;

use linerate_analysis::report::{MeshResult, MeshView, Report};
use linerate_core::plan::Rows;

use super::scale::Scale;
use super::tiles::Tiles;
use super::words::{InUnit, meanwhile, rank, shown, view_name};
use crate::text::{columns, shortened, wrap};

/// From the best to the worst.
const SHADES: [char; 5] = ['\u{b7}', '\u{2591}', '\u{2592}', '\u{2593}', '\u{2588}'];
/// The most ranks whose cells have numbers.
const MOST_NUMBERED: usize = 16;
/// The most cells of a short map, one below the other.
const SHORT: usize = 24;
/// The longest name at the left.
const LONGEST_NAME: usize = 14;
/// Between the map and the median of a row.
const GAP: &str = "  ";
/// Columns are numbered so many cells apart.
const EVERY: usize = 5;

/// The heat map of this number of all meshes of `report`.
pub(crate) fn in_characters(report: &Report, number: usize, width: usize, rows: Rows) -> Option<String> {
    let mut views = report.meshes.iter().flat_map(|mesh| mesh.views.iter().map(move |view| (mesh, view)));
    let (mesh, view) = views.nth(number)?;
    let unit = shown(view).name();
    let title = format!("{} ({unit}): {}", view_name(view), meanwhile(view.schedule));
    Some(format!("{}\n{}", wrap(&title, width, 2), map(mesh, view, width, rows)))
}

/// The map, its margins and its legend.
fn map(mesh: &MeshResult, view: &MeshView, width: usize, rows: Rows) -> String {
    let size = mesh.ranks.len();
    let scale = Scale::of(view);
    if size <= MOST_NUMBERED
        && let Some(text) = numbered(mesh, view, &scale, width)
    {
        return text;
    }
    let number = size.saturating_sub(1).to_string().len();
    let margin = 2 + number + 1 + LONGEST_NAME + GAP.len() + 8;
    let room = width.saturating_sub(margin).max(SHORT / 2);
    let most = if rows == Rows::Short { room.min(SHORT) } else { room };
    shaded(mesh, view, &scale, (&Tiles::of(view, most), width, room))
}

fn name(mesh: &MeshResult, of: usize) -> String {
    shortened(&rank(mesh, of), LONGEST_NAME)
}

/// `name` filled with blanks.
fn padded(name: &str, width: usize) -> String {
    format!("{name}{}", " ".repeat(width.saturating_sub(columns(name))))
}

/// A number and a shade in each cell. Absent if there is no room.
fn numbered(mesh: &MeshResult, view: &MeshView, scale: &Scale, width: usize) -> Option<String> {
    let (size, shown) = (mesh.ranks.len(), shown(view));
    let number = |value: f64| shown.number(value);
    let wide = view.sorted.iter().map(|pair| number(pair.value).len()).max()?.max(2);
    let names: Vec<String> = (0..size).map(|of| format!("{of:>2} {}", name(mesh, of))).collect();
    let left = names.iter().map(|name| columns(name)).max()?.max("median".len());
    let median = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), &number);
    let mut text = format!("  {}", " ".repeat(left));
    for to in 0..size {
        write!(text, " {to:>wide$} ").ok()?;
    }
    text.push_str("  median\n");
    for (from, name) in names.iter().enumerate() {
        write!(text, "  {}", padded(name, left)).ok()?;
        for to in 0..size {
            match view.values.get(from, to) {
                Some(value) => {
                    write!(text, " {:>wide$}{}", number(value), SHADES[scale.step(value, SHADES.len())])
                        .ok()?;
                }
                None => write!(text, " {:>wide$} ", if from == to { "" } else { "-" }).ok()?,
            }
        }
        writeln!(text, "  {:>6}", median(view.values.sent(from))).ok()?;
    }
    write!(text, "  {}", padded("median", left)).ok()?;
    for to in 0..size {
        write!(text, " {:>wide$} ", median(view.values.received(to))).ok()?;
    }
    writeln!(text, "  {:>6}", number(view.median)).ok()?;
    let widest = text.lines().map(columns).max()?;
    (widest <= width).then(|| text + &note("rows send, columns receive; -: not measured", width))
}

/// A shade in each cell, of two characters if there is room; of one pair a cell also the median of each row.
fn shaded(
    mesh: &MeshResult,
    view: &MeshView,
    scale: &Scale,
    (tiles, width, room): (&Tiles, usize, usize),
) -> String {
    let (size, shown) = (mesh.ranks.len(), shown(view));
    let wide = if tiles.side * 2 <= room { 2 } else { 1 };
    let digits = size.saturating_sub(1).to_string().len();
    let is_single = tiles.ranks == 1;
    let label = |row: usize| match is_single {
        true => format!("{row:>digits$} {}", name(mesh, row)),
        false => tiles.numbers(row, size),
    };
    let labels: Vec<String> = (0..tiles.side).map(label).collect();
    let left = labels.iter().map(|label| columns(label)).max().unwrap_or(0);
    let mut head = format!("  {} {}", " ".repeat(left), numbers(tiles, wide));
    head.push_str(if is_single { "  median" } else { "" });
    let mut text = format!("{}\n", head.trim_end());
    for (row, label) in labels.iter().enumerate() {
        let cell = |column: usize| match tiles.get(row, column) {
            Some(value) => SHADES[scale.step(value, SHADES.len())],
            None => ' ',
        };
        let cells: String =
            (0..tiles.side).flat_map(|column| std::iter::repeat_n(cell(column), wide)).collect();
        let mut line = format!("  {} {cells}", padded(label, left));
        if is_single {
            let median = view.values.sent(row).map_or_else(|| "-".to_owned(), |value| shown.number(value));
            write!(line, "{GAP}{median:>6}").expect("a String takes everything");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text + &note(&legend(scale, tiles, shown), width)
}

fn note(text: &str, width: usize) -> String {
    let wrapped = wrap(text, width.saturating_sub(2), 1);
    wrapped.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// Numbers over every fifth column.
fn numbers(tiles: &Tiles, wide: usize) -> String {
    let mut line = String::new();
    for column in (0..tiles.side).step_by(if wide == 1 { 2 * EVERY } else { EVERY }) {
        let number = (column * tiles.ranks).to_string();
        let room = column * wide;
        let fits = room + number.len() <= tiles.side * wide;
        if fits && (line.is_empty() || line.len() < room) {
            line = padded(&line, room) + &number;
        }
    }
    padded(&line, tiles.side * wide)
}

/// Up to where each shade reaches, and what the rest means.
fn legend(scale: &Scale, tiles: &Tiles, shown: InUnit) -> String {
    let until = |step: usize| shown.number(scale.value((step + 1) as f64 / SHADES.len() as f64));
    let shades: Vec<String> =
        SHADES.iter().enumerate().map(|(step, shade)| format!("{shade} to {}", until(step))).collect();
    let mut text =
        format!("{} {}; blank: not measured; rows send, columns receive", shades.join(", "), shown.name());
    if let Some(note) = tiles.note() {
        write!(text, "; {note}").expect("a String takes everything");
    }
    text
}
