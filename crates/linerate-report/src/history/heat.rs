//! Heat maps of size against time: a cell is a run's time as a ratio to the reference.

use crate::section::Swatch;
use std::fmt::Write as _;

use linerate_analysis::figures::Band;
use linerate_core::units::Size;

use super::super::figure::{Aim, Figure, Layer, Title};
use super::super::plot::{Axis, Mark, Scale, Spot, spot};
use super::grid::Grid;
use super::shown::Shown;
use super::{PathHistory, dates, median, run_axis, words};

/// Where colours change, as factors, slower on one side and faster on the other. The first whose last
/// factor is beyond nearly all cells is taken.
const SCALES: [[f64; 5]; 7] = [
    [1.005, 1.01, 1.02, 1.03, 1.05],
    [1.01, 1.02, 1.04, 1.07, 1.1],
    [1.02, 1.05, 1.1, 1.15, 1.2],
    [1.05, 1.1, 1.2, 1.3, 1.5],
    [1.1, 1.2, 1.4, 1.7, 2.0],
    [1.25, 1.5, 2.0, 3.0, 5.0],
    [1.5, 2.5, 5.0, 10.0, 20.0],
];
/// This share of the cells may lie beyond the last factor.
const BEYOND: f64 = 0.03;
/// The colour of what did not change.
const SAME: usize = 5;
/// Least distance of two labels, as a share of the axis.
const PITCH: f64 = 0.045;
/// Fewer labels than these leave a reader guessing between them.
const FEWEST: usize = 4;

/// The heat maps of a page, which share a scale.
pub(super) struct Heats {
    pub(super) figures: Vec<Figure>,
    pub(super) legend: Vec<Swatch>,
}

/// A heat map for each pattern that has curves.
pub(super) fn heats(path: &PathHistory, shown: &Shown<'_>) -> Heats {
    let grids = path.curves.keys().filter_map(|pattern| Some((*pattern, Grid::of(path, *pattern)?)));
    let grids: Vec<_> = grids.collect();
    let scale = scale(&grids.iter().map(|(_, grid)| grid).collect::<Vec<&Grid>>());
    let mut figures = Vec::new();
    for (pattern, grid) in &grids {
        let marks =
            shown.events.iter().filter(|it| it.members.iter().any(|it| it.key().subject == pattern.name()));
        let marks: Vec<usize> = marks.map(|it| it.event.at).collect();
        let title = Title {
            id: format!("heat-{}", pattern.name()),
            title: format!("{pattern}: time of a message by size and run"),
            caption: caption(path, grid, &marks),
        };
        figures.push(figure(path, title, grid, (&scale, &marks)));
    }
    let legend = if grids.is_empty() { Vec::new() } else { legend(&scale) };
    Heats { figures, legend }
}

fn caption(path: &PathHistory, grid: &Grid, marks: &[usize]) -> String {
    let mut text = format!("Ratio to {}.", grid.reference);
    for (holds, words) in [
        (
            grid.ratios.iter().flatten().any(Option::is_none),
            " Grey: not measured, or the curve was not kept.",
        ),
        (!marks.is_empty(), " Dashed: where something changed."),
        (grid.columns.len() < path.runs.len(), " A column is the middle of several runs."),
    ] {
        text.push_str(if holds { words } else { "" });
    }
    text
}

fn scale(grids: &[&Grid]) -> [f64; 5] {
    let ratios = grids.iter().flat_map(|grid| grid.ratios.iter().flatten().flatten());
    let mut factors: Vec<f64> = ratios.map(|ratio| ratio.max(1.0 / ratio)).collect();
    factors.sort_by(f64::total_cmp);
    let most = factors.get((factors.len() as f64 * (1.0 - BEYOND)) as usize).copied().unwrap_or(1.0);
    SCALES.into_iter().find(|scale| most <= scale[4]).unwrap_or(SCALES[SCALES.len() - 1])
}

/// The colour of a ratio: [`SAME`] in the middle, below it faster.
fn colour(scale: &[f64; 5], ratio: f64) -> usize {
    let steps = |factor: f64| scale.iter().filter(|edge| factor >= **edge).count();
    SAME + steps(ratio) - steps(1.0 / ratio)
}

fn legend(scale: &[f64; 5]) -> Vec<Swatch> {
    let decimals = if scale[0] < 1.01 { 3 } else { 2 };
    let faster = scale.iter().rev().map(|factor| 1.0 / factor);
    let edges = faster.chain(scale.iter().copied()).map(|edge| format!("{edge:.decimals$}"));
    let edges = edges.chain([String::new()]).enumerate();
    edges.map(|(colour, until)| Swatch { colour, until }).collect()
}

fn figure(path: &PathHistory, title: Title, grid: &Grid, (scale, marks): (&[f64; 5], &[usize])) -> Figure {
    let axes = [&run_axis(path), &sizes(grid)];
    let mut svg = cells(axes, grid, scale);
    for run in marks {
        let [top, bottom] = [grid.rows.len() as f64, 0.0].map(|row| place(axes, *run as f64, row));
        let _ = write!(svg, "<path class=\"mark\" d=\"M{} {}V{}\"/>", top.0, top.1, bottom.1);
    }
    let layer = Layer::new((0, title.title.clone()), axes, vec![Mark::Written(svg)], aims(axes, path, grid));
    Figure::new(title, axes, vec![layer])
}

