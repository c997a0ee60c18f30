//! Axes, looks and marks: what every chart is drawn with.

mod axis;
mod draw;
mod frame;
mod mark;
pub(crate) mod palette;
mod shape;
mod ticks;
mod tiles;
mod words;

pub(crate) use axis::{Axis, Labels, Scale};
pub(crate) use draw::{axes, text};
pub(crate) use frame::{ACROSS, Frame, HEIGHT, UP, WIDTH};
pub(crate) use mark::{Mark, Sign, short, svg};
pub(crate) use shape::{Shape, Side};
pub(crate) use ticks::{decimal, evenly, step, time_label};
pub(crate) use tiles::{BLANK, Shades, Tiles, cell};
pub(crate) use words::{Words, columns_of, rows, rows_of};

/// Units a pixel: places are whole numbers, which at one a pixel would show as steps.
pub(crate) const UNIT: u32 = 4;

/// A place in units of two axes.
pub(crate) type Place = (f64, f64);
/// A place in a picture. Unit: quarter pixels, from the left and from the top.
pub(crate) type Spot = (i32, i32);

/// Where a place is in a picture.
pub(crate) fn spot(axes: [&Axis; 2], place: Place) -> Spot {
    Frame::of(axes).spot(axes, place)
}

/// Colours that people with any colour vision can tell apart on white.
/// Source: Okabe and Ito, Color Universal Design (2008); yellow is too pale for a line.
pub(crate) const PALETTE: [&str; 6] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];
/// The colour of what counts less, on white.
const GREY: &str = "#5C5C63";
/// The index of what counts less: it is grey.
pub(crate) const PALE: usize = usize::MAX;
/// Dashes, in user units of a picture, once the colours are used up.
const DASHES: [&str; 3] = ["none", "36 20", "10 16"];

/// How a curve looks wherever it is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    /// Which colour of the palette.
    pub(crate) colour: usize,
    /// `stroke-dasharray`.
    pub(crate) dashes: &'static str,
}

impl Look {
    /// The colour on white.
    pub(crate) fn on_white(self) -> &'static str {
        PALETTE.get(self.colour).unwrap_or(&GREY)
    }

    /// The dashes in a picture of whole pixels.
    pub(crate) fn thin_dashes(self) -> String {
        let units = self.dashes.split(' ').map(|dash| {
            dash.parse::<f64>()
                .map_or_else(|_| dash.to_owned(), |units| (units / f64::from(UNIT)).to_string())
        });
        units.collect::<Vec<_>>().join(" ")
    }

    /// The dashes in a legend, which is drawn a third of the size.
    pub(crate) fn legend_dashes(self) -> &'static str {
        match self.dashes {
            "none" => "none",
            long if long == DASHES[1] => "6 3",
            _ => "2 4",
        }
    }
}

/// The look of curve `index` of one of several `kinds`, which differ by their dashes.
pub(crate) const fn look_of(index: usize, kind: usize) -> Look {
    Look { colour: index % PALETTE.len(), dashes: DASHES[kind % DASHES.len()] }
}

/// The look of curve `index`.
pub(crate) const fn look(index: usize) -> Look {
    if index == PALE {
        return Look { colour: PALETTE.len(), dashes: DASHES[0] };
    }
    Look { colour: index % PALETTE.len(), dashes: DASHES[index / PALETTE.len() % DASHES.len()] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eighteen_curves_look_different_and_then_they_begin_again() {
        let of = |look: Look| (look.colour, look.dashes, look.legend_dashes());
        assert_eq!(of(look(0)), (0, "none", "none"));
        assert_eq!(of(look(5)), (5, "none", "none"));
        assert_eq!(of(look(6)), (0, "36 20", "6 3"));
        assert_eq!(of(look(13)), (1, "10 16", "2 4"));
        assert_eq!(of(look(18)), of(look(0)));
        let all: std::collections::BTreeSet<_> = (0..18).map(|index| of(look(index))).collect();
        assert_eq!(all.len(), 18);
    }

    #[test]
    fn kinds_of_curves_differ_by_their_dashes() {
        let of = |look: Look| (look.colour, look.dashes);
        assert_eq!(of(look_of(7, 0)), (1, "none"));
        assert_eq!(of(look_of(7, 1)), (1, "36 20"));
        assert_eq!(of(look_of(2, 2)), (2, "10 16"));
        assert_eq!(of(look_of(2, 3)), (2, "none"));
    }
}
