//! Charts that are drawn here: rows and columns with names, which the charts of curves have no room for.
//!
//! A place is in pixels of a page of the usual width, from the left and from the top. Colours are classes of the
//! page's style, so that a chart is right on light and on dark. Each mark has its tooltip as a `title`, which needs no
//! script.

mod axes;
mod pen;
mod rows;

pub(super) use axes::{around, differences, from_zero, ratios};
pub(super) use pen::{Anchor, Kind, Pen};
pub(super) use rows::{Row, Rows};

use crate::section::Drawing;
use crate::text::wrap;

/// Width of a chart. Unit: pixels.
pub(super) const WIDTH: f64 = 960.0;
/// Distance of two lines of text.
pub(super) const LINE: f64 = 17.0;
/// Width of a character: few of a font of 13 pixels are wider on average.
pub(super) const CHARACTER: f64 = 7.2;

/// What stands over and under a chart.
pub(super) struct Head {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) caption: String,
}

impl Head {
    /// The chart of this size.
    pub(super) fn over(self, pen: Pen, [width, height]: [f64; 2]) -> Drawing {
        let Self { id, title, caption } = self;
        Drawing {
            id,
            title,
            caption,
            width: width.ceil() as u32,
            height: height.ceil() as u32,
            svg: pen.svg(),
        }
    }
}

/// `text` in at most `most` lines of `room` pixels; what does not fit ends in dots.
pub(super) fn lines(text: &str, room: f64, most: usize) -> Vec<String> {
    let wide = ((room / CHARACTER) as usize).max(8);
    let mut lines: Vec<String> = wrap(text, wide, 0).lines().map(str::to_owned).collect();
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = format!("{}\u{2026}", last.chars().take(wide - 1).collect::<String>());
        }
    }
    lines
}

/// Pixels that `text` takes, about.
pub(super) fn width_of(text: &str) -> f64 {
    crate::text::columns(text) as f64 * CHARACTER
}