/// Where the left edge of a run and the lower edge of a row meet.
fn place(axes: [&Axis; 2], run: f64, row: f64) -> Spot {
    spot(axes, (run - 0.5, row - 0.5))
}

/// A line for each stretch of a row with one colour, as one path for each colour: a few bytes a cell.
fn cells(axes: [&Axis; 2], grid: &Grid, scale: &[f64; 5]) -> String {
    let lefts: Vec<i32> = grid.columns.iter().map(|[first, _]| place(axes, *first as f64, 0.0).0).collect();
    let runs = grid.columns.last().map_or(0, |[_, last]| last + 1);
    let edges: Vec<i32> = lefts.into_iter().chain([place(axes, runs as f64, 0.0).0]).collect();
    let levels: Vec<i32> = (0..=grid.rows.len()).map(|row| place(axes, 0.0, row as f64).1).collect();
    let thick = levels.windows(2).map(|pair| pair[0] - pair[1]).max().unwrap_or(1);
    let mut paths = vec![String::new(); 2 * SAME + 1];
    for (row, ratios) in grid.ratios.iter().enumerate() {
        let y = i32::midpoint(levels[row], levels[row + 1]);
        let mut at = [None; 2 * SAME + 1];
        let colours: Vec<Option<usize>> =
            ratios.iter().map(|ratio| ratio.map(|ratio| colour(scale, ratio))).collect();
        let mut first = 0;
        for same in colours.chunk_by(|one, other| one == other) {
            let [left, right] = [edges[first], edges[first + same.len()]];
            first += same.len();
            let Some(colour) = same[0] else { continue };
            // Writing to a String cannot fail.
            let _ = match at[colour].replace(right) {
                None => write!(paths[colour], "M{left} {y}h{}", right - left),
                Some(before) => write!(paths[colour], "m{} 0h{}", left - before, right - left),
            };
        }
    }
    let ([left, right], [bottom, top]) =
        ([edges[0], edges[edges.len() - 1]], [levels[0], levels[levels.len() - 1]]);
    let mut svg = format!("<path class=\"gap\" d=\"M{left} {bottom}H{right}V{top}H{left}z\"/>");
    for (colour, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        let _ = write!(svg, "<path class=\"heat h{colour}\" stroke-width=\"{thick}\" d=\"{path}\"/>");
    }
    svg
}

/// A tooltip for each column and band of sizes.
fn aims(axes: [&Axis; 2], path: &PathHistory, grid: &Grid) -> Vec<Aim> {
    let mut aims = Vec::new();
    for band in Band::ALL {
        let rows: Vec<usize> = (0..grid.rows.len()).filter(|row| band.contains(grid.rows[*row][0])).collect();
        let [Some(low), Some(high)] = [rows.first(), rows.last()] else { continue };
        let y = f64::midpoint(*low as f64, *high as f64);
        for (column, [first, last]) in grid.columns.iter().enumerate() {
            let ratios = rows.iter().filter_map(|row| grid.ratios[*row][column]);
            let Some(ratio) = median(ratios) else { continue };
            let lines = vec![when(path, [*first, *last]), format!("{band}: {ratio:.3}")];
            aims.push(Aim::at(axes, (f64::midpoint(*first as f64, *last as f64), y), lines));
        }
    }
    aims
}

/// When the runs of a column began.
fn when(path: &PathHistory, [first, last]: [usize; 2]) -> String {
    let [from, to] = [first, last].map(|run| &path.runs[run]);
    match first == last {
        true => format!("{}, {}", dates::minute(from.started_us), words::short_run(&from.id)),
        false => format!("{} to {}", dates::minute(from.started_us), dates::minute(to.started_us)),
    }
}

