//! Axes of words: the rows of a chart, and the cells of a map.

use super::{Axis, Labels, Scale};
use crate::text::{columns, wrap};

/// Width of a character: few of a font of 13 pixels are wider on average. Unit: pixels.
const CHARACTER: f64 = 7.2;
/// Most lines of a label.
const MOST: usize = 3;

/// What an axis of words has besides its words.
#[derive(Clone, Default)]
pub(crate) struct Words {
    /// What stands at the other end of each; empty if nothing does.
    pub(crate) beside: Vec<String>,
    /// What that is, over the first.
    pub(crate) over: &'static str,
    /// The least and the most room of a word along the axis. Unit: pixels. As much as its lines take, if absent.
    pub(crate) room: Option<[u32; 2]>,
}

/// Rows, numbered from 0 at the top: a name at the left of each, and what is said of it at the right.
pub(crate) fn rows(names: &[String], beside: Vec<String>) -> Axis {
    of("", names, (true, Words { beside, ..Words::default() }))
}

/// Columns of cells, numbered from 0, each with so much room.
pub(crate) fn columns_of(title: &str, names: &[String], room: [u32; 2]) -> Axis {
    of(title, names, (false, Words { room: Some(room), ..Words::default() }))
}

/// Rows of cells, numbered from 0 at the top.
pub(crate) fn rows_of(title: &str, names: &[String], words: Words) -> Axis {
    of(title, names, (true, words))
}

fn of(title: &str, names: &[String], (is_down, words): (bool, Words)) -> Axis {
    let ticks: Vec<f64> = (0..names.len()).map(|nth| nth as f64).collect();
    let [first, last] = [-0.5, names.len().max(1) as f64 - 0.5];
    let ends = if is_down { [last, first] } else { [first, last] };
    let name = |value: f64| names.get(value as usize).cloned().unwrap_or_default();
    Axis::new(title.to_owned(), Scale::Linear, ends, &ticks, name).labelled(Labels::Words(Box::new(words)))
}

/// `text` in a few lines of `room` pixels; what does not fit ends in dots.
pub(super) fn lines(text: &str, room: f64, most: usize) -> Vec<String> {
    let wide = ((room / CHARACTER) as usize).max(8);
    let mut lines: Vec<String> = wrap(text, wide, 0).lines().map(str::to_owned).collect();
    if lines.len() > most.max(1) {
        lines.truncate(most.max(1));
        if let Some(last) = lines.last_mut() {
            *last = format!("{}\u{2026}", last.chars().take(wide - 1).collect::<String>());
        }
    }
    lines
}

/// Pixels that `text` takes, about.
pub(super) fn width_of(text: &str) -> f64 {
    columns(text) as f64 * CHARACTER
}

/// Room for the widest of these, within bounds. Unit: pixels.
pub(super) fn widest<'a>(texts: impl Iterator<Item = &'a String>, [least, most]: [f64; 2]) -> f64 {
    (texts.map(|text| width_of(text)).fold(0.0, f64::max) + CHARACTER).clamp(least, most)
}

/// How many lines the longest of these takes.
pub(super) fn deepest<'a>(texts: impl Iterator<Item = &'a String>, room: f64) -> usize {
    texts.map(|text| lines(text, room, MOST).len()).max().unwrap_or(1).max(1)
}
