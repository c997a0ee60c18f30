//! The stages as a stacked bar a size.

use linerate_analysis::report::{TraceResult, TraceRow};
use linerate_core::trace::{Point, Stage, Way};
use linerate_core::units::Size;

use super::words::us;
use crate::figure::axis::times_from_zero;
use crate::figure::{Figure, Title};
use crate::plot::PALETTE;
use crate::stages::{Piece, Shape, drawn, places};
use crate::text::percent;

/// How dark layer `index` is drawn: the colours repeat, and those of the second round are lighter.
pub(super) fn shade(index: usize) -> f64 {
    if index < PALETTE.len() { 0.85 } else { 0.45 }
}

/// A bar: the rows of one size and way.
struct Bar<'a> {
    name: String,
    row: &'a TraceRow,
}

/// Bars of `results` that go there, a bar a size and run, sizes first. Absent without messages.
pub(super) fn figure(results: &[TraceResult], title: Title) -> Option<Figure> {
    let bars = bars(results);
    if bars.is_empty() {
        return None;
    }
    let names: Vec<String> = bars.iter().map(|bar| bar.name.clone()).collect();
    let stages = stages(&bars);
    let highest = bars.iter().map(|bar| mean_of(bar.row)).fold(0.0, f64::max);
    let x = places(&names);
    let y = times_from_zero("Mean time since the call", highest);
    let layers = stages
        .into_iter()
        .enumerate()
        .map(|(nth, (name, pieces))| drawn([&x, &y], (nth, &name), Shape::Box(shade(nth)), &pieces));
    Some(Figure::new(title, [&x, &y], layers.collect()))
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
                    format!("{}, {}", bar.name, bar.row.way.name()),
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