/// Sizes side by side, labelled at powers of two.
fn sizes(grid: &Grid) -> Axis {
    let rows = grid.rows.len();
    let mut ticks: Vec<f64> = Vec::new();
    let powers = |[first, last]: &[u64; 2]| first.next_power_of_two() <= *last;
    for row in (0..rows).filter(|row| powers(&grid.rows[*row])) {
        if ticks.last().is_none_or(|before| row as f64 - before >= PITCH * rows as f64) {
            ticks.push(row as f64);
        }
    }
    if ticks.len() < FEWEST {
        // Sizes that avoid powers of two.
        ticks = (0..rows).step_by((rows / FEWEST).max(1)).map(|row| row as f64).collect();
    }
    let label = |row: f64| {
        let [first, last] = grid.rows[row as usize];
        let power = first.next_power_of_two();
        Size(if power <= last { power } else { first }).to_string()
    };
    Axis::new("Message size".to_owned(), Scale::Linear, [-0.5, rows as f64 - 0.5], &ticks, label)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::history;
    use super::*;

    #[test]
    fn colours_diverge_from_the_middle() {
        let scale = [1.02, 1.05, 1.1, 1.15, 1.2];
        for (ratio, expected) in [
            (1.0, 5),
            (1.019, 5),
            (1.0 / 1.019, 5),
            (1.02, 6),
            (1.12, 8),
            (1.2, 10),
            (9.0, 10),
            (0.5, 0),
            (0.97, 4),
        ] {
            assert_eq!(colour(&scale, ratio), expected, "{ratio}");
        }
        let edges: Vec<String> = legend(&scale).into_iter().map(|swatch| swatch.until).collect();
        assert_eq!(
            edges,
            ["0.83", "0.87", "0.91", "0.95", "0.98", "1.02", "1.05", "1.10", "1.15", "1.20", ""]
        );
    }

    /// Which colour covers a place, if any: the pictures as a browser reads their paths.
    fn colour_at(svg: &str, (x, y): (f64, f64)) -> Option<usize> {
        svg.split("<path class=\"heat h").skip(1).find_map(|path| {
            let attribute = |name: &str| {
                let value = path.split(&format!(" {name}=\"")).nth(1).expect(name);
                value.split('"').next().expect(name).to_owned()
            };
            let half = attribute("stroke-width").parse::<f64>().expect("a number") / 2.0;
            let data = attribute("d").replace('M', "\nM").replace('m', "\nm");
            let mut at = (0.0, 0.0);
            let covers = data.lines().skip(1).any(|piece| {
                let numbers: Vec<f64> =
                    piece[1..].split([' ', 'h']).map(|number| number.parse().expect("a number")).collect();
                let from = if piece.starts_with('M') { (0.0, 0.0) } else { at };
                let start = (from.0 + numbers[0], from.1 + numbers[1]);
                at = (start.0 + numbers[2], start.1);
                (start.0..at.0).contains(&x) && (y - at.1).abs() < half
            });
            covers.then(|| path.split('"').next().and_then(|it| it.parse().ok()).expect("a colour"))
        })
    }

    #[test]
    fn every_cell_has_its_colour_in_its_place() {
        let ratios = [
            [Some(1.0), Some(1.3), Some(1.3), None, Some(1.0)],
            [None, Some(0.5), Some(1.0), Some(1.0), Some(0.5)],
            [Some(1.03), None, None, None, Some(0.98)],
        ];
        let grid = Grid {
            columns: (0..5).map(|run| [run, run]).collect(),
            rows: vec![[1, 1], [64, 64], [1_024, 1_024]],
            ratios: ratios.map(Vec::from).into(),
            reference: String::new(),
        };
        let title = Title { id: String::new(), title: String::new(), caption: String::new() };
        let scale = [1.01, 1.02, 1.04, 1.07, 1.1];
        let figure = figure(&history(5, 12), title, &grid, (&scale, &[2]));
        let svg = &figure.layers[0].svg;
        let frame = svg.split("class=\"gap\" d=\"M").nth(1).expect("a frame");
        let edges: Vec<f64> = frame
            .split(|c: char| !c.is_ascii_digit())
            .take(4)
            .map(|edge| edge.parse().expect("a number"))
            .collect();
        let [left, bottom, right, top] = edges[..] else { panic!("{edges:?}") };
        for (row, ratios) in ratios.iter().enumerate() {
            for (column, ratio) in ratios.iter().enumerate() {
                let x = left + (right - left) * (column as f64 + 0.5) / 5.0;
                let y = bottom + (top - bottom) * (row as f64 + 0.5) / 3.0;
                let expected = ratio.map(|ratio| colour(&scale, ratio));
                assert_eq!(colour_at(svg, (x, y)), expected, "row {row}, column {column}: {svg}");
            }
        }
        let mark =
            svg.split("class=\"mark\" d=\"M").nth(1).and_then(|it| it.split(' ').next()).expect("a mark");
        let expected = left + (right - left) * 2.0 / 5.0;
        assert!((mark.parse::<f64>().expect("a number") - expected).abs() <= 1.0, "{mark} {expected}");
        // Three bands, and each has a tooltip where a run has a curve.
        assert_eq!(figure.layers[0].aims.len(), ratios.iter().flatten().flatten().count());
        assert!(figure.layers[0].aims.iter().any(|aim| aim.lines[1] == "64 B to 1 KiB: 0.500"));
    }

    #[test]
    fn the_scale_is_as_wide_as_nearly_all_cells_need() {
        let grid = |ratios: Vec<f64>| Grid {
            columns: Vec::new(),
            rows: Vec::new(),
            ratios: vec![ratios.into_iter().map(Some).collect()],
            reference: String::new(),
        };
        let last = |ratios: Vec<f64>| scale(&[&grid(ratios)])[4];
        assert_eq!(last(vec![1.0; 100]), 1.05);
        assert_eq!(last([vec![1.0; 60], vec![1.12; 40]].concat()), 1.2);
        assert_eq!(last([vec![1.0; 60], vec![0.3; 40]].concat()), 5.0);
        assert_eq!(last([vec![1.0; 99], vec![9.0]].concat()), 1.05, "a lone cell does not press the others");
        assert_eq!(last(vec![1e9]), 20.0);
        assert_eq!(scale(&[]), SCALES[0]);
    }
}
