//! The stages as a stacked bar a size.

use linerate_core::run::Run;
use linerate_core::stages::Stages;
use linerate_core::units::Size;

use super::words::{caption, lines};
use crate::figure::axis::times_from_zero;
use crate::figure::{Aim, Figure, Layer, Title};
use crate::plot::{Axis, Mark, Scale, UNIT};

/// Half the width of a bar, as a share of the distance of two.
const HALF_BAR: f64 = 0.38;
/// Most sizes that are named below their bars: there is no room for more.
const MOST_LABELS: usize = 12;

/// A piece of a bar. Unit of its height: us.
pub(crate) struct Piece {
    /// Which bar, from 1.
    pub(crate) number: u32,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) lines: Vec<String>,
}

/// The bars of `run`, the report's run `index`; absent without stages. `of` names it where there
/// are several.
pub(crate) fn figure(run: &Run, index: usize, of: &str) -> Option<Figure> {
    if run.stages.is_empty() {
        return None;
    }
    let layers = stacked(&run.stages);
    let acknowledged = acknowledgements(&run.stages);
    let highest = layers.iter().flat_map(|(_, pieces)| pieces).chain(&acknowledged).map(|piece| piece.high);
    let y = times_from_zero("Time since the application's call", highest.fold(0.0, f64::max));
    let names: Vec<String> = run.stages.iter().map(|stages| Size(stages.size).to_string()).collect();
    let x = places(&names);
    let title = Title {
        id: format!("stages-{index}"),
        title: format!("Stages of a message{of}"),
        caption: format!(
            "Each piece is the median of its stage, of {} messages a size; medians of parts need not add up to the median of the whole. {}.",
            run.stages[0].asked,
            crate::text::capital(&caption(run))
        ),
    };
    let boxes = layers
        .iter()
        .enumerate()
        .map(|(nth, (name, pieces))| drawn([&x, &y], (nth, name), Shape::Box(0.75), pieces));
    let tops = drawn([&x, &y], (layers.len(), "acknowledgement back"), Shape::Top, &acknowledged);
    let tops = (!acknowledged.is_empty()).then_some(tops);
    Some(Figure::new(title, [&x, &y], boxes.chain(tops).collect()))
}

/// The pieces of all bars, by stage.
fn stacked(all: &[Stages]) -> Vec<(&'static str, Vec<Piece>)> {
    let mut tops = vec![0.0; all.len()];
    let names = all[0].in_order().map(|(name, _)| name);
    let pieces = |(nth, name): (usize, &'static str)| {
        let piece = |((stages, top), number): ((&Stages, &mut f64), u32)| {
            let part = stages.in_order()[nth].1;
            // What is negative within the clocks' uncertainty has no height.
            let height = part.median_us()?.max(0.0);
            let low = *top;
            *top += height;
            Some(Piece { number, low, high: *top, lines: lines(stages, name, part, nth == 2) })
        };
        (name, all.iter().zip(&mut tops).zip(1..).filter_map(piece).collect())
    };
    names.into_iter().enumerate().map(pieces).collect()
}

fn acknowledgements(all: &[Stages]) -> Vec<Piece> {
    let piece = |(stages, number): (&Stages, u32)| {
        let part = &stages.acknowledged;
        let high = part.median_us()?;
        Some(Piece { number, low: 0.0, high, lines: lines(stages, "acknowledgement back", part, false) })
    };
    all.iter().zip(1..).filter_map(piece).collect()
}

/// One place a bar, named where there is room.
pub(crate) fn places(names: &[String]) -> Axis {
    let step = names.len().div_ceil(MOST_LABELS).max(1);
    let place = |nth: usize| nth as f64 + 1.0;
    let ticks: Vec<f64> = (0..names.len()).step_by(step).map(place).collect();
    let label = |place: f64| names.get((place - 1.0).round().max(0.0) as usize).cloned().unwrap_or_default();
    Axis::new("Message size".to_owned(), Scale::Linear, [0.5, names.len() as f64 + 0.5], &ticks, label)
}

/// How pieces are drawn.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// This dark, from 0 to 1.
    Box(f64),
    /// A line at the top.
    Top,
}

/// A layer of pieces; `index` gives their colour.
pub(crate) fn drawn(axes: [&Axis; 2], (index, name): (usize, &str), shape: Shape, pieces: &[Piece]) -> Layer {
    let mark = |piece: &Piece| {
        let middle = f64::from(piece.number);
        let [left, right] = [middle - HALF_BAR, middle + HALF_BAR];
        match shape {
            Shape::Box(dark) => Mark::bar([(left, piece.low), (right, piece.high)], dark),
            Shape::Top => Mark::line([(left, piece.high), (right, piece.high)], 3 * UNIT),
        }
    };
    let aim = |piece: &Piece| {
        // Boxes are pointed at in the middle, because the next one begins at their top.
        let height = match shape {
            Shape::Box(_) => f64::midpoint(piece.low, piece.high),
            Shape::Top => piece.high,
        };
        Aim::at(axes, (f64::from(piece.number), height), piece.lines.clone())
    };
    Layer::new((index, name), axes, pieces.iter().map(mark).collect(), pieces.iter().map(aim).collect())
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{one, staged};
    use super::*;

    #[test]
    fn a_size_is_a_bar_of_four_pieces_and_a_line() {
        let run = staged(true).runs.remove(0).run;
        let figure = figure(&run, 0, "").expect("it can be drawn");
        let shapes = figure
            .layers
            .iter()
            .map(|layer| [layer.svg.matches("<polygon").count(), layer.svg.matches("<polyline").count()]);
        let sizes = run.stages.len();
        let expected = [[sizes, 0], [sizes, 0], [sizes, 0], [sizes, 0], [0, sizes]];
        assert_eq!(shapes.collect::<Vec<_>>(), expected);
        // The pieces of a bar stand on each other.
        for place in 0..sizes {
            let heights = figure.layers[..4].iter().map(|layer| layer.aims[place].y);
            assert!(heights.collect::<Vec<_>>().is_sorted_by(|a, b| a > b), "{place}");
        }
        assert!(figure.caption.contains("one clock"), "{}", figure.caption);
    }

    #[test]
    fn what_is_below_nothing_is_drawn_as_nothing_and_said() {
        let run = staged(false).runs.remove(0).run;
        let figure = figure(&run, 0, "").expect("it can be drawn");
        let said = &figure.layers[2].aims[0].lines[1];
        assert!(said.starts_with("driver to peer's kernel: -") && said.contains("+-"), "{said}");
    }

    #[test]
    fn without_stages_there_is_no_figure() {
        assert!(figure(&one().runs[0].run, 0, "").is_none());
    }
}
