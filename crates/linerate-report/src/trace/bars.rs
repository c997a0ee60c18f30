//! The stages as a stacked bar a size.

use linerate_core::report::{TraceResult, TraceRow};
use linerate_core::trace::{Point, Stage, Way};
use linerate_core::units::Size;
use plotters::prelude::*;

use super::words::{us, way};
use crate::error::RenderError;
use crate::figure::axis::{times_from_zero, words};
use crate::figure::{Aim, Figure, Layer, Title};
use crate::plot::{INK, PALETTE, Refusal};
use crate::text::percent;

/// Half the width of a bar, as a share of the distance of two.
const HALF_BAR: f64 = 0.38;

/// How dark layer `index` is drawn: the colours repeat, and those of the second round are lighter.
pub(super) fn shade(index: usize) -> f64 {
    if index < PALETTE.len() { 0.85 } else { 0.45 }
}

/// A bar: the rows of one size and way.
struct Bar<'a> {
    name: String,
    row: &'a TraceRow,
}

/// A piece of a bar. Unit of its height: us.
struct Piece {
    /// Which bar, from 1.
    number: u32,
    low: f64,
    high: f64,
    lines: Vec<String>,
}

/// Bars of `results` that go there, a bar a size and run, sizes first. Absent without messages.
///
/// # Errors
///
/// [`RenderError::Draw`] when the graph library refuses.
pub(super) fn figure(results: &[TraceResult], title: Title) -> Result<Option<Figure>, RenderError> {
    let bars = bars(results);
    if bars.is_empty() {
        return Ok(None);
    }
    let names: Vec<String> = bars.iter().map(|bar| bar.name.clone()).collect();
    let stages = stages(&bars);
    let highest = bars.iter().map(|bar| mean_of(bar.row)).fold(0.0, f64::max);
    let x = words("Message size", &names);
    let y = times_from_zero("Mean time since the call", highest);
    let layers =
        stages.into_iter().enumerate().map(|(nth, (name, pieces))| drawn([&x, &y], (nth, &name), &pieces));
    Figure::new(title, [&x, &y], layers.collect()).map(Some)
}

fn bars(results: &[TraceResult]) -> Vec<Bar<'_>> {
    let several = results.len() > 1;
    let mut sizes: Vec<u64> = results.iter().flat_map(|result| &result.rows).map(|row| row.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut bars = Vec::new();
    for size in sizes {
        for (nth, result) in results.iter().enumerate() {
            let rows = result.rows.iter().filter(|row| row.size == size && row.way == Way::There);
            bars.extend(rows.filter(|row| !row.stages.is_empty()).map(|row| Bar {
                name: if several { format!("{} ({})", Size(size), nth + 1) } else { Size(size).to_string() },
                row,
            }));
        }
    }
    bars
}

/// The mean time of the messages of a row. Unit: us. The pieces of a bar are shares of it, and add up to it.
fn mean_of(row: &TraceRow) -> f64 {
    row.mean_ns / 1e3
}

/// The pieces of all bars, by stage.
fn stages(bars: &[Bar<'_>]) -> Vec<(String, Vec<Piece>)> {
    let mut tops = vec![0.0; bars.len()];
    Point::ALL
        .into_iter()
        .skip(1)
        .map(|point| {
            let piece = |((bar, top), number): ((&Bar<'_>, &mut f64), u32)| {
                let stage = bar.row.stages.iter().find(|stage| stage.to == point)?;
                let height = (stage.share * mean_of(bar.row)).max(0.0);
                let low = *top;
                *top += height;
                let lines = vec![
                    format!("{}, {}", bar.name, way(bar.row.way)),
                    format!("{}: {} of the time", stage.work(), percent(stage.share)),
                    format!(
                        "p50 {} us, p90 {}, p99 {}",
                        us(stage.median_ns),
                        us(stage.p90_ns),
                        us(stage.p99_ns)
                    ),
                ];
                Some(Piece { number, low, high: *top, lines })
            };
            let pieces = bars.iter().zip(&mut tops).zip(1..).filter_map(piece).collect();
            let mut named = bars.iter().flat_map(|bar| &bar.row.stages).filter(|stage| stage.to == point);
            (named.next().map_or_else(String::new, Stage::work), pieces)
        })
        .filter(|(_, pieces): &(String, Vec<Piece>)| !pieces.is_empty())
        .collect()
}

fn drawn(
    axes: [&crate::plot::Axis; 2],
    (index, name): (usize, &str),
    pieces: &[Piece],
) -> Result<Layer, Refusal> {
    Layer::new((index, name.to_owned()), axes, |chart| {
        let area = chart.plotting_area();
        for piece in pieces {
            let middle = f64::from(piece.number) - 1.0;
            let corners = [(middle - HALF_BAR, piece.low), (middle + HALF_BAR, piece.high)];
            area.draw(&Rectangle::new(corners, INK.mix(shade(index)).filled()))?;
        }
        let aim = |piece: &Piece| {
            let place = (f64::from(piece.number) - 1.0, f64::midpoint(piece.low, piece.high));
            Aim::at(chart, place, piece.lines.clone())
        };
        Ok(pieces.iter().map(aim).collect())
    })
}
