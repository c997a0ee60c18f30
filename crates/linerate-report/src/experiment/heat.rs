//! A figure over the levels of two factors.

use linerate_analysis::experiment::{FigureFound, Findings};

use super::{views, words};
use crate::figure::{Aim, Figure, Layer, Title};
use crate::plot::{self, Mark, Side, UNIT, Words};

/// The least and the most room of a cell, across and up. Unit: pixels.
const WIDE: [u32; 2] = [84, 210];
const TALL: [u32; 2] = [46, 46];
/// Half of a cell, but for the gap between two.
const HALF: f64 = 0.485;
/// Shades of the least and the greatest value, on both of which letters can be read.
const SHADES: [f64; 2] = [0.06, 0.6];

/// The cells of two factors, the others at their base.
struct Grid<'a> {
    /// The factors from left to right and from above, by position.
    factors: [usize; 2],
    names: [&'a str; 2],
    levels: [&'a [String]; 2],
    /// The cell at each pair of levels, by its index.
    cells: Vec<Vec<Option<usize>>>,
}

/// The chart of two factors with the most levels. Absent if there are not two, or most of their cells have no value.
pub(super) fn figure(findings: &Findings, figure: &FigureFound) -> Option<Figure> {
    let grid = grid(findings, figure)?;
    let known = || grid.cells.iter().flatten().flatten().filter_map(|cell| value(figure, *cell));
    let ends =
        known().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], it| [low.min(it), high.max(it)]);
    let x = plot::columns_of(grid.names[0], grid.levels[0], WIDE);
    let y = plot::rows_of(grid.names[1], grid.levels[1], Words { room: Some(TALL), ..Words::default() });
    let axes = [&x, &y];
    let (mut marks, mut aims, mut best) = (Vec::new(), Vec::new(), Vec::new());
    for (row, cells) in (0..).zip(&grid.cells) {
        for (column, cell) in (0..).zip(cells) {
            let at = (f64::from(column), f64::from(row));
            let Some((cell, number)) = cell.and_then(|cell| Some((cell, value(figure, cell)?))) else {
                marks.push(Mark::Text { at, side: Side::Inside, lines: vec!["-".to_owned()] });
                continue;
            };
            let corners = [(at.0 - HALF, at.1 - HALF), (at.0 + HALF, at.1 + HALF)];
            marks.push(Mark::bar(corners, shade(number, ends)));
            let lines = lines(findings, figure, (cell, number));
            marks.push(Mark::Text { at, side: Side::Inside, lines });
            aims.push(Aim::at(axes, at, tip(findings, figure, (cell, number))));
            if figure.best.as_ref().is_some_and(|best| best.cell == cell) {
                best.push(frame(corners));
            }
        }
    }
    let mut layers = vec![Layer::new((0, "mean"), axes, marks, aims)];
    if !best.is_empty() {
        layers.push(Layer::new((1, "best cell"), axes, best, Vec::new()));
    }
    Some(Figure::new(title(findings, figure, &grid, ends), axes, layers))
}

fn frame([(left, low), (right, high)]: [plot::Place; 2]) -> Mark {
    Mark::line([(left, low), (right, low), (right, high), (left, high), (left, low)], 3 * UNIT)
}

/// What is written in a cell: its value, and what it is of the base.
fn lines(findings: &Findings, figure: &FigureFound, (cell, number): (usize, f64)) -> Vec<String> {
    let interval = figure.cells[cell].as_ref().and_then(|it| it.interval);
    let all: Vec<usize> = (0..figure.cells.len()).collect();
    let digits = interval.map(|ends| views::common(figure, &all).unwrap_or(ends));
    let base = words::base(findings).filter(|base| *base != cell).and_then(|base| value(figure, base));
    let against = base.map_or_else(
        || "base".to_owned(),
        |base| {
            words::change(if figure.figure.is_ratio { number / base } else { number - base }, &figure.figure)
        },
    );
    vec![words::value(number, digits, &figure.figure.unit), against]
}

fn tip(findings: &Findings, figure: &FigureFound, (cell, number): (usize, f64)) -> Vec<String> {
    let interval = figure.cells[cell].as_ref().and_then(|it| it.interval);
    vec![words::cell(findings, cell), words::estimate(number, interval, &figure.figure.unit)]
}

fn title(findings: &Findings, figure: &FigureFound, grid: &Grid<'_>, ends: [f64; 2]) -> Title {
    let [across, up] = grid.names;
    let others: Vec<String> = findings
        .factors
        .iter()
        .enumerate()
        .filter(|(nth, _)| !grid.factors.contains(nth))
        .filter_map(|(_, factor)| Some(format!("{} = {}", factor.name, factor.levels.first()?)))
        .collect();
    let at = if others.is_empty() { String::new() } else { format!(" With {}.", others.join(", ")) };
    let here = |cell: usize| grid.cells.iter().flatten().any(|it| *it == Some(cell));
    let best = figure.best.as_ref().filter(|best| here(best.cell)).map_or("", |_| " Framed: the best cell.");
    let [low, high] = ends.map(|end| words::estimate(end, None, &figure.figure.unit));
    Title {
        id: "heat".to_owned(),
        title: format!("{} over {across} and {up}", words::titled(&figure.figure.title, &figure.figure.unit)),
        caption: format!(
            "Each cell: the mean of its runs, and what it is of the base. The stronger the colour, the higher: {low} to {high}.{at}{best}"
        ),
    }
}

