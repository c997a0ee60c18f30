//! A figure over the levels of two factors.

use linerate_analysis::experiment::{FigureFound, Findings};
use linerate_analysis::figures::Better;

use super::draw::{Anchor, Head, LINE, Pen, WIDTH, lines, width_of};
use super::{views, words};
use crate::section::Drawing;

/// Height of a cell, and of the legend with its blank. Unit: pixels.
const TALL: f64 = 46.0;
const LEGEND: f64 = 44.0;
/// Most room of the names of levels at the left, and the widest cell.
const NAMES: f64 = 220.0;
const WIDEST: f64 = 210.0;
/// The least width of a cell.
const LEAST: f64 = 74.0;
/// From this shade on text is in the colour of the page.
const DARK: f64 = 0.55;
/// Shades of the least and the greatest value.
const SHADES: [f64; 2] = [0.08, 0.9];

/// The cells of two factors, the others at their base.
struct Grid<'a> {
    /// The factors from left to right and from below, by position.
    factors: [usize; 2],
    names: [&'a str; 2],
    levels: [&'a [String]; 2],
    /// The cell at each pair of levels, by its index.
    cells: Vec<Vec<Option<usize>>>,
}

/// The chart of two factors with the most levels. Absent if there are not two, or most of their cells have no value.
pub(super) fn drawing(findings: &Findings, figure: &FigureFound) -> Option<Drawing> {
    let grid = grid(findings, figure)?;
    let values = grid.cells.iter().flatten().flatten().filter_map(|cell| value(figure, *cell));
    let ends = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], it| [low.min(it), high.max(it)]);
    let layout = Layout::of(&grid);
    let mut pen = Pen::default();
    legend(&mut pen, figure, ends);
    for (row, cells) in grid.cells.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let at = layout.place(column, row);
            draw(&mut pen, (findings, figure), *cell, (at, layout.wide, ends));
        }
    }
    let bottom = layout.names(&mut pen, &grid);
    let width = layout.place(grid.levels[0].len(), 0).0 + 8.0;
    Some(head(findings, figure, &grid).over(pen, [width.max(WIDTH), bottom]))
}

/// Where the cells of a grid stand.
struct Layout {
    /// Where the first column begins.
    left: f64,
    /// Width of a cell.
    wide: f64,
    /// Below the last row, which is the first level.
    bottom: f64,
}

impl Layout {
    fn of(grid: &Grid<'_>) -> Self {
        let names = grid.levels[1].iter().map(|name| width_of(name)).fold(width_of(grid.names[1]), f64::max);
        let left = names.min(NAMES) + 16.0;
        let wide = ((WIDTH - left - 8.0) / grid.levels[0].len() as f64).clamp(LEAST, WIDEST);
        Self { left, wide, bottom: LEGEND + LINE + TALL * grid.cells.len() as f64 }
    }

    /// The upper left corner of a cell.
    fn place(&self, column: usize, row: usize) -> (f64, f64) {
        (self.left + self.wide * column as f64, self.bottom - TALL * (row + 1) as f64)
    }

    /// The names of levels and of both factors, and how far down they reach.
    fn names(&self, pen: &mut Pen, grid: &Grid<'_>) -> f64 {
        for (row, level) in grid.levels[1].iter().enumerate() {
            let name = lines(level, self.left - 16.0, 1).concat();
            let y = self.place(0, row).1 + TALL / 2.0 + 4.5;
            pen.text((self.left - 8.0, y), Anchor::End, "strong", &name);
        }
        let mut deepest = 1;
        for (column, level) in grid.levels[0].iter().enumerate() {
            let middle = self.place(column, 0).0 + self.wide / 2.0;
            let name = lines(level, self.wide - 6.0, 2);
            deepest = deepest.max(name.len());
            for (nth, line) in name.iter().enumerate() {
                pen.text((middle, self.bottom + LINE * (nth as f64 + 1.0)), Anchor::Middle, "strong", line);
            }
        }
        let [across, up] = grid.names;
        let up = lines(up, self.left - 16.0, 1).concat();
        pen.text((self.left - 8.0, LEGEND + LINE - 8.0), Anchor::End, "soft", &up);
        let below = self.bottom + LINE * (1.4 + f64::from(deepest as u32));
        let middle = f64::midpoint(self.left, self.place(grid.levels[0].len(), 0).0);
        pen.text((middle, below), Anchor::Middle, "soft", across);
        below + LINE * 0.8
    }
}