fn value(figure: &FigureFound, cell: usize) -> Option<f64> {
    figure.cells.get(cell)?.as_ref().map(|it| it.value).filter(|it| it.is_finite())
}

fn grid<'a>(findings: &'a Findings, figure: &FigureFound) -> Option<Grid<'a>> {
    let mut most: Vec<usize> =
        (0..findings.factors.len()).filter(|nth| findings.factors[*nth].levels.len() > 1).collect();
    most.sort_by_key(|nth| std::cmp::Reverse(findings.factors[*nth].levels.len()));
    let [across, up, ..] = most[..] else { return None };
    let levels = [across, up].map(|nth| findings.factors[nth].levels.as_slice());
    let find = |column: usize, row: usize| {
        let wanted = |nth: usize| {
            if nth == across {
                column
            } else if nth == up {
                row
            } else {
                0
            }
        };
        let here = |levels: &[usize]| {
            levels.len() == findings.factors.len()
                && levels.iter().enumerate().all(|(nth, level)| *level == wanted(nth))
        };
        let cell = findings.cells.iter().position(|cell| here(&cell.levels))?;
        value(figure, cell).map(|_| cell)
    };
    let row =
        |row: usize| (0..levels[0].len()).map(|column| find(column, row)).collect::<Vec<Option<usize>>>();
    let cells: Vec<Vec<Option<usize>>> = (0..levels[1].len()).map(row).collect();
    let known = cells.iter().flatten().flatten().count();
    let names = [across, up].map(|nth| findings.factors[nth].name.as_str());
    (known * 2 > levels[0].len() * levels[1].len()).then_some(Grid {
        factors: [across, up],
        names,
        levels,
        cells,
    })
}

/// How dark a value is.
fn shade(value: f64, [low, high]: [f64; 2]) -> f64 {
    let share = if high > low { (value - low) / (high - low) } else { 0.5 };
    SHADES[0] + share * (SHADES[1] - SHADES[0])
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    /// The place and the shade of each cell.
    fn cells(chart: &Figure) -> Vec<((f64, f64), f64)> {
        let cell = |mark: &Mark| match mark {
            Mark::Area { outline, dark } => Some(((outline[0].0 + HALF, outline[0].1 + HALF), *dark)),
            _ => None,
        };
        chart.layers[0].marks.iter().filter_map(cell).collect()
    }

    #[test]
    fn the_best_cell_is_the_darkest_and_the_base_stands_at_the_upper_left() {
        let full = fixture::full();
        let chart = figure(&full, &full.figures[0]).expect("two factors");
        let expected =
            [612.3, 640.8, 661.7, 870.4, 938.6, 941.2].map(|it| 0.06 + 0.54 * (it - 612.3) / (941.2 - 612.3));
        let cells = cells(&chart);
        for ((_, shade), expected) in cells.iter().zip(expected) {
            assert!((shade - expected).abs() < 0.001, "{cells:?}");
        }
        assert_eq!((cells.len(), cells[0].0), (6, (0.0, 0.0)));
        assert_eq!(chart.layers[1].marks, [frame([(2.0 - HALF, 1.0 - HALF), (2.0 + HALF, 1.0 + HALF)])]);
        assert_eq!(chart.layers[0].svg.matches("\nbase\n").count(), 1);
        assert!(chart.layers[0].svg.contains("\n941.2\n"));
    }

    #[test]
    fn other_factors_are_at_their_base() {
        let mut full = fixture::full();
        full.factors.push(fixture::factor("cpu", &["0", "1"]));
        for cell in &mut full.cells {
            cell.levels.push(0);
        }
        let chart = figure(&full, &full.figures[0]).expect("two factors");
        assert!(chart.caption.contains("With cpu = 0."), "{}", chart.caption);
        full.cells.iter_mut().for_each(|cell| cell.levels[2] = 1);
        assert!(figure(&full, &full.figures[0]).is_none(), "no cell is at the base of the third factor");
    }

    #[test]
    fn one_factor_has_no_map_and_a_missing_cell_is_empty() {
        let prices = fixture::prices();
        assert!(figure(&prices, &prices.figures[0]).is_none());
        let failed = fixture::failed();
        let chart = figure(&failed, &failed.figures[0]).expect("four of six cells");
        assert_eq!(chart.layers[0].svg.matches("\n-\n").count(), 2);
    }
}