fn head(findings: &Findings, figure: &FigureFound, grid: &Grid<'_>) -> Head {
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
    Head {
        id: "heat".to_owned(),
        title: format!("{} over {across} and {up}", words::titled(&figure.figure.title, &figure.figure.unit)),
        caption: format!("Each cell: the mean of its runs, and what it is of the base.{at}{best}"),
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

fn draw(
    pen: &mut Pen,
    (findings, figure): (&Findings, &FigureFound),
    cell: Option<usize>,
    ((x, y), wide, ends): ((f64, f64), f64, [f64; 2]),
) {
    let size = (wide - 2.0, TALL - 2.0);
    let middle = x + wide / 2.0 - 1.0;
    let Some((cell, number)) = cell.and_then(|cell| Some((cell, value(figure, cell)?))) else {
        pen.field("missing", (x, y), size, 1.0);
        pen.text((middle, y + TALL / 2.0 + 4.5), Anchor::Middle, "soft", "-");
        return;
    };
    let shown = figure.cells[cell].as_ref();
    let unit = &figure.figure.unit;
    let all: Vec<usize> = (0..figure.cells.len()).collect();
    let digits = shown.and_then(|it| it.interval).map(|ends| views::common(figure, &all).unwrap_or(ends));
    let text = words::value(number, digits, unit);
    let against =
        words::base(findings).filter(|base| *base != cell).and_then(|base| value(figure, base)).map(|base| {
            words::change(if figure.figure.is_ratio { number / base } else { number - base }, &figure.figure)
        });
    let shade = shade(number, ends);
    let ink = if shade > DARK { "over" } else { "strong" };
    let interval = shown.and_then(|it| it.interval);
    pen.tipped(
        &format!("{}: {}", words::cell(findings, cell), words::estimate(number, interval, unit)),
        |pen| {
            pen.field("accent solid", (x, y), size, shade);
            pen.text((middle, y + TALL / 2.0 - 3.0), Anchor::Middle, ink, &text);
            pen.text(
                (middle, y + TALL / 2.0 + LINE - 4.0),
                Anchor::Middle,
                ink,
                against.as_deref().unwrap_or("base"),
            );
            if figure.best.as_ref().is_some_and(|best| best.cell == cell) {
                pen.path(
                    "frame",
                    &[(x, y), (x + size.0, y), (x + size.0, y + size.1), (x, y + size.1), (x, y - 1.5)],
                );
            }
        },
    );
}

/// The shades from the least to the greatest value.
fn legend(pen: &mut Pen, figure: &FigureFound, ends: [f64; 2]) {
    let unit = &figure.figure.unit;
    let [low, high] = ends.map(|end| words::estimate(end, None, unit));
    let [before, after] = match figure.figure.better {
        Better::More => ["", " (better)"],
        Better::Less => [" (better)", ""],
        Better::Neither => ["", ""],
    };
    let low = format!("{low}{before}");
    pen.text((4.0, 20.0), Anchor::Start, "soft", &low);
    let left = width_of(&low) + 14.0;
    for nth in 0..5_u32 {
        let share = f64::from(nth) / 4.0;
        pen.field(
            "accent solid",
            (left + f64::from(nth) * 26.0, 8.0),
            (26.0, 16.0),
            shade(share, [0.0, 1.0]),
        );
    }
    pen.text((left + 140.0, 20.0), Anchor::Start, "soft", &format!("{high}{after}"));
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    /// The shade of each cell, in the order in which they are drawn.
    fn shades(svg: &str) -> Vec<f64> {
        let cells = svg.split("<rect class=\"accent solid\"").skip(1);
        let all = cells.map(|it| {
            let shade = it.split("fill-opacity=\"").nth(1).and_then(|it| it.split('"').next());
            shade.and_then(|it| it.parse().ok()).expect("a shade")
        });
        // Five of the legend.
        all.skip(5).collect()
    }

    #[test]
    fn the_best_cell_is_the_darkest_and_the_base_stands_at_the_lower_left() {
        let full = fixture::full();
        let chart = drawing(&full, &full.figures[0]).expect("two factors");
        let shades = shades(&chart.svg);
        // Cells are drawn from the base upwards, and from left to right.
        let expected =
            [612.3, 640.8, 661.7, 870.4, 938.6, 941.2].map(|it| 0.08 + 0.82 * (it - 612.3) / (941.2 - 612.3));
        for (shade, expected) in shades.iter().zip(expected) {
            assert!((shade - expected).abs() < 0.001, "{shades:?}");
        }
        assert_eq!(shades.len(), 6);
        let place = |text: &str| {
            let label = chart.svg.split("<text ").find(|it| it.contains(text)).expect("it is written");
            let number = |name: &str| {
                let it = label.split(&format!("{name}=\"")).nth(1).and_then(|it| it.split('"').next());
                it.and_then(|it| it.parse::<f64>().ok()).expect("a place")
            };
            [number("x"), number("y")]
        };
        let [base, best] = [place(">base<"), place(">941.2<")];
        assert!(base[0] < best[0] && base[1] > best[1], "{base:?} {best:?}");
        assert_eq!(chart.svg.matches("class=\"frame\"").count(), 1);
        assert_eq!(chart.svg.matches(">base</text>").count(), 1);
    }

    #[test]
    fn other_factors_are_at_their_base() {
        let mut full = fixture::full();
        full.factors.push(fixture::factor("cpu", &["0", "1"]));
        for cell in &mut full.cells {
            cell.levels.push(0);
        }
        let chart = drawing(&full, &full.figures[0]).expect("two factors");
        assert!(chart.caption.contains("With cpu = 0."), "{}", chart.caption);
        full.cells.iter_mut().for_each(|cell| cell.levels[2] = 1);
        assert!(drawing(&full, &full.figures[0]).is_none(), "no cell is at the base of the third factor");
    }

    #[test]
    fn one_factor_has_no_map_and_a_missing_cell_is_empty() {
        let prices = fixture::prices();
        assert!(drawing(&prices, &prices.figures[0]).is_none());
        let failed = fixture::failed();
        let chart = drawing(&failed, &failed.figures[0]).expect("four of six cells");
        assert_eq!(chart.svg.matches("class=\"missing\"").count(), 2);
    }
}
